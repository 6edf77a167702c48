#!/usr/bin/env bash
# StatefulSets with kubectl, on simulated nodes.
source "$(dirname "$0")/harness.sh" "$@"
start_control_plane --simulate-nodes=3

apply() { kubectl apply -f - >/dev/null; }
# field KIND NAME PATH
field() { kubectl get "$1" "$2" -o "jsonpath={$3}"; }
# is KIND NAME PATH VALUE
is() { [ "$(field "$1" "$2" "$3")" = "$4" ]; }
# pods APP [PATH]: their names, or another field of theirs.
pods() {
  kubectl get pods -l "app=$1" --sort-by=.metadata.name \
    -o "jsonpath={.items[*]${2:-.metadata.name}}"
}
images() { pods "$1" '.spec.containers[0].image'; }
# has_pods APP NAMES: these and no others.
has_pods() { [ "$(pods "$1")" = "$2" ]; }
# is_another POD UID: the Pod of that name has another uid.
is_another() {
  local uid
  uid=$(field pod "$1" .metadata.uid) && [ "$uid" != "$2" ]
}
gone() { ! kubectl get "$@" 2>/dev/null; }
rolled_out() { shows "the rollout of $1 ends" "$2" kubectl rollout status "$1" --timeout=30s; }
# told KIND NAME TEXT: an event says so.
told() {
  kubectl get events --field-selector "involvedObject.kind=$1,involvedObject.name=$2" |
    grep --fixed-strings "$3"
}

# How the Pods of the next set end: at once.
ends='simulate.kubexms.io/terminate-after: 0s'
# stateful_set NAME REPLICAS [MORE OF THE SPEC]
stateful_set() {
  apply <<YAML
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: $1}
spec:
  replicas: $2
  serviceName: $1
  selector: {matchLabels: {app: $1}}
  template:
    metadata: {labels: {app: $1}, annotations: {$ends}}
    spec:
      containers: [{name: c, image: "img:1"}]
${3:-}
YAML
}

# --- a StatefulSet: names, hosts, order
stateful_set db 3
rolled_out statefulset/db "3 new pods"
expect "its Pods have lasting names" "db-0 db-1 db-2" "$(pods db)"
expect "and hosts" "db-0 db" "$(field pod db-0 .spec.hostname) $(field pod db-0 .spec.subdomain)"
expect "and numbers" 2 "$(field pod db-2 '.metadata.labels.apps\.kubernetes\.io/pod-index')"
expect "they know their revision" "$(field statefulset db .status.updateRevision)" \
  "$(field pod db-1 '.metadata.labels.controller-revision-hash')"
shows "kubectl shows it" "db 3/3" kubectl get statefulset db
eventually "events tell of it" told StatefulSet db "create Pod db-2 in StatefulSet db successful"
before=$(field pod db-1 .metadata.uid)
kubectl delete pod db-1 --wait=false >/dev/null
eventually "a deleted Pod comes back under its name" is_another db-1 "$before"
rolled_out statefulset/db "3 new pods"

# --- scale
kubectl scale statefulset db --replicas=1 >/dev/null
eventually "the last ones go" has_pods db "db-0"
eventually "events tell of it" told StatefulSet db "delete Pod db-1 in StatefulSet db successful"
kubectl scale statefulset db --replicas=2 >/dev/null
rolled_out statefulset/db "2 new pods"
expect "and come back" "db-0 db-1" "$(pods db)"

# --- updates and their history
kubectl set image statefulset/db c=img:2 >/dev/null
rolled_out statefulset/db "2 new pods"
expect "all are updated" "img:2 img:2" "$(images db)"
shows "the history has both" "2" kubectl rollout history statefulset/db
shows "and what they were" "img:1" kubectl rollout history statefulset/db --revision=1
shows "one can go back" "rolled back" kubectl rollout undo statefulset/db
rolled_out statefulset/db "2 new pods"
expect "which is an update" "img:1 img:1" "$(images db)"
expect "of the revision that was there" "2 3" \
  "$(kubectl get controllerrevisions -l app=db -o 'jsonpath={.items[*].revision}' |
    tr ' ' '\n' | sort | xargs)"
