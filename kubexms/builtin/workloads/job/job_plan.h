#pragma once

// The decisions of the Job controller. A reconcile is
//
//   BeginJob         sets the status of a Job that starts, is suspended or is resumed
//   PlanJob          decides whether the Job finishes, and which Pods to delete and to create
//   TrackPods        lists finished Pods in status.uncountedTerminatedPods; their finalizers are
//                    removed after that status is written
//   UpdateJobStatus  counts the listed Pods without finalizers, and finishes the Job
//
// and each of these is a function of the Job, its Pods and the time.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "kubexms/builtin/shared/planned_event.h"
#include "kubexms/builtin/workloads/job/job_pods.h"

namespace kubexms {

using WallTime = std::chrono::system_clock::time_point;

// How a Job finishes.
struct FinishedCondition {
  bool success = false;
  std::string reason;
  std::string message;

  bool operator==(const FinishedCondition&) const = default;
};

// A Pod that the plan creates.
struct PodToCreate {
  std::optional<int32_t> index;  // of indexed Jobs
  IndexFailures failures;        // with spec.backoffLimitPerIndex
};

struct JobPlan {
  std::optional<FinishedCondition> finished;
  std::vector<PodPointer> to_delete;
  // Deleted Pods are not counted: their finalizers are removed first.
  bool release_deleted = false;
  std::vector<PodToCreate> to_create;
  // When to reconcile again if nothing changes.
  std::optional<std::chrono::nanoseconds> requeue_after;
};

struct JobTracking {
  std::vector<PodPointer> to_release;  // Pods whose finalizer is to be removed
  bool more = false;                   // the next reconcile has to track others
};

// The bound on Pods that one reconcile creates, deletes or counts.
inline constexpr size_t kMaxPodsAtATime = 500;

// The delay between a failure and the replacement of the Pod: 10 s, 20 s, … up to 10 minutes.
std::chrono::nanoseconds PodBackoff(int32_t failures);

std::vector<PlannedEvent> BeginJob(batchv1::Job& job, WallTime now);
JobPlan PlanJob(const batchv1::Job& job, const std::vector<PodPointer>& pods, WallTime now);
corev1::Pod PodOfJob(const batchv1::Job& job, const PodToCreate& desired);
JobTracking TrackPods(const std::vector<PodPointer>& pods,
                      const std::optional<FinishedCondition>& finished, WallTime now,
                      batchv1::Job& job);
// `pods` as they are after the finalizers were removed. The Events are to be recorded after the
// status is written.
std::vector<PlannedEvent> UpdateJobStatus(const std::vector<PodPointer>& pods,
                                          const std::optional<FinishedCondition>& finished,
                                          bool more, WallTime now, batchv1::Job& job);

}  // namespace kubexms
