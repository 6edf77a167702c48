#!/usr/bin/env bash
# Nodes that are simulated, and nodes that fail: what kubectl shows of them and of their Pods.
source "$(dirname "$0")/harness.sh" "$@"

# pod NAME NODE SECONDS: a Pod that stays on a node that is not reachable for so long.
pod() {
  printf -- '---\napiVersion: v1\nkind: Pod\nmetadata: {name: %s}\n' "$1"
  printf 'spec: {nodeName: %s, containers: [{name: web, image: web}], tolerations: [' "$2"
  printf '{key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, '
  printf 'tolerationSeconds: %s}]}\n' "$3"
}
field() { kubectl get "$1" "$2" --output "jsonpath=$3"; }
pod_is_ready() { [ "$(field pod "$1" '{.status.conditions[?(@.type=="Ready")].status}')" = True ]; }
node_status() { field node "$1" '{.status.conditions[?(@.type=="Ready")].status}'; }
node_is() { [ "$(node_status "$1")" = "$2" ]; }
has_taints() { [ "$(field node "$1" '{.spec.taints[*].effect}')" = "$2" ]; }
is_gone() { ! kubectl get "$@"; }
is_leaving() { [ -n "$(field pod "$1" '{.metadata.deletionTimestamp}')" ]; }
phase_is() { [ "$(field pod "$1" '{.status.phase}')" = "$2" ]; }

refuses "a wrong number of nodes is named" "simulate-nodes" \
  "$kubexms" server --data-dir "$work/none" --simulate-nodes many
refuses "a wrong grace period is named" "node-monitor-grace-period" \
  "$kubexms" server --data-dir "$work/none" --node-monitor-grace-period soon

# --- nodes, in three zones
start_control_plane --simulate-nodes=4 --node-monitor-grace-period=2s
eventually "there are nodes" node_is sim-0004 True
eventually "new Pods may come to them" has_taints sim-0004 ""
shows "they are in zones" "sim-b" kubectl get nodes --label-columns topology.kubernetes.io/zone
shows "they renew leases" "sim-0003" kubectl --namespace kube-node-lease get leases

# --- Pods come up, end, and go
kubectl apply --filename - >/dev/null <<END
$(pod impatient sim-0001 0)
$(pod patient sim-0001 300)
$(pod elsewhere sim-0002 300)
---
apiVersion: v1
kind: Pod
metadata: {name: job}
spec: {nodeName: sim-0002, restartPolicy: Never, containers: [{name: job, image: job}]}
END
for name in impatient patient elsewhere; do eventually "a Pod is ready" pod_is_ready "$name"; done
eventually "a Pod ends" phase_is job Succeeded
shows "a Pod has an address" "10.128.1." kubectl get pod elsewhere --output wide
kubectl delete pod job >/dev/null

# --- a node that fails
kubectl annotate node sim-0001 simulate.kubexms.io/stopped=true >/dev/null
eventually "a silent node is not ready" node_is sim-0001 Unknown
shows "kubectl says so" "NotReady" kubectl get node sim-0001
eventually "it is tainted" has_taints sim-0001 "NoSchedule NoExecute"
eventually "Pods that do not tolerate it leave" is_leaving impatient
expect "the others stay" "" "$(field pod patient '{.metadata.deletionTimestamp}')"
shows "an event is recorded" "TaintManagerEviction" kubectl describe pod impatient
shows "and of the node" "NodeNotReady" kubectl describe node sim-0001
eventually "other nodes are well" pod_is_ready elsewhere

# --- and comes back
kubectl annotate node sim-0001 simulate.kubexms.io/stopped- >/dev/null
eventually "it is ready again" node_is sim-0001 True
eventually "its taints are gone" has_taints sim-0001 ""
eventually "the Pod that had to leave has left" is_gone pod impatient
eventually "the other is ready" pod_is_ready patient

# --- all of them fall silent: it is rather the network, and nobody is driven away
for number in 1 2 3 4; do kubectl annotate node "sim-000$number" simulate.kubexms.io/stopped=true; done >/dev/null
for number in 1 2 3 4; do
  eventually "none is ready" node_is "sim-000$number" Unknown
  eventually "but their Pods may stay" has_taints "sim-000$number" NoSchedule
done
for name in patient elsewhere; do
  expect "$name stays" "" "$(field pod "$name" '{.metadata.deletionTimestamp}')"
done
for number in 1 2 3 4; do kubectl annotate node "sim-000$number" simulate.kubexms.io/stopped-; done >/dev/null
for number in 1 2 3 4; do eventually "they come back" has_taints "sim-000$number" ""; done

# --- over a restart the nodes are the same
uid=$(field node sim-0002 '{.metadata.uid}')
stop_server TERM
start_server --simulate-nodes 4 --controllers none
eventually "nodes are taken over" node_is sim-0002 True
expect "it is the same node" "$uid" "$(field node sim-0002 '{.metadata.uid}')"
kubectl delete pod elsewhere >/dev/null
eventually "Pods end without controllers, too" is_gone pod elsewhere

# --- most of a zone's nodes fail: it is rather the network there, and they keep their Pods
stop_server TERM
if [ "$mode" = manager ]; then
  kill -KILL "$manager" 2>/dev/null || true  # without a server for long it has ended by itself
  start_server --simulate-nodes=15 --node-monitor-grace-period=2s --controllers=none \
    --token-file="$work/tokens"
else
  start_server --simulate-nodes=15 --node-monitor-grace-period=2s --controllers=none
fi
eventually "there are more nodes" node_is sim-0015 True
in_zone() { kubectl get nodes --selector "topology.kubernetes.io/zone=$1" --output name; }
mapfile -t zone < <(in_zone sim-a)
mapfile -t other < <(in_zone sim-b)
expect "a zone has five" 5 "${#zone[@]}"
most=("${zone[@]:0:3}") one=${other[0]}
kubectl annotate "${most[@]}" "$one" simulate.kubexms.io/stopped=true >/dev/null
if [ "$mode" = manager ]; then
  start_manager --node-monitor-grace-period=2s
else
  stop_server TERM
  start_server --simulate-nodes=15 --node-monitor-grace-period=2s
fi
eventually "one of another zone is given up" has_taints "${one#node/}" "NoSchedule NoExecute"
for node in "${most[@]}"; do
  eventually "it is not ready" node_is "${node#node/}" Unknown
  expect "its Pods may stay" NoSchedule "$(field node "${node#node/}" '{.spec.taints[*].effect}')"
done
