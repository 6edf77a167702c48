#include "kubexms/platform/workspace_roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
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

// The groups of the resources below. The rules are the product of groups and resources, which keeps
// the three Roles of every workspace small.
const Names& Groups() {
  static const Names kGroups = {"",
                                "apps",
                                "autoscaling",
                                "batch",
                                "coordination.k8s.io",
                                "devbox.sealos.io",
                                "discovery.k8s.io",
                                "events.k8s.io",
                                "extensions",
                                "metrics.k8s.io",
                                "networking.k8s.io",
                                "policy",
                                "resource.k8s.io",
                                "storage.k8s.io"};
  return kGroups;
}

// Resources that owners may write.
const Names& Written() {
  static const Names kResources = {"configmaps",
                                   "cronjobs",
                                   "daemonsets",
                                   "deployments",
                                   "deployments/rollback",
                                   "deployments/scale",
                                   "devboxes",
                                   "events",
                                   "horizontalpodautoscalers",
                                   "ingresses",
                                   "jobs",
                                   "leases",
                                   "networkpolicies",
                                   "persistentvolumeclaims",
                                   "poddisruptionbudgets",
                                   "pods",
                                   "podtemplates",
                                   "replicasets",
                                   "replicasets/scale",
                                   "replicationcontrollers",
                                   "replicationcontrollers/scale",
                                   "resourceclaims",
                                   "resourceclaimtemplates",
                                   "secrets",
                                   "serviceaccounts",
                                   "services",
                                   "statefulsets",
                                   "statefulsets/scale"};
  return kResources;
}

// Subresources on which a GET has effects: not readable by Developer.
const Names& Opened() {
  static const Names kResources = {"pods/attach", "pods/exec", "pods/portforward", "pods/proxy",
                                   "services/proxy"};
  return kResources;
}

// Resources without write access in a workspace: the Namespace, its quotas and limits are for
// administrators, every status is for controllers; by Endpoints a Service could reach addresses
// that its owner may not.
const Names& OnlyRead() {
  static const Names kResources = {
      "*/status",  "bindings",       "controllerrevisions", "csistoragecapacities",
      "endpoints", "endpointslices", "limitranges",         "namespaces",
      "pods/log",  "resourcequotas"};
  return kResources;
}

Names Together(std::initializer_list<const Names*> parts) {
  Names all;
  for (const Names* part : parts) all.insert(all.end(), part->begin(), part->end());
  return all;
}

std::vector<PolicyRule> ReadRules(Names resources) {
  const std::string group(userv1::kGroup);
  return {Rule(ReadVerbs(), Groups(), std::move(resources)),
          Rule(ReadVerbs(), {kRbacGroup}, {"rolebindings", "roles"}),
          Rule(ReadVerbs(), {group}, {"operationrequests", "operationrequests/status"})};
}

std::vector<PolicyRule> OwnerRules() {
  PolicyRule give_away = Rule({"bind"}, {kRbacGroup}, {"roles"});
  give_away.resource_names = {kDeveloperRole, kManagerRole, kOwnerRole};
  std::vector<PolicyRule> rules = ReadRules(OnlyRead());
  const PolicyRule more[] = {
      Rule(Together({&ReadVerbs(), &WriteVerbs()}), Groups(), Together({&Written(), &Opened()})),
      Rule({"get", "patch", "update"}, {""}, {"pods/ephemeralcontainers", "pods/resize"}),
      Rule({"create"}, {"", "authorization.k8s.io"},
           {"localsubjectaccessreviews", "pods/eviction", "serviceaccounts/token"}),
      Rule({"impersonate"}, {""}, {"serviceaccounts"}),
      // Without "escalate" and general "bind": users cannot grant permissions that they do not
      // have.
      Rule(WriteVerbs(), {kRbacGroup}, {"rolebindings", "roles"}), give_away,
      // Users may create requests and cancel them, but not change finalizers and labels.
      Rule({"create", "delete", "deletecollection"}, {std::string(userv1::kGroup)},
           {"operationrequests"})};
  rules.insert(rules.end(), std::begin(more), std::end(more));
  return rules;
}

void AddGroups(Names verbs, std::span<const std::string> groups, std::vector<PolicyRule>& rules) {
  if (groups.empty()) return;
  rules.push_back(Rule(std::move(verbs), Names(groups.begin(), groups.end()), {"*"}));
}

}  // namespace

std::vector<WorkspaceRole> WorkspaceRoles(std::span<const std::string> groups) {
  std::vector<PolicyRule> read = ReadRules(Together({&OnlyRead(), &Written()}));
  std::vector<PolicyRule> all = OwnerRules();
  AddGroups(ReadVerbs(), groups, read);
  AddGroups(Together({&ReadVerbs(), &WriteVerbs()}), groups, all);
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
