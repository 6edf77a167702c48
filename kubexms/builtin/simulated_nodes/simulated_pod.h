#pragma once

// Computes the status that the kubelet of a simulated node reports for a Pod. It is a function of
// the stored Pod and the time, so that the simulation resumes after a restart of the server. Times
// in a status are in whole seconds, and so are durations that count from them.
//
// Annotations of the Pod with the prefix "simulate.kubexms.io/" and their defaults:
//
//   init-for         how long each init container runs                        0s
//   ready-after      how long after their start containers become ready      0s
//   never-ready      "true": containers run but never become ready
//   run-for          how long containers run before they terminate            1s with an exit-code,
//                    and for Pods that run to completion (restartPolicy Never or OnFailure, without
//                    a controller other than a Job); else unlimited
//   exit-code        exit code of containers                                  0
//   fail             reason why containers never start: "ImagePullBackOff"
//   terminate-after  how long containers take to terminate after the Pod is   0s; 2s for Pods of
//                    deleted, within its grace period                         a StatefulSet

#include <chrono>
#include <optional>
#include <string>

#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/result.h"

namespace kubexms {

struct PodBehavior {
  std::chrono::nanoseconds init_for{0};
  std::chrono::nanoseconds ready_after{0};
  bool never_ready = false;
  std::optional<std::chrono::nanoseconds> run_for;  // none: unlimited
  int32_t exit_code = 0;
  std::string fail_reason;
  std::chrono::nanoseconds terminate_after{0};
};

// The error names the invalid annotation.
Result<PodBehavior> BehaviorOf(const corev1::Pod& pod);

struct PodAddressing {
  std::string host_ip;
  std::string pod_ip;  // for a Pod that has none yet
};

struct PodStep {
  // The status to write; nothing if it is unchanged.
  std::optional<corev1::PodStatus> status;
  // After that, delete the Pod without a grace period.
  bool remove = false;
  // When the next step is due without a change.
  std::optional<Clock::WallTime> next;
};

// The next step for a Pod that is assigned to the node.
PodStep NextPodStep(const corev1::Pod& pod, const PodBehavior& behavior,
                    const PodAddressing& addressing, Clock::WallTime now);

// The delay before a container that was restarted `restarts` times is restarted again.
std::chrono::nanoseconds RestartBackoff(int32_t restarts);

}  // namespace kubexms
