#pragma once

// Counts the Pods of a Job. Every Pod that the controller creates has a finalizer, so that none
// disappears before it is counted: the UID of a finished Pod is first added to
// status.uncountedTerminatedPods, then its finalizer is removed, and then the UID is replaced by an
// increment of the count. So each Pod is counted exactly once, whenever the process crashes.
// (Succeeded Pods of indexed Jobs are identified by their index instead.)

#include <cstdint>
#include <optional>
#include <vector>

#include "kubexms/api/kinds/batch_v1.h"
#include "kubexms/api/values/time.h"
#include "kubexms/builtin/shared/pod_state.h"
#include "kubexms/builtin/workloads/job/completion_indexes.h"

namespace kubexms {

inline constexpr const char* kJobTrackingFinalizer = "batch.kubernetes.io/job-tracking";
inline constexpr const char* kCompletionIndex = "batch.kubernetes.io/job-completion-index";

bool IsIndexed(const batchv1::Job& job);
bool HasBackoffLimitPerIndex(const batchv1::Job& job);
// podReplacementPolicy is Failed: a Pod is replaced once its phase is Failed, not while it
// terminates.
bool ReplacesOnlyFailed(const batchv1::Job& job);

bool IsTracked(const corev1::Pod& pod);
bool IsTerminating(const corev1::Pod& pod);
// The phase is Failed, or the Pod is terminating and the Job does not wait for its phase.
bool HasFailed(const corev1::Pod& pod, const batchv1::Job& job);
// The completion index of the Pod, if it is below spec.completions.
std::optional<int32_t> IndexOf(const corev1::Pod& pod, const batchv1::Job& job);
// When the containers terminated, as far as the Pod's status says so.
Time FinishTime(const corev1::Pod& pod);

// How often the index of a Pod had failed when the Pod was created: failures that count toward
// spec.backoffLimitPerIndex, and ignored ones.
struct IndexFailures {
  int32_t counted = 0;
  int32_t ignored = 0;

  int32_t total() const { return counted + ignored; }
};
IndexFailures FailuresBefore(const corev1::Pod& pod);
void SetFailuresBefore(const IndexFailures& failures, corev1::Pod& pod);
// The same after the failure of this Pod.
IndexFailures FailuresAfter(const corev1::Pod& pod, const batchv1::Job& job);

// Counts of a Job's Pods, including those that its status does not contain yet.
struct JobPodCounts {
  std::vector<PodPointer> active;
  int32_t ready = 0;
  int32_t terminating = 0;
  int64_t succeeded = 0;
  int64_t failed = 0;
  // Of indexed Jobs; `failed_indexes` only with spec.backoffLimitPerIndex.
  CompletionIndexes succeeded_indexes;
  CompletionIndexes failed_indexes;
};
JobPodCounts CountPods(const batchv1::Job& job, const std::vector<PodPointer>& pods);

// With spec.backoffLimitPerIndex: the last failed Pod of each index that is retried. Its finalizer
// is retained until the failure count has been passed to its replacement.
std::vector<PodPointer> PodsToReplace(const batchv1::Job& job, const std::vector<PodPointer>& pods,
                                      const JobPodCounts& counts);

}  // namespace kubexms
