#!/usr/bin/env bash
# A lab: real hosts on this machine, their failures, and that nothing stays of them. What happens on
# hosts is tried on one too, by another program. The image of the hosts is kept for the next time.
# usage: lab_test.sh PATH_OF_KUBEXMS DIRECTORY_OF_LABS PATH_OF_LAB_HOST_TEST
host_test=$3
# shellcheck source=tests/e2e/lab_harness.sh
source "$(dirname "$0")/lab_harness.sh" "$1" "$2"

subnet=10.79.$((RANDOM % 16 * 16)).0/28
# remains: what a lab of this name would leave on the machine.
remains() {
  ls -d "$directory/$name" "/sys/class/net/kx-$name" /sys/fs/cgroup/{,*/}"kubexms-lab/$name" \
    "/run/systemd/nspawn/propagate/$name"-* 2>/dev/null || true
  grep -F "$directory/$name/" /proc/self/mounts || true
  grep -lsazF "$directory/$name/" /proc/[0-9]*/cmdline || true
}

state_of() { lab status | awk -v host="$1" '$1 == host { print $3 }'; }
boot_of() { lab ssh "$1" cat /proc/sys/kernel/random/boot_id; }

refuses "status of no lab" "the lab $name does not exist; to create it: kubexms lab up --name $name" lab status
refuses "a wrong number of hosts" "is not a positive number" lab up --hosts none
refuses "a wrong network" "is not a network" lab up --subnet 10.0.0.0/8
refuses "more hosts than addresses" "at most 4" lab up --hosts 5 --subnet "$subnet"
lab down
expect "a refusal leaves nothing" "" "$(remains)"

lab up --hosts 1 --subnet "$subnet" >"$work/hosts"
has "$(cat "$work/hosts")" "hostKey: ssh-ed25519 " || failed "the host's key" "is shown" "$(cat "$work/hosts")"
expect "it has a name" node1 "$(lab ssh node1 hostname)"
first_boot=$(boot_of node1)
lab up --hosts 2 >"$work/hosts" 2>"$work/progress"
expect "only the second one is started" 1 "$(grep -c ^starting "$work/progress")"
expect "the first one is not restarted" "$first_boot" "$(boot_of node1)"
expect "each has an id of its own" 2 \
  "$( (lab ssh node1 cat /etc/machine-id; lab ssh node2 cat /etc/machine-id) | sort -u | wc -l)"
lab up >"$work/again" 2>"$work/progress"
expect "nothing is done again" "Next: kubexms lab config > cluster.yaml" "$(cat "$work/progress")"
expect "the same hosts" "$(cat "$work/hosts")" "$(cat "$work/again")"
shows "the list of labs" "$name" "$kubexms" lab ls --dir "$directory"
shows "status as a table" "node2 ${subnet%.0/28}.12 running" lab status
shows "status as JSON" '"state": "running"' lab status -o json

expect "all units of a host are well" running "$(lab ssh node2 -- systemctl is-system-running --wait)"
lab ssh node2 -- ping -c 1 -W 5 "${subnet%.0/28}.11" >/dev/null
lab ssh node2 -- test -d /sys/module
# As a container runtime does.
lab ssh node2 'group=/sys/fs/cgroup/memory; [ -d $group ] || group=/sys/fs/cgroup
  mkdir $group/tried && rmdir $group/tried && unshare --mount --pid --fork --net true'

"$kubexms" lab ssh --dir "$directory" --name "$name" node1 'touch /root/began && sleep 300' \
  >/dev/null 2>&1 &
session=$!
eventually "a command runs" lab ssh node1 -- test -e /root/began
kill -TERM $session
{ sleep 30 && kill -KILL $session; } >/dev/null 2>&1 &
watchdog=$!
status=0
wait $session 2>/dev/null || status=$?
kill $watchdog
expect "a signal ends it, as ssh says" 255 "$status"

lab ssh node2 'echo kept >/root/note && sync'
lab kill node2
expect "a host without power" stopped "$(state_of node2)"
expect "the other one still runs" running "$(state_of node1)"
refuses "a host that the lab has not" 'has no host node9; its hosts are' lab kill node9
lab start node2 2>/dev/null
expect "its power is back" running "$(state_of node2)"
expect "its disk is as it was" kept "$(lab ssh node2 cat /root/note)"

LAB_ADDRESS=${subnet%.0/28}.11 LAB_KEY=$directory/$name/key \
  LAB_HOST_KEY=$(cut -d ' ' -f 1,2 "$directory/$name/hosts/node1/host_key.pub") \
  "$host_test" --gtest_brief=1

# Killed while it adds hosts, and while it removes them.
for moment in 0.05 0.2 0.4; do
  timeout --signal=KILL $moment "$kubexms" lab up --dir "$directory" --name "$name" --hosts 3 \
    >/dev/null 2>&1 || true
done
lab up --hosts 3 >/dev/null 2>&1
expect "up continues what was killed" running "$(state_of node3)"
timeout --signal=KILL 0.1 "$kubexms" lab down --dir "$directory" --name "$name" >/dev/null 2>&1 || true
lab down 2>/dev/null
eventually "nothing is left" test -z "$(remains)"
lab down
