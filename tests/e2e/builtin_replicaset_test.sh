#!/usr/bin/env bash
# ReplicaSets: which Pods are theirs, which of them go first, and what they say when none can be made.
source "$(dirname "$0")/harness.sh" "$@"
start_control_plane --simulate-nodes=3

# replica_set NAME REPLICAS [MORE OF THE POD]
replica_set() {
  kubectl apply -f - >/dev/null <<YAML
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: $1}
spec:
  replicas: $2
  selector: {matchLabels: {app: $1}, matchExpressions: [{key: tier, operator: NotIn, values: [none]}]}
  template:
    metadata: {labels: {app: $1}}
    spec: {${3:+$3, }containers: [{name: c, image: "img:1"}]}
YAML
}
field() { kubectl get "$1" "$2" -o "jsonpath={$3}"; }
# is VALUE COMMAND...: what it prints is VALUE.
is() { [ "$("${@:2}")" = "$1" ] || { "${@:2}"; return 1; }; }
# pods NAME: those of the set, in the order of their names.
pods() {
  local columns='O:.metadata.ownerReferences[0].name,N:.metadata.name'
  kubectl get pods --no-headers -o "custom-columns=$columns" | sed -n "s/^$1 *//p"
}
count() { pods "$1" | wc -l; }
owner() { field pod "$1" '.metadata.ownerReferences[?(@.controller==true)].name'; }

# --- adoption
kubectl apply -f - >/dev/null <<'YAML'
apiVersion: v1
kind: Pod
metadata: {name: lone, labels: {app: web}}
spec: {containers: [{name: c, image: "img:0"}]}
YAML
replica_set web 3
eventually "it has as many Pods as it wants" is 3 count web
expect "one that was there is one of them" web "$(owner lone)"
eventually "its status says so" is "3/3/3" kubectl get replicaset web -o \
  'jsonpath={.status.replicas}/{.status.readyReplicas}/{.status.availableReplicas}'
shows "and the table" "web 3 3 3" kubectl get replicaset web

# --- release
kubectl label pod lone tier=none >/dev/null
eventually "a Pod that is not selected any more is let go" is "" owner lone
eventually "and replaced" is 3 count web
shows "it runs on" Running kubectl get pod lone
kubectl label pod lone tier- >/dev/null
eventually "a set that has enough takes it up and removes one" is 3 count web


# --- which Pods go first
kubectl scale replicaset web --replicas=2 >/dev/null
eventually "it is smaller" is 2 count web
kept=$(pods web | head -n 1)
kubectl annotate pod "$kept" controller.kubernetes.io/pod-deletion-cost=100 >/dev/null
kubectl scale replicaset web --replicas=1 >/dev/null
eventually "the one that costs most stays" is "$kept" pods web
expect "an event records the creation" replicaset-controller "$(kubectl get events -o \
  'jsonpath={.items[?(@.reason=="SuccessfulDelete")].source.component}' | tr ' ' '\n' | head -n 1)"

# --- orphans and their next owner
uid=$(field pod "$kept" .metadata.uid)
kubectl delete replicaset web --cascade=orphan >/dev/null
eventually "a Pod stays without its set" is "" owner "$kept"
replica_set web 1
eventually "another set takes it up" is web owner "$kept"
expect "it is the same Pod" "$uid" "$(field pod "$kept" .metadata.uid)"

# --- Pods that cannot be made
replica_set poor 1 'priorityClassName: urgent'
failure() { field replicaset poor '.status.conditions[?(@.type=="ReplicaFailure")].'"$1"; }
eventually "it says that it cannot make its Pods" is True failure status
expect "with the reason" FailedCreate "$(failure reason)"
has "$(failure message)" "no PriorityClass with name urgent was found" ||
  failed "and the server's words" "no PriorityClass" "$(failure message)"
kubectl create priorityclass urgent --value=1000 >/dev/null
eventually "it is made when it can be" is 1 count poor
eventually "which ends the failure" is "" failure status
kubectl delete replicaset poor >/dev/null
eventually "Pods go with their set" is 0 count poor
echo "all passed"
