#pragma once

// The controller of Deleterequests: it deletes a user and, unless deleteDependents is false, the
// workspace with its content. The requester needs the permission to delete the user. Protected
// users are not deleted.

#include <chrono>
#include <set>
#include <string>

#include "kubexms/controller/requests/request_controller.h"
#include "kubexms/platform/user_kinds.h"

namespace kubexms::platform {

struct DeleteRequestOptions {
  int workers = 2;
  std::set<std::string, std::less<>> protected_users = {"admin"};
  RequestTimeOptions times{.expires_after = std::chrono::minutes(10)};
  // The interval at which a deletion in progress is checked.
  std::chrono::nanoseconds poll_interval = std::chrono::seconds(1);
  AuditSink* audit = nullptr;  // borrowed; null: none
};

Controller DeleteRequestController(const DeleteRequestOptions& options);

}  // namespace kubexms::platform
