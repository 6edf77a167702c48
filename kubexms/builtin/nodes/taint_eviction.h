#pragma once

// Decides when NoExecute taints of a node evict a Pod.

#include <optional>
#include <vector>

#include "kubexms/api/kinds/core_v1/node.h"
#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/base/clock.h"

namespace kubexms {

// The taints with the effect NoExecute.
std::vector<corev1::Taint> NoExecuteTaints(const corev1::Node& node);

// When the Pod is to be evicted; nothing: it tolerates the taints. tolerationSeconds count from the
// time when the taint was added, or from the creation of a later Pod; for taints without a time
// they count from `first_seen`. The shortest of several tolerations counts.
std::optional<Clock::WallTime> EvictionTime(const corev1::Pod& pod,
                                            const std::vector<corev1::Taint>& taints,
                                            Clock::WallTime first_seen);

}  // namespace kubexms
