#!/usr/bin/env bash
# The platform as its users see it, by the samples of examples/platform: with its controllers in the
# server, and by `kubexms manager --controllers platform`.
source "$(dirname "$0")/harness.sh" "$@"
samples=$(dirname "$0")/../../examples/platform

# use_account ACCOUNT: KUBECONFIG is then one of that service account, "NAMESPACE/NAME".
use_account() {
  local kubeconfig=$work/${1##*/}.kubeconfig
  cp "$KUBECONFIG" "$kubeconfig"
  kubectl config --kubeconfig "$kubeconfig" set-credentials account \
    --token "$(kubectl create token "${1##*/}" --namespace "${1%%/*}")" >/dev/null
  kubectl config --kubeconfig "$kubeconfig" set-context --current --user account >/dev/null
  export KUBECONFIG=$kubeconfig
}

# By a manager that may do what it asks for and nothing else, with a tailnet and a gate. The cluster's
# own controllers hold their Lease meanwhile.
start_platform_manager() {
  [ -z "$ours" ] || kubectl create --filename - >/dev/null <<YAML
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: kube-controller-manager, namespace: kube-system}
spec:
  holderIdentity: the-manager-of-the-cluster
  leaseDurationSeconds: 3600
  renewTime: "$(date --utc +%Y-%m-%dT%H:%M:%S.000000Z)"
YAML
  "$kubexms" manager --controllers platform --print-rbac | kubectl apply --filename - >/dev/null
  (
    use_account kube-system/kubexms-platform
    exec "$kubexms" manager --controllers platform --bind 127.0.0.1:0 \
      --devbox-tailnet tail.example.com --devbox-ssh-gate gate.example.com \
      --request-log "$work/requests.log" 2>"$work/manager0.log"
  ) &
  managers+=($!)
}

if [ "$mode" = server ]; then
  start_server --simulate-nodes 1
  records=(--data-dir "$work/data")
else
  start_server --simulate-nodes 1 --controllers='*'
  start_platform_manager
  records=(--file "$work/requests.log")
fi
eventually "the kinds are there" kubectl get users

# as USER COMMAND...: kubectl with the kubeconfig that the platform made.
as() { KUBECONFIG=$work/$1.kubeconfig kubectl "${@:2}"; }
keep_kubeconfig() {
  kubectl get secret "kubeconfig-$1" --namespace user-system \
    --output=jsonpath='{.data.kubeconfig}' | base64 --decode >"$work/$1.kubeconfig"
}
# is_phase KIND NAME PHASE [FLAG...]
is_phase() { [ "$(kubectl get "$1" "$2" "${@:4}" --output=jsonpath='{.status.phase}')" = "$3" ]; }

# --- users
kubectl apply --filename "$samples/users.yaml" >/dev/null
for user in alice bob; do
  eventually "$user is active" is_phase user $user Active
  keep_kubeconfig $user
done
shows "the columns people know" "NAME PHASE EXPIRATIONSECONDS AGE" kubectl get users
shows "the conditions say what there is" "KubeConfigSyncReady" kubectl describe user alice
shows "nobody is without a name" "user.sealos.io/display-name: bob" kubectl get user bob -o yaml
shows "its fields are explained" "validity of the credentials" \
  bash -c "kubectl explain user.spec.csrExpirationSeconds | tr A-Z a-z"
for kind in operationrequest deleterequest devbox; do
  shows "those of $kind too" "FIELDS" kubectl explain $kind.spec
done
shows "alice works in her workspace" "created" as alice create configmap notes
refuses "and not elsewhere" "forbidden" as alice --namespace ns-bob create configmap notes
refuses "bob is not let in" "forbidden" as bob --namespace ns-alice get configmaps
shows "the status names the secret" "user-system/kubeconfig-alice" kubectl get user alice \
  --output=jsonpath='{.status.kubeConfigSecret.namespace}/{.status.kubeConfigSecret.name}'
shows "which alice reads" "kubeconfig-alice" \
  as alice --namespace user-system get secret kubeconfig-alice
refuses "and bob does not" "forbidden" \
  as bob --namespace user-system get secret kubeconfig-alice
refuses "a status has no token" "none" bash -c \
  "kubectl get users --output=yaml | grep --quiet eyJ || { echo none; false; }"
refuses "owners do not relabel their workspace" "forbidden" \
  as alice label namespace ns-alice --overwrite pod-security.kubernetes.io/enforce=privileged

# --- sharing
as alice apply --filename "$samples/share-workspace.yaml" >/dev/null
eventually "the request is completed" \
  is_phase operationrequest let-bob-in Completed --namespace ns-alice
shows "its columns" "NAME ACTION NAMESPACE USER ROLE PHASE AGE" as alice get operationrequests
shows "and what they say" "let-bob-in Grant ns-alice bob Developer Completed" \
  as alice get operationrequests --selector user.sealos.io/owner=bob
eventually "bob reads" as bob --namespace ns-alice get configmap notes
refuses "a developer does not write" "forbidden" \
  as bob --namespace ns-alice delete configmap notes

# may USER yes|no WHAT...: whether the user may do each of it, in ns-alice if nothing else is said.
may() {
  local what answer
  for what in "${@:3}"; do
    # shellcheck disable=SC2086
    answer=$(as "$1" auth can-i --namespace ns-alice $what 2>/dev/null || true)
    expect "may $1 $what" "$2" "$answer"
  done
}
look=("get configmaps" "list pods" "watch secrets" "get devboxes" "list operationrequests")
change=("create deployments" "delete pods" "update secrets" "create devboxes" "create pods/exec")
give=("create operationrequests" "bind roles/Manager" "delete rolebindings")
nobody=("get nodes -A" "list users -A" "create users -A" "create deleterequests -A"
  "list namespaces -A" "get configmaps -n default" "create pods -n ns-carol"
  "create operationrequests -n user-system" "create serviceaccounts/token -n user-system"
  "patch namespaces" "delete namespaces" "update resourcequotas" "patch operationrequests"
  "patch operationrequests --subresource=status" "escalate roles" "bind clusterroles/cluster-admin"
  "patch pods --subresource=status" "create endpointslices")
may bob yes "${look[@]}"
may bob no "${change[@]}" "${give[@]}" "${nobody[@]}"
refuses "what was asked for stays" "cannot be changed after creation" \
  kubectl patch operationrequest let-bob-in --namespace ns-alice --type merge \
  --patch '{"spec":{"role":"Owner"}}'
refuses "its status is not the owner's" "forbidden" \
  as alice patch operationrequest let-bob-in --subresource=status --type merge \
  --patch '{"status":{"phase":"Processing"}}'
refuses "spec.user is required" "spec.user: Required value" kubectl create --filename - <<'YAML'
apiVersion: user.sealos.io/v1
kind: Deleterequest
metadata: {name: nobody}
spec: {}
YAML

# request USER NAME ACTION ROLE [CREATOR]: about bob in ns-alice, from a namespace of the user; the
# creator is the user, unless the request says that it is another one's.
request_role() {
  as "$1" create --filename - <<YAML
apiVersion: user.sealos.io/v1
kind: Operationrequest
metadata:
  name: $2
  namespace: ns-$1
  annotations: {kubexms.io/creator: "${5-system:serviceaccount:user-system:$1}"}
spec: {action: $3, namespace: ns-alice, user: bob, role: $4}
YAML
}
request_role bob grab Update Owner >/dev/null
alice=system:serviceaccount:user-system:alice
if [ -n "$ours" ]; then
  shows "the server records the requester" created request_role bob forged Update Owner $alice
  shows "whatever the request says" "system:serviceaccount:user-system:bob" \
    kubectl get operationrequest forged --namespace ns-bob --output=yaml
  eventually "so that it fails" is_phase operationrequest forged Failed --namespace ns-bob
else
  refuses "nobody asks in the name of another" "must be system:serviceaccount:user-system:bob" \
    request_role bob forged Update Owner $alice
  shows "the requester need not be named" created request_role bob nameless Update Owner ""
  refuses "nor can say it later" "cannot be changed" \
    kubectl annotate operationrequest nameless --namespace ns-bob --overwrite kubexms.io/creator=$alice
  eventually "which is not executed" is_phase operationrequest nameless Failed --namespace ns-bob
fi
eventually "bob cannot make himself more" is_phase operationrequest grab Failed --namespace ns-bob
shows "and the request reports it" "may not bind" kubectl describe operationrequest grab --namespace ns-bob
request_role alice promote Update Manager >/dev/null
eventually "alice can" is_phase operationrequest promote Completed --namespace ns-alice
eventually "a manager writes" as bob --namespace ns-alice create configmap by-bob
may bob yes "${look[@]}" "${change[@]}" "${give[@]}"
may bob no "${nobody[@]}"
request_role alice other Grant Developer >/dev/null
eventually "granting another role is an error" \
  is_phase operationrequest other Failed --namespace ns-alice
shows "that says so" "bob has the role Manager" \
  kubectl get operationrequest other --namespace ns-alice --output=jsonpath='{.status.message}'

# --- rotation
kubectl patch user bob --type merge \
  --patch '{"spec":{"kubeConfigRotateAt":"2031-01-01T00:00:00Z"}}' >/dev/null
old_is_refused() { [[ $(as bob get configmaps 2>&1) == *Unauthorized* ]]; }
eventually "the old kubeconfig is refused" old_is_refused
keep_kubeconfig bob
shows "the new one works" "notes" as bob --namespace ns-alice get configmaps

# --- devboxes
as alice apply --filename "$samples/devbox.yaml" >/dev/null
has_port() { [ "$(kubectl get devbox box --namespace ns-alice --output=jsonpath='{.status.network.nodePort}')" -ge 30000 ]; }
eventually "a devbox has a port" has_port
kubectl get secret box --namespace ns-alice \
  --output=jsonpath='{.data.SEALOS_DEVBOX_PRIVATE_KEY}' | base64 --decode >"$work/key"
chmod 600 "$work/key"
shows "and keys" "ssh-ed25519" ssh-keygen -y -f "$work/key"
shows "its columns" "NAME STATE NETWORKTYPE UNIQUEID NODEPORT PHASE NODE AGE" \
  kubectl get devboxes --namespace ns-alice
eventually "it runs" is_phase devbox box Running --namespace ns-alice
as alice patch devbox box --type merge --patch '{"spec":{"state":"Shutdown"}}' >/dev/null
eventually "it is shut down" is_phase devbox box Shutdown --namespace ns-alice

# --- manifests as users of Sealos write them, with every field
kubectl apply --filename - >/dev/null <<'YAML'
apiVersion: user.sealos.io/v1
kind: User
metadata:
  name: carol
  annotations: {user.sealos.io/display-name: Carol, user.sealos.io/owner: carol}
spec: {csrExpirationSeconds: 1000000000, kubeConfigRotateAt: "2030-01-01T00:00:00Z"}
---
apiVersion: user.sealos.io/v1
kind: Operationrequest
metadata: {name: carol-in-ns-alice, namespace: user-system}
spec: {namespace: ns-alice, user: carol, role: Owner, action: Grant}
YAML
eventually "carol is active" is_phase user carol Active
eventually "a request of the system is completed" \
  is_phase operationrequest carol-in-ns-alice Completed --namespace user-system
keep_kubeconfig carol
cat >"$work/by-carol.yaml" <<'YAML'
apiVersion: user.sealos.io/v1
kind: Operationrequest
metadata:
  name: by-carol
  namespace: ns-alice
  annotations: {kubexms.io/creator: "system:serviceaccount:user-system:carol"}
spec: {namespace: ns-alice, user: bob, role: Developer, action: Update}
YAML
eventually "an owner lets others in" as carol create --filename "$work/by-carol.yaml"
eventually "which is done" is_phase operationrequest by-carol Completed --namespace ns-alice
may carol yes "${look[@]}" "${change[@]}" "${give[@]}"
may alice yes "${look[@]}" "${change[@]}" "${give[@]}"
kubectl create --filename - >/dev/null <<'YAML'
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: devbox-runtime}
handler: devbox-runc
YAML
as carol --namespace ns-carol create --filename - >/dev/null <<'YAML'
apiVersion: devbox.sealos.io/v1alpha2
kind: Devbox
metadata: {name: full}
spec:
  state: Running
  image: ghcr.io/labring-actions/devbox/go-1.23.0:13aacd8
  templateID: 1b5c1f4e-2f0e-4b8e-9d0f-6e3c1a2b3c4d
  storageLimit: 10Gi
  runtimeClassName: devbox-runtime
  resource: {cpu: 2, memory: 4096Mi}
  nodeSelector: {kubernetes.io/os: linux}
  tolerations: [{key: devbox.sealos.io/node, operator: Exists, effect: NoSchedule}]
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
          - matchExpressions: [{key: kubernetes.io/os, operator: In, values: [linux]}]
  network: {type: NodePort, extraPorts: [{containerPort: 8080}]}
  config:
    user: devbox
    labels: {team: a}
    annotations: {note: b}
    command: [/bin/bash, -c]
    args: [/home/devbox/project/entrypoint.sh]
    workingDir: /home/devbox/project
    env: [{name: EDITOR, value: vim}]
    releaseCommand: [/bin/bash, -c]
    releaseArgs: [/home/devbox/project/entrypoint.sh]
    ports: [{containerPort: 22, name: devbox-ssh-port, protocol: TCP}]
    appPorts: [{name: devbox-app-port, port: 8080, protocol: TCP, targetPort: 8080}]
    volumes: [{name: scratch, emptyDir: {}}]
    volumeMounts: [{name: scratch, mountPath: /scratch}]
