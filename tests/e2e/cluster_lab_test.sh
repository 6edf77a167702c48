#!/usr/bin/env bash
# A cluster's etcd on real hosts: made, changed by hand, mended, without one of its hosts, made by a
# run that is killed, and taken away again.
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
expect "a difference is told by the exit code" 2 "$status"
has "$(cat "$work/diff.log")" "by hand" || failed "the difference" "is shown" "$(cat "$work/diff.log")"
shows "and mended" "Done:" cluster create cluster
shows "then there is none" "" cluster diff

# --- taken away, and made by a run that is killed
shows "it can be deleted" "" cluster delete cluster --yes
refuses "nothing runs" "" lab ssh node1 systemctl is-active kubexms-etcd
refuses "nothing is left" "" lab ssh node2 ls /etc/kubexms /var/lib/etcd/member
killed_at '"task":"os/names"' create cluster
killed_at '"task":"etcd/configure"' resume
shows "a run that was killed twice is finished" "succeeded" cluster resume
shows "and healthy" "is healthy" etcdctl_on node3 endpoint health
