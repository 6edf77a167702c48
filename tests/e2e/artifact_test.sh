#!/usr/bin/env bash
# Packages for hosts without internet: collected into an artifact, refused when it is damaged, and
# installed from it on a real host, also on one whose power fails in the middle.
# usage: artifact_test.sh PATH_OF_KUBEXMS DIRECTORY_OF_LABS
# shellcheck source=tests/e2e/lab_harness.sh
source "$(dirname "$0")/lab_harness.sh" "$1" "$2"

configure "$(lab up --hosts 1 2>"$work/up.log")" "  roleGroups: {etcd: [node1]}
  artifact: lab.artifact"
on_node() { lab ssh node1 "$@"; }
installed() { on_node "dpkg-query -W -f='\${db:Status-Status} ' etcd-server etcd-client 2>&1"; }

# --- built
build_artifact "$work/lab.artifact"
shows "it says what is in it" "etcd-server" "$kubexms" artifact list "$work/lab.artifact"
shows "also for programs" '"os": "debian-12"' "$kubexms" artifact list -o json "$work/lab.artifact"

# --- damaged
head -c 1000000 "$work/lab.artifact" >"$work/cut.artifact"
refuses "what is cut off" "is cut off" cluster create cluster --artifact "$work/cut.artifact"
cp "$work/lab.artifact" "$work/altered.artifact"
printf x | dd of="$work/altered.artifact" bs=1 seek=6000000 conv=notrunc status=none
refuses "what was altered" "was altered or is damaged" \
  cluster create cluster --artifact "$work/altered.artifact"
refuses "no path leads around it" "was altered or is damaged" \
  "$kubexms" artifact list "$work/altered.artifact"
shows "then nothing has been done" "nothing" on_node "test -e /etc/kubexms || echo nothing"

# --- used
shows "a plan names it" "install etcd-server etcd-client" cluster plan
shows "a cluster is made of it" "Done:" cluster create cluster
shows "from the packages" "installed installed" installed
shows "and is healthy" "is healthy" etcdctl_on node1 endpoint health
shows "no file is left" "nothing" on_node "test -e /var/lib/kubexms/lab/packages || echo nothing"
shows "again there is nothing to do" "Done: 0 steps" cluster create cluster
shows "it can be deleted" "" cluster delete cluster --yes
shows "with the packages" "nothing" on_node "test -e /usr/bin/etcd || echo nothing"

# --- the power fails while they are installed
layer=$directory/$name/hosts/node1/upper
cut_power_while_installing() {
  touch "$work/before"
  cluster create cluster >"$work/cut.log" 2>&1 &
  local run=$!
  until find "$layer" -path '*/bin/etcd*' -cnewer "$work/before" 2>/dev/null | grep -q .; do
    kill -0 $run 2>/dev/null || failed "a run" "installs packages" "$(cat "$work/cut.log")"
    sleep 0.01
  done
  lab kill node1
  ! wait $run || failed "a run without its host" "failure" "$(cat "$work/cut.log")"
  lab start node1 >/dev/null 2>&1
}
cut_power_while_installing
shows "it is taken back when the host is back" "Done:" cluster rollback
shows "with what was there of the packages" "nothing" on_node "test -e /usr/bin/etcd || echo nothing"
cut_power_while_installing
shows "it is finished when the host is back" "Done:" cluster resume
shows "with the packages" "installed installed" installed
