#!/usr/bin/env bash
# The commands for workloads, as far as they are the server's matter: no controller runs here, so
# that the test itself writes what one would.
source "$(dirname "$0")/harness.sh" "$1"
start_server --controllers=none --disable-admission-plugins=ServiceAccount

kubectl apply -f - >/dev/null <<'YAML'
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: nginx, image: "nginx:1.25"}]}
YAML

field() { kubectl get deployment web -o "jsonpath={$1}"; }
# patch_status JSON: as a controller does.
patch_status() {
  as_admin /apis/apps/v1/namespaces/default/deployments/web/status --fail --request PATCH \
    --header 'Content-Type: application/merge-patch+json' --data "{\"status\":$1}" >/dev/null
}

# --- scale
shows "a deployment is scaled" scaled kubectl scale deployment web --replicas=5
expect "it has that many replicas" 5 "$(field .spec.replicas)"
refuses "not when it is not as expected" "Expected replicas to be 1, was 5" \
  kubectl scale deployment web --current-replicas=1 --replicas=2
shows "the scale is an object" '"spec":{"replicas":5}' \
  kubectl get --raw /apis/apps/v1/namespaces/default/deployments/web/scale
refuses "a kind that cannot be scaled" "the server could not find the requested resource" \
  kubectl scale service kubernetes --replicas=2
expect "each change of the spec is a generation" 2 "$(field .metadata.generation)"

# --- rollout
shows "a rollout is paused" paused kubectl rollout pause deployment web
expect "which is a field" true "$(field .spec.paused)"
refuses "once" "is already paused" kubectl rollout pause deployment web
shows "and resumed" resumed kubectl rollout resume deployment web
shows "an image is set" "image updated" kubectl set image deployment/web nginx=nginx:1.26
expect "in the template" nginx:1.26 "$(field '.spec.template.spec.containers[0].image')"
shows "variables are set" "env updated" kubectl set env deployment/web COLOR=red
shows "resources are set" "resource requirements updated" \
  kubectl set resources deployment web --limits=cpu=200m,memory=64Mi
expect "all in one container" "red/200m" \
  "$(field '.spec.template.spec.containers[0].env[0].value')/$(
    field '.spec.template.spec.containers[0].resources.limits.cpu')"
shows "a restart is an annotation of the template" restarted kubectl rollout restart deployment web
shows "which is there" T kubectl get deployment web \
  -o 'jsonpath={.spec.template.metadata.annotations.kubectl\.kubernetes\.io/restartedAt}'
shows "a history without revisions" "No rollout history found" \
  kubectl rollout history deployment web

uid=$(field .metadata.uid)
for revision in 1 2; do
  kubectl apply -f - >/dev/null <<YAML
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: web-$revision
  labels: {app: web}
  annotations: {deployment.kubernetes.io/revision: "$revision"}
  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: $uid, controller: true}]
spec:
  selector: {matchLabels: {app: web, revision: "$revision"}}
  template:
    metadata: {labels: {app: web, revision: "$revision"}}
    spec: {containers: [{name: nginx, image: "nginx:1.2$revision"}]}
YAML
done
shows "a history of two revisions" $'REVISION CHANGE-CAUSE\n1 <none>\n2 <none>' \
  kubectl rollout history deployment web
shows "one of them" "nginx:1.21" kubectl rollout history deployment web --revision=1
shows "a rollout is undone" "rolled back" kubectl rollout undo deployment web --to-revision=1
expect "with the template of then" nginx:1.21 "$(field '.spec.template.spec.containers[0].image')"

# --- status and wait
refuses "a wait has an end" "timed out" \
  kubectl wait deployment web --for=condition=Available --timeout=1s
kubectl wait deployment web --for=condition=Available --timeout=30s >"$work/waited" &
waiter=$!
patch_status '{"conditions":[{"type":"Available","status":"True"}]}'
wait $waiter || failed "a wait ends with the condition" 0 $?
shows "it says so" "deployment.apps/web condition met" cat "$work/waited"
expect "a change of the status is no generation" "$(field .metadata.generation)" \
  "$(patch_status '{"replicas":4}' && field .metadata.generation)"

kubectl rollout status deployment web --timeout=30s >"$work/rollout" &
waiter=$!
patch_status "{\"observedGeneration\":$(field .metadata.generation),\"replicas\":5,
  \"updatedReplicas\":5,\"readyReplicas\":5,\"availableReplicas\":5}"
wait $waiter || failed "a rollout ends" 0 $?
shows "it says so" 'deployment "web" successfully rolled out' cat "$work/rollout"
shows "the table counts" "web 5/5 5 5 " kubectl get deployment web

# --- nodes and what runs on them
kubectl apply -f - >/dev/null <<'YAML'
apiVersion: v1
kind: Node
metadata: {name: node1}
---
apiVersion: v1
kind: Pod
metadata: {name: lone}
spec: {containers: [{name: main, image: busybox}]}
YAML
shows "a node is cordoned" cordoned kubectl cordon node1
shows "and shown so" "node1 Unknown,SchedulingDisabled" kubectl get nodes
shows "a node is tainted" tainted kubectl taint node node1 dedicated=db:NoSchedule
shows "a node is uncordoned" uncordoned kubectl uncordon node1
as_admin /api/v1/namespaces/default/pods/lone/binding --fail \
  --header 'Content-Type: application/json' \
  --data '{"metadata":{"name":"lone"},"target":{"kind":"Node","name":"node1"}}' >"$work/answer"
shows "a pod is bound to a node" node1 kubectl get pod lone -o wide
if kubectl_has 25; then
  shows "a container is added to look at it" "" kubectl debug lone --image=busybox -c helper
  expect "which is there" helper \
    "$(kubectl get pod lone -o 'jsonpath={.spec.ephemeralContainers[*].name}')"
fi
kubectl drain node1 --force --timeout=30s >"$work/drained" 2>&1 &
drain=$!
is_terminating() { kubectl get pod lone | grep Terminating; }
eventually "a drain evicts it" is_terminating
kubectl delete pod lone --force --grace-period=0 >"$work/answer" 2>&1
wait $drain || failed "a drain ends with the pod" 0 "$(cat "$work/drained")"

echo "all passed"