YAML
eventually "a devbox with everything runs" is_phase devbox full Running --namespace ns-carol
shows "its pod is as asked for" "devbox-runtime 4Gi vim a" kubectl get pod full --namespace ns-carol --output=jsonpath='{.spec.runtimeClassName} {.spec.containers[0].resources.limits.memory} {.spec.containers[0].env[0].value} {.metadata.labels.team}'

# Through a tailnet and an SSH gate: each is there, or a condition says that it is not.
for type in Tailnet SSHGate; do
  as carol create --filename - >/dev/null <<YAML
apiVersion: devbox.sealos.io/v1alpha2
kind: Devbox
metadata: {name: ${type,,}}
spec:
  state: Running
  image: ghcr.io/labring-actions/devbox/go-1.23.0:13aacd8
  runtimeClassName: devbox-runtime
  resource: {cpu: 1000m, memory: 2048Mi}
  network: {type: $type, extraPorts: [{containerPort: 8080}]}
  config: {appPorts: [{name: web, port: 8080, protocol: TCP, targetPort: 8080}]}
YAML
done
# condition DEVBOX TYPE: its message.
condition() {
  kubectl get devbox "$1" --namespace ns-carol \
    --output=jsonpath="{.status.conditions[?(@.type=='$2')].message}"
}
says() { [[ $(condition "$1" "$2") == *"$3"* ]]; }
if [ "$mode" = server ]; then
  eventually "without a tailnet that is said" says tailnet NetworkSynced "is not configured on this server"
  eventually "without a gate, too" says sshgate NetworkSynced "is not configured on this server"
  refuses "then there is no pod" "not found" kubectl get pod tailnet --namespace ns-carol
