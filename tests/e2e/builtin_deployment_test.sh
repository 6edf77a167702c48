#!/usr/bin/env bash
# Deployments and ReplicaSets as kubectl users see them, on nodes without machines.
source "$(dirname "$0")/harness.sh" "$@"
start_control_plane --simulate-nodes=3

# make NAME REPLICAS [SPEC] [ANNOTATION OF PODS]
make() {
  kubectl apply -f - >/dev/null <<YAML
apiVersion: apps/v1
kind: Deployment
metadata: {name: $1}
spec:
  replicas: $2
  ${3:-}
  selector: {matchLabels: {app: $1}}
  template:
    metadata: {labels: {app: $1}, annotations: {${4:-}}}
    spec: {containers: [{name: web, image: "web:1"}]}
YAML
}
field() { kubectl get deployment "$1" -o "jsonpath={$2}"; }
rolled_out() { kubectl rollout status deployment "$1" --timeout=30s; }
# is WANTED COMMAND...: what it prints.
is() { [ "$("${@:2}")" = "$1" ] || { echo "$("${@:2}") instead of $1"; return 1; }; }
pods() { kubectl get pods -l "app=$1" --no-headers 2>/dev/null | wc -l; }
progress() { field "$1" '.status.conditions[?(@.type=="Progressing")].reason'; }
sets() { kubectl get replicasets -l "app=$1" -o "jsonpath={.items[*]$2}"; }

# --- a first rollout
make web 3
shows "it is rolled out" 'deployment "web" successfully rolled out' rolled_out web
shows "the table counts" "web 3/3 3 3 " kubectl get deployment web
expect "one set is there" 3 "$(sets web .spec.replicas)"
hash=$(sets web '.metadata.labels.pod-template-hash')
expect "named after its hash" "web-$hash" "$(sets web .metadata.name)"
expect "its pods have it" "3" "$(kubectl get pods -l "pod-template-hash=$hash" -o name | wc -l)"
shows "it has minimum availability" "condition met" \
  kubectl wait deployment web --for=condition=Available --timeout=10s
told_by() { kubectl describe "$1" "$2" | grep -E "^ +Normal .* $3 +$4"; }
eventually "describe says who did it" told_by deployment web deployment-controller "Scaled up"
eventually "also of the set" told_by replicaset "web-$hash" replicaset-controller "Created pod: web-"
eventually "an event records the scaling" is "Scaled up replica set web-$hash from 0 to 3" kubectl get events \
  --field-selector involvedObject.name=web,reason=ScalingReplicaSet -o 'jsonpath={.items[0].message}'

# --- scale
shows "up" scaled kubectl scale deployment web --replicas=5
rolled_out web >/dev/null
eventually "there are as many pods" is 5 pods web
shows "down" scaled kubectl scale deployment web --replicas=2
eventually "there are as many pods" is 2 pods web
kubectl delete pod "$(kubectl get pods -l app=web -o 'jsonpath={.items[0].metadata.name}')" >/dev/null
rolled_out web >/dev/null
eventually "a deleted pod is replaced" is 2 pods web

# --- another image, history, undo, restart
kubectl set image deployment/web web=web:2 >/dev/null
shows "another image is rolled out" "successfully rolled out" rolled_out web
eventually "the old pods go" is "web:2 web:2" \
  kubectl get pods -l app=web -o 'jsonpath={.items[*].spec.containers[0].image}'
kubectl annotate deployment web kubernetes.io/change-cause="second image" >/dev/null
eventually "the history has both" is $'1|<none>\n2|second image' bash -c \
  'kubectl rollout history deployment web | sed -n "s/^\([0-9]\+\) */\1|/p"'
shows "with their templates" "web:1" kubectl rollout history deployment web --revision=1
shows "it is undone" "rolled back" kubectl rollout undo deployment web
rolled_out web >/dev/null
expect "the first image is back" web:1 "$(field web '.spec.template.spec.containers[0].image')"
expect "as the third revision" 3 \
  "$(field web '.metadata.annotations.deployment\.kubernetes\.io/revision')"
expect "without another set" 2 "$(kubectl get replicasets -l app=web -o name | wc -l)"
shows "which was the first" "" kubectl get replicaset "web-$hash"
shows "it is restarted" restarted kubectl rollout restart deployment web
rolled_out web >/dev/null
expect "as the fourth revision" 4 \
  "$(field web '.metadata.annotations.deployment\.kubernetes\.io/revision')"

# --- pause and resume
kubectl rollout pause deployment web >/dev/null
eventually "it is paused" is DeploymentPaused progress web
kubectl set image deployment/web web=web:5 >/dev/null
kubectl scale deployment web --replicas=3 >/dev/null
eventually "a paused one is scaled" is 3 pods web
expect "but not rolled out" 3 "$(kubectl get replicasets -l app=web -o name | wc -l)"
kubectl rollout resume deployment web >/dev/null
shows "and goes on when resumed" "successfully rolled out" rolled_out web
expect "with a set for the image" 4 "$(kubectl get replicasets -l app=web -o name | wc -l)"

