#pragma once

// Deleterequests: a user is deleted with the workspace and everything in it, or, with
// deleteDependents: false, without. Whoever asks must be allowed to delete the user. Protected
// users stay.

#include <chrono>
#include <set>
#include <string>

#include "kubexms/controller/requests/request_controller.h"
#include "kubexms/platform/user_kinds.h"

namespace kubexms::platform {

struct DeleteRequestOptions {
  int workers = 2;
  std::set<std::string, std::less<>> protected_users = {"admin"};
  RequestTimes times{.expires_after = std::chrono::minutes(10)};
  // How often it is looked whether somebody who is being deleted has gone.
  std::chrono::nanoseconds look_again = std::chrono::seconds(1);
  AuditSink* audit = nullptr;  // borrowed; null: none
};

Controller DeleteRequestController(const DeleteRequestOptions& options);

}  // namespace kubexms::platform
