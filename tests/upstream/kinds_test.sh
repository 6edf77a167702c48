#!/usr/bin/env bash
# Upstream's server takes the CustomResourceDefinitions of all our kinds, and objects of them.
# usage: kinds_test.sh KUBEXMS PROGRAM...    PROGRAM prints definitions with --print-crds
source "$(dirname "$0")/../e2e/harness.sh" "$1"
start_server --controllers=none

# installs WHAT FILE: every definition is created, served, and has a structural schema.
installs() {
  shows "$1: the server accepts them" created kubectl apply --filename "$2"
  shows "$1: they are served" "condition met" \
    kubectl wait --for=condition=Established --timeout=60s --filename "$2"
  shows "$1: their names are free" "condition met" \
    kubectl wait --for=condition=NamesAccepted --timeout=60s --filename "$2"
  if kubectl get --filename "$2" --output=yaml | grep --before-context=4 'type: NonStructuralSchema'; then
    failed "$1: their schemas are structural" "no such condition" "the condition above"
  fi
  expect "$1: the server changes nothing in them" "" \
    "$(kubectl apply --filename "$2" | grep -v unchanged)"
}

"$kubexms" crd >"$work/crds.yaml"
installs "kubexms crd" "$work/crds.yaml"
for program in "${@:2}"; do
  "$program" --print-crds >"$work/more.yaml"
  installs "$(basename "$program")" "$work/more.yaml"
done

mapfile -t plurals < <("$kubexms" crd | sed -n 's/^    plural: //p')
[ "${#plurals[@]}" -ge 4 ] || failed "kinds are found" "4 or more" "${plurals[*]}"
for plural in "${plurals[@]}"; do
  shows "$plural: fields are explained" DESCRIPTION kubectl explain "$plural.spec"
  shows "$plural: the server lists them" "No resources found" kubectl get "$plural" --all-namespaces
done
echo "all passed"
