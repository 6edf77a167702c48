#!/usr/bin/env bash
# Faults of real hosts: errors name the host and the cause, no change is incomplete, and the run can
# be resumed once the cause is removed.
# usage: cluster_faults_test.sh PATH_OF_KUBEXMS DIRECTORY_OF_LABS
# shellcheck source=tests/e2e/lab_harness.sh
source "$(dirname "$0")/lab_harness.sh" "$1" "$2"

configure "$(lab up --hosts 3 2>"$work/up.log")" "  roleGroups: {etcd: [node1, node2, node3]}
  etcd: {binariesDir: $(etcd_programs)}"
# on HOST SCRIPT: run there, without output.
on() { lab ssh "$1" "$2" >/dev/null 2>&1; }
journal() { cat "$work"/state/runs/*/journal 2>/dev/null; }
# in_journal TEXT...: a record has all of them.
in_journal() {
  local records text
  records=$(journal)
  for text in "$@"; do records=$(grep -F "$text" <<<"$records") || return 1; done
}
# ends WHAT: the run in the background ends with an error; an unreachable host takes some time.
ends() {
  timeout 60 tail --pid="$run" --follow /dev/null || failed "$1" "the run's end" "$(cat "$work/run.log")"
  ! wait "$run" || failed "$1" "another exit code than 0" "$(cat "$work/run.log")"
}
# start COMMAND...: runs in the background as process $run, with its output in run.log.
start() {
  "$kubexms" "$@" -f "$config" --state-dir "$work/state" >"$work/run.log" 2>&1 &
  run=$!
}
# says TEXT...: the output of the last started run has all of them.
says() {
  local text
  for text in "$@"; do
    has "$(cat "$work/run.log")" "$text" || failed "the run's end" "$text" "$(cat "$work/run.log")"
  done
}
untouched() {
  for host in node1 node2 node3; do
    on $host '! ls -d /etc/kubexms /var/lib/kubexms/lab /usr/local/bin/etcd' || failed "$1" "nothing on $host" "something"
  done
}

# --- the way in: the sudo password
for part in 'useradd -m -s /bin/sh op' 'echo op:right-password | chpasswd' \
  'echo "op ALL=(ALL) ALL" >/etc/sudoers.d/op' 'cp -r /root/.ssh /home/op/.ssh' \
  'chown -R op /home/op/.ssh'; do on node1 "$part"; done
sed '0,/^\( *\)user: root/s//\1user: op\n\1sudoPassword: env:SUDO_PASSWORD/' "$config" >"$work/op.yaml"
config=$work/op.yaml
status=0
SUDO_PASSWORD=wrong-password cluster create cluster >"$work/run.log" 2>&1 || status=$?
expect "a wrong sudo password is refused" 1 $status
says "node1: sudo does not accept the password; correct sudoPassword of the host"
! grep -q wrong-password "$work/run.log" || failed "the password" "is not shown" "$(cat "$work/run.log")"
untouched "a wrong sudo password leaves"
SUDO_PASSWORD=right-password shows "with the right one" "start and enable kubexms-etcd" cluster plan
config=$work/cluster.yaml
rm -rf "$work/state"

# --- the way in: an encrypted key
cp "$directory/$name/key" "$work/key"
ssh-keygen -q -p -P '' -N right-passphrase -f "$work/key"
sed "s|^\( *\)privateKeyPath: .*|\1privateKeyPath: $work/key\n\1privateKeyPassphrase: env:PASSPHRASE|" \
  "$config" >"$work/encrypted.yaml"
config=$work/encrypted.yaml
PASSPHRASE=wrong-passphrase refuses "a wrong passphrase" "passphrase" cluster plan
PASSPHRASE=right-passphrase shows "the right one" "start and enable kubexms-etcd" cluster plan
config=$work/cluster.yaml

# --- the way in: the host's key
sed '/hostKey:/d' "$config" >"$work/trusting.yaml"
config=$work/trusting.yaml
cluster plan >/dev/null
on node2 'cd /etc/ssh && cp ssh_host_ed25519_key saved && cp ssh_host_ed25519_key.pub saved.pub &&
  rm ssh_host_ed25519_key* && ssh-keygen -q -t ed25519 -N "" -f ssh_host_ed25519_key && systemctl restart ssh'
refuses "a key that is not the one of before" "differs from the known one" cluster create cluster
config=$work/cluster.yaml
refuses "a key that is not the pinned one" "is not one of hostKey in the configuration" \
  cluster create cluster
ssh -i "$directory/$name/key" -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR \
  "root@$(address_of node2)" \
  'cd /etc/ssh && mv saved ssh_host_ed25519_key && mv saved.pub ssh_host_ed25519_key.pub && systemctl restart ssh'
untouched "another key leaves"
rm -rf "$work/state"

# --- preflight errors of all hosts are reported at once, and there is no run
on node1 'mkdir -p /var/lib/etcd/member'
on node2 'mkdir -p /var/lib/etcd && mount -t tmpfs -o size=1m tmpfs /var/lib/etcd'
on node3 'systemd-run --unit=taken systemd-socket-activate -l 0.0.0.0:2379 /bin/cat'
status=0
refused=$(cluster create cluster 2>&1) || status=$?
expect "hosts that are not ready are refused" 1 $status
for reason in "nothing was changed" "node1: /var/lib/etcd has the data of another etcd; move the data" \
  "node2: 1 MiB free for /var/lib/etcd, 2048 required" \
  "node3: another program listens on port 2379; to find it: ss -ltnp"; do
  has "$refused" "$reason" || failed "why hosts are not ready" "$reason" "$refused"
done
shows "that is no run" "No runs." cluster status
untouched "a refusal leaves"
on node1 'rmdir /var/lib/etcd/member /var/lib/etcd'
on node2 'umount /var/lib/etcd; rmdir /var/lib/etcd'
on node3 'systemctl stop taken'

# --- a disk that is full in the middle
on node2 'mount -t tmpfs -o size=4m tmpfs /usr/local/bin'
status=0
cluster create cluster >"$work/run.log" 2>&1 || status=$?
expect "a full disk ends the run" 1 $status
says "node2: etcd/install: programs: upload /usr/local/bin/etcd" "No space left on device" \
  "probably a file system of the host is full; free disk space (df -h shows where), then resume" \
  "To resume: kubexms resume -f $config --state-dir $work/state "
expect "no part of the file is left" "" "$(lab ssh node2 "ls -A /usr/local/bin")"
on node2 'umount /usr/local/bin'

# --- a host that goes down in the middle
start resume
eventually "node3 is worked on" in_journal etcd/configure node3
cut_power node3
ends "the loss of a host"
says "node3: etcd/" "probably " "To resume: kubexms resume"
lab start node3 >/dev/null 2>&1
shows "the run can be resumed when the host is back" "succeeded" cluster resume
shows "the history of the run" "resumed" cluster status "$(ls "$work/state/runs")"
shows "for programs too" '"event": "failed"' cluster status "$(ls "$work/state/runs")" -o json

# --- the connection is lost during a long command, and then the run is canceled
for host in node2 node3; do on $host 'pkill -STOP -x etcd'; done
start create cluster
job() { lab ssh node1 'cat /var/lib/kubexms/lab/jobs/*/pid'; }
eventually "it waits for the other members" job
waiting=$(job)
on node1 'pkill -f "sshd: root@notty"' || true
eventually "the host accepts logins again" lab ssh node1 true
expect "the command continues" "$waiting" "$(job)"
kill -0 "$run" || failed "the run" "waits" "$(cat "$work/run.log")"
kill -INT "$run"
ends "Ctrl-C"
says "Canceled:" "To resume: kubexms resume"
expect "the lock of the host is released" "" "$(lab ssh node1 'ls -d /var/lib/kubexms/lab/lock 2>/dev/null || true')"
for host in node2 node3; do on $host 'pkill -CONT -x etcd'; done
shows "and can be resumed" "succeeded" cluster resume
shows "nothing is left to change" "Done: 0 steps" cluster create cluster
shows "that takes three round trips per host" '"roundTrips": 9' cluster create cluster -o json

# --- on a terminal
drawn=$(TERM=xterm script -qec "$kubexms create cluster -f $config --state-dir $work/state" /dev/null)
has "$drawn" $'\033[32m✓' || failed "a tree" "is drawn" "$drawn"
drawn=$(TERM=xterm NO_COLOR=1 script -qec "$kubexms delete cluster --yes -f $config --state-dir $work/state" /dev/null)
has "$drawn" '✓ etcd' || failed "a tree without colors" "is drawn" "$drawn"
has "$drawn" $'\033[32m' && failed "a tree without colors" "has none" "$drawn"
untouched "delete leaves"
