#!/usr/bin/env bash
# A cluster's etcd on real hosts: made, changed by hand, mended, without one of its hosts, made by a
# run that is killed, and taken away again.
# usage: cluster_lab_test.sh PATH_OF_KUBEXMS DIRECTORY_OF_LABS
directory=$2
if [ "$(id -u)" != 0 ] || ! command -v systemd-nspawn >/dev/null || ! command -v debootstrap >/dev/null; then
  echo "SKIPPED: a lab needs root, systemd-nspawn and debootstrap"
  exit 77
fi
set -- "$1"
# shellcheck source=tests/e2e/harness.sh
source "$(dirname "$0")/harness.sh"

name=c$$
lab() { "$kubexms" lab "$1" --dir "$directory" --name "$name" "${@:2}"; }
clean() {
  local status=$?
  [ $status = 0 ] || tail -n 30 "$work"/*.log >&2 || true
  lab down >/dev/null 2>&1 || true
  rm -rf "$work"
  exit $status
}
trap clean EXIT

mkdir -p "$directory"
{
  printf 'apiVersion: kubexms.io/v1alpha1\nkind: Cluster\nmetadata: {name: lab}\nspec:\n'
  lab up --hosts 3 2>"$work/up.log" | sed 's/^/  /'
  printf '  roleGroups: {etcd: [node1, node2, node3]}\n'
  printf '  etcd: {binariesDir: %s}\n' "$(dirname "$(command -v etcd)")"
  # The kernel is the machine's, and not this test's to change.
  printf '  system: {configureKernel: false}\n'
} >"$work/cluster.yaml"

# cluster COMMAND...
cluster() { "$kubexms" "$@" -f "$work/cluster.yaml" --state-dir "$work/state"; }
# etcdctl_on HOST ARGUMENT...
etcdctl_on() {
  local flags="--endpoints=https://127.0.0.1:2379 --cacert=/etc/kubexms/etcd/ca.crt"
  flags+=" --cert=/etc/kubexms/etcd/client.crt --key=/etc/kubexms/etcd/client.key"
  lab ssh "$1" "ETCDCTL_API=3 etcdctl $flags ${*:2} 2>&1"
}
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
lab kill node3
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
# killed_after SECONDS COMMAND...
killed_after() {
  timeout --signal=KILL "$1" "$kubexms" "${@:2}" -f "$work/cluster.yaml" \
    --state-dir "$work/state" >/dev/null 2>&1 || true
}
killed_after 1 create cluster
killed_after 2 resume
shows "a run that was killed twice is finished" "succeeded" cluster resume
shows "and healthy" "is healthy" etcdctl_on node3 endpoint health
