#!/usr/bin/env bash
# Endpoints of Services, disruption budgets and aggregated roles, as kubectl sees them. No kubelet
# runs here: the test itself writes the status of pods.
source "$(dirname "$0")/harness.sh" "$@"
start_control_plane --service-cidr=10.96.0.0/16,fd00:96::/112 --controllers="$(
  printf %s 'endpointslice-controller,endpoints-controller,endpointslice-mirroring-controller,' \
    'disruption-controller,clusterrole-aggregation-controller,garbage-collector-controller,' \
    serviceaccount-controller
)"

kubectl apply -f - >/dev/null <<'YAML'
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {topology.kubernetes.io/zone: zone-a}}
---
apiVersion: v1
kind: Service
metadata: {name: web, labels: {tier: front}}
spec:
  selector: {app: web}
  trafficDistribution: PreferClose
  ports: [{name: h, port: 80, targetPort: http}]
---
apiVersion: v1
kind: Service
metadata: {name: db}
spec: {selector: {app: web}, clusterIP: None}
YAML

# pod NAME ADDRESS READY: as the kubelet of n1 would report it.
pod() {
  kubectl apply -f - >/dev/null <<YAML
apiVersion: v1
kind: Pod
metadata: {name: $1, labels: {app: web}}
spec:
  nodeName: n1
  hostname: $1
  subdomain: db
  containers: [{name: c, image: nginx, ports: [{name: http, containerPort: 8080}]}]
YAML
  kubectl patch pod "$1" --subresource status --type merge --patch "{\"status\": {
    \"phase\": \"Running\", \"podIP\": \"$2\", \"podIPs\": [{\"ip\": \"$2\"}],
    \"conditions\": [{\"type\": \"Ready\", \"status\": \"$3\"}]}}" >/dev/null
}
# slice SERVICE PATH: of its only slice.
slice() {
  kubectl get endpointslices -l "kubernetes.io/service-name=$1" -o "jsonpath={.items[*]$2}"
}
# is VALUE COMMAND...: what it prints is VALUE.
is() { [ "$("${@:2}")" = "$1" ]; }

# --- endpoints
eventually "a service without pods has a slice" is IPv4 slice web .addressType
pod a 10.9.0.5 True
pod b 10.9.0.6 False
eventually "it has their addresses" is "10.9.0.5 10.9.0.6" slice web '.endpoints[*].addresses[0]'
eventually "and their states" is "true false" slice web '.endpoints[*].conditions.ready'
expect "the port that the pods call so" 8080 "$(slice web '.ports[*].port')"
expect "the zone of the node" "zone-a zone-a" "$(slice web '.endpoints[*].zone')"
expect "a hint for clients nearby" zone-a "$(slice web '.endpoints[*].hints.forZones[*].name')"
expect "the labels of the service" front "$(slice web '.metadata.labels.tier')"
eventually "a headless service has their names" is "a b" slice db '.endpoints[*].hostname'
shows "endpoints, too" 10.9.0.5:8080 kubectl get endpoints web
expect "those that are not ready apart" 10.9.0.6 \
  "$(kubectl get endpoints web -o 'jsonpath={.subsets[0].notReadyAddresses[0].ip}')"
pod b 10.9.0.6 True
eventually "a pod becomes ready" is "true true" slice web '.endpoints[*].conditions.ready'
eventually "which describe shows" is "10.9.0.5 10.9.0.6" \
  kubectl get endpoints web -o 'jsonpath={.subsets[0].addresses[*].ip}'
kubectl delete service db >/dev/null
eventually "slices go with their service" is "" slice db .metadata.name
gone() { ! kubectl get "$@"; }
eventually "and endpoints" gone endpoints db

kubectl delete pod b --wait=false >/dev/null
ending='.endpoints[?(@.conditions.terminating==true)]'
eventually "one that ends" is 10.9.0.6 slice web "$ending.addresses[0]"
expect "serves, but is not ready" "true false" \
  "$(slice web "$ending.conditions.serving") $(slice web "$ending.conditions.ready")"
expect "Endpoints have no such" 10.9.0.5 \
  "$(kubectl get endpoints web -o 'jsonpath={.subsets[*].addresses[*].ip}')"
kubectl delete pod b --force --grace-period=0 >/dev/null 2>&1
pod b 10.9.0.6 True

