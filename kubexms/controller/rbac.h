#pragma once

// The roles that controllers need, from what they declare to touch.

#include <string>
#include <vector>

#include "kubexms/base/json.h"
#include "kubexms/controller/controller.h"

namespace kubexms {

struct RoleOptions {
  std::string name;        // of the role, its binding and the service account
  std::string name_space;  // of the service account
  bool leader_election = true;
};

// A ServiceAccount, a ClusterRole with what the controllers touch (and events), its binding, and,
// for leader election, a Role for leases in that namespace with its binding. Rules are sorted and
// each is there once, so that the same controllers always give the same text.
std::vector<Json> RolesFor(const std::vector<Controller>& controllers, const RoleOptions& options);

}  // namespace kubexms
