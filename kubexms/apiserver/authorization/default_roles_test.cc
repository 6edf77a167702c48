#include "kubexms/apiserver/authorization/default_roles.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "kubexms/apiserver/authorization/rbac_objects_test.h"
#include "kubexms/store/memory_store.h"

namespace kubexms {
namespace {

std::map<std::string, Json> ByKey() {
  std::map<std::string, Json> objects;
  for (const Json& object : DefaultRbacObjects()) {
    EXPECT_TRUE(objects.emplace(RbacKey(object), object).second) << RbacKey(object);
  }
  return objects;
}

Json ClusterRoleNamed(const std::string& name) {
  return ByKey().at(StoragePrefix(kRbacGroup, "clusterroles") + name);
}

TEST(DefaultRolesTest, AreComplete) {
  std::map<std::string, int> count;
  for (const auto& [key, object] : ByKey()) ++count[std::string(FindString(object, "kind"))];
  EXPECT_EQ(count["ClusterRole"], 68);
  EXPECT_EQ(count["ClusterRoleBinding"], 49);
  EXPECT_EQ(count["Role"], 7);
  EXPECT_EQ(count["RoleBinding"], 7);
}

TEST(DefaultRolesTest, HaveARoleForEveryBinding) {
  const std::map<std::string, Json> objects = ByKey();
  for (const auto& [key, object] : objects) {
    const Json* reference = FindMember(object, "roleRef");
    if (reference == nullptr) continue;
    const bool cluster = FindString(*reference, "kind") == "ClusterRole";
    const std::string home(cluster ? "" : FindString(object.at("metadata"), "namespace"));
    const Json role = RoleObject(home, std::string(FindString(*reference, "name")), {});
    EXPECT_TRUE(objects.contains(RbacKey(role))) << key;
  }
}

TEST(DefaultRolesTest, HaveTheAutoupdateAnnotation) {
  for (const Json& object : DefaultRbacObjects()) {
    const Json& metadata = object.at("metadata");
    EXPECT_EQ(FindString(metadata.at("labels"), "kubernetes.io/bootstrapping"), "rbac-defaults");
    EXPECT_EQ(FindString(metadata.at("annotations"), "rbac.authorization.kubernetes.io/autoupdate"),
              "true");
  }
}

TEST(DefaultRolesTest, MatchWellKnownRulesOfKubernetes) {
  EXPECT_EQ(WriteJson(ClusterRoleNamed("cluster-admin").at("rules")),
            R"([{"apiGroups":["*"],"resources":["*"],"verbs":["*"]},)"
            R"({"nonResourceURLs":["*"],"verbs":["*"]}])");
  EXPECT_EQ(
      WriteJson(ClusterRoleNamed("system:basic-user").at("rules")),
      R"([{"apiGroups":["authorization.k8s.io"],"resources":["selfsubjectaccessreviews",)"
      R"("selfsubjectrulesreviews"],"verbs":["create"]},{"apiGroups":["authentication.k8s.io"],)"
      R"("resources":["selfsubjectreviews"],"verbs":["create"]}])");
  EXPECT_EQ(WriteJson(ClusterRoleNamed("system:node-problem-detector").at("rules").at(2)),
            R"({"apiGroups":["","events.k8s.io"],"resources":["events"],)"
            R"("verbs":["create","patch","update"]})");
  EXPECT_EQ(WriteJson(ClusterRoleNamed("edit").at("aggregationRule")),
            R"({"clusterRoleSelectors":[{"matchLabels":)"
            R"({"rbac.authorization.k8s.io/aggregate-to-edit":"true"}}]})");
}

TEST(DefaultRolesTest, GrantTheExpectedPermissions) {
  const std::unique_ptr<store::Store> store = store::MakeMemoryStore();
  for (const Json& object : DefaultRbacObjects()) PutObject(*store, object);
  for (const char* role : {"admin", "edit", "view"}) {
    PutObject(*store, BindingObject("x", role, "ClusterRole", role, {SubjectOf("User", role)}));
  }
  const auto authorizer = RbacAuthorizer::Open(*store).value();
  const auto may = [&](const char* user, const char* verb, const char* group,
                       const char* resource) {
    return authorizer
        ->Authorize({.name = user},
                    {.verb = verb, .group = group, .resource = resource, .namespace_name = "x"})
        ->allowed;
  };
  EXPECT_TRUE(may("view", "list", "apps", "deployments"));
  EXPECT_FALSE(may("view", "list", "", "secrets"));
  EXPECT_FALSE(may("view", "create", "", "pods"));
  EXPECT_TRUE(may("edit", "list", "apps", "deployments"));
  EXPECT_TRUE(may("edit", "create", "", "pods"));
  EXPECT_TRUE(may("edit", "get", "", "secrets"));
  EXPECT_FALSE(may("edit", "create", "rbac.authorization.k8s.io", "roles"));
  EXPECT_TRUE(may("admin", "create", "rbac.authorization.k8s.io", "roles"));
  EXPECT_TRUE(may("admin", "watch", "", "pods"));
  EXPECT_FALSE(may("admin", "create", "", "resourcequotas"));

  const UserInfo anonymous{.name = "system:anonymous", .groups = {"system:unauthenticated"}};
  const auto may_get = [&](const char* path) {
    return authorizer->Authorize(anonymous, {.verb = "get", .is_resource = false, .path = path})
        ->allowed;
  };
  EXPECT_TRUE(may_get("/healthz"));
  EXPECT_FALSE(may_get("/api"));
}

TEST(ReconcileRoleTest, AddsMissingRulesAndPreservesAdditionalOnes) {
  const Json wanted = ClusterRoleNamed("system:kube-dns");
  EXPECT_FALSE(ReconcileRole(wanted, wanted).has_value());
  Json existing =
      RoleObject("", "system:kube-dns",
                 {Rule({"get"}, {""}, {"nodes"}), Rule({"list"}, {"*"}, {"endpoints"})});
  const Json reconciled = ReconcileRole(existing, wanted).value();
  EXPECT_EQ(WriteJson(reconciled.at("rules")),
            R"([{"apiGroups":[""],"resources":["nodes"],"verbs":["get"]},)"
            R"({"apiGroups":["*"],"resources":["endpoints"],"verbs":["list"]},)"
            R"({"apiGroups":[""],"resources":["endpoints"],"verbs":["watch"]},)"
            R"({"apiGroups":[""],"resources":["services"],"verbs":["list","watch"]}])");
  EXPECT_TRUE(FindMember(reconciled.at("metadata"), "labels") != nullptr);
  EXPECT_FALSE(ReconcileRole(reconciled, wanted).has_value());
}

TEST(ReconcileRoleTest, DoesNotChangeAProtectedRole) {
  const Json wanted = ClusterRoleNamed("system:kube-dns");
  Json existing = RoleObject("", "system:kube-dns", {});
  existing.at("metadata").as_object()["annotations"] =
      JsonObject{{"rbac.authorization.kubernetes.io/autoupdate", "false"}};
  EXPECT_FALSE(ReconcileRole(existing, wanted).has_value());
}

TEST(ReconcileRoleTest, DoesNotChangeTheRulesOfAnAggregatingRole) {
  const Json wanted = ClusterRoleNamed("view");
  Json existing = wanted;
  existing.as_object()["rules"] = JsonArray();
  EXPECT_FALSE(ReconcileRole(existing, wanted).has_value());
}

TEST(ReconcileBindingTest, AddsSubjectsAndReplacesABindingToAnotherRole) {
  const Json wanted =
      ByKey().at(StoragePrefix(kRbacGroup, "clusterrolebindings") + "system:public-info-viewer");
  EXPECT_FALSE(ReconcileBinding(wanted, wanted).has_value());
  Json existing = wanted;
  existing.as_object()["subjects"] = JsonArray{JsonObject{{"kind", "User"}, {"name", "joe"}}};
  EXPECT_EQ(ReconcileBinding(existing, wanted)->at("subjects").as_array().size(), 3u);
  existing.as_object()["roleRef"] = JsonObject{{"kind", "ClusterRole"}, {"name", "other"}};
  EXPECT_TRUE(JsonEqual(ReconcileBinding(existing, wanted).value(), wanted));
}

}  // namespace
}  // namespace kubexms
