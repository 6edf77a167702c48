#pragma once

// What many ask about a Pod, and how its conditions are set.

#include <string_view>

#include "kubexms/api/kinds/core_v1_pod.h"

namespace kubexms {

// It has ended, well or not, and will not run again.
bool IsTerminal(const corev1::Pod& pod);

// The condition of that type, or null.
const corev1::PodCondition* FindPodCondition(const corev1::PodStatus& status,
                                             std::string_view type);
bool IsPodConditionTrue(const corev1::PodStatus& status, std::string_view type);

// Adds the condition or replaces the one of its type; true when anything changed. Its transition
// time is `now` if its status is another one than before, else it stays.
bool SetPodCondition(corev1::PodStatus& status, corev1::PodCondition condition, Time now);

}  // namespace kubexms
