#include "kubexms/builtin/workloads/job/job_pods.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "kubexms/api/object.h"
#include "kubexms/builtin/workloads/job/pod_failure_policy.h"

namespace kubexms {
namespace {

using batchv1::Job;
using corev1::Pod;

constexpr const char* kFailureCount = "batch.kubernetes.io/job-index-failure-count";
constexpr const char* kIgnoredCount = "batch.kubernetes.io/job-index-ignored-failure-count";

std::optional<int32_t> NumberIn(const Pod& pod, const char* annotation) {
  const auto found = pod.metadata.annotations.find(annotation);
  if (found == pod.metadata.annotations.end()) return std::nullopt;
  const std::string& text = found->second;
  int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool valid = error == std::errc() && end == text.data() + text.size() && number >= 0;
  return valid ? std::optional(number) : std::nullopt;
}

bool Contains(const std::vector<std::string>& uids, const std::string& uid) {
  return std::find(uids.begin(), uids.end(), uid) != uids.end();
}

// Whether the Pod counts for the Job: it has the finalizer, and the Job has its index.
bool Counts(const Pod& pod, const Job& job) {
  return IsTracked(pod) && (!IsIndexed(job) || IndexOf(pod, job).has_value());
}

bool FailsItsIndex(const Pod& pod, const Job& job) {
  if (!HasFailed(pod, job)) return false;
  const PodFailureAction action = MatchPodFailure(job.spec, pod).action;
  if (action == PodFailureAction::kFailIndex) return true;
  return action != PodFailureAction::kIgnore &&
         FailuresBefore(pod).counted >= *job.spec.backoff_limit_per_index;
}

void CountIndexes(const Job& job, const std::vector<PodPointer>& pods, JobPodCounts& counts) {
  const int32_t completions = job.spec.completions.value_or(0);
  counts.succeeded_indexes = CompletionIndexes(job.status.completed_indexes, completions);
  counts.failed_indexes = CompletionIndexes(job.status.failed_indexes.value_or(""), completions);
  for (const PodPointer& pod : pods) {
    if (!Counts(*pod, job)) continue;
    const int32_t index = *IndexOf(*pod, job);
    if (pod->status.phase == "Succeeded") counts.succeeded_indexes.Add(index);
    if (HasBackoffLimitPerIndex(job) && FailsItsIndex(*pod, job)) counts.failed_indexes.Add(index);
  }
  counts.succeeded = counts.succeeded_indexes.size();
}

}  // namespace

bool IsIndexed(const Job& job) { return job.spec.completion_mode == "Indexed"; }

bool HasBackoffLimitPerIndex(const Job& job) {
  return job.spec.backoff_limit_per_index.has_value();
}

bool ReplacesOnlyFailed(const Job& job) { return job.spec.pod_replacement_policy == "Failed"; }

bool IsTracked(const Pod& pod) { return HasFinalizer(pod.metadata, kJobTrackingFinalizer); }

bool IsTerminating(const Pod& pod) { return IsBeingDeleted(pod) && !IsFinished(pod); }

bool HasFailed(const Pod& pod, const Job& job) {
  return pod.status.phase == "Failed" || (IsTerminating(pod) && !ReplacesOnlyFailed(job));
}

std::optional<int32_t> IndexOf(const Pod& pod, const Job& job) {
  const std::optional<int32_t> index = NumberIn(pod, kCompletionIndex);
  return index && *index < job.spec.completions.value_or(0) ? index : std::nullopt;
}

Time FinishTime(const Pod& pod) {
  Time last;
  for (const corev1::ContainerStatus& container : pod.status.container_statuses) {
    if (container.state.terminated) {
      last = std::max(last, container.state.terminated->finished_at);
    }
  }
  if (!last.IsZero()) return last;
  const corev1::PodCondition* ready = FindPodCondition(pod, "Ready");
  if (ready != nullptr && ready->status == "False" && !ready->last_transition_time.IsZero()) {
    return ready->last_transition_time;
  }
  if (!pod.metadata.deletion_timestamp.IsZero()) {
    const auto grace = pod.metadata.deletion_grace_period_seconds.value_or(0);
    return Time(pod.metadata.deletion_timestamp.value() - std::chrono::seconds(grace));
  }
  return pod.metadata.creation_timestamp;
}

IndexFailures FailuresBefore(const Pod& pod) {
  return {.counted = NumberIn(pod, kFailureCount).value_or(0),
          .ignored = NumberIn(pod, kIgnoredCount).value_or(0)};
}

void SetFailuresBefore(const IndexFailures& failures, Pod& pod) {
  pod.metadata.annotations[kFailureCount] = std::to_string(failures.counted);
  if (failures.ignored > 0) {
    pod.metadata.annotations[kIgnoredCount] = std::to_string(failures.ignored);
  }
}

IndexFailures FailuresAfter(const Pod& pod, const Job& job) {
  IndexFailures failures = FailuresBefore(pod);
  const bool ignored = MatchPodFailure(job.spec, pod).action == PodFailureAction::kIgnore;
  ++(ignored ? failures.ignored : failures.counted);
  return failures;
}

JobPodCounts CountPods(const Job& job, const std::vector<PodPointer>& pods) {
  batchv1::UncountedTerminatedPods uncounted;
  if (job.status.uncounted_terminated_pods) uncounted = *job.status.uncounted_terminated_pods;
  JobPodCounts counts{
      .succeeded = job.status.succeeded + static_cast<int64_t>(uncounted.succeeded.size()),
      .failed = job.status.failed + static_cast<int64_t>(uncounted.failed.size())};
  for (const PodPointer& pod : pods) {
    if (IsActive(*pod)) {
      counts.active.push_back(pod);
      if (IsReady(*pod)) ++counts.ready;
      continue;
    }
    if (IsTerminating(*pod)) ++counts.terminating;
    const std::string& uid = pod->metadata.uid;
    if (!Counts(*pod, job) || Contains(uncounted.failed, uid)) continue;
    if (pod->status.phase == "Succeeded") {
      if (!Contains(uncounted.succeeded, uid)) ++counts.succeeded;
    } else if (HasFailed(*pod, job) &&
               MatchPodFailure(job.spec, *pod).action != PodFailureAction::kIgnore) {
      ++counts.failed;
    }
  }
  if (IsIndexed(job)) CountIndexes(job, pods, counts);
  return counts;
}

std::vector<PodPointer> PodsToReplace(const Job& job, const std::vector<PodPointer>& pods,
                                      const JobPodCounts& counts) {
  if (!HasBackoffLimitPerIndex(job)) return {};
  std::set<int32_t> has_active;
  for (const PodPointer& pod : counts.active) has_active.insert(IndexOf(*pod, job).value_or(-1));
  std::map<int32_t, PodPointer> last;
  for (const PodPointer& pod : pods) {
    if (!Counts(*pod, job) || !HasFailed(*pod, job)) continue;
    const int32_t index = *IndexOf(*pod, job);
    if (has_active.contains(index) || counts.succeeded_indexes.Contains(index) ||
        counts.failed_indexes.Contains(index)) {
      continue;
    }
    const auto order = [](const Pod& failed) {
      return std::tuple(FailuresBefore(failed).total(), FinishTime(failed), failed.metadata.name);
    };
    PodPointer& known = last[index];
    if (known == nullptr || order(*known) < order(*pod)) known = pod;
  }
  std::vector<PodPointer> to_replace;
  for (const auto& [index, pod] : last) to_replace.push_back(pod);
  return to_replace;
}

}  // namespace kubexms
