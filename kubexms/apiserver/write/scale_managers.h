#pragma once

// Converts managedFields between an object and its Scale. A write to /scale is a write to the
// Scale, of which the object has a single field: a manager of the Scale's replicas owns the
// replicas of the object.

#include <functional>
#include <string_view>

#include "kubexms/base/json/json.h"

namespace kubexms {

// The path of the replicas in objects of an API version: ".spec.replicas"; empty: none.
using ReplicasPath = std::function<std::string_view(std::string_view api_version)>;

// The managedFields of the Scale of an object with these managedFields.
JsonArray ToScaleManagers(const JsonArray& managers, const ReplicasPath& replicas_path);

// The managedFields of an object that had `managers` before its Scale was written with
// `scale_managers`. New managers own the replicas of `api_version`, and have no time: Kubernetes
// does not record it.
JsonArray FromScaleManagers(const JsonArray& managers, const JsonArray& scale_managers,
                            std::string_view api_version, const ReplicasPath& replicas_path);

}  // namespace kubexms
