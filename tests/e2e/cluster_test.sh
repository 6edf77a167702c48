#!/usr/bin/env bash
# Cluster commands without hosts: configurations, and refusals.
# usage: cluster_test.sh PATH_OF_KUBEXMS
# shellcheck source=tests/e2e/harness.sh
source "$(dirname "$0")/harness.sh"

file=$work/cluster.yaml
"$kubexms" create config --name demo --hosts 127.0.0.1,127.0.0.2,127.0.0.3 -f "$file" 2>/dev/null
shows "the configuration" "etcd: [node1, node2, node3]" cat "$file"
refuses "to overwrite a file" "exists and is not overwritten" "$kubexms" create config -f "$file"
refuses "the same host twice" "Duplicate value" "$kubexms" create config --hosts 10.0.0.1,10.0.0.1
expect "it is printed without a file" "$(cat "$file")" \
  "$("$kubexms" create config --name demo --hosts 127.0.0.1,127.0.0.2,127.0.0.3)"

sed 's/node1, node2, node3/node1, nobody/' "$file" >"$work/wrong.yaml"
line=$(grep -n 'etcd: \[' "$work/wrong.yaml" | cut -d: -f1)
for command in "create cluster" plan diff status resume rollback "delete cluster"; do
  # shellcheck disable=SC2086
  refuses "$command with a wrong file" \
    "wrong.yaml:$line: spec.roleGroups.etcd[1]: Not found: \"nobody\"" \
    "$kubexms" $command -f "$work/wrong.yaml"
done
expect "no state directory is created for it" "" "$(ls -A "$work/.kubexms" 2>/dev/null)"

shows "no run" "No runs. To create the cluster" "$kubexms" status -f "$file"
refuses "to resume none" "demo has no unfinished run" "$kubexms" resume -f "$file"
for command in resume rollback status; do
  refuses "$command of an unknown run" "run x of demo does not exist; to list the runs: kubexms status" \
    "$kubexms" $command x -f "$file"
done
refuses "a backup to no directory" "the directory $work/none of $work/none/x does not exist" \
  "$kubexms" etcd backup -f "$file" --to "$work/none/x"
refuses "a snapshot that does not exist" "read $work/none: No such file or directory" \
  "$kubexms" etcd restore -f "$file" --from "$work/none" --yes
refuses "to delete without --yes" "add --yes" "$kubexms" delete cluster -f "$file"
# Commands have only the flags that they accept.
for command in "delete cluster" "remove nodes node1" "etcd restore --from x" status; do
  # shellcheck disable=SC2086
  refuses "--limit of $command" 'unknown flag "--limit"' "$kubexms" $command -f "$file" --limit node1
done
for command in plan diff status; do
  refuses "--dry-run of $command" 'unknown flag "--dry-run"' "$kubexms" $command -f "$file" --dry-run
done
sed 's/^  # network:.*/  network: {podCIDRs: [127.0.0.0\/16], serviceCIDRs: [10.96.0.0\/12, 10.97.0.0\/16]}/' \
  "$file" >"$work/network.yaml"
line=$(grep -n '^  network:' "$work/network.yaml" | cut -d: -f1)
refuses "ranges of addresses" "network.yaml:$line: spec.network.podCIDRs[0]: Invalid value" \
  "$kubexms" plan -f "$work/network.yaml"
refuses "all of them at once" "network.yaml:$line: spec.network.serviceCIDRs[1]: Invalid value" \
  "$kubexms" plan -f "$work/network.yaml"
shows "nothing would be deleted" "nothing to change" "$kubexms" delete cluster -f "$file" --dry-run
refuses "unknown hosts" "has no host x" "$kubexms" plan -f "$file" --limit x
refuses "one unknown host of several" "has no host x" "$kubexms" plan -f "$file" --limit x --limit node1
refuses "a wrong number" "is not between 1 and" "$kubexms" plan -f "$file" --parallel none

# Nothing listens there.
sed -i 's/^      address: 127.*/&\n      port: 1/' "$file"
refuses "unreachable hosts" "3 hosts unreachable" "$kubexms" diff -f "$file"
refuses "a cluster of them" "check that the host is up and runs sshd" "$kubexms" create cluster -f "$file"
shows "that is no run" "No runs." "$kubexms" status -f "$file"
expect "only the operator can read the state directory" 700 \
  "$(stat -c %a "$work/.kubexms/clusters/demo")"
expect "and the key of the authority" 600 \
  "$(stat -c %a "$work/.kubexms/clusters/demo/pki/etcd/ca.key")"

# What --dry-run shows is the plan.
shows "planning is shown while it goes on" "planning: create cluster" \
  bash -c "\"$kubexms\" diff -f \"$file\" 2>&1 || true"
expect "a dry run is the plan" "$("$kubexms" plan -f "$file" 2>/dev/null || true)" \
  "$("$kubexms" create cluster --dry-run -f "$file" 2>/dev/null || true)"

# for_programs COMMAND...: with -o json standard output is one JSON document, or nothing where the
# command failed before it had anything to report; standard error then says why.
for_programs() {
  local status=0
  "$kubexms" "$@" -o json >"$work/out" 2>"$work/err" || status=$?
  [ -s "$work/out" ] || [ $status != 0 ] || failed "$* -o json" "JSON" "nothing"
  [ ! -s "$work/out" ] || python3 -m json.tool "$work/out" >/dev/null ||
    failed "$* -o json" "JSON" "$(cat "$work/out")"
  [ -s "$work/out" ] || [ -s "$work/err" ] || failed "$* -o json" "an error" "nothing"
}
commands=("create cluster" "create cluster --dry-run" plan diff status "status x" resume "resume --dry-run"
  rollback "rollback --dry-run" "delete cluster" "delete cluster --dry-run" "delete cluster --yes"
  "add nodes" "add nodes --dry-run" "remove nodes node1" "remove nodes node1 --dry-run"
  "remove nodes node1 --yes" "adopt cluster" "adopt cluster --dry-run"
  "etcd backup --to $work/x" "etcd backup --to $work/x --dry-run"
  "etcd restore --from $work/none --yes" "etcd restore --from $work/none --dry-run")
for configuration in "$file" "$work/wrong.yaml" "$work/network.yaml" "$work/none.yaml"; do
  for command in "${commands[@]}"; do
    # shellcheck disable=SC2086
    for_programs $command -f "$configuration"
    # shellcheck disable=SC2086
    for_programs $command --parallel none -f "$configuration"
  done
done
