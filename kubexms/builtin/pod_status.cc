#include "kubexms/builtin/pod_status.h"

#include <algorithm>
#include <utility>

#include "kubexms/api/codec.h"
#include "kubexms/api/condition.h"

namespace kubexms {

using corev1::Pod;
using corev1::PodCondition;
using corev1::PodStatus;

bool IsTerminal(const Pod& pod) {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

const PodCondition* FindPodCondition(const PodStatus& status, std::string_view type) {
  const auto found =
      std::find_if(status.conditions.begin(), status.conditions.end(),
                   [&](const PodCondition& condition) { return condition.type == type; });
  return found == status.conditions.end() ? nullptr : &*found;
}

bool IsPodConditionTrue(const PodStatus& status, std::string_view type) {
  const PodCondition* condition = FindPodCondition(status, type);
  return condition != nullptr && condition->status == kConditionTrue;
}

bool SetPodCondition(PodStatus& status, PodCondition condition, Time now) {
  const PodCondition* old = FindPodCondition(status, condition.type);
  const bool same_status = old != nullptr && old->status == condition.status;
  condition.last_transition_time = same_status ? old->last_transition_time : now;
  if (old == nullptr) {
    status.conditions.push_back(std::move(condition));
    return true;
  }
  if (SemanticEqual(*old, condition)) return false;
  const auto place = old - status.conditions.data();
  status.conditions[static_cast<size_t>(place)] = std::move(condition);
  return true;
}

}  // namespace kubexms
