#include "kubexms/controller/manager/rbac.h"

#include <map>
#include <set>

namespace kubexms {
namespace {

constexpr std::string_view kRbacVersion = "rbac.authorization.k8s.io/v1";

JsonArray ArrayOf(const std::set<std::string>& texts) {
  JsonArray array;
  for (const std::string& text : texts) array.emplace_back(text);
  return array;
}

JsonObject Rule(const std::string& group, const std::set<std::string>& resources,
                const std::set<std::string>& verbs) {
  JsonObject rule;
  rule["apiGroups"] = ArrayOf({group});
  rule["resources"] = ArrayOf(resources);
  rule["verbs"] = ArrayOf(verbs);
  return rule;
}

// By group and resource.
using Verbs = std::map<std::pair<std::string, std::string>, std::set<std::string>>;
// By namespace; empty: all namespaces and cluster-scoped resources.
using VerbsByNamespace = std::map<std::string, Verbs>;

// The namespace of the reconciled objects, and so of the events about them.
std::string NamespaceOf(const Controller& controller) {
  return controller.has_for() ? controller.rules().front().scope.namespace_name : "";
}

void Add(const Controller& controller, VerbsByNamespace& verbs) {
  for (const ResourceAccess& access : controller.access()) {
    std::string resource = access.resource.plural;
    if (!access.subresource.empty()) resource += "/" + access.subresource;
    const std::string namespace_name =
        access.resource.namespaced ? access.namespace_name.value_or(NamespaceOf(controller)) : "";
    verbs[namespace_name][{access.resource.group, resource}].insert(access.verbs.begin(),
                                                                    access.verbs.end());
  }
  verbs[NamespaceOf(controller)][{"", "events"}].insert({"create", "patch"});
}

// Resources of one group with the same verbs share a rule.
JsonArray Rules(const Verbs& verbs) {
  std::map<std::pair<std::string, std::set<std::string>>, std::set<std::string>> resources;
  for (const auto& [where, what] : verbs) resources[{where.first, what}].insert(where.second);
  JsonArray rules;
  for (const auto& [key, names] : resources) rules.push_back(Rule(key.first, names, key.second));
  return rules;
}

JsonObject Named(std::string_view api_version, std::string_view kind, const std::string& name,
                 const std::string& namespace_name) {
  JsonObject metadata;
  metadata["name"] = name;
  if (!namespace_name.empty()) metadata["namespace"] = namespace_name;
  JsonObject object;
  object["apiVersion"] = api_version;
  object["kind"] = kind;
  object["metadata"] = std::move(metadata);
  return object;
}

JsonObject Binding(const RoleOptions& options, const std::string& namespace_name) {
  const std::string prefix = namespace_name.empty() ? "Cluster" : "";
  JsonObject binding = Named(kRbacVersion, prefix + "RoleBinding", options.name, namespace_name);
  JsonObject role;
  role["apiGroup"] = "rbac.authorization.k8s.io";
  role["kind"] = prefix + "Role";
  role["name"] = options.name;
  binding["roleRef"] = std::move(role);
  JsonObject subject;
  subject["kind"] = "ServiceAccount";
  subject["name"] = options.name;
  subject["namespace"] = options.namespace_name;
  binding["subjects"] = JsonArray{std::move(subject)};
  return binding;
}

}  // namespace

std::vector<Json> RolesFor(const std::vector<Controller>& controllers, const RoleOptions& options) {
  VerbsByNamespace verbs;
  for (const Controller& controller : controllers) Add(controller, verbs);
  if (options.leader_election) {
    verbs[options.namespace_name][{"coordination.k8s.io", "leases"}].insert(
        {"create", "get", "update"});
  }
  std::vector<Json> objects;
  objects.push_back(Named("v1", "ServiceAccount", options.name, options.namespace_name));
  for (const auto& [namespace_name, allowed] : verbs) {
    JsonObject role = Named(kRbacVersion, namespace_name.empty() ? "ClusterRole" : "Role",
                            options.name, namespace_name);
    role["rules"] = Rules(allowed);
    objects.push_back(std::move(role));
    objects.push_back(Binding(options, namespace_name));
  }
  return objects;
}

}  // namespace kubexms
