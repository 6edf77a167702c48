#include "kubexms/controller/manager/rbac.h"

#include <gmock/gmock.h>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/api/kinds/core_v1/node.h"

namespace kubexms {
namespace {

using corev1::ConfigMap;
using corev1::Secret;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

ControllerFor<ConfigMap> Maps(const std::string& namespace_name) {
  return ControllerFor<ConfigMap>({.name = "maps"}, {.namespace_name = namespace_name});
}

// "Role team-a: get,list,watch secrets" of every rule of every role.
std::vector<std::string> Allowed(const std::vector<Json>& objects) {
  const auto joined = [](const Json& texts) {
    std::string result;
    for (const Json& text : texts.as_array()) {
      result.append(result.empty() ? "" : ",").append(AsView(text.as_string()));
    }
    return result;
  };
  std::vector<std::string> allowed;
  for (const Json& object : objects) {
    const Json* rules = FindMember(object, "rules");
    if (rules == nullptr) continue;
    const Json& metadata = object.at("metadata");
    for (const Json& rule : rules->as_array()) {
      allowed.push_back(std::string(FindString(object, "kind")) + " " +
                        std::string(FindString(metadata, "namespace")) + ": " +
                        joined(rule.at("verbs")) + " " + joined(rule.at("resources")));
    }
  }
  return allowed;
}

std::vector<std::string> KindsOf(const std::vector<Json>& objects) {
  std::vector<std::string> kinds;
  for (const Json& object : objects) kinds.emplace_back(FindString(object, "kind"));
  return kinds;
}

const RoleOptions kOptions{.name = "maps", .namespace_name = "system", .leader_election = false};

TEST(RbacTest, AControllerOfTheWholeClusterHasAClusterRole) {
  const auto roles = RolesFor({Maps("").Reads<Secret>()}, kOptions);
  EXPECT_THAT(KindsOf(roles), ElementsAre("ServiceAccount", "ClusterRole", "ClusterRoleBinding"));
  EXPECT_THAT(Allowed(roles),
              UnorderedElementsAre("ClusterRole : create,patch events",
                                   "ClusterRole : get,list,patch,update,watch configmaps",
                                   "ClusterRole : get,list,watch secrets",
                                   "ClusterRole : get,patch,update configmaps/status",
                                   "ClusterRole : update configmaps/finalizers"));
}

TEST(RbacTest, AControllerOfANamespaceIsAllowedNothingElsewhere) {
  const auto roles =
      RolesFor({Maps("team-a").Owns<Secret>().RequiresAccess<corev1::Secret>({"create"}, "token")},
               kOptions);
  EXPECT_THAT(KindsOf(roles), ElementsAre("ServiceAccount", "Role", "RoleBinding"));
  EXPECT_THAT(
      Allowed(roles),
      UnorderedElementsAre("Role team-a: create secrets/token", "Role team-a: create,patch events",
                           "Role team-a: create,delete,get,list,patch,update,watch secrets",
                           "Role team-a: get,list,patch,update,watch configmaps",
                           "Role team-a: get,patch,update configmaps/status",
                           "Role team-a: update configmaps/finalizers"));
  EXPECT_EQ(FindString(roles[2].at("metadata"), "namespace"), "team-a");
  EXPECT_EQ(FindString(roles[2].at("roleRef"), "kind"), "Role");
  EXPECT_EQ(FindString(roles[2].at("subjects").at(0), "namespace"), "system");
}

TEST(RbacTest, AccessInOtherNamespacesHasItsOwnRole) {
  const auto roles = RolesFor({Maps("team-a")
                                   .Reads<corev1::Node>()
                                   .Reads<Secret>({.scope = {.namespace_name = "team-b"}})
                                   .RequiresAccess<corev1::ConfigMap>({"create"}, "", "")},
                              kOptions);
  EXPECT_THAT(Allowed(roles), testing::IsSupersetOf({"ClusterRole : get,list,watch nodes",
                                                     "ClusterRole : create configmaps",
                                                     "Role team-b: get,list,watch secrets"}));
}

TEST(RbacTest, LeasesAreInTheNamespaceOfTheAccount) {
  RoleOptions options = kOptions;
  options.leader_election = true;
  const auto roles = RolesFor({Maps("")}, options);
  EXPECT_THAT(KindsOf(roles), ElementsAre("ServiceAccount", "ClusterRole", "ClusterRoleBinding",
                                          "Role", "RoleBinding"));
  EXPECT_THAT(Allowed(roles), testing::Contains("Role system: create,get,update leases"));
  options.namespace_name = "team-a";
  EXPECT_THAT(KindsOf(RolesFor({Maps("team-a")}, options)),
              ElementsAre("ServiceAccount", "Role", "RoleBinding"));
}

}  // namespace
}  // namespace kubexms
