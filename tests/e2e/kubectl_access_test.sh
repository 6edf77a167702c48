#!/usr/bin/env bash
# Who may do what: kubectl asks, acts as others, and uses tokens of service accounts.
source "$(dirname "$0")/harness.sh" "$1"
start_server

kubectl apply -f - >/dev/null <<'YAML'
apiVersion: v1
kind: ServiceAccount
metadata: {name: robot, namespace: default}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader, namespace: default}
rules: [{apiGroups: [""], resources: [pods, configmaps], verbs: [get, list, watch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: readers, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects:
- {kind: ServiceAccount, name: robot}
- {kind: User, name: jane, apiGroup: rbac.authorization.k8s.io}
YAML
robot=system:serviceaccount:default:robot

# --- asking
expect "the administrator may everything" yes "$(kubectl auth can-i '*' '*')"
expect "jane may list pods" yes "$(kubectl auth can-i list pods --as=jane)"
expect "jane may not delete them" no "$(kubectl auth can-i delete pods --as=jane || true)"
expect "nor see those of others" no \
  "$(kubectl auth can-i list pods --as=jane -n kube-system || true)"
expect "the robot may list pods" yes "$(kubectl auth can-i list pods "--as=$robot")"
shows "a list of all" "configmaps" kubectl auth can-i --list --as=jane

# --- impersonation
shows "jane lists" "No resources found" kubectl get pods --as=jane
refuses "jane does not create" \
  'configmaps is forbidden: User "jane" cannot create resource "configmaps" in API group ""' \
  kubectl create configmap x --as=jane
refuses "jane is nobody else" 'User "jane" cannot' kubectl get pods --as=jane -n kube-system
shows "a member of a group" "kube-system" \
  kubectl get namespaces --as=joe --as-group=system:masters

if kubectl_has 28; then
  shows "whoami" "kubernetes-admin" kubectl auth whoami
  shows "whoami as another" "jane" kubectl auth whoami --as=jane
fi

# --- rules
kubectl get role reader -o yaml | sed 's/- watch/- watch\n  - patch/' >"$work/role.yaml"
shows "rules are reconciled" "reconciled" kubectl auth reconcile -f "$work/role.yaml"
expect "jane may more" yes "$(kubectl auth can-i patch pods --as=jane)"
kubectl create clusterrole binder --verb=create --resource=clusterrolebindings >/dev/null
kubectl create clusterrolebinding binders --clusterrole=binder --user=joe >/dev/null
refuses "nobody gives what he does not have" "attempting to grant RBAC permissions" \
  kubectl create clusterrolebinding all --clusterrole=cluster-admin --user=joe --as=joe
kubectl delete rolebinding readers >/dev/null
expect "jane may nothing without her role" no "$(kubectl auth can-i list pods --as=jane || true)"
kubectl create rolebinding readers --role=reader --serviceaccount=default:robot >/dev/null

# --- tokens
token_of() {
  if kubectl_has 24; then
    kubectl create token "$1" --duration=1h
  else
    as_admin "/api/v1/namespaces/default/serviceaccounts/$1/token" --fail \
      --header 'Content-Type: application/json' \
      --data '{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{}}' |
      sed -n 's/.*"token": *"\([^"]*\)".*/\1/p'
  fi
}
token=$(token_of robot)
# with_token ARGUMENT...: kubectl with nothing but the token.
with_token() {
  kubectl --kubeconfig=/dev/null --server="https://127.0.0.1:$port" \
    --certificate-authority="$work/data/pki/ca.crt" --token="$token" "$@"
}
shows "a token authenticates a user" "No resources found" with_token get pods
refuses "with his rights" "User \"$robot\" cannot list resource \"secrets\"" with_token get secrets
stop_server TERM
start_server
shows "a token outlives the server" "No resources found" with_token get pods
kubectl delete serviceaccount robot >/dev/null
refuses "but not its account" "You must be logged in to the server" with_token get pods
token=nonsense
refuses "nonsense is no token" "You must be logged in to the server" with_token get pods

echo "all passed"
