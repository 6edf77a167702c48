#pragma once

// The roles that controllers need, from what they declare to touch.

#include <string>
#include <vector>

#include "kubexms/base/json/json.h"
#include "kubexms/controller/controller.h"

namespace kubexms {

struct RoleOptions {
  std::string name;            // of the role, its binding and the service account
  std::string namespace_name;  // of the service account
  // By default so, since whoever runs the program later decides on --leader-elect.
  bool leader_election = true;
};

// A ServiceAccount, and with a binding each: a Role in every namespace that controllers are held to
// by their scope, a ClusterRole for what they touch elsewhere (with events, where their objects
// are), and, for leader election, leases in the Role of the account's namespace. Rules are sorted
// and each is there once, so that the same controllers always give the same text.
std::vector<Json> RolesFor(const std::vector<Controller>& controllers, const RoleOptions& options);

}  // namespace kubexms
