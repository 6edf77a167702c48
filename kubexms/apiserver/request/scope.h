#pragma once

// Checks a path against the scope of its resource: objects of a namespaced resource are served
// below their namespace, objects of a cluster-scoped resource are not served below any namespace.

#include "kubexms/apiserver/request/user.h"
#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/base/result.h"

namespace kubexms {

// Refuses, with 404, a namespace in the path of a cluster-scoped resource. Must be called before
// the HTTP request is authorized: authorization uses the namespace of the path, so a user with all
// permissions in one namespace would otherwise get access to cluster-scoped objects.
Result<void> CheckScope(const Resource& resource, const RequestAttributes& attributes);

// Refuses a path at which the resource is not served with 404, and a method that is not served at
// the path with 405. Called after the HTTP request is authorized, as in Kubernetes.
Result<void> CheckPath(const Resource& resource, const RequestAttributes& attributes);

// The 404 for a path whose resource is not served.
Error NoSuchResource();
// The 405 of a method that the resource does not have.
Error MethodNotAllowed();

}  // namespace kubexms
