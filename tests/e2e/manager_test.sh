#!/usr/bin/env bash
# `kubexms manager` as its users run it: for a server whose own controllers are off, by hand and in
# replicas.
source "$(dirname "$0")/harness.sh" "$1" manager

# --- wrong usage, and no server
refuses "without a kubeconfig it says where it looked" "$work/none" \
  "$kubexms" manager --kubeconfig "$work/none"
refuses "a wrong controller is named" "garbage-collector-controller, " \
  "$kubexms" manager --controllers nonsense
refuses "none is too few" "--controllers selects no controller" "$kubexms" manager --controllers none
shows "its help lists the controllers" "namespace-controller" "$kubexms" manager --help

# --- a server that goes away
start_control_plane
stop_server KILL
start_server --controllers=none --token-file="$work/tokens"
kubectl create namespace back >/dev/null
eventually "it goes on when the server is back" kubectl get serviceaccount default --namespace back
kill -TERM "$manager"
status=0
wait "$manager" || status=$?
expect "SIGTERM is a clean end" 0 "$status"
refuses "a wrong setting is named" "unknown field: controllers.namespace-controller.wrokers" \
  "$kubexms" manager --set controllers.namespace-controller.wrokers=4
sed "s/:$port\"/:1\"/" "$work/manager.kubeconfig" >"$work/nowhere"
refuses "a server that does not answer is named" "127.0.0.1:1" \
  "$kubexms" manager --kubeconfig "$work/nowhere" &  # it is given some seconds
nowhere=$!
sed "s/token: .*}/token: wrong}}/" "$work/manager.kubeconfig" >"$work/nobody"
refuses "one that does not know the user is" "Unauthorized" \
  "$kubexms" manager --kubeconfig "$work/nobody"

# --- accounts
kubectl create serviceaccount weak >/dev/null
token=$(kubectl create -f - --raw /api/v1/namespaces/default/serviceaccounts/weak/token <<<'{}' |
  sed -n 's/.*"token":"\([^"]*\)".*/\1/p')
sed "s/token: .*}/token: $token}}/" "$work/manager.kubeconfig" >"$work/weak"
refuses "a user without access to the accounts' tokens gets advice" \
  "use --use-service-account-credentials=false" "$kubexms" manager --kubeconfig "$work/weak"
kubectl get serviceaccount namespace-controller --namespace kube-system >/dev/null

# --- two managers
quick=(--set leaderElection.leaseDuration=6s --set leaderElection.renewDeadline=5s
  --set leaderElection.retryPeriod=200ms)
start_manager "${quick[@]}"
one=$manager
holder() { kubectl get lease kube-controller-manager --namespace kube-system \
  --output 'jsonpath={.spec.holderIdentity}'; }
leads() { [ -n "$(holder)" ]; }
eventually "one leads" leads
first=$(holder)
start_manager "${quick[@]}"
shows "both are healthy" ok manager_answers /healthz manager2.log
shows "one says that it leads" "leader: holds the lease kube-system/kube-controller-manager" \
  manager_answers /readyz manager1.log
shows "the other for whom it waits" \
  "waiting for the lease kube-system/kube-controller-manager, which $first holds" \
  manager_answers /readyz manager2.log
shows "and logs it" "holder=$first" \
  grep "waiting for the lease, which another process holds" "$work/manager2.log"
refuses "the platform has a lease of its own" "run a second manager with --controllers platform" \
  "$kubexms" manager --controllers '*,platform'
shows "and measure" 'leader_election_master_status{name="kube-controller-manager"} 0' \
  manager_answers /metrics manager2.log
kubectl create namespace team >/dev/null
eventually "a namespace has its account" kubectl get serviceaccount default --namespace team
shows "a controller acts as its own account" \
  '"username":"system:serviceaccount:kube-system:service-account-controller"' \
  grep -a '"verb":"create".*"resource":"serviceaccounts","namespace":"team"' "$work/data/audit.log"
expect "and stays leader" "$first" "$(holder)"

{ kill -KILL "$one" && wait "$one"; } 2>/dev/null || true
other_leads() { [ -n "$(holder)" ] && [ "$(holder)" != "$first" ]; }
eventually "the other takes over" other_leads
shows "and says so" 'leader_election_master_status{name="kube-controller-manager"} 1' \
  manager_answers /metrics manager2.log
shows "and works" deleted kubectl delete namespace team --timeout=30s

# --- as the kubeconfig's user
kill -TERM "$manager"
wait "$manager" || true
"$kubexms" manager --use-service-account-credentials=false --leader-elect=false \
  --bind 127.0.0.1:0 2>"$work/manager3.log" &
managers+=($!)
kubectl create namespace plain >/dev/null
eventually "without accounts it works as that user" \
  kubectl get serviceaccount default --namespace plain
wait "$nowhere"
echo "all passed"
