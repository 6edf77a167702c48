#pragma once

// What the roles of a workspace allow. Kubernetes' rules can name what they allow and nothing that
// they leave out, so each resource is named: a wildcard would include the Namespace itself with its
// pod security labels, its quotas, and the status of requests.

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

// Owner and Manager may do what the ClusterRole "admin" of Kubernetes allows, work with devboxes,
// ask for operations, and give the three roles away. Developer may read. `groups` are API groups
// of custom resources whose objects are treated like those of Kubernetes.
std::vector<WorkspaceRole> WorkspaceRoles(std::span<const std::string> groups);

// Whether `group` can be one of these: BadRequest for what is no group of custom resources, and for
// groups of which workspaces have a part only.
Result<void> CheckWorkspaceGroup(const std::string& group);

}  // namespace kubexms::platform
