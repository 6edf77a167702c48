#pragma once

// Conditions of a status: for each condition type its status, and when the status last changed.

#include <string_view>
#include <vector>

#include "kubexms/api/meta_v1.h"
#include "kubexms/base/clock.h"

namespace kubexms {

inline constexpr std::string_view kConditionTrue = "True";
inline constexpr std::string_view kConditionFalse = "False";
inline constexpr std::string_view kConditionUnknown = "Unknown";

// The condition of that type, or null.
const Condition* FindCondition(const std::vector<Condition>& conditions, std::string_view type);

bool IsConditionTrue(const std::vector<Condition>& conditions, std::string_view type);

// Adds `condition` or updates the condition of the same type; true when anything changed.
// lastTransitionTime changes only when the status changes: to that of `condition`, or now if unset.
bool SetCondition(std::vector<Condition>& conditions, Condition condition, const Clock& clock);

// True when the condition existed.
bool RemoveCondition(std::vector<Condition>& conditions, std::string_view type);

}  // namespace kubexms
