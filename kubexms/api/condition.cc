#include "kubexms/api/condition.h"

#include <algorithm>
#include <tuple>

namespace kubexms {

const Condition* FindCondition(const std::vector<Condition>& conditions, std::string_view type) {
  const auto it = std::find_if(conditions.begin(), conditions.end(),
                               [&](const Condition& condition) { return condition.type == type; });
  return it == conditions.end() ? nullptr : &*it;
}

bool IsConditionTrue(const std::vector<Condition>& conditions, std::string_view type) {
  const Condition* condition = FindCondition(conditions, type);
  return condition != nullptr && condition->status == kConditionTrue;
}

bool SetCondition(std::vector<Condition>& conditions, Condition condition, const Clock& clock) {
  auto* existing = const_cast<Condition*>(FindCondition(conditions, condition.type));
  const bool transition = existing == nullptr || existing->status != condition.status;
  if (!transition) {
    condition.last_transition_time = existing->last_transition_time;
  } else if (condition.last_transition_time.IsZero()) {
    condition.last_transition_time = Time::Now(clock);
  }
  if (existing == nullptr) {
    conditions.push_back(std::move(condition));
    return true;
  }
  const auto told = [](const Condition& c) {
    return std::tie(c.status, c.reason, c.message, c.observed_generation);
  };
  const bool changed = told(*existing) != told(condition);
  *existing = std::move(condition);
  return changed;
}

bool RemoveCondition(std::vector<Condition>& conditions, std::string_view type) {
  return std::erase_if(conditions,
                       [&](const Condition& condition) { return condition.type == type; }) != 0;
}

}  // namespace kubexms
