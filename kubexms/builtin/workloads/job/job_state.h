#pragma once

// Properties of a Job's status.

#include <memory>
#include <string_view>

#include "kubexms/api/kinds/batch_v1.h"

namespace kubexms {

using JobPointer = std::shared_ptr<const batchv1::Job>;

// The condition of the type if its status is True, or null.
const batchv1::JobCondition* FindTrueCondition(const batchv1::Job& job, std::string_view type);

// "Complete" or "Failed" if the Job is finished, else empty.
std::string_view FinishedConditionType(const batchv1::Job& job);
inline bool IsFinished(const batchv1::Job& job) { return !FinishedConditionType(job).empty(); }

}  // namespace kubexms
