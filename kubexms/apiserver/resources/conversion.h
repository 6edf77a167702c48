#pragma once

// Objects of kinds that are served in two versions but stored in one.

#include <string_view>

#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

// Turns the object into `to_api_version` and says so in its apiVersion: between autoscaling/v1 and
// autoscaling/v2 for HorizontalPodAutoscaler, between v1 and events.k8s.io/v1 for Event. What
// autoscaling/v1 has no fields for is kept in annotations, so nothing is lost on the way there and
// back. Does nothing when the object is of that version already; BadRequest when there is no way
// or such an annotation cannot be read.
Result<void> ConvertBuiltin(JsonObject& object, std::string_view to_api_version);

}  // namespace kubexms