else
  for type in Tailnet SSHGate; do
    eventually "a devbox runs with $type" is_phase devbox "${type,,}" Running --namespace ns-carol
    shows "which is known" "$type" \
      kubectl get devbox "${type,,}" --namespace ns-carol --output=jsonpath='{.status.network.type}'
    refuses "and takes no port" "not found" \
      kubectl get service "${type,,}-svc" --namespace ns-carol
  done
  shows "by its name there" ".tail.example.com" \
    kubectl get devbox tailnet --namespace ns-carol --output=jsonpath='{.status.network.tailnet}'
  expect "by the gate" "reached through gate.example.com" "$(condition sshgate SSHGateSynced)"
fi
refuses "a wrong tailnet is none" "--devbox-tailnet" \
  "$kubexms" manager --controllers platform --bind 127.0.0.1:0 --devbox-tailnet "no domain"

refuses "rights on rights are no custom resources" "--workspace-groups" \
  "$kubexms" manager --controllers platform --workspace-groups rbac.authorization.k8s.io
refuses "a wrong namespace is none" "--watch-namespace" \
  "$kubexms" manager --controllers platform --watch-namespace "no name"
# rules_of NAMESPACE: what the manager of one namespace may do there; "" for everywhere.
rules_of() {
  "$kubexms" manager --controllers platform --watch-namespace watched --print-rbac |
    awk -v namespace="$1" 'BEGIN { RS = "---\n" }
      /\nkind: (Cluster)?Role\n/ && (namespace == "" ? !/\n  namespace:/ : $0 ~ "\n  namespace: " namespace "\n")'
}
shows "one namespace is watched with rights there" "- operationrequests" rules_of watched
shows "on devboxes, too" "- devboxes" rules_of watched
refuses "and none elsewhere" "none" bash -c \
  "$(declare -f rules_of); kubexms='$kubexms'; rules_of '' | grep --quiet devboxes || { echo none; false; }"

