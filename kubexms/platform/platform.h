#pragma once

// The platform: users with workspaces, requests, and devboxes. Its kinds are custom resources, so
// that it runs on any Kubernetes.

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

// The CustomResourceDefinitions of the platform's kinds.
std::vector<Json> Definitions();

// Applies the definitions, creates the namespace user-system, in which users have no write access,
// and returns when the definitions are established. On a server other than kubexms it first
// installs the policies that check the creators of requests (controller/requests/creator_trust.h).
Result<void> Install(Client& client, Clock& clock, std::stop_token stop);

std::vector<Controller> Controllers(const PlatformOptions& options);

// A ServiceAccount with the minimal roles to install the definitions and to run the controllers on
// any Kubernetes, and the namespace of some of them.
std::vector<Json> Roles(const RoleOptions& options, const PlatformOptions& platform);

// Adds the controllers to a manager before it runs. They write through `client`, which must outlive
// it.
void AddControllers(const PlatformOptions& options, Client& client, Manager& manager);

}  // namespace kubexms::platform
