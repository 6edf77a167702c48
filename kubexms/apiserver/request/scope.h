#pragma once

// Whether a path names a resource the way it is served: objects of a namespaced resource below
// their namespace, those of a cluster-scoped one never below any.

#include "kubexms/apiserver/request/user.h"
#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/base/result.h"

namespace kubexms {

// Refuses with 404 a namespace in the path of a cluster-scoped resource. Must be called before the
// request is authorized: authorization goes by the namespace of the path, and whoever may do
// anything in one namespace would be let through to the objects of the cluster.
Result<void> CheckScope(const Resource& resource, const RequestAttributes& attributes);

// Refuses paths at which the resource is not served with 404, and methods that are not served at
// them with 405. To be called after the request is authorized, as Kubernetes does.
Result<void> CheckPath(const Resource& resource, const RequestAttributes& attributes);

// The 404 of a path that names no resource.
Error NoSuchResource();

}  // namespace kubexms
