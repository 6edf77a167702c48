#pragma once

// When a Pod has to leave a node because of the node's taints.

#include <optional>
#include <vector>

#include "kubexms/api/kinds/core_v1/node.h"
#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/base/clock.h"

namespace kubexms {

// Those with the effect NoExecute.
std::vector<corev1::Taint> NoExecuteTaints(const corev1::Node& node);

// From when on the Pod must not be there; nothing: it may stay. `noticed` is when the taints were
// first seen to concern the Pod, for those that do not say since when they are there. A toleration
// with seconds counts from then, or from the creation of a Pod that came later; of several the
// shortest counts.
std::optional<Clock::WallTime> EvictionTime(const corev1::Pod& pod,
                                            const std::vector<corev1::Taint>& taints,
                                            Clock::WallTime noticed);

}  // namespace kubexms
