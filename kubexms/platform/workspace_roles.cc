#include "kubexms/platform/workspace_roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kubexms/api/names.h"
#include "kubexms/platform/names.h"
#include "kubexms/platform/user_kinds.h"

namespace kubexms::platform {
namespace {

using rbacv1::PolicyRule;
using Names = std::vector<std::string>;

constexpr const char* kRbacGroup = "rbac.authorization.k8s.io";

const Names& ReadVerbs() {
  static const Names kVerbs = {"get", "list", "watch"};
  return kVerbs;
}
const Names& WriteVerbs() {
  static const Names kVerbs = {"create", "delete", "deletecollection", "patch", "update"};
  return kVerbs;
}

PolicyRule Rule(Names verbs, Names groups, Names resources) {
  PolicyRule rule;
  rule.verbs = std::move(verbs);
  rule.api_groups = std::move(groups);
  rule.resources = std::move(resources);
  return rule;
}

// All that is visible without acting: not pods/exec and the like, which a GET opens, too.
std::vector<PolicyRule> ReadRules() {
  return {
      Rule(ReadVerbs(), {""},
           {"bindings",
            "configmaps",
            "endpoints",
            "events",
            "limitranges",
            "namespaces",
            "namespaces/status",
            "persistentvolumeclaims",
            "persistentvolumeclaims/status",
            "pods",
            "pods/log",
            "pods/status",
            "podtemplates",
            "replicationcontrollers",
            "replicationcontrollers/scale",
            "replicationcontrollers/status",
            "resourcequotas",
            "resourcequotas/status",
            "secrets",
            "serviceaccounts",
            "services",
            "services/status"}),
      Rule(ReadVerbs(), {"apps", "extensions"},
           {"controllerrevisions", "daemonsets", "daemonsets/status", "deployments",
            "deployments/scale", "deployments/status", "ingresses", "ingresses/status",
            "networkpolicies", "replicasets", "replicasets/scale", "replicasets/status",
            "replicationcontrollers/scale", "statefulsets", "statefulsets/scale",
            "statefulsets/status"}),
      Rule(ReadVerbs(), {"autoscaling"},
           {"horizontalpodautoscalers", "horizontalpodautoscalers/status"}),
      Rule(ReadVerbs(), {"batch"}, {"cronjobs", "cronjobs/status", "jobs", "jobs/status"}),
      Rule(ReadVerbs(), {"coordination.k8s.io"}, {"leases"}),
      Rule(ReadVerbs(), {"discovery.k8s.io"}, {"endpointslices"}),
      Rule(ReadVerbs(), {"events.k8s.io"}, {"events"}),
      Rule(ReadVerbs(), {"metrics.k8s.io"}, {"pods"}),
      Rule(ReadVerbs(), {"networking.k8s.io"},
           {"ingresses", "ingresses/status", "networkpolicies"}),
      Rule(ReadVerbs(), {"policy"}, {"poddisruptionbudgets", "poddisruptionbudgets/status"}),
      Rule(ReadVerbs(), {kRbacGroup}, {"rolebindings", "roles"}),
      Rule(ReadVerbs(), {"resource.k8s.io"},
           {"resourceclaims", "resourceclaims/status", "resourceclaimtemplates"}),
      Rule(ReadVerbs(), {"storage.k8s.io"}, {"csistoragecapacities"}),
      Rule(ReadVerbs(), {"devbox.sealos.io"}, {"devboxes", "devboxes/status"}),
      Rule(ReadVerbs(), {std::string(userv1::kGroup)},
           {"operationrequests", "operationrequests/status"}),
  };
}

// Without any status, which is for controllers; without the Namespace, its quotas and limits, which
// are for administrators; and without Endpoints, by which a Service reaches what its owner may not.
std::vector<PolicyRule> WriteRules() {
  Names read_and_write = ReadVerbs();
  read_and_write.insert(read_and_write.end(), WriteVerbs().begin(), WriteVerbs().end());
  PolicyRule give_away = Rule({"bind"}, {kRbacGroup}, {"roles"});
  give_away.resource_names = {kDeveloperRole, kManagerRole, kOwnerRole};
  return {
      Rule(read_and_write, {""},
           {"pods/attach", "pods/exec", "pods/portforward", "pods/proxy", "services/proxy"}),
      Rule(WriteVerbs(), {""},
           {"configmaps", "events", "persistentvolumeclaims", "pods", "podtemplates",
            "replicationcontrollers", "replicationcontrollers/scale", "secrets", "serviceaccounts",
            "services"}),
      Rule({"get", "patch", "update"}, {""}, {"pods/ephemeralcontainers", "pods/resize"}),
      Rule({"create"}, {""}, {"pods/eviction", "serviceaccounts/token"}),
      Rule({"impersonate"}, {""}, {"serviceaccounts"}),
      Rule(WriteVerbs(), {"apps", "extensions"},
           {"daemonsets", "deployments", "deployments/rollback", "deployments/scale", "ingresses",
            "networkpolicies", "replicasets", "replicasets/scale", "replicationcontrollers/scale",
            "statefulsets", "statefulsets/scale"}),
      Rule({"create"}, {"authorization.k8s.io"}, {"localsubjectaccessreviews"}),
      Rule(WriteVerbs(), {"autoscaling"}, {"horizontalpodautoscalers"}),
      Rule(WriteVerbs(), {"batch"}, {"cronjobs", "jobs"}),
      Rule(WriteVerbs(), {"coordination.k8s.io"}, {"leases"}),
      Rule(WriteVerbs(), {"events.k8s.io"}, {"events"}),
      Rule(WriteVerbs(), {"networking.k8s.io"}, {"ingresses", "networkpolicies"}),
      Rule(WriteVerbs(), {"policy"}, {"poddisruptionbudgets"}),
      // Neither "escalate" nor "bind" in general: nobody gives more than they have.
      Rule(WriteVerbs(), {kRbacGroup}, {"rolebindings", "roles"}),
      std::move(give_away),
      Rule(WriteVerbs(), {"resource.k8s.io"}, {"resourceclaims", "resourceclaimtemplates"}),
      Rule(WriteVerbs(), {"devbox.sealos.io"}, {"devboxes"}),
      // A request is created and may be canceled. Its finalizer and its labels are not its owner's.
      Rule({"create", "delete", "deletecollection"}, {std::string(userv1::kGroup)},
           {"operationrequests"}),
  };
}

void AddGroups(Names verbs, std::span<const std::string> groups, std::vector<PolicyRule>& rules) {
  if (groups.empty()) return;
  rules.push_back(Rule(std::move(verbs), Names(groups.begin(), groups.end()), {"*"}));
}

}  // namespace

std::vector<WorkspaceRole> WorkspaceRoles(std::span<const std::string> groups) {
  std::vector<PolicyRule> read = ReadRules();
  std::vector<PolicyRule> all = read;
  for (PolicyRule& rule : WriteRules()) all.push_back(std::move(rule));
  AddGroups(ReadVerbs(), groups, read);
  Names every_verb = ReadVerbs();
  every_verb.insert(every_verb.end(), WriteVerbs().begin(), WriteVerbs().end());
  AddGroups(std::move(every_verb), groups, all);
  return {{kOwnerRole, all}, {kManagerRole, all}, {kDeveloperRole, read}};
}

Result<void> CheckWorkspaceGroup(const std::string& group) {
  if (!ValidateDns1123Subdomain(group).empty() || group.find('.') == std::string::npos) {
    return Error::BadRequest(fmt::format("\"{}\" is no API group of custom resources", group));
  }
  for (const WorkspaceRole& role : WorkspaceRoles({})) {
    for (const PolicyRule& rule : role.rules) {
      if (std::find(rule.api_groups.begin(), rule.api_groups.end(), group) ==
          rule.api_groups.end()) {
        continue;
      }
      return Error::BadRequest(fmt::format(
          "workspaces have of the API group {} what their owners may have already", group));
    }
  }
  return {};
}

}  // namespace kubexms::platform