# --- old revisions
kubectl patch deployment web -p '{"spec":{"revisionHistoryLimit":1}}' >/dev/null
is_short() { [ "$(kubectl get replicasets -l app=web -o name | wc -l)" = 2 ]; }
eventually "only so many are kept" is_short

# --- a rollout that gets stuck, and its repair
make stuck 2 'progressDeadlineSeconds: 1'
rolled_out stuck >/dev/null
kubectl patch deployment stuck -p '{"spec":{"template":{"metadata":{"annotations":
  {"simulate.kubexms.io/never-ready":"true"}}}}}' >/dev/null
refuses "it misses its deadline" "exceeded its progress deadline" rolled_out stuck
expect "what was there still serves" 2 "$(field stuck .status.availableReplicas)"
kubectl rollout undo deployment stuck >/dev/null
shows "it is mended" "successfully rolled out" rolled_out stuck

# --- many, in parts
make parts 10 'strategy: {rollingUpdate: {maxSurge: 30%, maxUnavailable: 20%}}'
rolled_out parts >/dev/null
kubectl patch deployment parts -p '{"spec":{"template":{"metadata":{"annotations":
  {"simulate.kubexms.io/never-ready":"true"}}}}}' >/dev/null
sizes() { sets "$1" .spec.replicas | tr ' ' '\n' | sort -n | xargs; }
eventually "as many as surge and unavailability allow" is "5 8" sizes parts
kubectl scale deployment parts --replicas=20 >/dev/null
eventually "a larger one grows in proportion" is "10 16" sizes parts
kubectl delete deployment parts >/dev/null

# --- behind a Service
make many 101
kubectl expose deployment many --port=80 >/dev/null
# How many slices there are, and how many endpoints in all.
endpoints() {
  kubectl get endpointslices -l kubernetes.io/service-name=many \
    -o go-template='{{range .items}}{{with .endpoints}}{{len .}}{{else}}0{{end}} {{end}}' |
    tr ' ' '\n' | awk '$1 != "" {n++; sum += $1} $1 > 100 {n = "too many in"} END {print n, sum}'
}
eventually "slices have at most a hundred endpoints" is "2 101" endpoints
kubectl delete deployment many >/dev/null
eventually "one is left for none" is "1 0" endpoints

# --- the other strategy
make fresh 2 'strategy: {type: Recreate}' '"simulate.kubexms.io/terminate-after": 25s'
rolled_out fresh >/dev/null
kubectl patch deployment fresh -p '{"spec":{"template":{"metadata":{"annotations":null}}}}' >/dev/null
none_available() { [ -z "$(field fresh .status.availableReplicas)" ]; }
eventually "the old pods end first" none_available
# A server of Kubernetes v1.34 does not keep this field.
[ -z "$ours" ] || eventually "which is counted" is 2 field fresh .status.terminatingReplicas
expect "without a new set" 1 "$(kubectl get replicasets -l app=fresh -o name | wc -l)"
kubectl delete pods -l app=fresh --force --grace-period=0 >/dev/null 2>&1
shows "then the new ones come" "successfully rolled out" rolled_out fresh

# --- pods that are ready for some time before they count
make patient 1 'minReadySeconds: 1'
shows "it waits for them" "successfully rolled out" rolled_out patient

# --- what belongs to nobody is taken up, and goes with its owner
set=$(sets web .metadata.name | tr ' ' '\n' | head -n 1)
kubectl delete deployment web --cascade=orphan >/dev/null
eventually "the set is left" is "" kubectl get replicaset "$set" -o 'jsonpath={.metadata.ownerReferences}'
kubectl get replicaset "$set" -o yaml >/dev/null
kubectl delete deployment stuck fresh patient --cascade=foreground --timeout=30s >/dev/null
expect "no pod is left of those deleted" "" \
  "$(kubectl get pods -l 'app in (stuck, fresh, patient)' -o name)"

# --- the older kind
kubectl apply -f - >/dev/null <<'YAML'
apiVersion: v1
kind: ReplicationController
metadata: {name: old}
spec:
  replicas: 2
  selector: {app: old}
  template:
    metadata: {labels: {app: old}}
    spec: {containers: [{name: web, image: "web:1"}]}
YAML
eventually "a replication controller has its pods" is 2 \
  kubectl get replicationcontroller old -o 'jsonpath={.status.readyReplicas}'
kubectl scale replicationcontroller old --replicas=1 >/dev/null
eventually "also fewer" is 1 pods old

echo "all passed"
