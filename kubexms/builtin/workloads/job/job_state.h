#pragma once

// What can be said of a Job by looking at it.

#include <memory>
#include <string_view>

#include "kubexms/api/kinds/batch_v1.h"

namespace kubexms {

using JobPointer = std::shared_ptr<const batchv1::Job>;

// The condition of that type if it is true, or null.
const batchv1::JobCondition* FindTrueCondition(const batchv1::Job& job, std::string_view type);

// "Complete" or "Failed" once the Job has ended for good; empty before.
std::string_view EndOf(const batchv1::Job& job);
inline bool IsFinished(const batchv1::Job& job) { return !EndOf(job).empty(); }

}  // namespace kubexms
