#pragma once

// Whether somebody who asks for something may have it.

#include <string>

#include "kubexms/controller/requests/audit_record.h"
#include "kubexms/controller/controller.h"
#include "kubexms/controller/reconcile.h"

namespace kubexms::platform {

struct Access {
  std::string verb;
  ResourceType resource;
  ObjectKey key;
};

// Asks the server whether `asker` may do that. Terminal when the answer is no.
Result<void> CheckAccess(ReconcileContext& context, const Asker& asker, const Access& access);
// What a controller that asks needs.
ResourceAccess ReviewAccess();

}  // namespace kubexms::platform
