#pragma once

// Who owns the replicas of an object, seen from its Scale and back. A write to /scale is one to the
// Scale, of whose fields an object has a single one: what the managers of the Scale own of it, they
// own of the object.

#include <functional>
#include <string_view>

#include "kubexms/base/json/json.h"

namespace kubexms {

// Where objects of an API version keep their replicas: ".spec.replicas"; empty: nowhere.
using ReplicasPath = std::function<std::string_view(std::string_view api_version)>;

// The managedFields of the Scale of an object that has these.
JsonArray ToScaleManagers(const JsonArray& managers, const ReplicasPath& replicas_path);

// The managedFields of an object that had `managers` before its Scale got `scale_managers`. New
// ones own the replicas of `api_version`, and since no time: Kubernetes does not keep it.
JsonArray FromScaleManagers(const JsonArray& managers, const JsonArray& scale_managers,
                            std::string_view api_version, const ReplicasPath& replicas_path);

}  // namespace kubexms
