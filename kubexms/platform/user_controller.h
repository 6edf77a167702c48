#pragma once

// The user controller. Every user has a workspace (the namespace ns-<user>), a ServiceAccount, a
// kubeconfig with its token, the roles of the workspace, and the role Owner in it. The user "admin"
// is cluster-admin.
//
// The stages are independent: if one fails, the others run all the same. Its condition has the
// error, and the phase is Unknown until all stages succeed.

#include <string>
#include <vector>

#include "kubexms/controller/controller.h"
#include "kubexms/platform/user_kubeconfig.h"

namespace kubexms::platform {

struct UserControllerOptions {
  int workers = 5;
  // The server in the kubeconfigs.
  ServerAddress server;
  // API groups of custom resources that owners of workspaces may use.
  std::vector<std::string> workspace_groups;
};

Controller UserController(UserControllerOptions options);

}  // namespace kubexms::platform
