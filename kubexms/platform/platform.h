#pragma once

// The platform: users with workspaces of their own, requests about them, and devboxes. Its kinds
// are custom resources, so it runs on any Kubernetes.

#include <stop_token>
#include <vector>

#include "kubexms/base/json/json.h"
#include "kubexms/controller/controller.h"
#include "kubexms/controller/manager/manager.h"
#include "kubexms/controller/manager/rbac.h"
#include "kubexms/platform/delete_request_controller.h"
#include "kubexms/platform/devbox_controller.h"
#include "kubexms/platform/operation_request_controller.h"
#include "kubexms/platform/user_controller.h"

namespace kubexms::platform {

struct PlatformOptions {
  UserControllerOptions users;
  OperationRequestOptions operation_requests;
  DeleteRequestOptions delete_requests;
  DevboxControllerOptions devboxes;
};

// The CustomResourceDefinitions of its kinds.
std::vector<Json> Definitions();

// Makes the server have them as this program knows them, and the namespace user-system, in which
// the platform keeps what users must not write. Returns when they are served.
Result<void> Install(Client& client, Clock& clock, std::stop_token stop);

std::vector<Controller> Controllers(const PlatformOptions& options);

// A service account, and the roles with which it can install the definitions and run these
// controllers, on any Kubernetes and with no other rights; and the namespace that some are in.
std::vector<Json> Roles(const RoleOptions& options, const PlatformOptions& platform);

// Adds them to a manager, before it runs. They act through `client`, which must outlive it.
void AddControllers(const PlatformOptions& options, Client& client, Manager& manager);

}  // namespace kubexms::platform
