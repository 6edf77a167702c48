#pragma once

// How an object is deleted: at once, after a grace period, or when its finalizers are removed.

#include "kubexms/api/values/time.h"
#include "kubexms/apiserver/request/request.h"
#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

// Fails with a conflict when the object does not match the preconditions of the options.
Result<void> CheckPreconditions(const Json& object, const DeleteQuery& options,
                                const Resource& resource);

// Returns true when the object has no finalizers and no grace period, so that it can be removed.
// Otherwise marks it as being deleted: the deletionTimestamp, the grace period, and the finalizer
// of the propagation policy. May be called again: a shorter grace period replaces a longer one.
bool MarkForDeletion(Json& object, const Resource& resource, const DeleteQuery& options, Time now);

}  // namespace kubexms
