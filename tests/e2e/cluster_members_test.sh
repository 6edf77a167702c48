#!/usr/bin/env bash
# The members of an etcd on real hosts, while a client writes to it: one joins, one is lost with its
# host and forgotten, another takes its place; a backup brings back what was there before.
# usage: cluster_members_test.sh PATH_OF_KUBEXMS DIRECTORY_OF_LABS
# shellcheck source=tests/e2e/lab_harness.sh
source "$(dirname "$0")/lab_harness.sh" "$1" "$2"

lab up --hosts 4 >"$work/hosts" 2>"$work/up.log"
# members_are HOSTS [MORE]: the file with these hosts, all of which have etcd.
members_are() {
  configure "$(awk -v keep=" $1 " '/- name:/ { on = index(keep, " " $3 " ") } /^hosts:/ || on' "$work/hosts")" \
    "  roleGroups: {etcd: [${1// /, }]}
  etcd: {binariesDir: $(etcd_programs), ${2:-peerPort: 2380}}"
}
# Those who vote: "node1 node2".
members() {
  etcdctl_on "$1" member list | awk -F', ' '$6 == "false" { print $3 }' | sort | paste -sd' '
}

# --- one
members_are "node1"
shows "one member" "Done:" cluster create cluster
etcdctl_on node1 put before the-backup >/dev/null

# --- another port, and back
members_are "node1" "clientPort: 12379"
shows "a changed configuration is applied" "Done:" cluster create cluster
refuses "nobody listens there any more" "" etcdctl_on node1 --command-timeout=1s endpoint health
run=$(last_run)
shows "what a rollback would do" "undo: change /etc/kubexms/etcd/etcd.yaml" \
  cluster rollback "$run" --dry-run
shows "it can be rolled back" "Done:" cluster rollback "$run"
shows "then etcd has read its old configuration" "is healthy" etcdctl_on node1 endpoint health

# --- becomes three, and is written to from then on
# Not by the function: the process would be its child and outlive it.
"$kubexms" lab ssh --dir "$directory" --name "$name" node1 \
  "while :; do $(etcdctl put counter '$((n = n + 1))') >/dev/null 2>&1 || sleep 0.1; sleep 0.02; done" \
  >/dev/null 2>&1 &
writer=$!
members_are "node1 node2 node3" "backup: {schedule: hourly, keep: 1}"
shows "a plan says who would join" "add node3 to etcd as a learner" cluster plan
etcd_process() { lab ssh node1 "systemctl show -p MainPID kubexms-etcd"; }
process=$(etcd_process)
killed_at '"task":"etcd/join node3"' create cluster
shows "two more join, also after a run that was killed" "Done:" cluster resume
expect "three members" "node1 node2 node3" "$(members node3)"
shows "again there is nothing to do" "Done: 0 steps" cluster create cluster
expect "who was there has not been restarted" "$process" "$(etcd_process)"

# --- backups
lab ssh node2 "systemctl start kubexms-etcd-backup && systemctl start kubexms-etcd-backup"
expect "the newest backups of the timer are kept" 1 \
  "$(lab ssh node2 "ls /var/backups/kubexms-etcd" | wc -l)"
shows "the source of a backup" "save a snapshot of node2 to $work/backup.db" \
  cluster etcd backup --to "$work/backup.db" --limit node2 --dry-run
shows "a backup comes to this machine" "Wrote $work/backup.db" \
  cluster etcd backup --to "$work/backup.db"
expect "for its owner alone" 600 "$(stat -c %a "$work/backup.db")"
refuses "to overwrite it" "exists and is not overwritten" cluster etcd backup --to "$work/backup.db"

# --- one is lost with its host, and another takes its place
cut_power node3
refuses "to wait for an unreachable host" "--force" cluster remove nodes node3 --yes
shows "what would change" "remove node3 from etcd" cluster remove nodes node3 --force --dry-run
shows "it is removed" "etcd has 2 members now" cluster remove nodes node3 --force --yes
expect "two members" "node1 node2" "$(members node1)"
members_are "node1 node2 node4" "backup: {schedule: hourly, keep: 1}"
shows "another takes its place" "New hosts: node4" cluster add nodes
expect "three members again" "node1 node2 node4" "$(members node4)"
refuses "to lose the majority" "etcd would have no member left" \
  cluster remove nodes node1 node2 node4 --yes

# --- what was written since the backup is lost, and nothing else
etcdctl_on node4 put after the-backup >/dev/null
head -c 1000 "$work/backup.db" >"$work/part.db"
refuses "a truncated snapshot" "not a complete snapshot" \
  cluster etcd restore --from "$work/part.db" --yes
restore() { cluster etcd restore --from "$work/backup.db" --yes; }
killed_at '"task":"etcd/exchange"' etcd restore --from "$work/backup.db" --yes
shows "one that was killed can be rolled back" "Done:" cluster rollback
shows "with what was there" "the-backup" etcdctl_on node4 get after
killed_at '"task":"etcd/start"' etcd restore --from "$work/backup.db" --yes
shows "etcd is restored, also after one that was killed" "Done:" restore
refuses "a rollback after the point of no return" "has passed its point of no return" \
  cluster rollback "$(last_run)"
shows "it has what the backup has" "the-backup" etcdctl_on node4 get before
expect "and not what came later" "" "$(etcdctl_on node4 get after)"
expect "the members are the same" "node1 node2 node4" "$(members node2)"
counter() { etcdctl_on node1 get --print-value-only counter; }
counted=$(counter)
has_grown() { [ "$(counter)" != "$counted" ]; }
eventually "writes succeed" has_grown
shows "nothing is to be done" "Done: 0 steps" cluster create cluster

# --- one leaves in good order, and nothing of it is left
shows "it leaves" "Remove node2 from" cluster remove nodes node2 --yes
# leftovers HOST
leftovers() {
  lab ssh "$1" "ls -d /etc/kubexms /var/lib/etcd /var/lib/kubexms/lab /usr/local/bin/etcd \
    /etc/systemd/system/kubexms-etcd* 2>/dev/null || true"
}
expect "nothing of it is left" "" "$(leftovers node2)"
expect "two are left" "node1 node4" "$(members node1)"
kill "$writer"
writer=
shows "the rest can be deleted" "" cluster delete cluster --yes
expect "nothing is left" "" "$(leftovers node4)"
