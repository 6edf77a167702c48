#pragma once

// The controller of Operationrequests: it grants, changes or revokes the role of a user in a
// workspace. The role is a RoleBinding "rb-<user>" in the workspace. Since roleRef is immutable,
// another role needs another binding.
//
// The requester needs the permission to "bind" the role there; users may always give up their own
// role. Requests with an unknown requester (controller/requests/creator_trust.h) are executed only
// in the namespace user-system, in which users have no write access.

#include "kubexms/controller/requests/request_controller.h"
#include "kubexms/platform/user_kinds.h"

namespace kubexms::platform {

struct OperationRequestOptions {
  int workers = 5;
  // The namespace whose requests are executed; empty: all namespaces.
  std::string watch_namespace;
  RequestTimeOptions times{.expires_after = std::chrono::minutes(3)};
  AuditSink* audit = nullptr;  // borrowed; null: none
};

Controller OperationRequestController(const OperationRequestOptions& options);

}  // namespace kubexms::platform
