#!/usr/bin/env bash
# A cluster's etcd on real hosts: made, changed by hand, mended, without one of its hosts, and made and
# taken away by runs that are killed at random.
# usage: cluster_lab_test.sh PATH_OF_KUBEXMS DIRECTORY_OF_LABS
# shellcheck source=tests/e2e/lab_harness.sh
source "$(dirname "$0")/lab_harness.sh" "$1" "$2"

configure "$(lab up --hosts 3 2>"$work/up.log")" "  roleGroups: {etcd: [node1, node2, node3]}
  etcd: {binariesDir: $(etcd_programs)}"
members() { etcdctl_on node1 member list | grep -c started; }
has_caught_up() { etcdctl_on node3 get key | grep -q after; }

# --- made, and made again
shows "a plan says what would be done" "start and enable kubexms-etcd" cluster plan
refuses "and does nothing" "inactive" lab ssh node1 systemctl is-active kubexms-etcd
shows "it is made" "Done:" cluster create cluster
shows "again there is nothing to do" "Done: 0 steps" cluster create cluster
shows "nobody has changed anything" "" cluster diff
shows "three members" "3" members
refuses "without a certificate one is not let in" "" \
  lab ssh node1 "ETCDCTL_API=3 etcdctl --endpoints=https://127.0.0.1:2379 --insecure-skip-tls-verify --command-timeout=2s get key"

# --- one of three is lost
etcdctl_on node1 put key before >/dev/null
cut_power node3
eventually "two of three take writes, after an election" etcdctl_on node1 put key after
refuses "a run names the host that is away" "node3" cluster create cluster
lab start node3 >/dev/null 2>&1
eventually "it comes back with all that it missed" has_caught_up

# --- changed by hand
lab ssh node2 "echo '# by hand' >>/etc/kubexms/etcd/etcd.yaml"
status=0
cluster diff >"$work/diff.log" 2>&1 || status=$?
expect "the exit code of a difference" 2 "$status"
has "$(cat "$work/diff.log")" "by hand" || failed "the difference" "is shown" "$(cat "$work/diff.log")"
shows "and repaired" "Done:" cluster create cluster
shows "then there is none" "" cluster diff

# --- another operator, who has the configuration and nothing else
second() { "$kubexms" "$@" -f "$config" --state-dir "$work/second"; }
authority() { lab ssh node1 sha256sum /etc/kubexms/etcd/ca.crt; }
before=$(authority)
for command in "create cluster" plan diff "delete cluster --yes" "remove nodes node3 --yes"; do
  # shellcheck disable=SC2086
  refuses "$command without the state of the cluster" "kubexms adopt cluster" second $command
done
expect "the authority is that of before" "$before" "$(authority)"
shows "the state is adopted from the hosts" "Adopted the cluster lab" second adopt cluster
shows "it is the same one" "Done: 0 steps" second create cluster
expect "its authority's key is the operator's alone" 600 "$(stat -c %a "$work/second/pki/etcd/ca.key")"
sed 's/^\( *etcd: {\)binariesDir/\1backup: {schedule: someday}, binariesDir/' "$config" >"$work/wrong.yaml"
config=$work/wrong.yaml
refuses "a schedule that systemd does not know" "is not a calendar expression of systemd" second plan
config=$work/cluster.yaml
sed 's/^\( *etcd: {\)binariesDir/\1backup: {schedule: daily}, binariesDir/' "$config" >"$work/daily.yaml"
config=$work/daily.yaml
shows "the other operator works on it" "Done:" second create cluster
refuses "the first one does not know of that" "does not have the run" cluster create cluster
shows "until it adopts the state again" "Adopted the cluster lab" cluster adopt cluster
shows "and is up to date" "Done: 0 steps" cluster create cluster
config=$work/cluster.yaml
shows "and can change it again" "Done:" cluster create cluster

# --- killed at random, while it is created and while it is deleted
seed=${KUBEXMS_TEST_SEED:-$((RANDOM * 32768 + RANDOM))}
echo "killed at random: KUBEXMS_TEST_SEED=$seed gives the same again"
RANDOM=$seed
# What of the hosts is ours to change: all names, and what is in files that are not made anew each
# time. Journals and what was there before a run are kept on purpose.
state() {
  local host
  for host in node1 node2 node3; do
    echo "$host:"
    lab ssh $host "{ find /etc /usr/local /var/lib/kubexms /tmp -xdev \
        \( -path /var/lib/kubexms/lab/runs -o -path '/tmp/systemd-private-*' -o -name '*-' \) -prune \
        -o -printf '%y %m %u %g %p %l\n'
      find /etc /usr/local -xdev -type f ! -name '*-' ! -name '*.crt' ! -name '*.key' \
        -exec sha256sum {} +; } | sort"
  done
}
# same_state WHAT FILE: the hosts are as when FILE was made.
same_state() {
  local difference
  difference=$(diff "$2" <(state)) || failed "$1 (seed $seed)" "no difference" "$difference"
}
state >"$work/made"
shows "it can be deleted" "" cluster delete cluster --yes
refuses "nothing runs" "" lab ssh node1 systemctl is-active kubexms-etcd
refuses "nothing is left" "" lab ssh node2 ls /etc/kubexms /var/lib/etcd/member
state >"$work/deleted"
finished=$(last_run)
# Whether there is a run that is to be resumed. Killed early enough there is none.
is_begun() { [ "$(last_run)" != "$finished" ] && [ -s "$work/state/runs/$(last_run)/journal" ]; }
is_finished() { is_begun && tail -n 1 "$work/state/runs/$(last_run)/journal" | grep -q '"type":"finished"'; }
for ((round = 0; round < 5; round++)); do
  if ! is_begun; then
    killed_somewhere create cluster
  elif ! is_finished; then
    killed_somewhere resume
  fi
done
if ! is_begun; then
  shows "a run that was killed before it began is begun" "Done:" cluster create cluster
elif ! is_finished; then
  shows "a run that was killed again and again is finished" "succeeded" cluster resume
fi
same_state "what was killed and resumed is as if it had not been" "$work/made"
expect "nothing is half written here" "" "$(find "$work/state" -name '*.part')"
shows "there is nothing left to do" "Done: 0 steps" cluster create cluster
shows "and it is healthy" "is healthy" etcdctl_on node3 endpoint health
for ((round = 0; round < 2; round++)); do killed_somewhere delete cluster --yes; done
shows "it can be deleted by one that was killed" "" cluster delete cluster --yes
same_state "what was killed and deleted is as if it had not been" "$work/deleted"
