#pragma once

// Conversion of kinds that are served in two versions but stored in one.

#include <string_view>

#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

// Converts the object to `to_api_version` and sets its apiVersion: between autoscaling/v1 and
// autoscaling/v2 for HorizontalPodAutoscaler, between v1 and events.k8s.io/v1 for Event. Values
// that autoscaling/v1 has no fields for are stored in annotations, so a round trip loses nothing.
// Does nothing when the object already has that version; BadRequest when no conversion exists or
// such an annotation is malformed.
Result<void> ConvertBuiltin(JsonObject& object, std::string_view to_api_version);

}  // namespace kubexms
