#!/usr/bin/env bash
# Jobs and CronJobs with kubectl. Their Pods run on simulated nodes.
source "$(dirname "$0")/harness.sh" "$@"
start_control_plane --simulate-nodes=2

# template [ANNOTATIONS]: of Pods that run for a second.
template() {
  printf '{metadata: {annotations: {%s}}, spec: {restartPolicy: Never,
    containers: [{name: main, image: busybox}]}}' "${1:-}"
}
# make_job NAME [SPEC] [ANNOTATIONS]
make_job() {
  kubectl create -f - >/dev/null <<YAML
apiVersion: batch/v1
kind: Job
metadata: {name: $1}
spec: {${2:+$2, }template: $(template "${3:-}")}
YAML
}
field() { kubectl get "$1" "$2" -o "jsonpath={$3}"; }
is() { [ "$(field "$1" "$2" "$3")" = "$4" ]; }
# told NAME TEXT: an event about the object of that name has the text.
told() {
  kubectl get events --field-selector "involvedObject.name=$1" \
    -o 'jsonpath={range .items[*]}{.message}{"\n"}{end}' | grep -F "$2"
}
gone() { ! kubectl get "$1" "$2" 2>/dev/null; }
pods_gone() { [ -z "$(kubectl get pods -l "job-name=$1" -o name)" ]; }

# --- jobs that complete
make_job ok
shows "a job completes" "condition met" kubectl wait --for=condition=complete job/ok --timeout=60s
shows "the table says so" "ok Complete 1/1" kubectl get job ok
expect "its pod is counted" "1/0/{}" \
  "$(field job ok .status.succeeded)/$(field job ok .status.ready)/$(
    field job ok .status.uncountedTerminatedPods)"
expect "and may go" "" "$(kubectl get pods -l job-name=ok -o 'jsonpath={.items[*].metadata.finalizers}')"
eventually "the events tell of it" told ok "Job completed"
make_job indexed 'completions: 4, parallelism: 3, completionMode: Indexed'
shows "a job completes all indexes" "condition met" \
  kubectl wait --for=condition=complete job/indexed --timeout=60s
expect "each is listed" 0-3 "$(field job indexed .status.completedIndexes)"
expect "pods know theirs" "0 1 2 3" "$(kubectl get pods -l job-name=indexed \
  -o 'jsonpath={.items[*].metadata.labels.batch\.kubernetes\.io/job-completion-index}')"

make_job quorum 'completions: 4, parallelism: 4, completionMode: Indexed,
  successPolicy: {rules: [{succeededIndexes: "1-2", succeededCount: 1}]}'
shows "a job is done when enough is" "condition met" \
  kubectl wait --for=condition=SuccessCriteriaMet job/quorum --timeout=60s
expect "as its policy says" SuccessPolicy \
  "$(field job quorum '.status.conditions[?(@.type=="SuccessCriteriaMet")].reason')"

# --- jobs that fail
make_job bad 'backoffLimit: 0' 'simulate.kubexms.io/exit-code: "3"'
shows "a job fails" "condition met" kubectl wait --for=condition=failed job/bad --timeout=60s
expect "it says why" BackoffLimitExceeded \
  "$(field job bad '.status.conditions[?(@.type=="Failed")].reason')"
make_job policy 'podFailurePolicy: {rules: [{action: FailJob, onExitCodes: {operator: In, values: [3]}}]}' \
  'simulate.kubexms.io/exit-code: "3"'
shows "a rule fails a job at once" "condition met" \
  kubectl wait --for=condition=failed job/policy --timeout=60s
eventually "and says which" told policy "failed with exit code 3 matching FailJob rule at index 0"
make_job indexes 'completions: 2, parallelism: 2, completionMode: Indexed, backoffLimitPerIndex: 0' \
  'simulate.kubexms.io/exit-code: "3"'
shows "each index fails by itself" "condition met" \
  kubectl wait --for=condition=failed job/indexes --timeout=60s
expect "which is listed" "FailedIndexes 0,1" \
  "$(field job indexes '.status.conditions[?(@.type=="Failed")].reason') $(
    field job indexes .status.failedIndexes)"
make_job late 'activeDeadlineSeconds: 1' 'simulate.kubexms.io/run-for: 1h'
shows "a job has a deadline" "condition met" \
  kubectl wait --for=condition=failed job/late --timeout=60s
eventually "its pods go" pods_gone late

# --- suspended and resumed
make_job pause 'suspend: true'
eventually "a job can be suspended" told pause "Job suspended"
expect "it has no pods" "" "$(kubectl get pods -l job-name=pause -o name)"
kubectl patch job pause --type merge --patch '{"spec":{"suspend":false}}' >/dev/null
shows "and goes on" "condition met" kubectl wait --for=condition=complete job/pause --timeout=60s

# --- deleted, by people and by time
kubectl delete job indexed >/dev/null
eventually "the pods of a job go with it" pods_gone indexed
make_job brief 'ttlSecondsAfterFinished: 0'
eventually "a finished job goes after its time" gone job brief
eventually "and its pods" pods_gone brief