# ask_to_delete USER [FIELD]
ask_to_delete() {
  kubectl create --filename - >/dev/null <<YAML
apiVersion: user.sealos.io/v1
kind: Deleterequest
metadata: {name: $1}
spec: {user: $1${2:+, $2}}
YAML
}
ask_to_delete carol "deleteDependents: false"
eventually "carol is deleted" is_phase deleterequest carol Completed
shows "its columns" "NAME USER PHASE AGE" kubectl get deleterequests
shows "the workspace is kept, and that is said" "ns-carol retained" \
  kubectl get deleterequest carol --output=jsonpath='{.status.message}'
shows "with what is in it" "full" kubectl get devboxes --namespace ns-carol
ask_to_delete admin
eventually "the administrator is not" is_phase deleterequest admin Failed

# --- the end of a user
kubectl apply --filename "$samples/delete-user.yaml" >/dev/null
eventually "the deletion is completed" is_phase deleterequest bob-leaves Completed
refuses "bob is gone" "not found" kubectl get user bob
refuses "so is the workspace" "not found" kubectl get namespace ns-bob

# --- audit records
shows "audit shows the requester" "alice Grant Developer bob ns-alice Completed" \
  "$kubexms" audit "${records[@]}"
shows "and refused requests" "bob Update Owner bob ns-alice Failed" \
  "$kubexms" audit "${records[@]}" --user bob
