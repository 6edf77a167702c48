#pragma once

// Conditions: the part of a status that says, by type, what is true of an object and since when.

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

// Adds `condition` or updates the one of its type; true when anything changed. The transition time
// changes only when the status does: it is the given one if set, else now.
bool SetCondition(std::vector<Condition>& conditions, Condition condition, const Clock& clock);

// True when there was one.
bool RemoveCondition(std::vector<Condition>& conditions, std::string_view type);

}  // namespace kubexms
