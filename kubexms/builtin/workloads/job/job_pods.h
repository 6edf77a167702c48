#pragma once

// What the Pods of a Job mean to it. Every Pod that the controller makes has a finalizer, so that
// none is gone before its end was counted: the uid of one that has ended is first written into
// status.uncountedTerminatedPods, then its finalizer is removed, and then the uid becomes a number.
// So whenever the process ends, each is counted once. (Indexed Jobs need no uids of those that
// succeeded: their index says that they were counted.)

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
// Whether a Pod is replaced only once its phase is Failed, and not while it ends.
bool ReplacesOnlyFailed(const batchv1::Job& job);

bool IsTracked(const corev1::Pod& pod);
bool IsTerminating(const corev1::Pod& pod);
// Its phase is Failed, or it is being deleted and the Job does not wait for how that ends.
bool HasFailed(const corev1::Pod& pod, const batchv1::Job& job);
// The index that the Pod is for, if the Job has it.
std::optional<int32_t> IndexOf(const corev1::Pod& pod, const batchv1::Job& job);
// When its containers ended, as far as it says so.
Time FinishTime(const corev1::Pod& pod);

// How often the index of a Pod had failed when the Pod was made: failures that count toward
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

// The numbers of a Job, with what its status does not know yet.
struct JobNumbers {
  std::vector<PodPointer> active;
  int32_t ready = 0;
  int32_t terminating = 0;
  int64_t succeeded = 0;
  int64_t failed = 0;
  // Of indexed Jobs; `failed_indexes` only with spec.backoffLimitPerIndex.
  CompletionIndexes succeeded_indexes;
  CompletionIndexes failed_indexes;
};
JobNumbers CountPods(const batchv1::Job& job, const std::vector<PodPointer>& pods);

// With spec.backoffLimitPerIndex: the last failed Pod of each index that is to be tried again. It
// stays until its replacement knows how often the index has failed.
std::vector<PodPointer> PodsToReplace(const batchv1::Job& job, const std::vector<PodPointer>& pods,
                                      const JobNumbers& numbers);

}  // namespace kubexms