shows "for programs too" '"result": "Failed"' "$kubexms" audit "${records[@]}" --output json
refuses "a wrong time is named" "--since" "$kubexms" audit "${records[@]}" --since yesterday
shows "records can be filtered by time" "Failed" "$kubexms" audit "${records[@]}" --since 1h
shows "no record matches a later time" "No matching audit records" \
  "$kubexms" audit "${records[@]}" --since 2100-01-01T00:00:00Z
shows "failed requests can be pruned" "deleted 1 operationrequests" \
  "$kubexms" requests prune --phase Failed --older-than 0s --namespace ns-alice
refuses "they are gone" "not found" kubectl get operationrequest other --namespace ns-alice
shows "not from the records" "alice Grant Developer bob ns-alice Failed" \
  "$kubexms" audit "${records[@]}"
shows "others stay" "promote" kubectl get operationrequest promote --namespace ns-alice

# What the CronJob runs, with the rights that it has.
kubectl apply --filename "$samples/prune-requests.yaml" >/dev/null
read -ra nightly <<<"$(kubectl get cronjob prune-requests --namespace kube-system \
  --output=jsonpath='{.spec.jobTemplate.spec.template.spec.containers[0].command[*]}')"
(
  use_account kube-system/prune-requests
  shows "nothing is a day old" "deleted 0 operationrequests and 0 deleterequests" \
    "$kubexms" "${nightly[@]:1}"
  nightly=("${nightly[@]/24h/0s}")
  shows "it may delete" "and 1 deleterequests" "$kubexms" "${nightly[@]:1}"
  refuses "and nothing else" "forbidden" kubectl get users
)
shows "all kinds in one table" "Completed" \
  kubectl get users,operationrequests,deleterequests,devboxes --all-namespaces
