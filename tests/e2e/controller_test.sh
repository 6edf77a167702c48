#!/usr/bin/env bash
# A controller as its users run it: examples/hello against a server, by hand and in replicas.
source "$(dirname "$0")/harness.sh" "$1"
hello=$2

replicas=()
end_replicas() {
  for replica in "${replicas[@]}"; do kill -KILL "$replica" 2>/dev/null || true; done
}
trap 'end_replicas; finish' EXIT

# start_hello NAME [FLAG...]: its process is then in $replica, its log in $work/NAME.log.
start_hello() {
  "$hello" --set endpointsAddress=127.0.0.1:0 "${@:2}" 2>"$work/$1.log" &
  replica=$!
  replicas+=("$replica")
}

apply() { kubectl apply -f - <<<"$1"; }
# hello_object NAME [SPEC]
hello_object() {
  printf 'apiVersion: example.io/v1\nkind: Hello\nmetadata: {name: %s}\nspec: %s\n' "$1" "${2:-"{}"}"
}
text_of() { kubectl get configmap "$1" --output 'jsonpath={.data.text}'; }
says() { [ "$(text_of "$1")" = "$2" ]; }

# --- without a server, and with wrong settings
refuses "without a server it says where it looked" "kubeconfig" "$hello" --kubeconfig "$work/none"
start_server
refuses "a wrong setting is named" "unknown field: controllers.hello.wrokers" \
  "$hello" --set controllers.hello.wrokers=4
refuses "a wrong controller is named" "the controllers are hello" "$hello" --set controllers.helo.maxRetries=4
refuses "a wrong flag is named" "--leader" "$hello" --leader

# --- its kinds and roles
shows "its help says what it does" "Run the controller of Hellos" "$hello" --help
shows "its kind is installed" "hellos.example.io created" \
  bash -c '"$0" --print-crds | kubectl apply -f -' "$hello"
shows "its roles are installed" "clusterrole.rbac.authorization.k8s.io/hello-controller created" \
  bash -c '"$0" --print-rbac | kubectl apply -f -' "$hello"
can() { kubectl auth can-i "$@" --as system:serviceaccount:default:hello-controller; }
expect "the roles allow what it does" yes "$(can update configmaps)"
expect "and its status" yes "$(can update hellos --subresource=status)"
expect "and nothing else" no "$(can get secrets || true)"
eventually "the kind is known" kubectl explain hello.spec
shows "kubectl explains the kind" "Greeting to use." kubectl explain hello.spec.greeting

# --- as the service account that the roles are for
kubeconfig_of default hello-controller >"$work/weak"
start_hello weak --kubeconfig "$work/weak"
apply "$(hello_object world)" >/dev/null
eventually "what was there is reconciled" says world "Hello, world!"
shows "its status is in the table" "Hello, world!" kubectl get hello world
kubectl patch configmap world --type merge --patch '{"data": {"text": "nonsense"}}' >/dev/null
eventually "a changed object is restored" says world "Hello, world!"
kubectl delete configmap world --wait=false >/dev/null
eventually "a deleted object is created again" says world "Hello, world!"
apply "$(hello_object world "{greeting: Moin}")" >/dev/null
eventually "a change is followed" says world "Moin, world!"

# --- what it tells Prometheus and probes
address=$(sed -n 's/.*serving health and metrics address=//p' "$work/weak.log")
expect "it is healthy" ok "$(curl --silent "http://$address/healthz")"
expect "and ready" ok "$(curl --silent "http://$address/readyz")"
metrics() { curl --silent "http://$address/metrics"; }
shows "it measures its reconciles" 'controller_runtime_reconcile_total{controller="hello"' metrics
shows "and its requests" rest_client_requests_total metrics
understood "Prometheus understands the controller's metrics" metrics
[ -z "$ours" ] || understood "and the server's" as_admin /metrics
shows "one can see why something ran" '"reasons":"owned ConfigMap changed"' \
  curl --silent "http://$address/debug/reconciles"

# --- a server that goes away
stop_server KILL
start_server
apply "$(hello_object back)" >/dev/null
eventually "it goes on when the server is back" says back "Hello, back!"
kill -TERM "$replica"
status=0
wait "$replica" || status=$?
expect "SIGTERM is a clean end" 0 "$status"

# --- a start that finds everything as it should be asks the server for lists and watches, and for nothing
# else: at the default rate a request for each object would take a minute for a thousand of them
# count METRIC: the sum of those lines of the controller's metrics.
count() { metrics | awk -v name="$1" 'index($0, name) == 1 { sum += $NF } END { print sum + 0 }'; }
has_reconciled() { [ "$(count 'controller_runtime_reconcile_total{controller="hello",result="success"}')" -ge "$1" ]; }
# start_counted NAME: returns when it serves its metrics.
start_counted() {
  start_hello "$1"
  eventually "$1 serves its metrics" grep "serving health and metrics" "$work/$1.log"
  address=$(sed -n 's/.*serving health and metrics address=//p' "$work/$1.log")
}
for i in {1..100}; do
  echo "---"
  hello_object "many-$i"
done | kubectl apply --filename - >/dev/null
start_counted many
eventually "a hundred are reconciled" says many-100 "Hello, many-100!"
eventually "all of them" has_reconciled 102
kill -TERM "$replica"
wait "$replica" || true
start_counted restarted
eventually "they are again after a restart" has_reconciled 102
requests=$(count rest_client_requests_total)
[ "$requests" -lt 20 ] || failed "a restart asks for no single object" "fewer than 20 requests" "$requests"
kill -TERM "$replica"
wait "$replica" || true

# --- replicas, and a record as other programs write it
lease() { kubectl get lease hello-controller --output "jsonpath={.spec.$1}"; }
apply 'apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: hello-controller}
spec:
  holderIdentity: other_8a7b
  leaseDurationSeconds: 2
  leaseTransitions: 4
  acquireTime: "2024-01-01T00:00:00.000000Z"
  renewTime: "2024-01-01T00:00:05.000000Z"' >/dev/null
start_hello one --leader-elect
one=$replica
held_by_us() { [ -n "$(lease holderIdentity)" ] && [ "$(lease holderIdentity)" != other_8a7b ]; }
eventually "it takes over what has run out" held_by_us
expect "and counts that" 5 "$(lease leaseTransitions)"
first=$(lease holderIdentity)
start_hello two --leader-elect
apply "$(hello_object elected)" >/dev/null
eventually "the leader works" says elected "Hello, elected!"
expect "and stays leader" "$first" "$(lease holderIdentity)"
leads() { kubectl describe lease hello-controller | grep 'became leader'; }
eventually "its election is in the events" leads
kill -TERM "$one"
wait "$one" || true
other_leads() { [ -n "$(lease holderIdentity)" ] && [ "$(lease holderIdentity)" != "$first" ]; }
eventually "the other takes over" other_leads
apply "$(hello_object after)" >/dev/null
eventually "and works" says after "Hello, after!"

kubectl config view --raw --minify >"$work/there"
kubectl --kubeconfig "$work/there" config set-context --current --namespace kube-public >/dev/null
start_hello there --kubeconfig "$work/there" --leader-elect
lease_is_there() { kubectl --namespace kube-public get lease hello-controller >/dev/null 2>&1; }
eventually "its lease is in the namespace of the context" lease_is_there
echo "all passed"
