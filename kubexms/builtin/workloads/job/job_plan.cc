#include "kubexms/builtin/workloads/job/job_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "kubexms/api/condition.h"
#include "kubexms/api/object.h"
#include "kubexms/base/time_left.h"
#include "kubexms/builtin/workloads/job/job_state.h"
#include "kubexms/builtin/workloads/job/pod_failure_policy.h"
#include "kubexms/builtin/workloads/pod_template.h"

namespace kubexms {
namespace {

using batchv1::Job;
using batchv1::JobCondition;
using batchv1::JobStatus;
using corev1::Pod;
using std::chrono::floor;
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr nanoseconds kFirstBackoff = seconds(10);
constexpr nanoseconds kLongestBackoff = std::chrono::minutes(10);
// The bound on generateName, which leaves room for the suffix.
constexpr size_t kMaxGenerateName = 58;

constexpr const char* kSuccessCriteriaMet = "SuccessCriteriaMet";
constexpr const char* kFailureTarget = "FailureTarget";
constexpr const char* kSuspended = "Suspended";

bool IsSuspended(const Job& job) { return job.spec.suspend.value_or(false); }

Time Now(WallTime now) { return Time(floor<seconds>(now)); }

std::set<PodPointer> AsSet(const std::vector<PodPointer>& pods) {
  return {pods.begin(), pods.end()};
}

// Sets the condition; a missing condition is not added with the status False. True if it changed.
bool SetCondition(Job& job, std::string_view type, bool value, const FinishedCondition& why,
                  Time now) {
  auto& conditions = job.status.conditions;
  const std::string_view status = value ? kConditionTrue : kConditionFalse;
  auto found = std::find_if(conditions.begin(), conditions.end(),
                            [&](const JobCondition& other) { return other.type == type; });
  if (found == conditions.end()) {
    if (!value) return false;
    found = conditions.emplace(conditions.end());
    found->type = type;
  } else if (found->status == status) {
    return false;
  }
  found->status = status;
  found->reason = why.reason;
  found->message = why.message;
  found->last_probe_time = now;
  found->last_transition_time = now;
  return true;
}

// ---- How a Job finishes.

// The decision of an earlier reconcile, which is final.
std::optional<FinishedCondition> RecordedFinish(const Job& job) {
  for (const char* type : {kSuccessCriteriaMet, kFailureTarget}) {
    const JobCondition* condition = FindTrueCondition(job, type);
    if (condition == nullptr) continue;
    return FinishedCondition{.success = type == kSuccessCriteriaMet,
                             .reason = condition->reason,
                             .message = condition->message};
  }
  return std::nullopt;
}

std::optional<FinishedCondition> FinishByFailurePolicy(const Job& job,
                                                       const std::vector<PodPointer>& pods) {
  if (!job.spec.pod_failure_policy) return std::nullopt;
  for (const PodPointer& pod : pods) {
    if (!HasFailed(*pod, job)) continue;
    const PodFailureMatch match = MatchPodFailure(job.spec, *pod);
    if (match.action == PodFailureAction::kFailJob) {
      return FinishedCondition{.reason = "PodFailurePolicy", .message = match.message};
    }
  }
  return std::nullopt;
}

// With restartPolicy OnFailure, container restarts count as failures.
bool RestartsExceedLimit(const Job& job, const std::vector<PodPointer>& pods, int32_t limit) {
  if (job.spec.template_.spec.restart_policy != "OnFailure") return false;
  int64_t restarts = 0;
  for (const PodPointer& pod : pods) {
    if (pod->status.phase != "Running" && pod->status.phase != "Pending") continue;
    for (const auto* list :
         {&pod->status.init_container_statuses, &pod->status.container_statuses}) {
      for (const corev1::ContainerStatus& container : *list) restarts += container.restart_count;
    }
  }
  return limit == 0 ? restarts > 0 : restarts >= limit;
}

std::optional<nanoseconds> TimeUntilDeadline(const Job& job, WallTime now) {
  if (!job.spec.active_deadline_seconds || IsSuspended(job) || job.status.start_time.IsZero()) {
    return std::nullopt;
  }
  return TimeLeft(job.status.start_time.value(), BoundedSeconds(*job.spec.active_deadline_seconds),
                  now);
}

std::optional<FinishedCondition> FinishByLimits(const Job& job, const std::vector<PodPointer>& pods,
                                                const JobPodCounts& counts, WallTime now) {
  const int32_t limit = job.spec.backoff_limit.value_or(6);
  if (counts.failed > limit || RestartsExceedLimit(job, pods, limit)) {
    return FinishedCondition{.reason = "BackoffLimitExceeded",
                             .message = "Job has reached the specified backoff limit"};
  }
  const std::optional<nanoseconds> left = TimeUntilDeadline(job, now);
  if (left && *left <= nanoseconds(0)) {
    return FinishedCondition{.reason = "DeadlineExceeded",
                             .message = "Job was active longer than specified deadline"};
  }
  return std::nullopt;
}

std::optional<FinishedCondition> FinishByIndexes(const Job& job, const JobPodCounts& counts) {
  if (!HasBackoffLimitPerIndex(job)) return std::nullopt;
  const int64_t failed = counts.failed_indexes.size();
  if (job.spec.max_failed_indexes && failed > *job.spec.max_failed_indexes) {
    return FinishedCondition{
        .reason = "MaxFailedIndexesExceeded",
        .message = "Job has exceeded the specified maximal number of failed indexes"};
  }
  if (failed > 0 && failed + counts.succeeded >= job.spec.completions.value_or(0)) {
    return FinishedCondition{.reason = "FailedIndexes", .message = "Job has failed indexes"};
  }
  return std::nullopt;
}

bool IsMet(const batchv1::SuccessPolicyRule& rule, const Job& job, const JobPodCounts& counts) {
  if (rule.succeeded_indexes.empty()) {
    return rule.succeeded_count && counts.succeeded >= *rule.succeeded_count;
  }
  const CompletionIndexes desired(rule.succeeded_indexes, job.spec.completions.value_or(0));
  const int64_t count = rule.succeeded_count ? *rule.succeeded_count : desired.size();
  return desired.CountIn(counts.succeeded_indexes) >= count;
}

std::optional<FinishedCondition> FinishBySuccessPolicy(const Job& job, const JobPodCounts& counts) {
  if (!job.spec.success_policy || !IsIndexed(job)) return std::nullopt;
  const auto& rules = job.spec.success_policy->rules;
  for (size_t i = 0; i < rules.size(); ++i) {
    if (!IsMet(rules[i], job, counts)) continue;
    return FinishedCondition{.success = true,
                             .reason = "SuccessPolicy",
                             .message = fmt::format("Matched rules at index {}", i)};
  }
  return std::nullopt;
}

// Without spec.completions the Job succeeds after the first success, once the other Pods have
// finished.
std::optional<FinishedCondition> FinishByCompletions(const Job& job, const JobPodCounts& counts) {
  const bool complete = job.spec.completions ? counts.succeeded >= *job.spec.completions
                                             : counts.succeeded > 0 && counts.active.empty();
  if (!complete) return std::nullopt;
  return FinishedCondition{.success = true,
                           .reason = "CompletionsReached",
                           .message = "Reached expected number of succeeded pods"};
}

std::optional<FinishedCondition> FindFinish(const Job& job, const std::vector<PodPointer>& pods,
                                            const JobPodCounts& counts, WallTime now) {
  if (auto finished = RecordedFinish(job)) return finished;
  if (auto finished = FinishByFailurePolicy(job, pods)) return finished;
  if (auto finished = FinishByLimits(job, pods, counts, now)) return finished;
  if (auto finished = FinishByIndexes(job, counts)) return finished;
  if (auto finished = FinishBySuccessPolicy(job, counts)) return finished;
  return FinishByCompletions(job, counts);
}

// ---- Which Pods to create and delete.

size_t DesiredPods(const Job& job, const JobPodCounts& counts) {
  const int64_t parallelism = job.spec.parallelism.value_or(1);
  if (!job.spec.completions) {
    return counts.succeeded > 0 ? counts.active.size() : static_cast<size_t>(parallelism);
  }
  const int64_t left = *job.spec.completions - counts.succeeded;
  return static_cast<size_t>(std::clamp(left, int64_t{0}, parallelism));
}

// Removes from `active`, and returns, all Pods of an index but the one to be deleted last, and Pods
// of indexes that the Job does not have.
std::vector<PodPointer> RemoveDuplicateIndexes(const Job& job, std::vector<PodPointer>& active,
                                               WallTime now) {
  std::vector<PodPointer> repeated;
  if (!IsIndexed(job)) return repeated;
  SortForDeletion(active, active, now);
  std::map<int32_t, PodPointer> kept;
  for (const PodPointer& pod : active) {
    const std::optional<int32_t> index = IndexOf(*pod, job);
    if (!index) {
      repeated.push_back(pod);
      continue;
    }
    PodPointer& best = kept[*index];
    if (best != nullptr) repeated.push_back(best);
    best = pod;
  }
  const std::set<PodPointer> removed = AsSet(repeated);
  std::erase_if(active, [&](const PodPointer& pod) { return removed.contains(pod); });
  return repeated;
}

std::vector<PodPointer> Surplus(const Job& job, const JobPodCounts& counts, size_t desired,
                                WallTime now) {
  std::vector<PodPointer> active = counts.active;
  std::vector<PodPointer> surplus = RemoveDuplicateIndexes(job, active, now);
  if (active.size() > desired) {
    SortForDeletion(active, active, now);
    // Pods without the finalizer first: the process crashed while it deleted them.
    std::stable_partition(active.begin(), active.end(),
                          [](const PodPointer& pod) { return !IsTracked(*pod); });
    surplus.insert(surplus.end(), active.begin(), active.end() - static_cast<ptrdiff_t>(desired));
  }
  if (surplus.size() > kMaxPodsAtATime) surplus.resize(kMaxPodsAtATime);
  return surplus;
}

// The backoff that is left after the failures since the last success.
nanoseconds RemainingBackoff(const Job& job, const std::vector<PodPointer>& pods, WallTime now) {
  Time last_success;
  for (const PodPointer& pod : pods) {
    if (pod->status.phase == "Succeeded") last_success = std::max(last_success, FinishTime(*pod));
  }
  int32_t failures = 0;
  Time last_failure;
  for (const PodPointer& pod : pods) {
    const bool released = IsBeingDeleted(*pod) && !IsTracked(*pod);
    if (released || !HasFailed(*pod, job) || FinishTime(*pod) < last_success) continue;
    ++failures;
    last_failure = std::max(last_failure, FinishTime(*pod));
  }
  if (failures == 0) return nanoseconds(0);
  return TimeLeft(last_failure.value(), PodBackoff(failures), now);
}

std::set<int32_t> OccupiedIndexes(const Job& job, const std::vector<PodPointer>& pods) {
  std::set<int32_t> occupied;
  for (const PodPointer& pod : pods) {
    const bool occupies = IsActive(*pod) || (IsTerminating(*pod) && ReplacesOnlyFailed(job));
    if (occupies) occupied.insert(IndexOf(*pod, job).value_or(-1));
  }
  return occupied;
}

void RequeueAfter(nanoseconds time, JobPlan& plan) {
  plan.requeue_after = std::min(plan.requeue_after.value_or(time), time);
}

// Plans Pods for the lowest indexes that have neither a Pod nor a result, and whose backoff has
// passed.
void PlanIndexes(const Job& job, const std::vector<PodPointer>& pods, const JobPodCounts& counts,
                 size_t count, WallTime now, JobPlan& plan) {
  const std::set<int32_t> occupied = OccupiedIndexes(job, pods);
  std::map<int32_t, PodPointer> failed;
  for (const PodPointer& pod : PodsToReplace(job, pods, counts)) failed[*IndexOf(*pod, job)] = pod;
  for (int32_t index = 0; index < *job.spec.completions && plan.to_create.size() < count; ++index) {
    if (occupied.contains(index) || counts.succeeded_indexes.Contains(index) ||
        counts.failed_indexes.Contains(index)) {
      continue;
    }
    PodToCreate pod{.index = index};
    if (const auto last = failed.find(index); last != failed.end()) {
      pod.failures = FailuresAfter(*last->second, job);
      const nanoseconds wait =
          TimeLeft(FinishTime(*last->second).value(), PodBackoff(pod.failures.total()), now);
      if (wait > nanoseconds(0)) {
        RequeueAfter(wait, plan);
        continue;
      }
    }
    plan.to_create.push_back(pod);
  }
}

void PlanCreations(const Job& job, const std::vector<PodPointer>& pods, const JobPodCounts& counts,
                   size_t count, WallTime now, JobPlan& plan) {
  if (!HasBackoffLimitPerIndex(job)) {
    const nanoseconds wait = RemainingBackoff(job, pods, now);
    if (wait > nanoseconds(0)) return RequeueAfter(wait, plan);
  }
  if (IsIndexed(job)) return PlanIndexes(job, pods, counts, count, now, plan);
  plan.to_create.resize(count);
}

// ---- Pods of an index.

void AddIndexVariable(corev1::Container& container) {
  constexpr const char* kVariable = "JOB_COMPLETION_INDEX";
  const bool own = std::any_of(container.env.begin(), container.env.end(),
                               [](const corev1::EnvVar& other) { return other.name == kVariable; });
  if (own) return;
  corev1::EnvVar variable;
  variable.name = kVariable;
  variable.value_from.emplace().field_ref.emplace().field_path =
      fmt::format("metadata.labels['{}']", kCompletionIndex);
  container.env.push_back(std::move(variable));
}

// ---- Counting.

// When the Job fails, all unfinished Pods count as failed. When it succeeds, Pods that are deleted
// because of that do not.
bool CountsAsFailed(const Pod& pod, const Job& job,
                    const std::optional<FinishedCondition>& finished) {
  if (IsIndexed(job) && !IndexOf(pod, job)) return false;
  if (finished && finished->success) {
    if (pod.status.phase != "Failed") return false;
  } else if (!finished && !HasFailed(pod, job)) {
    return false;
  }
  return MatchPodFailure(job.spec, pod).action != PodFailureAction::kIgnore;
}

void AddOnce(std::vector<std::string>& uids, const std::string& uid) {
  if (std::find(uids.begin(), uids.end(), uid) == uids.end()) uids.push_back(uid);
}

bool Contains(const std::vector<std::string>& uids, const std::string& uid) {
  return std::find(uids.begin(), uids.end(), uid) != uids.end();
}

void AddUncounted(const Pod& pod, const Job& job, const std::optional<FinishedCondition>& finished,
                  CompletionIndexes& succeeded, batchv1::UncountedTerminatedPods& uncounted) {
  if (pod.status.phase == "Succeeded" && !Contains(uncounted.failed, pod.metadata.uid)) {
    if (!IsIndexed(job)) return AddOnce(uncounted.succeeded, pod.metadata.uid);
    if (const auto index = IndexOf(pod, job)) succeeded.Add(*index);
  } else if (CountsAsFailed(pod, job, finished)) {
    AddOnce(uncounted.failed, pod.metadata.uid);
  }
}

// Counts listed Pods whose finalizer was removed.
void FlushUncounted(const std::vector<PodPointer>& pods, Job& job) {
  std::set<std::string> tracked;
  for (const PodPointer& pod : pods) {
    if (IsTracked(*pod)) tracked.insert(pod->metadata.uid);
  }
  JobStatus& status = job.status;
  const auto count = [&](std::vector<std::string>& uids) {
    return static_cast<int32_t>(
        std::erase_if(uids, [&](const std::string& uid) { return !tracked.contains(uid); }));
  };
  const int32_t succeeded = count(status.uncounted_terminated_pods->succeeded);
  if (!IsIndexed(job)) status.succeeded += succeeded;
  status.failed += count(status.uncounted_terminated_pods->failed);
}

void SetActiveCounts(const JobPodCounts& counts, JobStatus& status) {
  status.active = static_cast<int32_t>(counts.active.size());
  status.ready = counts.ready;
  status.terminating = counts.terminating;
}

bool AllPodsCounted(const JobStatus& status) {
  return status.active == 0 && status.terminating.value_or(0) == 0 &&
         status.uncounted_terminated_pods->succeeded.empty() &&
         status.uncounted_terminated_pods->failed.empty();
}

}  // namespace

nanoseconds PodBackoff(int32_t failures) {
  nanoseconds backoff = kFirstBackoff;
  for (int32_t i = 1; i < failures && backoff < kLongestBackoff; ++i) backoff *= 2;
  return std::min(backoff, kLongestBackoff);
}

std::vector<PlannedEvent> BeginJob(Job& job, WallTime now) {
  std::vector<PlannedEvent> events;
  if (!job.status.uncounted_terminated_pods) job.status.uncounted_terminated_pods.emplace();
  if (!job.metadata.deletion_timestamp.IsZero() || RecordedFinish(job)) return events;
  const auto add = [&](const char* reason, const std::string& message) {
    events.push_back({EventType::kNormal, reason, message});
  };
  if (IsSuspended(job)) {
    const FinishedCondition why{.reason = "JobSuspended", .message = "Job suspended"};
    if (SetCondition(job, kSuspended, true, why, Now(now))) add("Suspended", why.message);
    return events;
  }
  const FinishedCondition why{.reason = "JobResumed", .message = "Job resumed"};
  const bool resumed = SetCondition(job, kSuspended, false, why, Now(now));
  if (resumed) add("Resumed", why.message);
  if (resumed || job.status.start_time.IsZero()) job.status.start_time = Now(now);
  return events;
}

JobPlan PlanJob(const Job& job, const std::vector<PodPointer>& pods, WallTime now) {
  const JobPodCounts counts = CountPods(job, pods);
  JobPlan plan{.finished = FindFinish(job, pods, counts, now)};
  if (plan.finished) {
    plan.to_delete = counts.active;
    return plan;
  }
  plan.requeue_after = TimeUntilDeadline(job, now);
  if (!job.metadata.deletion_timestamp.IsZero()) return plan;
  const size_t desired = IsSuspended(job) ? 0 : DesiredPods(job, counts);
  plan.to_delete = Surplus(job, counts, desired, now);
  plan.release_deleted = true;
  if (!plan.to_delete.empty()) return plan;
  const size_t terminating = ReplacesOnlyFailed(job) ? static_cast<size_t>(counts.terminating) : 0;
  const size_t present = counts.active.size() + terminating;
  if (desired > present) {
    PlanCreations(job, pods, counts, std::min(desired - present, kMaxPodsAtATime), now, plan);
  }
  return plan;
}

Pod PodOfJob(const Job& job, const PodToCreate& desired) {
  Pod pod = PodFromTemplate(job.spec.template_, job);
  AddFinalizer(pod.metadata, kJobTrackingFinalizer);
  if (!desired.index) return pod;
  const std::string index = fmt::format("{}", *desired.index);
  pod.metadata.annotations[kCompletionIndex] = index;
  pod.metadata.labels[kCompletionIndex] = index;
  const std::string suffix = "-" + index + "-";
  pod.metadata.generate_name =
      job.metadata.name.substr(0, kMaxGenerateName - suffix.size()) + suffix;
  pod.spec.hostname = job.metadata.name + "-" + index;
  if (HasBackoffLimitPerIndex(job)) SetFailuresBefore(desired.failures, pod);
  for (auto* containers : {&pod.spec.init_containers, &pod.spec.containers}) {
    for (corev1::Container& container : *containers) AddIndexVariable(container);
  }
  return pod;
}

JobTracking TrackPods(const std::vector<PodPointer>& pods,
                      const std::optional<FinishedCondition>& finished, WallTime now, Job& job) {
  FlushUncounted(pods, job);
  const JobPodCounts counts = CountPods(job, pods);
  const bool continues = !finished && job.metadata.deletion_timestamp.IsZero();
  std::set<PodPointer> kept;
  if (continues) kept = AsSet(PodsToReplace(job, pods, counts));
  auto& uncounted = *job.status.uncounted_terminated_pods;
  CompletionIndexes succeeded(job.status.completed_indexes, job.spec.completions.value_or(0));
  JobTracking tracking;
  for (const PodPointer& pod : pods) {
    if (!IsTracked(*pod) || kept.contains(pod)) continue;
    if (continues && pod->status.phase != "Succeeded" && !HasFailed(*pod, job)) continue;
    if (tracking.to_release.size() == kMaxPodsAtATime) {
      tracking.more = true;
      break;
    }
    tracking.to_release.push_back(pod);
    AddUncounted(*pod, job, finished, succeeded, uncounted);
  }
  if (IsIndexed(job)) {
    job.status.completed_indexes = succeeded.ToString();
    job.status.succeeded = static_cast<int32_t>(succeeded.size());
    if (HasBackoffLimitPerIndex(job)) job.status.failed_indexes = counts.failed_indexes.ToString();
  }
  SetActiveCounts(counts, job.status);
  if (finished) {
    SetCondition(job, finished->success ? kSuccessCriteriaMet : kFailureTarget, true, *finished,
                 Now(now));
  }
  return tracking;
}

std::vector<PlannedEvent> UpdateJobStatus(const std::vector<PodPointer>& pods,
                                          const std::optional<FinishedCondition>& finished,
                                          bool more, WallTime now, Job& job) {
  FlushUncounted(pods, job);
  SetActiveCounts(CountPods(job, pods), job.status);
  if (!finished || more || !AllPodsCounted(job.status)) return {};
  if (!finished->success) {
    SetCondition(job, "Failed", true, *finished, Now(now));
    return {{EventType::kWarning, finished->reason, finished->message}};
  }
  SetCondition(job, "Complete", true, *finished, Now(now));
  job.status.completion_time = Now(now);
  std::vector<PlannedEvent> events;
  if (job.spec.completions && job.status.succeeded > *job.spec.completions) {
    events.push_back(
        {EventType::kWarning, "TooManySucceededPods", "Too many succeeded pods recorded"});
  }
  events.push_back({EventType::kNormal, "Completed", "Job completed"});
  return events;
}

}  // namespace kubexms