# --- addresses of both families
kubectl apply -f - >/dev/null <<'YAML'
apiVersion: v1
kind: Service
metadata: {name: both}
spec: {selector: {app: both}, ipFamilyPolicy: RequireDualStack, ports: [{port: 80}]}
---
apiVersion: v1
kind: Pod
metadata: {name: both, labels: {app: both}}
spec: {nodeName: n1, containers: [{name: c, image: nginx}]}
YAML
expect "a service has one of each" "IPv4 IPv6" "$(kubectl get service both -o 'jsonpath={.spec.ipFamilies[*]}')"
kubectl patch pod both --subresource status --type merge --patch '{"status": {"phase": "Running",
  "podIP": "10.9.0.9", "podIPs": [{"ip": "10.9.0.9"}, {"ip": "fd00:9::9"}],
  "conditions": [{"type": "Ready", "status": "True"}]}}' >/dev/null
both_slices() {
  kubectl get endpointslices -l kubernetes.io/service-name=both \
    -o 'jsonpath={range .items[*]}{.addressType} {.endpoints[*].addresses[*]}{"\n"}{end}' | sort
}
eventually "and a slice for each, with the addresses of that family" \
  is $'IPv4 10.9.0.9\nIPv6 fd00:9::9' both_slices
eventually "Endpoints have the first" is 10.9.0.9 \
  kubectl get endpoints both -o 'jsonpath={.subsets[*].addresses[*].ip}'
kubectl delete service/both pod/both --force --grace-period=0 >/dev/null 2>&1

# --- endpoints that people write
kubectl apply -f - >/dev/null 2>&1 <<'YAML'
apiVersion: v1
kind: Service
metadata: {name: manual}
spec: {ports: [{port: 80}]}
---
apiVersion: v1
kind: Endpoints
metadata: {name: manual, labels: {by: hand}}
subsets: [{addresses: [{ip: 192.0.2.7}], notReadyAddresses: [{ip: 192.0.2.8}], ports: [{port: 8080}]}]
YAML
eventually "slices mirror the endpoints" is "192.0.2.7 192.0.2.8" slice manual '.endpoints[*].addresses[0]'
expect "with all that is known" "true false/8080/hand/endpointslicemirroring-controller.k8s.io" \
  "$(slice manual '.endpoints[*].conditions.ready')/$(slice manual '.ports[0].port')/$(
    slice manual .metadata.labels.by)/$(
    slice manual '.metadata.labels.endpointslice\.kubernetes\.io/managed-by')"
kubectl label endpoints manual endpointslice.kubernetes.io/skip-mirror=true >/dev/null 2>&1
eventually "unless they say no" is "" slice manual .metadata.name

# --- disruption budgets
kubectl create poddisruptionbudget pdb --selector app=web --min-available 1 >/dev/null
allowed() { kubectl get pdb pdb -o 'jsonpath={.status.disruptionsAllowed}'; }
eventually "one pod may go" is 1 allowed
refuses "a drain stops at the budget" "would violate the pod's disruption budget" \
  kubectl drain n1 --force --grace-period=0 --timeout=2s
eventually "one has gone" is 1 kubectl get pods -o 'go-template={{len .items}}'
eventually "none may go any more" is 0 allowed
shows "the budget says why" InsufficientPods \
  kubectl get pdb pdb -o 'jsonpath={.status.conditions[0].reason}'
kubectl delete pdb pdb >/dev/null
shows "without it the node is drained" drained kubectl drain n1 --force --grace-period=0
eventually "nobody is left" is "" slice web '.endpoints[*].addresses[0]'

# --- aggregated roles
kubectl apply -f - >/dev/null <<'YAML'
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: widgets
  labels: {rbac.authorization.k8s.io/aggregate-to-view: "true"}
rules: [{apiGroups: [example.com], resources: [widgets], verbs: [get]}]
YAML
groups() { kubectl get clusterrole "$1" -o 'jsonpath={.rules[*].apiGroups[*]}'; }
includes() { has "$(groups "$1")" "$2"; }
for role in view edit admin; do
  eventually "a role becomes part of $role" includes "$role" example.com
done
kubectl delete clusterrole widgets >/dev/null
excludes() { ! includes "$@"; }
eventually "until it is gone" excludes admin example.com
