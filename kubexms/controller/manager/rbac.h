#pragma once

// Derives RBAC roles from the access that controllers declare.

#include <string>
#include <vector>

#include "kubexms/base/json/json.h"
#include "kubexms/controller/controller.h"

namespace kubexms {

struct RoleOptions {
  std::string name;            // of the roles, their bindings and the ServiceAccount
  std::string namespace_name;  // of the ServiceAccount
  // True by default, since --leader-elect is decided when the program is started.
  bool leader_election = true;
};

// Returns a ServiceAccount, a Role for every namespace in the scopes of the controllers, a
// ClusterRole for all other access, and their bindings. Events are written in the namespaces of the
// reconciled objects; leader election needs Leases in the namespace of the ServiceAccount. Rules
// are sorted and distinct, so that the same controllers always yield the same manifests.
std::vector<Json> RolesFor(const std::vector<Controller>& controllers, const RoleOptions& options);

}  // namespace kubexms
