#!/usr/bin/env bash
# Objects are deleted with kubectl: alone, with dependents, in groups, and held by finalizers.
source "$(dirname "$0")/harness.sh" "$@"
start_control_plane

# make NAME [METADATA]: a ConfigMap.
make() {
  kubectl apply -f - >/dev/null <<YAML
apiVersion: v1
kind: ConfigMap
metadata: {name: $1, labels: {made: "yes"}${2:+, $2}}
YAML
}
field() { kubectl get configmap "$1" -o "jsonpath={$2}"; }
gone() { ! kubectl get configmap "$1" 2>/dev/null; }

# --- one, several, all
make a; make b; make c; make d
shows "one is deleted" 'configmap "a" deleted' kubectl delete configmap a
refuses "once" 'configmaps "a" not found' kubectl delete configmap a
shows "unless it may be missing" "" kubectl delete configmap a --ignore-not-found
shows "a dry run deletes nothing" "(server dry run)" \
  kubectl delete configmap b --dry-run=server
shows "it is still there" "configmap/b" kubectl get configmap b -o name
shows "by label and field" 'configmap "b" deleted' \
  kubectl delete configmap -l made=yes --field-selector metadata.name=b
shows "all" 'configmap "d" deleted' kubectl delete configmap --all
expect "none is left" "" "$(kubectl get configmap -l made -o name)"
eventually "what every namespace has is made again" kubectl get configmap kube-root-ca.crt

# --- finalizers
make held 'finalizers: [example.com/hold]'
shows "a finalizer holds it" 'configmap "held" deleted' kubectl delete configmap held --wait=false
shows "it has the time of its deletion" T field held .metadata.deletionTimestamp
refuses "a wait for it has an end" "timed out" kubectl delete configmap held --timeout=1s
refuses "no finalizer is added any more" "no new finalizers can be added" \
  kubectl patch configmap held --type=merge \
  -p '{"metadata":{"finalizers":["example.com/hold","example.com/more"]}}'
kubectl delete configmap held >/dev/null &
waiter=$!
shows "it can still be changed" patched \
  kubectl patch configmap held --type=merge -p '{"data":{"a":"b"}}'
kubectl patch configmap held --type=merge -p '{"metadata":{"finalizers":null}}' >/dev/null
wait $waiter || failed "a deletion that waits ends" 0 $?
gone held || failed "without finalizers it is gone" gone "$(field held .metadata)"

# --- dependents
# make_owned NAME OWNER: a ConfigMap that the deletion of its owner has to wait for.
make_owned() {
  make "$1" "ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: $2, uid: $(
    field "$2" .metadata.uid), blockOwnerDeletion: true}]"
}
cascade=(background foreground orphan)
for mode in "${cascade[@]}"; do
  make "$mode"
  make_owned "child-of-$mode" "$mode"
  make_owned "grandchild-of-$mode" "child-of-$mode"
  shows "--cascade=$mode ends" "\"$mode\" deleted" \
    kubectl delete configmap "$mode" "--cascade=$mode" --timeout=60s
  gone "$mode" || failed "$mode: it is gone" gone "there"
done
eventually "in the background: dependents follow" gone child-of-background
eventually "and theirs" gone grandchild-of-background
gone child-of-foreground || failed "in the foreground: dependents went first" gone "there"
gone grandchild-of-foreground || failed "and theirs" gone "there"
expect "orphans stay, without their owner" "" \
  "$(field child-of-orphan .metadata.ownerReferences)"
shows "and so do theirs" grandchild-of-orphan kubectl get configmap grandchild-of-orphan -o name

# --- a Pod has time to end once it runs on a node
cat >"$work/pods.yaml" <<'YAML'
apiVersion: v1
kind: Pod
metadata: {name: waiting}
spec: {containers: [{name: main, image: busybox}]}
---
apiVersion: v1
kind: Pod
metadata: {name: running}
spec:
  nodeName: node1
  terminationGracePeriodSeconds: 45
  containers: [{name: main, image: busybox}]
YAML
kubectl apply -f "$work/pods.yaml" >/dev/null
shows "a Pod without a node" deleted kubectl delete pod waiting --wait=false
refuses "is gone at once" "not found" kubectl get pod waiting
shows "a Pod on a node" deleted kubectl delete pod running --wait=false
expect "has the time it asked for" 45 \
  "$(kubectl get pod running -o 'jsonpath={.metadata.deletionGracePeriodSeconds}')"
shows "and is shown so" Terminating kubectl get pod running
shows "by force it is gone" "force deleted" kubectl delete pod running --force --grace-period=0
refuses "at once" "not found" kubectl get pod running

# --- a Namespace
kubectl apply -f - >/dev/null <<'YAML'
apiVersion: v1
kind: Namespace
metadata: {name: team}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: held, namespace: team, finalizers: [example.com/hold]}
YAML
kubectl apply --namespace=team -f "$work/pods.yaml" >/dev/null
kubectl delete pod --namespace=team running --force --grace-period=0 >/dev/null 2>&1
shows "a namespace is deleted" deleted kubectl delete namespace team --wait=false
expect "its finalizer keeps it until it is empty" Terminating \
  "$(kubectl get namespace team -o 'jsonpath={.status.phase}')"
refuses "nothing can be made in it" "because it is being terminated" \
  kubectl apply --namespace=team -f "$work/pods.yaml"
says_what_remains() {
  has "$(kubectl get namespace team -o 'jsonpath={.status.conditions[*].message}')" \
    "example.com/hold in 1 resource instances"
}
eventually "it says what is in the way" says_what_remains
refuses "the rest is gone" "not found" kubectl get pod --namespace=team waiting
kubectl patch configmap held --namespace=team --type=merge \
  -p '{"metadata":{"finalizers":null}}' >/dev/null
kubectl wait --for=delete namespace/team --timeout=60s >/dev/null 2>&1 ||
  failed "without it the namespace goes" gone "$(kubectl get namespace team -o yaml 2>&1)"
kubectl create namespace team >/dev/null
shows "its name is free again, and a deletion ends" deleted \
  kubectl delete namespace team --timeout=60s
refuses "some namespaces stay" 'namespaces "kube-system" is forbidden' \
  kubectl delete namespace kube-system

echo "all passed"
