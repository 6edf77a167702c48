#!/usr/bin/env bash
# The scheduler as people see it: nodes that the test makes, Pods, and what kubectl says of them.
source "$(dirname "$0")/harness.sh" "$@"
start_control_plane --controllers=kube-scheduler,serviceaccount-controller

has_account() { kubectl get serviceaccount default; }
eventually "there is a service account" has_account

# node NAME ZONE CPU [TAINT]: one that is ready.
node() {
  kubectl create -f - >/dev/null <<YAML
apiVersion: v1
kind: Node
metadata: {name: $1, labels: {kubernetes.io/hostname: $1, zone: $2}}
YAML
  as_admin "/api/v1/nodes/$1/status" --fail --request PATCH \
    --header 'Content-Type: application/merge-patch+json' \
    --data "{\"status\":{\"allocatable\":{\"cpu\":\"$3\",\"memory\":\"4Gi\",\"pods\":\"10\"}}}" \
    >/dev/null
  kubectl patch node "$1" --type merge --patch "{\"spec\":{\"taints\":[${4:-}]}}" >/dev/null
}
# pod NAME CPU [SPEC]
pod() {
  kubectl create -f - >/dev/null <<YAML
apiVersion: v1
kind: Pod
metadata: {name: $1, labels: {app: ${1%-*}}}
spec:
  containers: [{name: main, image: example/main, resources: {requests: {cpu: $2}}}]
${3:-}
YAML
}
node_of() { kubectl get pod "$1" --output 'jsonpath={.spec.nodeName}'; }
is_on() { [ "$(node_of "$1")" = "$2" ]; }
has_node() { [ -n "$(node_of "$1")" ]; }
why_not() {
  kubectl get pod "$1" \
    --output 'jsonpath={.status.conditions[?(@.type=="PodScheduled")].message}'
}
says_why() { [ "$(why_not "$1")" = "$2" ]; }
describes() { has "$(kubectl describe pod "$1")" "$2"; }

# --- nodes
pod early-1 1
eventually "without nodes" says_why early-1 "no nodes available to schedule pods"
node a1 a 2
eventually "a new node is taken" is_on early-1 a1
eventually "an event records the reason" describes early-1 \
  "default-scheduler Successfully assigned default/early-1 to a1"
shows "the pod says so, too" True kubectl get pod early-1 \
  --output 'jsonpath={.status.conditions[?(@.type=="PodScheduled")].status}'

# --- room and taints
node b1 b 2 '{"key":"for","value":"databases","effect":"NoSchedule"}'
pod large-1 2
message='0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint {for: databases}.'
eventually "nowhere is room" says_why large-1 "$message"
eventually "an event records the reason" describes large-1 "FailedScheduling"
eventually "in words" describes large-1 "$message"
pod tolerant-1 1 "  tolerations: [{key: for, operator: Exists}]
  nodeSelector: {zone: b}"
eventually "a taint can be tolerated" is_on tolerant-1 b1
kubectl delete pod early-1 --grace-period=0 --force >/dev/null 2>&1
eventually "a pod that goes makes room" is_on large-1 a1
kubectl delete pod large-1 tolerant-1 --grace-period=0 --force >/dev/null 2>&1
kubectl taint node b1 for- >/dev/null

# --- affinity
node b2 b 2
pod near-1 100m "  nodeSelector: {kubernetes.io/hostname: b1}"
eventually "a label is asked for" is_on near-1 b1
near='  affinity:
    podAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - {topologyKey: zone, labelSelector: {matchLabels: {app: near}}}
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: near}}}'
pod other-1 100m "$near"
eventually "near, but not too near" is_on other-1 b2

pod named-1 100m '  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution:
    {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: NotIn, values: [a]}],
    matchFields: [{key: metadata.name, operator: In, values: [b2]}]}]}}}'
eventually "a node is asked for by more than a label" is_on named-1 b2

# --- ports
# with_port NAME: a Pod that wants a port of its node.
with_port() {
  kubectl create -f - >/dev/null <<YAML
apiVersion: v1
kind: Pod
metadata: {name: $1}
spec:
  nodeSelector: {zone: a}
  containers: [{name: main, image: example/main, ports: [{containerPort: 80, hostPort: 8080}]}]
YAML
}
with_port first
eventually "a port is taken" is_on first a1
with_port second
eventually "once" says_why second "0/3 nodes are available: 1 node(s) didn't have free ports for the \
requested pod ports, 2 node(s) didn't match Pod's node affinity/selector."
kubectl delete pod first --grace-period=0 --force >/dev/null 2>&1
eventually "until it is free" is_on second a1
kubectl delete pod second --grace-period=0 --force >/dev/null 2>&1

# --- priorities
kubectl create priorityclass urgent --value=1000 >/dev/null
node c1 c 1 '{"key":"node.kubernetes.io/unschedulable","effect":"NoSchedule"}'
pod calm-1 1 "  nodeSelector: {zone: c}"
pod hasty-1 1 "  nodeSelector: {zone: c}
  priorityClassName: urgent"
waits() { [ -n "$(why_not "$1")" ]; }
eventually "both wait" waits calm-1
eventually "both wait" waits hasty-1
sleep 1.5  # until neither has to wait for its next attempt
kubectl patch node c1 --type merge --patch '{"spec":{"taints":null}}' >/dev/null
eventually "the one of higher priority comes first" is_on hasty-1 c1
expect "and takes the room" "" "$(node_of calm-1)"
kubectl delete pod calm-1 hasty-1 --grace-period=0 --force >/dev/null 2>&1
kubectl delete node c1 >/dev/null

# --- spreading
spread='  topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: zone
    whenUnsatisfiable: DoNotSchedule
    labelSelector: {matchLabels: {app: spread}}'
for i in 1 2 3 4; do
  pod "spread-$i" 100m "$spread"
done
for i in 1 2 3 4; do eventually "spread-$i has a node" has_node "spread-$i"; done
in_zone_a=$(for i in 1 2 3 4; do node_of "spread-$i"; echo; done | grep -c a1)
expect "half of them are in zone a" 2 "$in_zone_a"

# --- gates, and other schedulers
pod gated-1 100m "  schedulingGates: [{name: example.com/wait}]"
pod foreign-1 100m "  schedulerName: other-scheduler"
pod after-1 100m
eventually "what came later has a node" has_node after-1
expect "what is gated has none" "" "$(node_of gated-1)"
expect "nor what others schedule" "" "$(node_of foreign-1)"
shows "a gate is shown" SchedulingGated kubectl get pod gated-1
kubectl patch pod gated-1 --type json \
  --patch '[{"op": "remove", "path": "/spec/schedulingGates"}]' >/dev/null
eventually "without gates it goes on" has_node gated-1

# --- cordon, and a new start
kubectl cordon a1 >/dev/null
kubectl cordon b1 >/dev/null
kubectl cordon b2 >/dev/null
pod late-1 100m
eventually "cordoned nodes are not taken" says_why late-1 \
  "0/3 nodes are available: 3 node(s) were unschedulable."
if [ "$mode" = server ]; then
  stop_server KILL
  start_server --controllers=kube-scheduler
  scheduler_is_well() { has "$(kubectl get componentstatuses scheduler)" "scheduler Healthy ok"; }
  eventually "it is well" scheduler_is_well
  shows "nothing else runs" "controller-manager Unhealthy does not run in this server" \
    kubectl get componentstatuses
else
  kill -KILL "$manager"
  start_manager --controllers=kube-scheduler
fi
kubectl uncordon b2 >/dev/null
eventually "another scheduler goes on" is_on late-1 b2
echo "all passed"
