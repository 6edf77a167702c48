#pragma once

// Authorizes requesters by SubjectAccessReviews.

#include <string>

#include "kubexms/controller/controller.h"
#include "kubexms/controller/reconcile.h"
#include "kubexms/controller/requests/audit_record.h"

namespace kubexms::platform {

struct Access {
  std::string verb;
  ResourceType resource;
  ObjectKey key;
};

// Asks the server whether `requester` has the access. The error is terminal if not.
Result<void> CheckAccess(ReconcileContext& context, const Requester& requester,
                         const Access& access);
// The permission that a controller needs for CheckAccess().
ResourceAccess ReviewAccess();

}  // namespace kubexms::platform
