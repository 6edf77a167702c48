#pragma once

// What the Job controller decides, without doing it. A reconcile is
//
//   BeginJob      the status of a Job that starts, is suspended or goes on
//   PlanJob       whether the Job has come to an end, and which Pods to delete and to create
//   TrackPods     which Pods have ended and are to be counted; their finalizers go once the status
//                 that names them is written
//   SettleJob     what could be named is counted, and the end of the Job is declared
//
// and each is a function of the Job, its Pods and the time.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "kubexms/builtin/shared/notice.h"
#include "kubexms/builtin/workloads/job/job_pods.h"

namespace kubexms {

using WallTime = std::chrono::system_clock::time_point;

// How a Job ends.
struct JobVerdict {
  bool success = false;
  std::string reason;
  std::string message;

  bool operator==(const JobVerdict&) const = default;
};

// Why a Pod is made.
struct PodToCreate {
  std::optional<int32_t> index;  // of indexed Jobs
  IndexFailures failures;        // with spec.backoffLimitPerIndex
};

struct JobPlan {
  std::optional<JobVerdict> verdict;
  std::vector<PodPointer> to_delete;
  // Nobody asks how those that are deleted end: their finalizers go first.
  bool forget_deleted = false;
  std::vector<PodToCreate> to_create;
  // When to look again although nothing changes.
  std::optional<std::chrono::nanoseconds> again_after;
};

struct JobTracking {
  std::vector<PodPointer> to_release;  // of which the finalizer is to be removed
  bool more = false;                   // there are others, for the next time
};

// At most so many Pods are created, deleted or counted at a time.
inline constexpr size_t kMaxPodsAtATime = 500;

// How long after its last failure a Pod is made again: 10 s, 20 s, … up to 10 minutes.
std::chrono::nanoseconds PodBackoff(int32_t failures);

std::vector<Notice> BeginJob(batchv1::Job& job, WallTime now);
JobPlan PlanJob(const batchv1::Job& job, const std::vector<PodPointer>& pods, WallTime now);
corev1::Pod PodOfJob(const batchv1::Job& job, const PodToCreate& wanted);
JobTracking TrackPods(const std::vector<PodPointer>& pods, const std::optional<JobVerdict>& verdict,
                      WallTime now, batchv1::Job& job);
// `pods` are as they are now. What people are to be told once the status is written.
std::vector<Notice> SettleJob(const std::vector<PodPointer>& pods,
                              const std::optional<JobVerdict>& verdict, bool more, WallTime now,
                              batchv1::Job& job);

}  // namespace kubexms
