#pragma once

// What every user has: a workspace (the namespace ns-<user>), a service account by which the server
// knows the user, a kubeconfig with its token, the roles that can be had in the workspace, and the
// role Owner there. The user "admin" may do everything.
//
// One part that fails does not keep the others from being made; its condition says why, and the
// phase is Unknown until all are there.

#include <string>
#include <vector>

#include "kubexms/controller/controller.h"
#include "kubexms/platform/user_kubeconfig.h"

namespace kubexms::platform {

struct UserControllerOptions {
  int workers = 5;
  // What is written into the kubeconfigs.
  ServerAddress server;
  // API groups of custom resources that owners of workspaces may work with.
  std::vector<std::string> workspace_groups;
};

Controller UserController(UserControllerOptions options);

}  // namespace kubexms::platform
