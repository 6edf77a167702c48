#include "kubexms/controller/rbac.h"

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

// Resources of one group with the same verbs share a rule.
JsonArray Rules(const std::vector<Controller>& controllers) {
  std::map<std::pair<std::string, std::string>, std::set<std::string>> verbs;
  for (const Controller& controller : controllers) {
    for (const ResourceAccess& access : controller.access()) {
      std::string resource = access.resource.plural;
      if (!access.subresource.empty()) resource += "/" + access.subresource;
      verbs[{access.resource.group, resource}].insert(access.verbs.begin(), access.verbs.end());
    }
  }
  verbs[{"", "events"}].insert({"create", "patch"});
  std::map<std::pair<std::string, std::set<std::string>>, std::set<std::string>> resources;
  for (const auto& [where, what] : verbs) resources[{where.first, what}].insert(where.second);
  JsonArray rules;
  for (const auto& [key, names] : resources) rules.push_back(Rule(key.first, names, key.second));
  return rules;
}

JsonObject Named(std::string_view api_version, std::string_view kind, const std::string& name,
                 const std::string& name_space) {
  JsonObject metadata;
  metadata["name"] = name;
  if (!name_space.empty()) metadata["namespace"] = name_space;
  JsonObject object;
  object["apiVersion"] = api_version;
  object["kind"] = kind;
  object["metadata"] = std::move(metadata);
  return object;
}

JsonObject Binding(std::string_view kind, std::string_view role_kind, const RoleOptions& options,
                   const std::string& name_space) {
  JsonObject binding = Named(kRbacVersion, kind, options.name, name_space);
  JsonObject role;
  role["apiGroup"] = "rbac.authorization.k8s.io";
  role["kind"] = role_kind;
  role["name"] = options.name;
  binding["roleRef"] = std::move(role);
  JsonObject subject;
  subject["kind"] = "ServiceAccount";
  subject["name"] = options.name;
  subject["namespace"] = options.name_space;
  binding["subjects"] = JsonArray{std::move(subject)};
  return binding;
}

}  // namespace

std::vector<Json> RolesFor(const std::vector<Controller>& controllers, const RoleOptions& options) {
  std::vector<Json> objects;
  objects.push_back(Named("v1", "ServiceAccount", options.name, options.name_space));
  JsonObject cluster_role = Named(kRbacVersion, "ClusterRole", options.name, "");
  cluster_role["rules"] = Rules(controllers);
  objects.push_back(std::move(cluster_role));
  objects.push_back(Binding("ClusterRoleBinding", "ClusterRole", options, ""));
  if (!options.leader_election) return objects;
  JsonObject role = Named(kRbacVersion, "Role", options.name, options.name_space);
  role["rules"] = JsonArray{Rule("coordination.k8s.io", {"leases"}, {"create", "get", "update"})};
  objects.push_back(std::move(role));
  objects.push_back(Binding("RoleBinding", "Role", options, options.name_space));
  return objects;
}

}  // namespace kubexms
