#pragma once

// batch/v1: workloads that end: Job and CronJob.

#include <string>
#include <vector>

#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/api/kinds/core_v1/reference.h"
#include "kubexms/api/meta_v1.h"
#include "kubexms/api/schema/scalars.h"
#include "kubexms/api/schema/type.h"

namespace kubexms::batchv1 {

struct PodFailurePolicyOnExitCodesRequirement : Struct {
  std::string container_name;
  std::string operator_;
  std::vector<int32_t> values;

  static void Describe(Type<PodFailurePolicyOnExitCodesRequirement>& type);
};

struct PodFailurePolicyOnPodConditionsPattern : Struct {
  std::string status;
  std::string type;

  static void Describe(Type<PodFailurePolicyOnPodConditionsPattern>& type);
};

struct PodFailurePolicyRule : Struct {
  std::string action;
  Optional<PodFailurePolicyOnExitCodesRequirement> on_exit_codes;
  std::vector<PodFailurePolicyOnPodConditionsPattern> on_pod_conditions;

  static void Describe(Type<PodFailurePolicyRule>& type);
};

struct PodFailurePolicy : Struct {
  std::vector<PodFailurePolicyRule> rules;

  static void Describe(Type<PodFailurePolicy>& type);
};

struct SuccessPolicyRule : Struct {
  Optional<int32_t> succeeded_count;
  std::string succeeded_indexes;

  static void Describe(Type<SuccessPolicyRule>& type);
};

struct SuccessPolicy : Struct {
  std::vector<SuccessPolicyRule> rules;

  static void Describe(Type<SuccessPolicy>& type);
};

struct JobSpec : Struct {
  Optional<int64_t> active_deadline_seconds;
  Optional<int32_t> backoff_limit;
  Optional<int32_t> backoff_limit_per_index;
  std::string completion_mode;
  Optional<int32_t> completions;
  std::string managed_by;
  Optional<bool> manual_selector;
  Optional<int32_t> max_failed_indexes;
  Optional<int32_t> parallelism;
  Optional<PodFailurePolicy> pod_failure_policy;
  std::string pod_replacement_policy;
  Optional<LabelSelector> selector;
  Optional<SuccessPolicy> success_policy;
  Optional<bool> suspend;
  corev1::PodTemplateSpec template_;
  Optional<int32_t> ttl_seconds_after_finished;

  KUBEXMS_DECLARE_SPECIAL_MEMBERS(JobSpec);
  static void Describe(Type<JobSpec>& type);
};

struct JobTemplateSpec : Struct {
  ObjectMeta metadata;
  JobSpec spec;

  static void Describe(Type<JobTemplateSpec>& type);
};

struct CronJobSpec : Struct {
  std::string concurrency_policy;
  Optional<int32_t> failed_jobs_history_limit;
  JobTemplateSpec job_template;
  std::string schedule;
  Optional<int64_t> starting_deadline_seconds;
  Optional<int32_t> successful_jobs_history_limit;
  Optional<bool> suspend;
  std::string time_zone;

  KUBEXMS_DECLARE_SPECIAL_MEMBERS(CronJobSpec);
  static void Describe(Type<CronJobSpec>& type);
};

struct CronJobStatus : Struct {
  std::vector<corev1::ObjectReference> active;
  Time last_schedule_time;
  Time last_successful_time;

  static void Describe(Type<CronJobStatus>& type);
};

struct CronJob : Struct {
  static constexpr KindName kKind{.group = "batch",
                                  .version = "v1",
                                  .kind = "CronJob",
                                  .doc = "Starts a Job again and again at the times of a schedule.",
                                  .short_names = "cj",
                                  .categories = "all"};

  ObjectMeta metadata;
  CronJobSpec spec;
  CronJobStatus status;

  static void Describe(Type<CronJob>& type);
};

struct JobCondition : Struct {
  Time last_probe_time;
  Time last_transition_time;
  std::string message;
  std::string reason;
  std::string status;
  std::string type;

  static void Describe(Type<JobCondition>& type);
};

struct UncountedTerminatedPods : Struct {
  std::vector<std::string> failed;
  std::vector<std::string> succeeded;

  static void Describe(Type<UncountedTerminatedPods>& type);
};

struct JobStatus : Struct {
  int32_t active = 0;
  std::string completed_indexes;
  Time completion_time;
  std::vector<JobCondition> conditions;
  int32_t failed = 0;
  Optional<std::string> failed_indexes;
  Optional<int32_t> ready;
  Time start_time;
  int32_t succeeded = 0;
  Optional<int32_t> terminating;
  Optional<UncountedTerminatedPods> uncounted_terminated_pods;

  KUBEXMS_DECLARE_SPECIAL_MEMBERS(JobStatus);
  static void Describe(Type<JobStatus>& type);
};

struct Job : Struct {
  static constexpr KindName kKind{.group = "batch",
                                  .version = "v1",
                                  .kind = "Job",
                                  .doc = "Runs pods until enough of them have succeeded.",
                                  .categories = "all"};

  ObjectMeta metadata;
  JobSpec spec;
  JobStatus status;

  static void Describe(Type<Job>& type);
};

}  // namespace kubexms::batchv1
