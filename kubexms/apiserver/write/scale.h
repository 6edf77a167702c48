#pragma once

// The Scale of an object: its number of replicas, in the same form for every kind.

#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/apiserver/strategies/strategy.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

// The Scale of an object whose resource has the scale subresource.
Result<Json> ScaleOf(const Json& object, const Resource& resource);

// The object with the replicas of the Scale.
Result<Json> WithScale(const Json& object, const Json& scale, const Resource& resource);

// Refuses a custom object whose replicas are not numbers that a Scale can have.
void ValidateReplicas(const Json& object, const ScalePaths& paths, FieldErrors& errors);

}  // namespace kubexms
