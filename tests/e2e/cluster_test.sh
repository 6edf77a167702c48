#!/usr/bin/env bash
# The commands about clusters as far as no host is needed: configurations, and what is refused.
# usage: cluster_test.sh PATH_OF_KUBEXMS
# shellcheck source=tests/e2e/harness.sh
source "$(dirname "$0")/harness.sh"

file=$work/cluster.yaml
"$kubexms" create config --name demo --hosts 127.0.0.1,127.0.0.2,127.0.0.3 -f "$file" 2>/dev/null
shows "the configuration" "etcd: [node1, node2, node3]" cat "$file"
refuses "to write over a file" "is there already" "$kubexms" create config -f "$file"
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
expect "nothing is made for it" "" "$(ls -A "$work/.kubexms" 2>/dev/null)"

shows "no run" "There has been no run" "$kubexms" status -f "$file"
refuses "to resume none" "no run of demo is unfinished" "$kubexms" resume -f "$file"
for command in resume rollback status; do
  refuses "$command of a run that never was" "there is no run x of demo; kubexms status shows them" \
    "$kubexms" $command x -f "$file"
done
refuses "a backup to nowhere" "there is no directory $work/none for $work/none/x" \
  "$kubexms" etcd backup -f "$file" --to "$work/none/x"
refuses "a backup of nothing" "read $work/none: No such file or directory" \
  "$kubexms" etcd restore -f "$file" --from "$work/none" --yes
refuses "to delete without --yes" "add --yes" "$kubexms" delete cluster -f "$file"
refuses "to delete a part" "kubexms remove nodes takes single hosts out" \
  "$kubexms" delete cluster -f "$file" --limit node1
refuses "to remove within a limit" "name the hosts that are to leave" \
  "$kubexms" remove nodes node1 -f "$file" --limit node1
refuses "to restore a part" "on all of its members, or on none" \
  "$kubexms" etcd restore -f "$file" --from x --limit node1
refuses "to ask hosts for a history" "no host is asked" "$kubexms" status -f "$file" --limit node1
sed 's/^  # network:.*/  network: {podCIDRs: [127.0.0.0\/16], serviceCIDRs: [10.96.0.0\/12, 10.97.0.0\/16]}/' \
  "$file" >"$work/network.yaml"
line=$(grep -n '^  network:' "$work/network.yaml" | cut -d: -f1)
refuses "ranges of addresses" "network.yaml:$line: spec.network.podCIDRs[0]: Invalid value" \
  "$kubexms" plan -f "$work/network.yaml"
refuses "all of them at once" "network.yaml:$line: spec.network.serviceCIDRs[1]: Invalid value" \
  "$kubexms" plan -f "$work/network.yaml"
shows "nothing would be deleted" "nothing to change" "$kubexms" delete cluster -f "$file" --dry-run
refuses "hosts that are not in it" "there is no host x" "$kubexms" plan -f "$file" --limit x
refuses "nor any of several" "there is no host x" "$kubexms" plan -f "$file" --limit x --limit node1
refuses "a wrong number" "is not between 1 and" "$kubexms" plan -f "$file" --parallel none

# Nothing listens there.
sed -i 's/^      address: 127.*/&\n      port: 1/' "$file"
refuses "hosts that do not answer" "3 hosts do not answer" "$kubexms" diff -f "$file"
refuses "a cluster of them" "see whether the host is up and runs sshd" "$kubexms" create cluster -f "$file"
shows "that is no run" "There has been no run" "$kubexms" status -f "$file"
expect "its directory is the operator's alone" 700 \
  "$(stat -c %a "$work/.kubexms/clusters/demo")"
expect "so is the authority's key" 600 \
  "$(stat -c %a "$work/.kubexms/clusters/demo/pki/etcd/ca.key")"
