#include "kubexms/api/kinds/batch_v1.h"

namespace kubexms::batchv1 {

void PodFailurePolicyOnExitCodesRequirement::Describe(
    Type<PodFailurePolicyOnExitCodesRequirement>& type) {
  type.Name("io.k8s.api.batch.v1.PodFailurePolicyOnExitCodesRequirement")
      .Doc("A test on the exit codes of the containers of a failed pod.");
  type.Field("containerName", 1, &PodFailurePolicyOnExitCodesRequirement::container_name,
             "Container to check; absent checks all containers.")
      .Pointer();
  type.Field("operator", 2, &PodFailurePolicyOnExitCodesRequirement::operator_,
             "In matches a listed exit code, NotIn any other; containers that exited with 0 do not "
             "count.")
      .Required()
      .Enum({"In", "NotIn"});
  type.Field("values", 3, &PodFailurePolicyOnExitCodesRequirement::values,
             "Exit codes, sorted, each once, at most 255; 0 is not allowed with In.")
      .Required()
      .ListSet();
}

void PodFailurePolicyOnPodConditionsPattern::Describe(
    Type<PodFailurePolicyOnPodConditionsPattern>& type) {
  type.Name("io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern")
      .Doc("A condition that a failed pod must have.");
  type.Field("status", 2, &PodFailurePolicyOnPodConditionsPattern::status,
             "Status the condition must have; True by default.")
      .Required()
      .Default("True")
      .Enum({"True", "False", "Unknown"});
  type.Field("type", 1, &PodFailurePolicyOnPodConditionsPattern::type,
             "Condition type, such as DisruptionTarget.")
      .Required();
}

void PodFailurePolicyRule::Describe(Type<PodFailurePolicyRule>& type) {
  type.Name("io.k8s.api.batch.v1.PodFailurePolicyRule")
      .Doc("What to do about failed pods of one sort; tests either exit codes or conditions.");
  type.Field("action", 1, &PodFailurePolicyRule::action,
             "FailJob ends the Job, FailIndex the index, Ignore replaces the pod without counting, "
             "Count counts it as usual.")
      .Required()
      .Enum({"Count", "FailIndex", "FailJob", "Ignore"});
  type.Field("onExitCodes", 2, &PodFailurePolicyRule::on_exit_codes,
             "Test on exit codes; not together with onPodConditions.");
  type.Field(
          "onPodConditions", 3, &PodFailurePolicyRule::on_pod_conditions,
          "Conditions, at most 20, one of which the pod must have; not together with onExitCodes.")
      .ListAtomic();
}

void PodFailurePolicy::Describe(Type<PodFailurePolicy>& type) {
  type.Name("io.k8s.api.batch.v1.PodFailurePolicy")
      .Doc("Rules that decide what a failed pod means for its Job.");
  type.Field("rules", 1, &PodFailurePolicy::rules,
             "Tried in order, at most 20; the first match counts, and with none the failure counts "
             "towards backoffLimit.")
      .Required()
      .ListAtomic();
}

void SuccessPolicyRule::Describe(Type<SuccessPolicyRule>& type) {
  type.Name("io.k8s.api.batch.v1.SuccessPolicyRule")
      .Doc("Indexes whose success is enough; with both fields, that many of those indexes.");
  type.Field("succeededCount", 2, &SuccessPolicyRule::succeeded_count,
             "How many indexes must succeed; absent means all of succeededIndexes.")
      .Minimum(0);
  type.Field("succeededIndexes", 1, &SuccessPolicyRule::succeeded_indexes,
             "Indexes that count, as numbers and ranges such as 0,2-4; absent means any.")
      .Pointer();
}

void SuccessPolicy::Describe(Type<SuccessPolicy>& type) {
  type.Name("io.k8s.api.batch.v1.SuccessPolicy")
      .Doc("When an Indexed Job may be called successful early.");
  type.Field(
          "rules", 1, &SuccessPolicy::rules,
          "Tried in order, at most 20; the first that holds ends the Job and its remaining pods.")
      .Required()
      .ListAtomic();
}

KUBEXMS_DEFINE_SPECIAL_MEMBERS(JobSpec);
void JobSpec::Describe(Type<JobSpec>& type) {
  type.Name("io.k8s.api.batch.v1.JobSpec")
      .Doc("How many pods to run, how many must succeed, and what to do about failures.");
  type.Field("activeDeadlineSeconds", 3, &JobSpec::active_deadline_seconds,
             "Seconds the Job may be active, retries included, before it is stopped as failed; "
             "absent sets no limit.")
      .Minimum(0);
  type.Field("backoffLimit", 7, &JobSpec::backoff_limit,
             "Failed pods tolerated before the Job fails; a Job gets 6 by default, or no limit if "
             "backoffLimitPerIndex is set.")
      .Minimum(0);
  type.Field("backoffLimitPerIndex", 12, &JobSpec::backoff_limit_per_index,
             "Failed pods tolerated for each index of an Indexed Job before that index fails; "
             "fixed at creation.")
      .Minimum(0);
  type.Field("completionMode", 9, &JobSpec::completion_mode,
             "NonIndexed (default) treats pods alike; Indexed gives each completion a number from "
             "0 on. Fixed at creation.")
      .Pointer()
      .Enum({"NonIndexed", "Indexed"});
  type.Field("completions", 2, &JobSpec::completions,
             "Pods that must succeed; absent means that any one success ends the Job. 1 if "
             "parallelism is absent too.")
      .Minimum(0);
  type.Field("managedBy", 15, &JobSpec::managed_by,
             "Controller in charge, as a domain-prefixed path; absent is the built-in one. Fixed "
             "at creation.")
      .Pointer();
  type.Field(
      "manualSelector", 5, &JobSpec::manual_selector,
      "True if the creator chose selector and labels; otherwise the server makes unique ones.");
  type.Field("maxFailedIndexes", 13, &JobSpec::max_failed_indexes,
             "Failed indexes tolerated before the whole Job fails; needs backoffLimitPerIndex, "
             "absent sets no limit.")
      .Minimum(0);
  type.Field("parallelism", 1, &JobSpec::parallelism,
             "Pods that may run at the same time; a Job gets 1 by default, 0 holds it.")
      .Minimum(0);
  type.Field("podFailurePolicy", 11, &JobSpec::pod_failure_policy,
             "Treats failed pods differently by exit code or condition; needs restartPolicy Never. "
             "Fixed at creation.");
  type.Field("podReplacementPolicy", 14, &JobSpec::pod_replacement_policy,
             "When a pod is replaced: TerminatingOrFailed as soon as it is going away, Failed only "
             "once it has fully stopped.")
      .Pointer()
      .Enum({"TerminatingOrFailed", "Failed"});
  type.Field("selector", 4, &JobSpec::selector,
             "Finds the pods of the Job; filled in by the server unless manualSelector is true. "
             "Fixed at creation.");
  type.Field("successPolicy", 16, &JobSpec::success_policy,
             "Lets an Indexed Job succeed before all indexes have; fixed at creation.");
  type.Field("suspend", 10, &JobSpec::suspend,
             "While true no pods run; setting it on a running Job deletes its active pods and "
             "resets the start time.");
  type.Field("template", 6, &JobSpec::template_,
             "The pod to run; restartPolicy must be Never or OnFailure. Largely fixed at creation.")
      .Required();
  type.Field("ttlSecondsAfterFinished", 8, &JobSpec::ttl_seconds_after_finished,
             "Seconds after finishing until the Job is deleted; 0 is at once, absent is never.")
      .Minimum(0);
}

void JobTemplateSpec::Describe(Type<JobTemplateSpec>& type) {
  type.Name("io.k8s.api.batch.v1.JobTemplateSpec").Doc("The Job that a CronJob creates.");
  type.Field("metadata", 1, &JobTemplateSpec::metadata, "Labels and annotations for the Jobs.");
  type.Field("spec", 2, &JobTemplateSpec::spec,
             "Spec of the Jobs; left without defaults until a Job is made.");
}

KUBEXMS_DEFINE_SPECIAL_MEMBERS(CronJobSpec);
void CronJobSpec::Describe(Type<CronJobSpec>& type) {
  type.Name("io.k8s.api.batch.v1.CronJobSpec").Doc("A schedule and the Job it starts.");
  type.Field("concurrencyPolicy", 3, &CronJobSpec::concurrency_policy,
             "If the last Job still runs: Allow (default) starts another, Forbid skips the time, "
             "Replace stops the old one first.")
      .Default("Allow")
      .Enum({"Allow", "Forbid", "Replace"});
  type.Field("failedJobsHistoryLimit", 7, &CronJobSpec::failed_jobs_history_limit,
             "Number of failed Jobs to retain; 1 by default, 0 retains none.")
      .Default(1)
      .Minimum(0);
  type.Field("jobTemplate", 5, &CronJobSpec::job_template,
             "The Job to create; a change affects only Jobs started afterwards.")
      .Required();
  type.Field("schedule", 1, &CronJobSpec::schedule,
             "Five cron fields (minute, hour, day, month, weekday) or a word such as @hourly.")
      .Required();
  type.Field("startingDeadlineSeconds", 2, &CronJobSpec::starting_deadline_seconds,
             "Seconds a start may be late and still happen; absent sets no limit.")
      .Minimum(0);
  type.Field("successfulJobsHistoryLimit", 6, &CronJobSpec::successful_jobs_history_limit,
             "Number of successful Jobs to retain; 3 by default, 0 retains none.")
      .Default(3)
      .Minimum(0);
  type.Field("suspend", 4, &CronJobSpec::suspend,
             "While true no new Jobs start; running Jobs continue.")
      .Default(false);
  type.Field("timeZone", 8, &CronJobSpec::time_zone,
             "Time zone of the schedule by its tz database name, such as Europe/Berlin; absent is "
             "the zone of the controller.")
      .Pointer();
}

void CronJobStatus::Describe(Type<CronJobStatus>& type) {
  type.Name("io.k8s.api.batch.v1.CronJobStatus")
      .Doc("What a CronJob runs now and when it last did.");
  type.Field("active", 1, &CronJobStatus::active, "Jobs that have not finished.").ListAtomic();
  type.Field("lastScheduleTime", 4, &CronJobStatus::last_schedule_time,
             "Scheduled time of the last Job that was started.")
      .Pointer();
  type.Field("lastSuccessfulTime", 5, &CronJobStatus::last_successful_time,
             "When a Job last completed successfully.")
      .Pointer();
}

void CronJob::Describe(Type<CronJob>& type) {
  type.Name("io.k8s.api.batch.v1.CronJob");
  type.Field("metadata", 1, &CronJob::metadata);
  type.Field("spec", 2, &CronJob::spec, "When to start which Job.");
  type.Field("status", 3, &CronJob::status, "What runs now and when it last did.");
}

void JobCondition::Describe(Type<JobCondition>& type) {
  type.Name("io.k8s.api.batch.v1.JobCondition").Doc("One aspect of the current state of a Job.");
  type.Field("lastProbeTime", 3, &JobCondition::last_probe_time,
             "When the condition was last checked.");
  type.Field("lastTransitionTime", 4, &JobCondition::last_transition_time,
             "When the status last changed.");
  type.Field("message", 6, &JobCondition::message, "Human-readable explanation.");
  type.Field("reason", 5, &JobCondition::reason, "Machine-readable reason in CamelCase.");
  type.Field("status", 2, &JobCondition::status, "True, False or Unknown.").Required();
  type.Field("type", 1, &JobCondition::type,
             "Complete, Failed, Suspended, FailureTarget or SuccessCriteriaMet.")
      .Required();
}

void UncountedTerminatedPods::Describe(Type<UncountedTerminatedPods>& type) {
  type.Name("io.k8s.api.batch.v1.UncountedTerminatedPods")
      .Doc("Pods that have finished and still wait to be counted, so that none is counted twice.");
  type.Field("failed", 2, &UncountedTerminatedPods::failed, "UIDs of failed pods.").ListSet();
  type.Field("succeeded", 1, &UncountedTerminatedPods::succeeded, "UIDs of successful pods.")
      .ListSet();
}

KUBEXMS_DEFINE_SPECIAL_MEMBERS(JobStatus);
void JobStatus::Describe(Type<JobStatus>& type) {
  type.Name("io.k8s.api.batch.v1.JobStatus").Doc("Pod counts and outcome of a Job, as last seen.");
  type.Field("active", 4, &JobStatus::active,
             "Pods that are pending or running and not being deleted.")
      .Minimum(0);
  type.Field("completedIndexes", 7, &JobStatus::completed_indexes,
             "Indexes that succeeded, as numbers and ranges such as 1,3-5,7.");
  type.Field("completionTime", 3, &JobStatus::completion_time,
             "When the Job succeeded; absent until then and for failed Jobs.")
      .Pointer();
  type.Field("conditions", 1, &JobStatus::conditions,
             "Current state; Complete or Failed with status True means that the Job is finished.")
      .ListAtomic()
      .PatchMerge("type");
  type.Field("failed", 6, &JobStatus::failed, "Pods that failed; never decreases.").Minimum(0);
  type.Field("failedIndexes", 10, &JobStatus::failed_indexes,
             "Indexes that failed, as numbers and ranges; only with backoffLimitPerIndex.");
  type.Field("ready", 9, &JobStatus::ready, "Active pods whose Ready condition is true.")
      .Minimum(0);
  type.Field("startTime", 2, &JobStatus::start_time,
             "When the controller took up the Job; set anew after a suspension.")
      .Pointer();
  type.Field("succeeded", 5, &JobStatus::succeeded,
             "Pods that succeeded; never decreases, except for Indexed Jobs that are scaled down.")
      .Minimum(0);
  type.Field("terminating", 11, &JobStatus::terminating,
             "Pods that are being deleted but have not stopped; absent when not tracked.")
      .Minimum(0);
  type.Field("uncountedTerminatedPods", 8, &JobStatus::uncounted_terminated_pods,
             "Finished pods that are not in the counts yet.");
}

void Job::Describe(Type<Job>& type) {
  type.Name("io.k8s.api.batch.v1.Job");
  type.Field("metadata", 1, &Job::metadata);
  type.Field("spec", 2, &Job::spec, "The pods to run and when the Job is done.");
  type.Field("status", 3, &Job::status, "Progress as last seen by the controller.");
}

}  // namespace kubexms::batchv1
