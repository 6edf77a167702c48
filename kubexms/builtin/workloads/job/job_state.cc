#include "kubexms/builtin/workloads/job/job_state.h"

#include <algorithm>

#include "kubexms/api/condition.h"

namespace kubexms {

const batchv1::JobCondition* FindTrueCondition(const batchv1::Job& job, std::string_view type) {
  const auto& conditions = job.status.conditions;
  const auto found = std::find_if(conditions.begin(), conditions.end(), [&](const auto& condition) {
    return condition.type == type && condition.status == kConditionTrue;
  });
  return found == conditions.end() ? nullptr : &*found;
}

std::string_view FinishedConditionType(const batchv1::Job& job) {
  for (const std::string_view type : {"Complete", "Failed"}) {
    if (FindTrueCondition(job, type) != nullptr) return type;
  }
  return {};
}

}  // namespace kubexms
