#!/usr/bin/env bash
# DaemonSets with kubectl, on simulated nodes.
source "$(dirname "$0")/harness.sh" "$@"
start_control_plane --simulate-nodes=3

apply() { kubectl apply -f - >/dev/null; }
# field KIND NAME PATH
field() { kubectl get "$1" "$2" -o "jsonpath={$3}"; }
# is KIND NAME PATH VALUE
is() { [ "$(field "$1" "$2" "$3")" = "$4" ]; }
# pods APP [PATH]: their names, or another field of theirs.
pods() {
  kubectl get pods -l "app=$1" --sort-by=.metadata.name \
    -o "jsonpath={.items[*]${2:-.metadata.name}}"
}
images() { pods "$1" '.spec.containers[0].image'; }
gone() { ! kubectl get "$@" 2>/dev/null; }
rolled_out() { shows "the rollout of $1 ends" "$2" kubectl rollout status "$1" --timeout=30s; }
# told KIND NAME TEXT: an event says so.
told() {
  kubectl get events --field-selector "involvedObject.kind=$1,involvedObject.name=$2" |
    grep --fixed-strings "$3"
}

# daemon_set NAME [MORE OF THE POD] [MORE OF THE SPEC]
daemon_set() {
  apply <<YAML
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: $1}
spec:
  selector: {matchLabels: {app: $1}}
  template:
    metadata: {labels: {app: $1}}
    spec:
      containers: [{name: c, image: "img:1"}]
${2:-}
${3:-}
YAML
}
nodes_of() { pods "$1" .spec.nodeName | tr ' ' '\n' | sort | xargs; }
# is_on APP NODES
is_on() { [ "$(nodes_of "$1")" = "$2" ]; }

# --- a DaemonSet: a Pod on every node
daemon_set agent
rolled_out daemonset/agent "successfully rolled out"
expect "one on each node" "sim-0001 sim-0002 sim-0003" "$(nodes_of agent)"
shows "kubectl shows it" "agent 3 3 3 3 3" kubectl get daemonset agent
eventually "events tell of it" told DaemonSet agent "Created pod: agent-"
kubectl cordon sim-0001 >/dev/null
kubectl taint node sim-0002 team=a:NoExecute >/dev/null
eventually "a taint puts it out, a cordon does not" is_on agent "sim-0001 sim-0003"
eventually "which its status says" is daemonset agent .status.desiredNumberScheduled 2
kubectl taint node sim-0002 team- >/dev/null
eventually "it comes back" is_on agent "sim-0001 sim-0002 sim-0003"
kubectl uncordon sim-0001 >/dev/null
kubectl label node sim-0003 role=edge >/dev/null
daemon_set edge '      nodeSelector: {role: edge}'
eventually "only where it fits" is_on edge sim-0003
kubectl label node sim-0001 role=edge >/dev/null
eventually "also later" is_on edge "sim-0001 sim-0003"
kubectl label node sim-0003 role- >/dev/null
eventually "and no longer than that" is_on edge sim-0001

kubectl taint node sim-0002 team=b:NoSchedule >/dev/null
daemon_set team '      tolerations: [{key: team, operator: Equal, value: b}]
      affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [
        {matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [sim-0002]}]},
        {matchExpressions: [{key: role, operator: DoesNotExist}]}]}}}'
eventually "where it tolerates what is there, and where it wants to be" is_on team "sim-0002 sim-0003"
daemon_set plain
eventually "others stay away" is_on plain "sim-0001 sim-0003"
kubectl taint node sim-0002 team- >/dev/null
eventually "until they may come" is_on plain "sim-0001 sim-0002 sim-0003"

# --- updates by hand
kubectl patch daemonset plain --type=merge \
  -p '{"spec":{"updateStrategy":{"type":"OnDelete","rollingUpdate":null}}}' >/dev/null
kubectl set image daemonset/plain c=img:2 >/dev/null
eventually "a change is seen" is daemonset plain .status.observedGeneration 3
expect "and nothing done" "img:1 img:1 img:1" "$(images plain)"
kubectl delete pod "$(pods plain | cut -d ' ' -f 1)" --wait=false >/dev/null
updated() { [ "$(images plain | tr ' ' '\n' | sort | xargs)" = "img:1 img:1 img:2" ]; }
eventually "but to a Pod that is deleted" updated
kubectl delete daemonset plain team >/dev/null

# --- updates and their history
rolled_out daemonset/agent "successfully rolled out"
kubectl set image daemonset/agent c=img:2 >/dev/null
rolled_out daemonset/agent "successfully rolled out"
expect "all are updated" "img:2 img:2 img:2" "$(images agent)"
shows "the history has both" "2" kubectl rollout history daemonset/agent
shows "one can go back" "rolled back" kubectl rollout undo daemonset/agent --to-revision=1
rolled_out daemonset/agent "successfully rolled out"
expect "which is an update" "img:1 img:1 img:1" "$(images agent)"
kubectl patch daemonset agent -p '{"spec":{"updateStrategy":{"rollingUpdate":
  {"maxSurge":1,"maxUnavailable":0}},"template":{"metadata":{"annotations":
  {"simulate.kubexms.io/never-ready":"true"}}}}}' >/dev/null
surges() { [ "$(pods agent | wc -w)" = 4 ]; }
eventually "with a surge the new one comes first" surges
expect "and the others stay" 3 "$(field daemonset agent .status.numberAvailable)"
kubectl rollout undo daemonset/agent >/dev/null
rolled_out daemonset/agent "successfully rolled out"

# --- one that fails
name=$(pods edge)
kubectl patch pod "$name" --subresource=status -p '{"status":{"phase":"Failed"}}' >/dev/null
eventually "a failed Pod is replaced" gone pod "$name"
eventually "and the set says so" told DaemonSet edge "Found failed daemon pod default/$name"
eventually "by another" is daemonset edge .status.numberAvailable 1
echo "all passed"
