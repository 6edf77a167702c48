#!/usr/bin/env bash
# examples/stages and examples/request as their users run them.
source "$(dirname "$0")/harness.sh" "$1"
stages=$2 request=$3

programs=()
end_programs() { for program in "${programs[@]}"; do kill -KILL "$program" 2>/dev/null || true; done; }
trap 'end_programs; finish' EXIT
start() {
  "$1" --set endpointsAddress=127.0.0.1:0 2>"$work/$(basename "$1").log" &
  programs+=($!)
}

start_server --controllers '*'  # without the platform
cd "$work"  # where the request's records go

# --- stages
"$stages" --print-crds | kubectl apply -f - >/dev/null
start "$stages"
printf 'apiVersion: example.io/v1\nkind: Website\nmetadata: {name: home}\nspec: {text: hi}\n' |
  kubectl apply -f - >/dev/null
shows "all stages succeed" "condition met" \
  kubectl wait --for=condition=Ready website/home --timeout=30s
shows "each has its condition" "True" \
  kubectl get website home --output 'jsonpath={.status.conditions[*].status}'
parts() { kubectl get configmap,service home --ignore-not-found --output name | tr '\n' ' '; }
expect "its parts are there" "configmap/home service/home " "$(parts)"
kubectl delete website home --timeout=30s >/dev/null
refuses "it can be deleted" "not found" kubectl get website home
parts_are_gone() { [ -z "$(parts)" ]; }
eventually "its parts go with it" parts_are_gone

# --- a request
"$request" --print-crds | kubectl apply -f - >/dev/null
start "$request"
kubectl create configmap fonts --from-literal=size=12 >/dev/null
# ask NAME TO
ask() {
  printf 'apiVersion: example.io/v1\nkind: ConfigCopy\nmetadata: {name: %s}\nspec: {name: fonts, to: %s}\n' \
    "$1" "$2" | kubectl apply -f - >/dev/null
}
ask fonts kube-public
# is PHASE NAME
is() { [ "$(kubectl get configcopy "$2" --output 'jsonpath={.status.phase}')" = "$1" ]; }
eventually "it is executed" is Completed fonts
expect "what was asked for is done" 12 \
  "$(kubectl get configmap fonts --namespace kube-public --output 'jsonpath={.data.size}')"
ask nowhere default
eventually "what cannot work fails" is Failed nowhere
shows "and says why" "must be another namespace" kubectl get configcopy nowhere -o yaml
shows "both are in the table" "Completed" kubectl get configcopies
expect "there is a record of each" 2 "$(wc -l <config-copy.log)"
# Other servers do not record who created an object.
[ -z "$ours" ] || shows "with the authenticated requester" \
  "$(openssl x509 -in "$work/data/pki/admin.crt" -noout -subject -nameopt multiline |
    sed -n 's/ *commonName *= //p')" cat config-copy.log
expect "which is private" 600 "$(stat --format=%a config-copy.log)"
refuses "nobody changes what was asked for" "cannot be changed after creation" \
  kubectl patch configcopy fonts --type merge --patch '{"spec":{"to":"kube-system"}}'

# The file is rotated while the program runs.
mv config-copy.log config-copy.log.1
ask again kube-public
eventually "one more is executed" is Completed again
expect "its record is in a new file" 1 "$(wc -l <config-copy.log)"

# A replica that waits to lead shares the directory.
"$request" --leader-elect --set endpointsAddress=127.0.0.1:0 2>"$work/replica.log" &
replica=$!
programs+=("$replica")
leads() { kubectl get lease config-copy-controller --namespace default >/dev/null 2>&1; }
eventually "a replica runs beside it" leads
is_running() { kill -0 "$replica" 2>/dev/null; }
expect "and does not end for the file" yes "$(is_running && echo yes || cat "$work/replica.log")"

shows "finished ones of any kind are pruned" "deleted 3 configcopies" \
  "$kubexms" requests prune configcopies.example.io --older-than 0s
shows "a server without the platform is no error" "are not served by this server" \
  "$kubexms" requests prune
echo "all passed"
