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
// So long may a generated name be before the random part.
constexpr size_t kMaxGenerateName = 58;

constexpr const char* kSuccessCriteriaMet = "SuccessCriteriaMet";
constexpr const char* kFailureTarget = "FailureTarget";
constexpr const char* kSuspended = "Suspended";

bool IsSuspended(const Job& job) { return job.spec.suspend.value_or(false); }

Time Now(WallTime now) { return Time(floor<seconds>(now)); }

std::set<PodPointer> AsSet(const std::vector<PodPointer>& pods) {
  return {pods.begin(), pods.end()};
}

// Sets the condition; one that is not there is not made to say that something is not so.
bool SetCondition(Job& job, std::string_view type, bool value, const JobVerdict& why, Time now) {
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

// ---- How a Job ends.

// What was decided before, and may not be decided otherwise.
std::optional<JobVerdict> DecidedVerdict(const Job& job) {
  for (const char* type : {kSuccessCriteriaMet, kFailureTarget}) {
    const JobCondition* condition = FindTrueCondition(job, type);
    if (condition == nullptr) continue;
    return JobVerdict{.success = type == kSuccessCriteriaMet,
                      .reason = condition->reason,
                      .message = condition->message};
  }
  return std::nullopt;
}

std::optional<JobVerdict> VerdictOfFailurePolicy(const Job& job,
                                                 const std::vector<PodPointer>& pods) {
  if (!job.spec.pod_failure_policy) return std::nullopt;
  for (const PodPointer& pod : pods) {
    if (!HasFailed(*pod, job)) continue;
    const PodFailureMatch match = MatchPodFailure(job.spec, *pod);
    if (match.action == PodFailureAction::kFailJob) {
      return JobVerdict{.reason = "PodFailurePolicy", .message = match.message};
    }
  }
  return std::nullopt;
}

// Containers that are started again in their Pod count as failures too.
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

std::optional<JobVerdict> VerdictOfLimits(const Job& job, const std::vector<PodPointer>& pods,
                                          const JobNumbers& numbers, WallTime now) {
  const int32_t limit = job.spec.backoff_limit.value_or(6);
  if (numbers.failed > limit || RestartsExceedLimit(job, pods, limit)) {
    return JobVerdict{.reason = "BackoffLimitExceeded",
                      .message = "Job has reached the specified backoff limit"};
  }
  const std::optional<nanoseconds> left = TimeUntilDeadline(job, now);
  if (left && *left <= nanoseconds(0)) {
    return JobVerdict{.reason = "DeadlineExceeded",
                      .message = "Job was active longer than specified deadline"};
  }
  return std::nullopt;
}

std::optional<JobVerdict> VerdictOfIndexes(const Job& job, const JobNumbers& numbers) {
  if (!HasBackoffLimitPerIndex(job)) return std::nullopt;
  const int64_t failed = numbers.failed_indexes.size();
  if (job.spec.max_failed_indexes && failed > *job.spec.max_failed_indexes) {
    return JobVerdict{.reason = "MaxFailedIndexesExceeded",
                      .message = "Job has exceeded the specified maximal number of failed indexes"};
  }
  if (failed > 0 && failed + numbers.succeeded >= job.spec.completions.value_or(0)) {
    return JobVerdict{.reason = "FailedIndexes", .message = "Job has failed indexes"};
  }
  return std::nullopt;
}

bool IsMet(const batchv1::SuccessPolicyRule& rule, const Job& job, const JobNumbers& numbers) {
  if (rule.succeeded_indexes.empty()) {
    return rule.succeeded_count && numbers.succeeded >= *rule.succeeded_count;
  }
  const CompletionIndexes wanted(rule.succeeded_indexes, job.spec.completions.value_or(0));
  const int64_t count = rule.succeeded_count ? *rule.succeeded_count : wanted.size();
  return wanted.CountIn(numbers.succeeded_indexes) >= count;
}

std::optional<JobVerdict> VerdictOfSuccessPolicy(const Job& job, const JobNumbers& numbers) {
  if (!job.spec.success_policy || !IsIndexed(job)) return std::nullopt;
  const auto& rules = job.spec.success_policy->rules;
  for (size_t i = 0; i < rules.size(); ++i) {
    if (!IsMet(rules[i], job, numbers)) continue;
    return JobVerdict{.success = true,
                      .reason = "SuccessPolicy",
                      .message = fmt::format("Matched rules at index {}", i)};
  }
  return std::nullopt;
}

// Without a number of completions the first success is enough, but the others may go on.
std::optional<JobVerdict> VerdictOfCompletions(const Job& job, const JobNumbers& numbers) {
  const bool complete = job.spec.completions ? numbers.succeeded >= *job.spec.completions
                                             : numbers.succeeded > 0 && numbers.active.empty();
  if (!complete) return std::nullopt;
  return JobVerdict{.success = true,
                    .reason = "CompletionsReached",
                    .message = "Reached expected number of succeeded pods"};
}

std::optional<JobVerdict> Judge(const Job& job, const std::vector<PodPointer>& pods,
                                const JobNumbers& numbers, WallTime now) {
  if (auto verdict = DecidedVerdict(job)) return verdict;
  if (auto verdict = VerdictOfFailurePolicy(job, pods)) return verdict;
  if (auto verdict = VerdictOfLimits(job, pods, numbers, now)) return verdict;
  if (auto verdict = VerdictOfIndexes(job, numbers)) return verdict;
  if (auto verdict = VerdictOfSuccessPolicy(job, numbers)) return verdict;
  return VerdictOfCompletions(job, numbers);
}

// ---- Which Pods there are to be.

size_t WantedPods(const Job& job, const JobNumbers& numbers) {
  const int64_t parallelism = job.spec.parallelism.value_or(1);
  if (!job.spec.completions) {
    return numbers.succeeded > 0 ? numbers.active.size() : static_cast<size_t>(parallelism);
  }
  const int64_t left = *job.spec.completions - numbers.succeeded;
  return static_cast<size_t>(std::clamp(left, int64_t{0}, parallelism));
}

// Of several Pods for one index all but the one that would be the greatest loss, and those for
// indexes that the Job does not have.
std::vector<PodPointer> TakeRepeatedIndexes(const Job& job, std::vector<PodPointer>& active,
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
  const std::set<PodPointer> gone = AsSet(repeated);
  std::erase_if(active, [&](const PodPointer& pod) { return gone.contains(pod); });
  return repeated;
}

std::vector<PodPointer> Surplus(const Job& job, const JobNumbers& numbers, size_t wanted,
                                WallTime now) {
  std::vector<PodPointer> active = numbers.active;
  std::vector<PodPointer> surplus = TakeRepeatedIndexes(job, active, now);
  if (active.size() > wanted) {
    SortForDeletion(active, active, now);
    // First those that nobody counts any more: they were to go when the process ended.
    std::stable_partition(active.begin(), active.end(),
                          [](const PodPointer& pod) { return !IsTracked(*pod); });
    surplus.insert(surplus.end(), active.begin(), active.end() - static_cast<ptrdiff_t>(wanted));
  }
  if (surplus.size() > kMaxPodsAtATime) surplus.resize(kMaxPodsAtATime);
  return surplus;
}

// How long no Pod is to be made because of failures since the last success.
nanoseconds RemainingBackoff(const Job& job, const std::vector<PodPointer>& pods, WallTime now) {
  Time last_success;
  for (const PodPointer& pod : pods) {
    if (pod->status.phase == "Succeeded") last_success = std::max(last_success, FinishTime(*pod));
  }
  int32_t failures = 0;
  Time last_failure;
  for (const PodPointer& pod : pods) {
    const bool forgotten = IsBeingDeleted(*pod) && !IsTracked(*pod);
    if (forgotten || !HasFailed(*pod, job) || FinishTime(*pod) < last_success) continue;
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

void LookAgainAfter(nanoseconds time, JobPlan& plan) {
  plan.again_after = std::min(plan.again_after.value_or(time), time);
}

// Pods for the first indexes that have no Pod and no end, and whose last failure is long enough
// ago.
void PlanIndexes(const Job& job, const std::vector<PodPointer>& pods, const JobNumbers& numbers,
                 size_t count, WallTime now, JobPlan& plan) {
  const std::set<int32_t> occupied = OccupiedIndexes(job, pods);
  std::map<int32_t, PodPointer> failed;
  for (const PodPointer& pod : PodsToReplace(job, pods, numbers)) failed[*IndexOf(*pod, job)] = pod;
  for (int32_t index = 0; index < *job.spec.completions && plan.to_create.size() < count; ++index) {
    if (occupied.contains(index) || numbers.succeeded_indexes.Contains(index) ||
        numbers.failed_indexes.Contains(index)) {
      continue;
    }
    PodToCreate pod{.index = index};
    if (const auto last = failed.find(index); last != failed.end()) {
      pod.failures = FailuresAfter(*last->second, job);
      const nanoseconds wait =
          TimeLeft(FinishTime(*last->second).value(), PodBackoff(pod.failures.total()), now);
      if (wait > nanoseconds(0)) {
        LookAgainAfter(wait, plan);
        continue;
      }
    }
    plan.to_create.push_back(pod);
  }
}

void PlanCreations(const Job& job, const std::vector<PodPointer>& pods, const JobNumbers& numbers,
                   size_t count, WallTime now, JobPlan& plan) {
  if (!HasBackoffLimitPerIndex(job)) {
    const nanoseconds wait = RemainingBackoff(job, pods, now);
    if (wait > nanoseconds(0)) return LookAgainAfter(wait, plan);
  }
  if (IsIndexed(job)) return PlanIndexes(job, pods, numbers, count, now, plan);
  plan.to_create.resize(count);
}

// ---- What a Pod of an index has.

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

// When the Job fails, so have all Pods that had not ended. When it succeeds, those that were
// stopped because of it have not.
bool CountsAsFailed(const Pod& pod, const Job& job, const std::optional<JobVerdict>& verdict) {
  if (IsIndexed(job) && !IndexOf(pod, job)) return false;
  if (verdict && verdict->success) {
    if (pod.status.phase != "Failed") return false;
  } else if (!verdict && !HasFailed(pod, job)) {
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

void Name(const Pod& pod, const Job& job, const std::optional<JobVerdict>& verdict,
          CompletionIndexes& succeeded, batchv1::UncountedTerminatedPods& uncounted) {
  if (pod.status.phase == "Succeeded" && !Contains(uncounted.failed, pod.metadata.uid)) {
    if (!IsIndexed(job)) return AddOnce(uncounted.succeeded, pod.metadata.uid);
    if (const auto index = IndexOf(pod, job)) succeeded.Add(*index);
  } else if (CountsAsFailed(pod, job, verdict)) {
    AddOnce(uncounted.failed, pod.metadata.uid);
  }
}

// What was named and has no finalizer any more becomes a number.
void CountNamed(const std::vector<PodPointer>& pods, Job& job) {
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

void WriteNumbers(const JobNumbers& numbers, JobStatus& status) {
  status.active = static_cast<int32_t>(numbers.active.size());
  status.ready = numbers.ready;
  status.terminating = numbers.terminating;
}

bool IsSettled(const JobStatus& status) {
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

std::vector<Notice> BeginJob(Job& job, WallTime now) {
  std::vector<Notice> notices;
  if (!job.status.uncounted_terminated_pods) job.status.uncounted_terminated_pods.emplace();
  if (!job.metadata.deletion_timestamp.IsZero() || DecidedVerdict(job)) return notices;
  const auto tell = [&](const char* reason, const std::string& message) {
    notices.push_back({EventType::kNormal, reason, message});
  };
  if (IsSuspended(job)) {
    const JobVerdict why{.reason = "JobSuspended", .message = "Job suspended"};
    if (SetCondition(job, kSuspended, true, why, Now(now))) tell("Suspended", why.message);
    return notices;
  }
  const JobVerdict why{.reason = "JobResumed", .message = "Job resumed"};
  const bool resumed = SetCondition(job, kSuspended, false, why, Now(now));
  if (resumed) tell("Resumed", why.message);
  if (resumed || job.status.start_time.IsZero()) job.status.start_time = Now(now);
  return notices;
}

JobPlan PlanJob(const Job& job, const std::vector<PodPointer>& pods, WallTime now) {
  const JobNumbers numbers = CountPods(job, pods);
  JobPlan plan{.verdict = Judge(job, pods, numbers, now)};
  if (plan.verdict) {
    plan.to_delete = numbers.active;
    return plan;
  }
  plan.again_after = TimeUntilDeadline(job, now);
  if (!job.metadata.deletion_timestamp.IsZero()) return plan;
  const size_t wanted = IsSuspended(job) ? 0 : WantedPods(job, numbers);
  plan.to_delete = Surplus(job, numbers, wanted, now);
  plan.forget_deleted = true;
  if (!plan.to_delete.empty()) return plan;
  const size_t ending = ReplacesOnlyFailed(job) ? static_cast<size_t>(numbers.terminating) : 0;
  const size_t present = numbers.active.size() + ending;
  if (wanted > present) {
    PlanCreations(job, pods, numbers, std::min(wanted - present, kMaxPodsAtATime), now, plan);
  }
  return plan;
}

Pod PodOfJob(const Job& job, const PodToCreate& wanted) {
  Pod pod = PodFromTemplate(job.spec.template_, job);
  AddFinalizer(pod.metadata, kJobTrackingFinalizer);
  if (!wanted.index) return pod;
  const std::string index = fmt::format("{}", *wanted.index);
  pod.metadata.annotations[kCompletionIndex] = index;
  pod.metadata.labels[kCompletionIndex] = index;
  const std::string suffix = "-" + index + "-";
  pod.metadata.generate_name =
      job.metadata.name.substr(0, kMaxGenerateName - suffix.size()) + suffix;
  pod.spec.hostname = job.metadata.name + "-" + index;
  if (HasBackoffLimitPerIndex(job)) SetFailuresBefore(wanted.failures, pod);
  for (auto* containers : {&pod.spec.init_containers, &pod.spec.containers}) {
    for (corev1::Container& container : *containers) AddIndexVariable(container);
  }
  return pod;
}

JobTracking TrackPods(const std::vector<PodPointer>& pods, const std::optional<JobVerdict>& verdict,
                      WallTime now, Job& job) {
  CountNamed(pods, job);
  const JobNumbers numbers = CountPods(job, pods);
  const bool goes_on = !verdict && job.metadata.deletion_timestamp.IsZero();
  std::set<PodPointer> kept;
  if (goes_on) kept = AsSet(PodsToReplace(job, pods, numbers));
  auto& uncounted = *job.status.uncounted_terminated_pods;
  CompletionIndexes succeeded(job.status.completed_indexes, job.spec.completions.value_or(0));
  JobTracking tracking;
  for (const PodPointer& pod : pods) {
    if (!IsTracked(*pod) || kept.contains(pod)) continue;
    if (goes_on && pod->status.phase != "Succeeded" && !HasFailed(*pod, job)) continue;
    if (tracking.to_release.size() == kMaxPodsAtATime) {
      tracking.more = true;
      break;
    }
    tracking.to_release.push_back(pod);
    Name(*pod, job, verdict, succeeded, uncounted);
  }
  if (IsIndexed(job)) {
    job.status.completed_indexes = succeeded.ToString();
    job.status.succeeded = static_cast<int32_t>(succeeded.size());
    if (HasBackoffLimitPerIndex(job)) job.status.failed_indexes = numbers.failed_indexes.ToString();
  }
  WriteNumbers(numbers, job.status);
  if (verdict) {
    SetCondition(job, verdict->success ? kSuccessCriteriaMet : kFailureTarget, true, *verdict,
                 Now(now));
  }
  return tracking;
}

std::vector<Notice> SettleJob(const std::vector<PodPointer>& pods,
                              const std::optional<JobVerdict>& verdict, bool more, WallTime now,
                              Job& job) {
  CountNamed(pods, job);
  WriteNumbers(CountPods(job, pods), job.status);
  if (!verdict || more || !IsSettled(job.status)) return {};
  if (!verdict->success) {
    SetCondition(job, "Failed", true, *verdict, Now(now));
    return {{EventType::kWarning, verdict->reason, verdict->message}};
  }
  SetCondition(job, "Complete", true, *verdict, Now(now));
  job.status.completion_time = Now(now);
  std::vector<Notice> notices;
  if (job.spec.completions && job.status.succeeded > *job.spec.completions) {
    notices.push_back(
        {EventType::kWarning, "TooManySucceededPods", "Too many succeeded pods recorded"});
  }
  notices.push_back({EventType::kNormal, "Completed", "Job completed"});
  return notices;
}

}  // namespace kubexms
