#!/usr/bin/env bash
# What is removed by itself: dependents of every kind, all that is in a Namespace, and Pods that
# nobody else will remove.
source "$(dirname "$0")/harness.sh" "$@"
start_control_plane --simulate-nodes=1 --node-monitor-grace-period=2s

field() { kubectl get "$1" "$2" -o "jsonpath={$3}" "${@:4}"; }
gone() { ! kubectl get "$@" 2>/dev/null; }
# is VALUE COMMAND...: what it prints is VALUE.
is() { [ "$("${@:2}")" = "$1" ] || { "${@:2}"; return 1; }; }

# --- a kind of our own
kubectl apply -f - >/dev/null <<'YAML'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
YAML
kubectl wait --for=condition=Established crd/widgets.example.com --timeout=30s >/dev/null
kubectl create namespace team >/dev/null

# widget NAME [METADATA]
widget() { object example.com/v1 Widget "$@"; }
# map NAME [METADATA]
map() { object v1 ConfigMap "$@"; }
object() {
  printf 'apiVersion: %s\nkind: %s\nmetadata: {name: %s%s}\n---\n' "$1" "$2" "$3" "${4:+, $4}"
}
# owner KIND NAME UID
owner() {
  printf 'ownerReferences: [{apiVersion: %s, kind: %s, name: %s, uid: %s, blockOwnerDeletion: true}]' \
    "$([ "$1" = Widget ] && echo example.com/v1 || echo v1)" "$1" "$2" "$3"
}
apply() { kubectl apply -f - "$@" >/dev/null; }

# --- dependents over kinds, however they are deleted
for how in background foreground orphan; do
  widget "$how" | apply
  uid=$(field widget "$how" .metadata.uid)
  map "of-$how" "$(owner Widget "$how" "$uid")" | apply
  widget "below-$how" "$(owner ConfigMap "of-$how" "$(field configmap "of-$how" .metadata.uid)")" | apply
  shows "--cascade=$how ends" deleted \
    kubectl delete widget "$how" "--cascade=$how" --timeout=30s
done
eventually "dependents of a custom kind go in the background" gone configmap of-background
eventually "and so do those that have one" gone widget below-background
gone configmap of-foreground || failed "in the foreground they go first" gone there
gone widget below-foreground || failed "and those below before them" gone there
expect "orphans stay" "" "$(field configmap of-orphan .metadata.ownerReferences)"
expect "with what they have" below-orphan "$(field widget below-orphan .metadata.name)"

# --- owners that are not there
lost=$(owner ConfigMap lost 11111111-2222-3333-4444-555555555555)
map dangling "$lost" | apply
eventually "what has no owner left is removed" gone configmap dangling
map elsewhere | apply
uid=$(field configmap elsewhere .metadata.uid)
map abroad "$(owner ConfigMap elsewhere "$uid")" | apply --namespace=team
eventually "an owner of another namespace is none" gone configmap abroad --namespace=team
told() { kubectl get events --namespace=team | grep --fixed-strings "$1"; }
eventually "an event is recorded" told OwnerRefInvalidNamespace
{ map half "ownerReferences: [$(owner ConfigMap elsewhere "$uid" | sed 's/.*\[//; s/\]$//'), $(
  sed 's/.*\[//; s/\]$//' <<<"$lost")]"; } | apply
one_owner() { [ "$(field configmap half '.metadata.ownerReferences[*].name')" = elsewhere ]; }
eventually "only the owner that is gone is taken off" one_owner

# --- claims that are in use
claim() {
  printf 'apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: %s}\nspec: {accessModes: ' "$1"
  printf '[ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n---\n'
}
claim disk | apply
apply <<'YAML'
apiVersion: v1
kind: Pod
metadata: {name: user}
spec:
  nodeName: sim-0001
  containers: [{name: c, image: c}]
  volumes: [{name: v, persistentVolumeClaim: {claimName: disk}}]
YAML
kubectl delete pvc disk --wait=false >/dev/null
shows "a claim stays while a Pod uses it" Terminating kubectl get pvc disk
kubectl delete pod user >/dev/null
eventually "and goes then" gone pvc disk

# --- a Namespace with all of that
{ claim disk; widget held 'finalizers: [example.com/hold]'; widget free; map plain; } | apply --namespace=team
kubectl create deployment web --image=web --replicas=2 --namespace=team >/dev/null
kubectl rollout status deployment web --namespace=team --timeout=30s >/dev/null
kubectl delete namespace team --wait=false >/dev/null
condition() { field namespace team ".status.conditions[?(@.type==\"$1\")].$2"; }
eventually "it says which custom object is in its way" is \
  "Some resources are remaining: widgets.example.com has 1 resource instances" \
  condition NamespaceContentRemaining message
eventually "and who keeps it" is \
  "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances" \
  condition NamespaceFinalizersRemaining message
for kind in pods deployments replicasets configmaps serviceaccounts; do
  expect "$kind are gone" "" "$(kubectl get "$kind" --namespace=team -o name)"
done
expect "and custom objects, but for that one" held \
  "$(kubectl get widgets --namespace=team -o 'jsonpath={.items[*].metadata.name}')"
kubectl patch widget held --namespace=team --type=merge -p '{"metadata":{"finalizers":null}}' >/dev/null
eventually "without the finalizer the namespace goes" gone namespace team

# --- a kind that goes takes its objects along
widget last | apply
shows "a kind is deleted" deleted kubectl delete crd widgets.example.com --timeout=30s
gone crd widgets.example.com || failed "with its objects" gone there

# --- Pods of a node that is off
kubectl annotate node sim-0001 simulate.kubexms.io/stopped=true >/dev/null
apply <<'YAML'
apiVersion: v1
kind: Pod
metadata: {name: stuck}
spec: {nodeName: sim-0001, containers: [{name: c, image: c}]}
YAML
kubectl delete pod stuck --wait=false >/dev/null
shows "nobody ends it" stuck kubectl get pod stuck
kubectl taint node sim-0001 node.kubernetes.io/out-of-service=off:NoExecute >/dev/null
eventually "until the node is said to be off" gone pod stuck
echo "all passed"
