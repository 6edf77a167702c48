#pragma once

// The rules of the roles of a workspace. RBAC rules cannot exclude resources, so each resource is
// listed: a wildcard would include the Namespace with its Pod Security labels, its quotas, and the
// status of requests.

#include <span>
#include <string>
#include <vector>

#include "kubexms/api/kinds/rbac_v1.h"
#include "kubexms/base/result.h"

namespace kubexms::platform {

struct WorkspaceRole {
  std::string name;
  std::vector<rbacv1::PolicyRule> rules;
};

// Owner and Manager have the permissions of the ClusterRole "admin" of Kubernetes, and may use
// devboxes, create requests, and bind the three roles. Developer may read. `groups` are API groups
// of custom resources that are treated like those of Kubernetes.
std::vector<WorkspaceRole> WorkspaceRoles(std::span<const std::string> groups);

// BadRequest if `group` is not a group of custom resources, or one of which workspaces may use a
// part only.
Result<void> CheckWorkspaceGroup(const std::string& group);

}  // namespace kubexms::platform
