#pragma once

// What a simulated node does with a Pod: the status that a kubelet would report, without a
// container anywhere. Everything follows from the Pod as it is stored and the time, so a Pod goes
// on where it was when the server starts again. Times in a status are whole seconds, and so is
// what is counted from them.
//
// Annotations of the Pod, all below "simulate.kubexms.io/", change what happens to it:
//
//   init-for         how long each init container runs                        0s
//   ready-after      how long after their start containers are ready          0s
//   never-ready      "true": they run but are never ready
//   run-for          how long containers run before they end                  1s where they are
//                    not to run for ever (restartPolicy Never and OnFailure, if nothing but a Job
//                    keeps the Pod), or have an exit-code
//   exit-code        with which they end                                      0
//   fail             they never start, for this reason: "ImagePullBackOff"
//   terminate-after  how long they take to end once the Pod is deleted,       0s; 2s where it is
//                    within its grace period                                  of a StatefulSet

#include <chrono>
#include <optional>
#include <string>

#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/result.h"

namespace kubexms {

struct PodBehaviour {
  std::chrono::nanoseconds init_for{0};
  std::chrono::nanoseconds ready_after{0};
  bool never_ready = false;
  std::optional<std::chrono::nanoseconds> run_for;  // none: for ever
  int32_t exit_code = 0;
  std::string fail_reason;
  std::chrono::nanoseconds terminate_after{0};
};

// The error names the annotation that cannot be read.
Result<PodBehaviour> BehaviourOf(const corev1::Pod& pod);

struct PodPlace {
  std::string host_ip;
  std::string pod_ip;  // for a Pod that has none yet
};

struct PodStep {
  // To be written, if it differs from what the Pod has.
  std::optional<corev1::PodStatus> status;
  // After that, the Pod is to be removed for good.
  bool remove = false;
  // When there is something to do although nothing changes.
  std::optional<Clock::WallTime> next;
};

// What is to be done now with a Pod that is bound to the node.
PodStep NextPodStep(const corev1::Pod& pod, const PodBehaviour& behaviour, const PodPlace& place,
                    Clock::WallTime now);

// How long after its end a container that was restarted so often is restarted.
std::chrono::nanoseconds RestartBackoff(int32_t restarts);

}  // namespace kubexms
