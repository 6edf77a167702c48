#pragma once

// Operationrequests: the role of a user in a workspace is granted, changed or taken away. The role
// is a RoleBinding "rb-<user>" in the workspace; what it refers to cannot be changed, so another
// role means another binding.
//
// Whoever asks must be allowed to give that role away there ("bind" it); everybody may give up a
// role of their own. On a server that records who created a request, that one is asked about. On
// others, where nobody vouches for the creator,
// only requests in the namespace user-system are executed, into which users cannot write.

#include "kubexms/controller/requests/request_controller.h"
#include "kubexms/platform/user_kinds.h"

namespace kubexms::platform {

struct OperationRequestOptions {
  int workers = 5;
  // Where requests are executed; empty: in all namespaces.
  std::string watch_namespace;
  RequestTimes times{.expires_after = std::chrono::minutes(3)};
  AuditSink* audit = nullptr;  // borrowed; null: none
};

Controller OperationRequestController(const OperationRequestOptions& options);

}  // namespace kubexms::platform
