#pragma once

// What deleting an object means: at once, after a grace period, or when its finalizers are done.

#include "kubexms/api/values/time.h"
#include "kubexms/apiserver/request/request.h"
#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

// Fails when the object is not the one that the options mean.
Result<void> CheckPreconditions(const Json& object, const DeleteQuery& options,
                                const Resource& resource);

// True when nothing holds the object, so that it can be removed. Otherwise it now says that it is
// being deleted, since when, and what is to become of its dependents. Safe to do twice: a shorter
// grace period than before shortens it.
bool MarkForDeletion(Json& object, const Resource& resource, const DeleteQuery& options, Time now);

// A Namespace also waits for the finalizers in its spec.
bool HasContentFinalizers(const Json& object, const Resource& resource);

}  // namespace kubexms