kubectl patch statefulset db \
  -p '{"spec":{"updateStrategy":{"rollingUpdate":{"partition":1}}}}' >/dev/null
kubectl set image statefulset/db c=img:3 >/dev/null
rolled_out statefulset/db "partitioned roll out complete: 1 new pods have been updated"
expect "a partition holds the lower ones back" "img:1 img:3" "$(images db)"
kubectl patch statefulset db --type=merge \
  -p '{"spec":{"updateStrategy":{"type":"OnDelete","rollingUpdate":null}}}' >/dev/null
kubectl set image statefulset/db c=img:4 >/dev/null
seen() {
  is statefulset db .status.observedGeneration "$(field statefulset db .metadata.generation)"
}
eventually "another strategy is taken up" seen
kubectl delete pod db-0 --wait=false >/dev/null
only_db_0() { [ "$(images db)" = "img:4 img:3" ]; }
eventually "what is deleted is updated" only_db_0

# --- parallel, from another ordinal, ready for a while; its Pods end as those of most programs
ends=
stateful_set side 3 '  podManagementPolicy: Parallel
  ordinals: {start: 5}
  minReadySeconds: 1'
eventually "Pods side by side, from 5 on" has_pods side "side-5 side-6 side-7"
eventually "they are available after a while" is statefulset side .status.availableReplicas 3
ends='simulate.kubexms.io/terminate-after: 0s'
before=$(field pod side-6 .metadata.uid)
shows "one can wait for the end of a Pod whose name comes back" deleted \
  kubectl delete pod side-6 --timeout=30s
eventually "it is another one then" is_another side-6 "$before"
kubectl delete statefulset side --wait=false >/dev/null
eventually "Pods go with their set" has_pods side ""

# --- one that ends, and one that never gets ready
stateful_set job 1
rolled_out statefulset/job "1 new pods"
before=$(field pod job-0 .metadata.uid)
kubectl patch pod job-0 --subresource=status -p '{"status":{"phase":"Failed"}}' >/dev/null
eventually "a failed Pod is replaced" is_another job-0 "$before"
kubectl patch statefulset job -p '{"spec":{"replicas":3,"template":{"metadata":{"annotations":
  {"simulate.kubexms.io/never-ready":"true"}}}}}' >/dev/null
second_runs() { is pod job-1 .status.phase Running && is statefulset job .status.replicas 2; }
eventually "the next one is made and runs" second_runs
expect "those after it wait until it is ready" "job-0 job-1" "$(pods job)"
kubectl delete statefulset job >/dev/null

# --- claims
stateful_set store 2 '  persistentVolumeClaimRetentionPolicy:
    {whenScaled: Delete, whenDeleted: Delete}
  volumeClaimTemplates:
  - metadata: {name: data}
    spec:
      accessModes: [ReadWriteOnce]
      storageClassName: ""
      resources: {requests: {storage: 1Gi}}'
# bind_claim NAME: as a provisioner does.
bind_claim() {
  apply <<YAML
apiVersion: v1
kind: PersistentVolume
metadata: {name: pv-$1}
spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /mnt}}
YAML
  kubectl patch pvc "$1" -p "{\"spec\":{\"volumeName\":\"pv-$1\"}}" >/dev/null
}
eventually "a claim is made before its Pod" kubectl get pvc data-store-0
bind_claim data-store-0
eventually "and the next" kubectl get pvc data-store-1
bind_claim data-store-1
rolled_out statefulset/store "2 new pods"
expect "the Pod uses it" data-store-1 \
  "$(field pod store-1 '.spec.volumes[?(@.name=="data")].persistentVolumeClaim.claimName')"
eventually "events tell of it" told StatefulSet store \
  "create Claim data-store-0 Pod store-0 in StatefulSet store success"
expect "the set owns it" store "$(field pvc data-store-0 '.metadata.ownerReferences[0].name')"
kubectl scale statefulset store --replicas=1 >/dev/null
eventually "a claim goes with the Pod that is scaled away" gone pvc data-store-1
expect "and no other" data-store-0 "$(field pvc data-store-0 .metadata.name)"
kubectl delete statefulset store >/dev/null
eventually "the others go with the set" gone pvc data-store-0
echo "all passed"
