#!/usr/bin/env bash
# Objects, kinds and the server itself are looked at with kubectl, in every form it has.
source "$(dirname "$0")/harness.sh" "$1"
start_server --controllers=none --disable-admission-plugins=ServiceAccount  # so that nothing is there that was not made here

{
  for color in red green blue; do
    cat <<YAML
apiVersion: v1
kind: ConfigMap
metadata: {name: $color, labels: {kind: color, warm: "$([ $color = red ] && echo yes || echo no)"}}
data: {name: $color}
---
YAML
  done
  cat <<'YAML'
apiVersion: v1
kind: Pod
metadata: {name: web, labels: {app: web}}
spec:
  containers: [{name: nginx, image: "nginx:1.25", resources: {requests: {cpu: 100m}}}]
---
apiVersion: v1
kind: Node
metadata: {name: node1, labels: {node-role.kubernetes.io/worker: ""}}
---
apiVersion: v1
kind: Secret
metadata: {name: password}
stringData: {word: open sesame}
YAML
} >"$work/objects.yaml"
kubectl apply -f "$work/objects.yaml" >/dev/null

# --- output formats
get_red() { kubectl get configmap red -o "$1"; }
shows "-o yaml" $'data:\n  name: red\nkind: ConfigMap\nmetadata:' get_red yaml
shows "-o json" $'"data": {\n        "name": "red"\n    },\n    "kind": "ConfigMap"' get_red json
expect "-o name" "configmap/red" "$(get_red name)"
expect "-o jsonpath" "red color" "$(get_red 'jsonpath={.data.name} {.metadata.labels.kind}')"
expect "-o go-template" "red color" \
  "$(get_red 'go-template={{.data.name}} {{.metadata.labels.kind}}')"
expect "-o custom-columns" "NAME WARM red yes" \
  "$(get_red 'custom-columns=NAME:.metadata.name,WARM:.metadata.labels.warm' | xargs)"
expect "a list in a format" "configmap/blue configmap/green configmap/red" \
  "$(kubectl get configmaps -l kind=color -o name | xargs)"
expect "a table" "NAME DATA AGE" "$(kubectl get configmaps | head -n1 | xargs)"
expect "a wide table" "NAME READY STATUS RESTARTS AGE IP NODE NOMINATED NODE READINESS GATES" \
  "$(kubectl get pods -o wide | head -n1 | xargs)"
shows "a pod in a table" "web 0/1 Pending 0 " kubectl get pods
shows "a node in a table" "node1 Unknown worker " kubectl get nodes
expect "labels as columns" "NAME DATA AGE WARM" "$(kubectl get cm -L warm | head -n1 | xargs)"
shows "all labels" "kind=color,warm=yes" kubectl get cm red --show-labels
shows "several kinds" $'NAME DATA AGE\nconfigmap/red 1 ' kubectl get cm/red pod/web
shows "all namespaces" "kube-system" kubectl get roles --all-namespaces

# --- selectors and pages
names() { kubectl get cm -o 'jsonpath={.items[*].metadata.name}' "$@"; }
expect "-l key=value" red "$(names -l warm=yes)"
expect "-l key!=value" "blue green" "$(names -l 'kind=color,warm!=yes')"
expect "-l key in (...)" "blue green red" "$(names -l 'warm in (yes, no)')"
expect "-l !key" "" "$(names -l '!kind')"
expect "--field-selector" green "$(names --field-selector metadata.name=green)"
expect "--field-selector of a kind" pod/web \
  "$(kubectl get pods --field-selector 'status.phase=Pending,spec.nodeName=' -o name)"
refuses "an unknown field" 'field label not supported: data' \
  kubectl get configmaps --field-selector data=1
expect "pages of two are put together" "blue green red" "$(names --chunk-size=2)"
page=$(kubectl get --raw '/api/v1/namespaces/default/configmaps?limit=2')
token=$(sed 's/.*"continue":"\([^"]*\)".*/\1/' <<<"$page")
shows "a page says how much is left" '"remainingItemCount":1' echo "$page"
kubectl delete configmap red >/dev/null
shows "the next page is of the same moment" '"name":"red"' \
  kubectl get --raw "/api/v1/namespaces/default/configmaps?limit=2&continue=$token"

# --- watches
kubectl get configmaps --watch --output-watch-events >"$work/watched" &
watch=$!
eventually "a watch begins with what is there" grep -q 'ADDED *green ' "$work/watched"
kubectl label configmap green seen=yes >/dev/null
eventually "a watch shows changes" grep -q 'MODIFIED *green ' "$work/watched"
kubectl delete configmap green >/dev/null
eventually "a watch shows deletions" grep -q 'DELETED *green ' "$work/watched"
kill $watch
{ wait $watch || true; } 2>/dev/null
expect "a watch shows each change once" "ADDED MODIFIED DELETED" \
  "$(awk '$2 == "green" { print $1 }' "$work/watched" | xargs)"

# --- describe and explain
shows "a ConfigMap is described" $'Data\n====\nname:\n----\nblue' kubectl describe configmap blue
shows "a Secret is described, not shown" "word: 11 bytes" kubectl describe secret password
shows "a Pod is described" "Image: nginx:1.25" kubectl describe pod web
shows "a Pod's quality of service" "QoS Class: Burstable" kubectl describe pod web
shows "a Node is described" "Name: node1" kubectl describe node node1
shows "a Namespace is described" "Status: Active" kubectl describe namespace default
shows "a kind is explained" "replicas" kubectl explain deployment.spec
shows "a field is explained" "RollingUpdate" kubectl explain deployment.spec.strategy.type
shows "all fields of a kind" "imagePullPolicy" kubectl explain pods --recursive
refuses "a field that is not there" 'field "nope" does not exist' kubectl explain pods.spec.nope

# --- the server
shows "version" "v1.34" kubectl version
shows "cluster-info" "control plane" kubectl cluster-info
expect "api-versions" "apps/v1" "$(kubectl api-versions | grep '^apps/')"
shows "api-resources" "deployments" kubectl api-resources --api-group=apps
expect "api-resources by verb and scope" "bindings" \
  "$(kubectl api-resources --verbs=create --namespaced -o name | head -n1)"
expect "a short name" deployments.apps "$(kubectl api-resources --no-headers -o wide |
  awk '$2 == "deploy" { print $1 ".apps" }')"
shows "--raw" '"gitVersion":"v1.34' kubectl get --raw /version
expect "readyz" ok "$(kubectl get --raw /readyz)"
shows "metrics" "apiserver_request_total" kubectl get --raw /metrics
shows "its parts" "etcd-0 Healthy ok" kubectl get componentstatuses
shows "which nobody should ask for" "v1 ComponentStatus is deprecated in v1.19+" kubectl get cs etcd-0

# --- what is not there
refuses "an object" 'Error from server (NotFound): pods "nope" not found' kubectl get pod nope
refuses "a kind" "the server doesn't have a resource type \"nope\"" kubectl get nope
refuses "a path" "the server could not find the requested resource" kubectl get --raw /nope
shows "an empty list" "No resources found in default namespace." kubectl get jobs
shows "an object that may be missing" "" kubectl get pod nope --ignore-not-found

echo "all passed"