# --- cron jobs
# make_cron NAME SCHEDULE [SPEC] [ANNOTATIONS OF PODS]
make_cron() {
  kubectl create -f - <<YAML
apiVersion: batch/v1
kind: CronJob
metadata: {name: $1}
spec: {schedule: "$2", ${3:+$3, }jobTemplate: {spec: {template: $(template "${4:-}")}}}
YAML
}
refuses "a wrong schedule" "expected exactly 5 fields, found 2: [at noon]" make_cron wrong "at noon"
refuses "a wrong time zone" "unknown time zone Mars/Olympus" \
  make_cron wrong "0 3 * * *" 'timeZone: "Mars/Olympus"'
make_cron tick "@every 1s" 'timeZone: Europe/Berlin' >/dev/null
ran() { [ -n "$(field cronjob tick .status.lastSuccessfulTime)" ]; }
eventually "a cron job makes jobs that complete" ran
eventually "it tells of them" told tick "Saw completed job: tick-"
shows "which is their name" "tick-$(($(date +%s) / 60 / 1000))" kubectl get jobs
kubectl patch cronjob tick --type merge --patch '{"spec":{"suspend":true}}' >/dev/null
if kubectl_has 22; then  # older ones ask for versions that no server has any more
  shows "a job is made by hand" "job.batch/by-hand created" \
    kubectl create job by-hand --from=cronjob/tick
  shows "and completes" "condition met" \
    kubectl wait --for=condition=complete job/by-hand --timeout=60s
fi
kubectl delete cronjob tick >/dev/null
its_jobs_gone() { ! kubectl get jobs -o name | grep -E 'tick|by-hand'; }
eventually "its jobs go with it" its_jobs_gone

# --- a start while the one before runs
slow='simulate.kubexms.io/run-for: 1h'
make_cron forbid "@every 1s" 'concurrencyPolicy: Forbid, startingDeadlineSeconds: 100' "$slow" >/dev/null
make_cron replace "@every 1s" 'concurrencyPolicy: Replace' "$slow" >/dev/null
eventually "it is left out" told forbid \
  "Not starting job because prior execution is running and concurrency policy is Forbid"
expect "so that there is one" 1 "$(field cronjob forbid '.status.active[*].name' | wc -w)"
eventually "or it replaces the one before" told replace "Deleted job replace-"
kubectl delete cronjob forbid replace >/dev/null

# --- few are kept of those that are done
if kubectl_has 22; then
  make_cron brief "0 0 1 1 *" 'successfulJobsHistoryLimit: 1' \
    'simulate.kubexms.io/run-for: 0s' >/dev/null
  for i in 1 2 3; do kubectl create job "brief-$i" --from=cronjob/brief >/dev/null; done
  one_is_left() {
    [ "$(kubectl get jobs -o name | grep -c brief)" = 1 ] &&
      is job "$(kubectl get jobs -o name | sed -n 's|.*/\(brief.*\)|\1|p')" .status.succeeded 1
  }
  eventually "of those that are done few are kept" one_is_left
  eventually "an event records the deletion" told brief "Deleted job brief-"
fi

# --- starts that were missed while no controller ran
stop_controllers() {
  if [ "$mode" = server ]; then
    stop_server TERM
    start_server --controllers=none --simulate-nodes=2
  else
    kill -TERM "$manager"
    wait "$manager"
  fi
}
start_controllers() {
  if [ "$mode" = server ]; then
    stop_server TERM
    start_server --simulate-nodes=2
  else
    start_manager
  fi
}
utc() { date --utc --date="$1" +"$2"; }
# made_last NAME TIME: as if it had made its last Job then.
made_last() {
  as_admin "/apis/batch/v1/namespaces/default/cronjobs/$1/status" --fail --output "$work/answer" \
    --request PATCH --header 'Content-Type: application/merge-patch+json' \
    --data "{\"status\":{\"lastScheduleTime\":\"$(utc "$2" %FT%TZ)\"}}"
}
jobs_of() { kubectl get jobs -o name | sed -n "s|.*/\($1-.*\)|\1|p"; }

stop_controllers
due=$(utc '2 minutes ago' %FT%H:%M:00Z)
daily=$(utc "$due" '%-M %-H * * *')
make_cron late "$daily" 'timeZone: Etc/UTC' >/dev/null
make_cron too-late "$daily" 'timeZone: Etc/UTC, startingDeadlineSeconds: 20' >/dev/null
make_cron neglected "* * * * *" "" "$slow" >/dev/null
made_last late '5 days ago'
made_last too-late '5 days ago'
made_last neglected '3 hours ago'
start_controllers
eventually "the last start of five is made" is cronjob late .status.lastScheduleTime "$due"
expect "those before it are not" "late-$(($(utc "$due" %s) / 60))" "$(jobs_of late)"
eventually "it is too late for one with a deadline" told too-late \
  "Missed scheduled time to start a job: $(utc "$due" '%a, %d %b %Y %H:%M:00 +0000')"
expect "which makes none" "" "$(jobs_of too-late)"
eventually "a hundred that were missed are worth a word" told neglected \
  "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew"
started() { [ -n "$(jobs_of neglected)" ]; }
eventually "and the last one is made" started
kubectl delete cronjob late too-late neglected >/dev/null
echo "all passed"
