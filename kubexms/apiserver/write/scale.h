#pragma once

// The Scale of an object: its number of replicas, in one form for every kind that has one.

#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/apiserver/strategies/strategy.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

// The Scale that shows an object of a resource with the scale subresource.
Result<Json> ScaleOf(const Json& object, const Resource& resource);

// The object with the replicas that a Scale asks for.
Result<Json> WithScale(const Json& object, const Json& scale, const Resource& resource);

// Refuses a custom object whose replicas are no numbers that a Scale could show.
void ValidateReplicas(const Json& object, const ScalePaths& paths, FieldErrors& errors);

}  // namespace kubexms
