#pragma once

// Whether somebody who asks for something may have it.

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

// Asks the server whether `requester` may do that. Terminal when the answer is no.
Result<void> CheckAccess(ReconcileContext& context, const Requester& requester,
                         const Access& access);
// What a controller that asks needs.
ResourceAccess ReviewAccess();

}  // namespace kubexms::platform
