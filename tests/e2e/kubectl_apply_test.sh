#!/usr/bin/env bash
# Objects are declared and changed with kubectl, in every way it has.
source "$(dirname "$0")/harness.sh" "$1"
start_server

cat >"$work/web.yaml" <<'YAML'
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: nginx, image: "nginx:1.25", ports: [{containerPort: 80}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, labels: {app: web}}
data: {color: blue, size: small}
---
apiVersion: v1
kind: Service
metadata: {name: web, labels: {app: web}}
spec: {selector: {app: web}, ports: [{port: 80}]}
YAML

# setting KEY: what the ConfigMap has there.
setting() { kubectl get configmap settings --output="jsonpath={.data.$1}"; }

# --- apply, diff, dry run
shows "apply makes what is not there" \
  $'deployment.apps/web created\nconfigmap/settings created\nservice/web created' \
  kubectl apply -f "$work/web.yaml"
shows "apply again changes nothing" $'web unchanged\nconfigmap/settings unchanged' \
  kubectl apply -f "$work/web.yaml"
shows "no difference, no diff" "" kubectl diff -f "$work/web.yaml"
sed -i 's/blue/green/; /size/s/, size: small//' "$work/web.yaml"
refuses "diff shows what would change" $'-  color: blue\n-  size: small\n+  color: green' \
  kubectl diff -f "$work/web.yaml"
shows "a dry run says what it would do" "configmap/settings configured (server dry run)" \
  kubectl apply --dry-run=server -f "$work/web.yaml"
expect "a dry run changes nothing" blue "$(setting color)"
shows "apply changes what differs" "configmap/settings configured" kubectl apply -f "$work/web.yaml"
expect "apply sets" green "$(setting color)"
expect "apply removes what it set before" "" "$(setting size)"

# --- server-side apply
# owned COLOR: a ConfigMap of this color.
owned() {
  printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"owned"},
    "data":{"color":"%s"}}' "$1"
}
# apply_as MANAGER COLOR [FLAG...]
apply_as() { owned "$2" | kubectl apply --server-side --field-manager="$1" "${@:3}" -f -; }
shows "server-side apply creates" "configmap/owned serverside-applied" apply_as first red
shows "two may agree" "configmap/owned serverside-applied" apply_as second red
refuses "they may not disagree" 'conflict with "second": .data.color' apply_as first blue
expect "a conflict changes nothing" red "$(kubectl get configmap owned -o 'jsonpath={.data.color}')"
shows "a conflict can be forced" "configmap/owned serverside-applied" \
  apply_as first blue --force-conflicts
expect "then the field has one manager" "first" \
  "$(kubectl get configmap owned -o 'jsonpath={.metadata.managedFields[*].manager}')"

# --- changes of one object
shows "a strategic merge patch" patched \
  kubectl patch configmap settings -p '{"data":{"a":"1","b":"2"}}'
shows "a merge patch" patched kubectl patch configmap settings --type=merge -p '{"data":{"a":null}}'
shows "a JSON patch" patched \
  kubectl patch configmap settings --type=json -p '[{"op":"replace","path":"/data/b","value":"3"}]'
expect "all three have an effect" "/3" "$(setting a)/$(setting b)"
refuses "a JSON patch whose test fails" "/data/b" \
  kubectl patch configmap settings --type=json -p '[{"op":"test","path":"/data/b","value":"4"}]'
shows "containers are merged by name" patched kubectl patch deployment web \
  -p '{"spec":{"template":{"spec":{"containers":[{"name":"sidecar","image":"envoy"}]}}}}'
expect "so that there are two" "envoy nginx:1.25" "$(kubectl get deployment web \
  -o 'jsonpath={.spec.template.spec.containers[*].image}' | xargs -n1 | sort | xargs)"

shows "a label is added" labeled kubectl label configmap settings tier=front
refuses "but not changed by mistake" "already has a value (front)" \
  kubectl label configmap settings tier=back
shows "only on purpose" labeled kubectl label --overwrite configmap settings tier=back
shows "many are labelled at once" "service/web labeled" \
  kubectl label deployments,services -l app=web tier=all
shows "an annotation is added" annotate kubectl annotate configmap settings note='a b'
shows "and removed" annotate kubectl annotate configmap settings note-
expect "labels and annotations are what was said" "back/" "$(kubectl get configmap settings \
  -o 'jsonpath={.metadata.labels.tier}/{.metadata.annotations.note}')"

shows "an object is edited" "configmap/settings edited" \
  env KUBE_EDITOR="sed -i s/green/violet/" kubectl edit configmap settings
expect "the editor's text is stored" violet "$(setting color)"
shows "an edit that changes nothing" "no changes made" \
  env KUBE_EDITOR=true kubectl edit configmap settings

kubectl get configmap settings -o yaml | sed s/violet/white/ >"$work/settings.yaml"
shows "an object is replaced" "configmap/settings replaced" kubectl replace -f "$work/settings.yaml"
refuses "but not an old version of it" "the object has been modified" \
  kubectl replace -f "$work/settings.yaml"
uid=$(kubectl get configmap settings -o 'jsonpath={.metadata.uid}')
shows "unless it is forced" "configmap/settings replaced" \
  kubectl replace --force -f "$work/settings.yaml"
[ "$uid" != "$(kubectl get configmap settings -o 'jsonpath={.metadata.uid}')" ] ||
  failed "by force it is another object" "another uid" "$uid"

# --- what is wrong is refused, with the reason
# apply_json TEXT
apply_json() { kubectl apply -f - <<<"$1"; }
refuses "an unknown kind" 'no matches for kind "Nope"' \
  apply_json '{"apiVersion":"v1","kind":"Nope","metadata":{"name":"x"}}'
refuses "a wrong name" 'The ConfigMap "X_y" is invalid: metadata.name: Invalid value: "X_y"' \
  apply_json '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"X_y"}}'
refuses "an unknown field" 'unknown field "dota"' \
  apply_json '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"dota":{"a":"b"}}'
refuses "everything wrong at once" \
  'spec.replicas: Invalid value: -1: must be greater than or equal to 0' \
  apply_json '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"x"},"spec":{
    "replicas":-1,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"c"}},
    "spec":{"containers":[]}}}}'
refuses "a field that never changes" 'spec.selector' \
  kubectl patch deployment web -p '{"spec":{"selector":{"matchLabels":{"b":"c"}}}}'
refuses "a namespace that is not there" 'namespaces "nowhere" not found' \
  kubectl apply --namespace=nowhere -f "$work/web.yaml"

echo "all passed"
