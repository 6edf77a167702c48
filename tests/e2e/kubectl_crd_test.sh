#!/usr/bin/env bash
# A kind of one's own, from its definition to its end, with kubectl.
source "$(dirname "$0")/harness.sh" "$1"
start_server

cat >"$work/definition.yaml" <<'YAML'
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: boats, singular: boat, kind: Boat, shortNames: [bt], categories: [all]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.masts, statusReplicasPath: .status.masts}
    additionalPrinterColumns:
    - {name: Length, type: integer, jsonPath: .spec.length}
    - {name: Harbour, type: string, jsonPath: .status.harbour, priority: 1}
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            description: What the boat should be.
            required: [length]
            properties:
              length: {type: integer, minimum: 1, description: From bow to stern.}
              color: {type: string, default: white, enum: [white, red]}
              masts: {type: integer, default: 1}
              crew:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items:
                  type: object
                  required: [name]
                  properties: {name: {type: string}, rank: {type: string}}
          status:
            type: object
            properties: {harbour: {type: string}, masts: {type: integer}}
YAML
shows "a definition is made" \
  "customresourcedefinition.apiextensions.k8s.io/boats.example.com created" \
  kubectl apply -f "$work/definition.yaml"
shows "it is established" "condition met" \
  kubectl wait crd boats.example.com --for=condition=Established --timeout=30s
eventually "the kind is discovered" kubectl get boats
expect "it is listed" "boats.example.com" \
  "$(kubectl api-resources --api-group=example.com -o name)"
eventually "it is explained" kubectl explain boats.spec.length
shows "in the words of its definition" "From bow to stern." kubectl explain boats.spec.length

# boat NAME SPEC
boat() {
  kubectl apply -f - <<<"{\"apiVersion\":\"example.com/v1\",\"kind\":\"Boat\",
    \"metadata\":{\"name\":\"$1\"},\"spec\":$2}"
}
field() { kubectl get boat "$1" -o "jsonpath={$2}"; }
shows "an object of it is made" "boat.example.com/ida created" boat ida '{"length":7}'
expect "with defaults" "white 1" "$(field ida '.spec.color} {.spec.masts')"
shows "it is changed by applying it again" "boat.example.com/ida configured" \
  boat ida '{"length":8}'
shows "and back" "boat.example.com/ida configured" boat ida '{"length":7}'
shows "a table has the columns" $'NAME LENGTH\nida 7' kubectl get bt
expect "all of them when wide" "NAME LENGTH HARBOUR" \
  "$(kubectl get boats -o wide | head -n1 | xargs)"
shows "it is in its category" "boat.example.com/ida" kubectl get all -o name
shows "it is described" "Length: 7" kubectl describe boat ida

refuses "a value that is too small" \
  'spec.length: Invalid value: 0: spec.length in body should be greater than or equal to 1' \
  boat tiny '{"length":0}'
refuses "a value that is not in the list" 'spec.color: Unsupported value: "blue"' \
  boat blue '{"length":3,"color":"blue"}'
refuses "a value that is missing" 'length' boat none '{}'
refuses "an unknown field" 'unknown field' boat odd '{"length":3,"wheels":4}'

shows "a patch" patched kubectl patch boat ida --type=merge -p '{"spec":{"color":"red"}}'
refuses "strategic patches are for built-in kinds" \
  'media types include: application/json-patch+json, application/merge-patch+json' \
  as_admin /apis/example.com/v1/namespaces/default/boats/ida --fail-with-body --request PATCH \
  --header 'Content-Type: application/strategic-merge-patch+json' --data '{}'
shows "it is scaled" scaled kubectl scale boat ida --replicas=3
expect "where its definition says" 3 "$(field ida .spec.masts)"
as_admin '/apis/example.com/v1/namespaces/default/boats/ida/scale?fieldManager=rigger&force=true' \
  --fail --request PATCH --header 'Content-Type: application/apply-patch+yaml' \
  --data '{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"ida"},"spec":{"replicas":2}}' \
  >"$work/answer"
expect "its scale is applied, too" 2 "$(field ida .spec.masts)"
expect "and has its owner" scale "$(kubectl get boat ida --show-managed-fields \
  --output 'jsonpath={.metadata.managedFields[?(@.manager=="rigger")].subresource}')"
# hire MANAGER NAME: one more for the crew of eva.
hire() {
  kubectl apply --server-side --field-manager="$1" -f - <<<"{\"apiVersion\":\"example.com/v1\",
    \"kind\":\"Boat\",\"metadata\":{\"name\":\"eva\"},
    \"spec\":{\"length\":9,\"crew\":[{\"name\":\"$2\"}]}}"
}
shows "server-side apply merges by key" serverside-applied hire first jo
shows "what two managers have" serverside-applied hire second al
expect "both have their items" "jo al" "$(field eva '.spec.crew[*].name')"

as_admin /apis/example.com/v1/namespaces/default/boats/ida/status --fail --request PATCH \
  --header 'Content-Type: application/merge-patch+json' \
  --data '{"spec":{"length":100},"status":{"harbour":"Kiel"}}' >"$work/answer"
expect "the status is written apart" "7 Kiel" "$(field ida '.spec.length} {.status.harbour')"
refuses "selectable fields are only those of all kinds" "field label not supported: spec.length" \
  kubectl get boats --field-selector spec.length=7

# --- the definition changes
sed -i 's/name: Length/name: Metres/; s/white, red/white, red, blue/' "$work/definition.yaml"
shows "a definition is changed" configured kubectl apply -f "$work/definition.yaml"
eventually "what was wrong is right" boat blue '{"length":3,"color":"blue"}'
shows "the table is the new one" "NAME METRES" kubectl get boats

# --- the end
kubectl get boats --watch >"$work/watched" 2>&1 &
watch=$!
eventually "the watch is open" grep -q ida "$work/watched"
shows "the definition is deleted" deleted kubectl delete crd boats.example.com --timeout=30s
refuses "with its kind" "the server doesn't have a resource type" kubectl get boats.example.com
kill $watch 2>/dev/null || true
{ wait $watch || true; } 2>/dev/null
shows "made again" created kubectl apply -f "$work/definition.yaml"
eventually "it is back" kubectl get boats
expect "without its objects" "" "$(kubectl get boats -o name)"

echo "all passed"
