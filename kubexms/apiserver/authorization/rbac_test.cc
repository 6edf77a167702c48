#include "kubexms/apiserver/authorization/rbac.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>

#include "kubexms/apiserver/authorization/rbac_objects_test.h"
#include "kubexms/store/memory_store.h"

namespace kubexms {
namespace {

class RbacTest : public testing::Test {
 protected:
  RbacTest() : authorizer_(RbacAuthorizer::Open(*store_).value()) {}

  Decision Decide(const UserInfo& user, const RequestAttributes& request) {
    return authorizer_->Authorize(user, request).value();
  }
  bool IsAllowed(const UserInfo& user, const RequestAttributes& request) {
    return Decide(user, request).allowed;
  }

  std::unique_ptr<store::Store> store_ = store::MakeMemoryStore();
  std::unique_ptr<RbacAuthorizer> authorizer_;
};

const UserInfo kJoe{.name = "joe", .groups = {"dev", "system:authenticated"}};
const RequestAttributes kListPods{.verb = "list", .resource = "pods", .namespace_name = "x"};

TEST_F(RbacTest, DeniesWhatNoRuleAllows) {
  const Decision decision = Decide(kJoe, kListPods);
  EXPECT_FALSE(decision.allowed);
  EXPECT_EQ(decision.reason, "");
}

TEST_F(RbacTest, AllowsMastersEverythingWithoutAReason) {
  const Decision decision = Decide({.name = "root", .groups = {"system:masters"}}, kListPods);
  EXPECT_TRUE(decision.allowed);
  EXPECT_EQ(decision.reason, "");
}

TEST_F(RbacTest, SeesEveryCommitImmediately) {
  const Json role = RoleObject("", "reader", {Rule({"list"}, {""}, {"pods"})});
  const Json binding =
      BindingObject("", "joe-reads", "ClusterRole", "reader", {SubjectOf("User", "joe")});
  PutObject(*store_, role);
  EXPECT_FALSE(IsAllowed(kJoe, kListPods));
  PutObject(*store_, binding);
  const Decision decision = Decide(kJoe, kListPods);
  EXPECT_TRUE(decision.allowed);
  EXPECT_EQ(
      decision.reason,
      R"(RBAC: allowed by ClusterRoleBinding "joe-reads" of ClusterRole "reader" to User "joe")");
  PutObject(*store_, RoleObject("", "reader", {Rule({"get"}, {""}, {"pods"})}));
  EXPECT_FALSE(IsAllowed(kJoe, kListPods));
  PutObject(*store_, role);
  EXPECT_TRUE(IsAllowed(kJoe, kListPods));
  DeleteObject(*store_, binding);
  EXPECT_FALSE(IsAllowed(kJoe, kListPods));
}

TEST_F(RbacTest, ReadsObjectsStoredBeforeItsStart) {
  PutObject(*store_, RoleObject("", "reader", {Rule({"list"}, {""}, {"pods"})}));
  PutObject(*store_, BindingObject("", "b", "ClusterRole", "reader", {SubjectOf("Group", "dev")}));
  const auto late = RbacAuthorizer::Open(*store_).value();
  EXPECT_TRUE(late->Authorize(kJoe, kListPods)->allowed);
}

TEST_F(RbacTest, RelistsAfterCompactionOrOverflow) {
  PutObject(*store_, RoleObject("", "reader", {Rule({"list"}, {""}, {"pods"})}));
  for (int i = 0; i < 20'000; ++i) {  // more than a watch buffers
    PutObject(*store_, RoleObject("", "noise", {}));
  }
  PutObject(*store_, BindingObject("", "b", "ClusterRole", "reader", {SubjectOf("User", "joe")}));
  ASSERT_TRUE(store_->Compact(store_->CurrentRevision().value()).ok());
  EXPECT_TRUE(IsAllowed(kJoe, kListPods));
}

TEST_F(RbacTest, BindsRolesWithinTheirNamespaceOnly) {
  PutObject(*store_, RoleObject("x", "reader", {Rule({"list"}, {""}, {"pods"})}));
  PutObject(*store_, BindingObject("x", "b", "Role", "reader", {SubjectOf("Group", "dev")}));
  EXPECT_EQ(Decide(kJoe, kListPods).reason,
            R"(RBAC: allowed by RoleBinding "b/x" of Role "reader" to Group "dev")");
  RequestAttributes elsewhere = kListPods;
  elsewhere.namespace_name = "y";
  EXPECT_FALSE(IsAllowed(kJoe, elsewhere));
  elsewhere.namespace_name = "";
  EXPECT_FALSE(IsAllowed(kJoe, elsewhere));
}

TEST_F(RbacTest, MatchesServiceAccountsByUserName) {
  PutObject(*store_, RoleObject("x", "reader", {Rule({"list"}, {""}, {"pods"})}));
  PutObject(*store_, BindingObject("x", "b", "Role", "reader", {SubjectOf("ServiceAccount", "s")}));
  const UserInfo account{.name = "system:serviceaccount:x:s"};
  EXPECT_EQ(Decide(account, kListPods).reason,
            R"(RBAC: allowed by RoleBinding "b/x" of Role "reader" to ServiceAccount "s/x")");
  EXPECT_FALSE(IsAllowed({.name = "system:serviceaccount:y:s"}, kListPods));
}

TEST_F(RbacTest, ANamespaceIsNotMistakenForAPartOfAName) {
  PutObject(*store_, RoleObject("", "reader", {Rule({"list"}, {""}, {"pods"})}));
  PutObject(*store_,
            BindingObject("x", "b", "ClusterRole", "reader", {SubjectOf("User", "a/ujoe")}));
  RequestAttributes odd = kListPods;
  odd.namespace_name = "x/ua";
  EXPECT_FALSE(IsAllowed(kJoe, odd));
}

TEST_F(RbacTest, ReportsMissingRoles) {
  PutObject(*store_, BindingObject("", "b", "ClusterRole", "gone", {SubjectOf("User", "joe")}));
  EXPECT_EQ(Decide(kJoe, kListPods).reason,
            R"(RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found)");
  PutObject(*store_, BindingObject("x", "c", "Role", "lost", {SubjectOf("Group", "dev")}));
  EXPECT_EQ(Decide(kJoe, kListPods).reason,
            R"(RBAC: [clusterrole.rbac.authorization.k8s.io "gone" not found, )"
            R"(role.rbac.authorization.k8s.io "lost" not found])");
}

TEST_F(RbacTest, ARoleInAClusterRoleBindingIsNotAClusterRole) {
  PutObject(*store_, RoleObject("", "reader", {Rule({"*"}, {"*"}, {"*"})}));
  PutObject(*store_, BindingObject("", "b", "Role", "reader", {SubjectOf("User", "joe")}));
  EXPECT_FALSE(IsAllowed(kJoe, kListPods));
}

TEST_F(RbacTest, GrantsNothingForADamagedRole) {
  PutObject(*store_, BindingObject("", "b", "ClusterRole", "r", {SubjectOf("User", "joe")}));
  ASSERT_TRUE(store_
                  ->Commit(store::Transaction().Put(StoragePrefix(kRbacGroup, "clusterroles") + "r",
                                                    R"({"rules":7})"))
                  .ok());
  EXPECT_FALSE(IsAllowed(kJoe, kListPods));
}

TEST_F(RbacTest, ListsARuleOncePerUser) {
  PutObject(*store_, RoleObject("", "reader", {Rule({"list"}, {""}, {"pods"})}));
  PutObject(*store_, BindingObject("", "b", "ClusterRole", "reader",
                                   {SubjectOf("User", "joe"), SubjectOf("Group", "dev")}));
  PutObject(*store_, BindingObject("x", "b", "Role", "gone", {SubjectOf("User", "joe")}));
  const UserRules rules = authorizer_->RulesFor(kJoe, "x").value();
  EXPECT_EQ(rules.rules.size(), 1u);
  EXPECT_EQ(rules.errors, Words{R"(role.rbac.authorization.k8s.io "gone" not found)"});
}

TEST(ForbiddenErrorTest, HasKubernetesText) {
  EXPECT_EQ(ForbiddenError({.name = "joe"}, kListPods, "").message(),
            R"(pods is forbidden: User "joe" cannot list resource "pods" in API group "" in the )"
            R"(namespace "x")");
  const Error scaled = ForbiddenError({.name = "a<b"},
                                      {.verb = "get",
                                       .group = "apps",
                                       .resource = "deployments",
                                       .subresource = "scale",
                                       .name = "d"},
                                      "RBAC: x");
  EXPECT_EQ(scaled.message(),
            R"(deployments.apps "d" is forbidden: User "a&lt;b" cannot get resource )"
            R"("deployments/scale" in API group "apps" at the cluster scope: RBAC: x)");
  EXPECT_EQ(scaled.details().group, "apps");
  const Error path = ForbiddenError({.name = "joe"},
                                    {.verb = "get", .is_resource = false, .path = "/metrics"}, "");
  EXPECT_EQ(path.message(), R"(forbidden: User "joe" cannot get path "/metrics")");
  EXPECT_EQ(path.details(), ErrorDetails());
}

class EscalationTest : public RbacTest {
 protected:
  // Grants joe these rules in the namespace x.
  void Grant(PolicyRules rules) {
    PutObject(*store_, RoleObject("x", "joes", std::move(rules)));
    PutObject(*store_, BindingObject("x", "joes", "Role", "joes", {SubjectOf("User", "joe")}));
  }
  Result<void> WriteRole(const Json& role, const Json* old = nullptr) {
    const bool cluster = FindString(role, "kind") == "ClusterRole";
    return authorizer_->CheckRoleWrite(kJoe,
                                       {.verb = "create",
                                        .group = std::string(kRbacGroup),
                                        .resource = cluster ? "clusterroles" : "roles",
                                        .namespace_name = cluster ? "" : "x"},
                                       role, old);
  }
  Result<void> WriteBinding(const Json& binding) {
    return authorizer_->CheckBindingWrite(kJoe,
                                          {.verb = "create",
                                           .group = std::string(kRbacGroup),
                                           .resource = "rolebindings",
                                           .namespace_name = "x"},
                                          binding, nullptr);
  }
};

TEST_F(EscalationTest, RefusesRolesWithPermissionsTheWriterDoesNotHave) {
  Grant({Rule({"get"}, {""}, {"pods"})});
  EXPECT_TRUE(WriteRole(RoleObject("x", "r", {Rule({"get"}, {""}, {"pods"})})).ok());
  const Result<void> refused =
      WriteRole(RoleObject("x", "r", {Rule({"get", "list", "watch"}, {""}, {"pods", "secrets"})}));
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(refused.error().IsForbidden());
  EXPECT_EQ(refused.error().message(),
            R"(roles.rbac.authorization.k8s.io "r" is forbidden: user "joe" )"
            R"((groups=["dev" "system:authenticated"]) is attempting to grant RBAC permissions )"
            "not currently held:\n"
            R"({APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]})"
            "\n"
            R"({APIGroups:[""], Resources:["secrets"], Verbs:["get" "list" "watch"]})");
}

// Without the limit, 70 HTTP requests of 3.4 KB such as this one took 13.8 GB.
TEST_F(EscalationTest, TruncatesTheErrorForManyRules) {
  std::vector<std::string> words;
  for (int i = 0; i < 150; ++i) words.push_back("word-" + std::to_string(i));
  const Result<void> refused = WriteRole(RoleObject("", "r", {Rule(words, words, words)}));
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(refused.error().IsForbidden());
  EXPECT_LT(refused.error().message().size(), 32 * 1024);
  EXPECT_TRUE(refused.error().message().ends_with("\nand more"));
}

TEST_F(EscalationTest, AllowsEscalationWithTheVerbEscalate) {
  Grant({Rule({"escalate"}, {std::string(kRbacGroup)}, {"roles"})});
  EXPECT_TRUE(WriteRole(RoleObject("x", "r", {Rule({"*"}, {"*"}, {"*"})})).ok());
}

TEST_F(EscalationTest, FinalizersMayBeRemovedFromAnyRole) {
  Json old = RoleObject("x", "r", {Rule({"*"}, {"*"}, {"*"})});
  const Json now = old;
  old.at("metadata").as_object()["finalizers"] = JsonArray{"f"};
  EXPECT_TRUE(WriteRole(now, &old).ok());
}

TEST_F(EscalationTest, RequiresAllPermissionsForAggregation) {
  Json role = RoleObject("", "r", {});
  role.as_object()["aggregationRule"] = JsonObject{};
  const Result<void> refused = WriteRole(role);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message(),
            R"(clusterroles.rbac.authorization.k8s.io "r" is forbidden: must have cluster-admin )"
            "privileges to use the aggregationRule");
}

TEST_F(EscalationTest, RefusesBindingsToRolesWithMorePermissions) {
  PutObject(*store_, RoleObject("", "all", {Rule({"*"}, {"*"}, {"*"})}));
  const Json binding = BindingObject("x", "b", "ClusterRole", "all", {SubjectOf("User", "joe")});
  const Result<void> refused = WriteBinding(binding);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message(),
            R"(rolebindings.rbac.authorization.k8s.io "b" is forbidden: user "joe" )"
            R"((groups=["dev" "system:authenticated"]) is attempting to grant RBAC permissions )"
            "not currently held:\n"
            R"({APIGroups:["*"], Resources:["*"], Verbs:["*"]})");
  Grant({Rule({"bind"}, {std::string(kRbacGroup)}, {"clusterroles"}, {"all"})});
  EXPECT_TRUE(WriteBinding(binding).ok());
}

TEST_F(EscalationTest, RefusesBindingsToMissingRoles) {
  const Result<void> refused =
      WriteBinding(BindingObject("x", "b", "Role", "gone", {SubjectOf("User", "joe")}));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message(), R"(roles.rbac.authorization.k8s.io "gone" not found)");
}

TEST_F(RbacTest, ConcurrentReadersSeeConsistentSnapshots) {
  // Either binding allows the request, and at least one of them exists at every moment.
  PutObject(*store_, RoleObject("", "reader", {Rule({"list"}, {""}, {"pods"})}));
  const auto binding = [](const std::string& name) {
    return BindingObject("", name, "ClusterRole", "reader", {SubjectOf("Group", "dev")});
  };
  PutObject(*store_, binding("a"));
  std::atomic<bool> done = false;
  std::atomic<int> denied = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!done) denied += IsAllowed(kJoe, kListPods) ? 0 : 1;
    });
  }
  for (int i = 0; i < 200; ++i) {
    PutObject(*store_, binding(i % 2 == 0 ? "b" : "a"));
    DeleteObject(*store_, binding(i % 2 == 0 ? "a" : "b"));
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(denied, 0);
}

// Evaluates every binding, every subject and every rule.
class NaiveAuthorizer {
 public:
  void Put(const Json& object) { objects_[RbacKey(object)] = object; }
  void Delete(const Json& object) { objects_.erase(RbacKey(object)); }

  bool Allows(const UserInfo& user, const RequestAttributes& request) const {
    return std::ranges::any_of(objects_, [&](const auto& entry) {
      const Json& binding = entry.second;
      return FindMember(binding, "roleRef") != nullptr && Applies(binding, user, request) &&
             RoleAllows(binding, request);
    });
  }

 private:
  static std::string NamespaceOf(const Json& object) {
    return std::string(FindString(object.at("metadata"), "namespace"));
  }

  static bool Applies(const Json& binding, const UserInfo& user, const RequestAttributes& request) {
    const std::string home = NamespaceOf(binding);
    if (!home.empty() && home != request.namespace_name) return false;
    const Json* subjects = FindMember(binding, "subjects");
    return subjects != nullptr &&
           std::ranges::any_of(subjects->as_array(),
                               [&](const Json& subject) { return IsUser(subject, home, user); });
  }

  static bool IsUser(const Json& subject, const std::string& home, const UserInfo& user) {
    const std::string name(FindString(subject, "name"));
    if (FindString(subject, "kind") == "User") return name == user.name;
    if (FindString(subject, "kind") == "Group") return std::ranges::count(user.groups, name) > 0;
    std::string namespace_name(FindString(subject, "namespace"));
    if (namespace_name.empty()) namespace_name = home;
    return !namespace_name.empty() &&
           user.name == "system:serviceaccount:" + namespace_name + ":" + name;
  }

  bool RoleAllows(const Json& binding, const RequestAttributes& request) const {
    const Json& reference = binding.at("roleRef");
    const bool cluster = FindString(reference, "kind") == "ClusterRole";
    const std::string home = NamespaceOf(binding);
    if (!cluster && home.empty()) return false;
    const auto role = objects_.find(
        RbacKey(RoleObject(cluster ? "" : home, std::string(FindString(reference, "name")), {})));
    if (role == objects_.end()) return false;
    return std::ranges::any_of(
        FindMember(role->second, "rules")->as_array(), [&](const Json& rule) {
          return RuleAllows(FromJson<rbacv1::PolicyRule>(rule).value(), request);
        });
  }

  std::map<std::string, Json> objects_;
};

rc::Gen<std::string> OneOf(Words words) { return rc::gen::elementOf(std::move(words)); }

Json ArbitraryRole() {
  const std::string namespace_name = *OneOf({"", "x", "y"});
  PolicyRules rules{Rule({*OneOf({"get", "list", "*"})}, {*OneOf({"", "apps", "*"})},
                         {*OneOf({"pods", "pods/log", "*", "*/log"})})};
  if (*rc::gen::arbitrary<bool>()) rules[0].resource_names = {*OneOf({"n", "m"})};
  return RoleObject(namespace_name, *OneOf({"r", "s"}), std::move(rules));
}

Json ArbitraryBinding() {
  std::vector<rbacv1::Subject> subjects;
  for (int i = *rc::gen::inRange(1, 3); i > 0; --i) {
    subjects.push_back(SubjectOf(*OneOf({"User", "Group", "ServiceAccount"}), *OneOf({"a", "b"}),
                                 *OneOf({"", "x", "y"})));
  }
  return BindingObject(*OneOf({"", "x", "y"}), *OneOf({"p", "q", "r"}),
                       *OneOf({"Role", "ClusterRole"}), *OneOf({"r", "s"}), std::move(subjects));
}

UserInfo ArbitraryUser() {
  UserInfo user{
      .name = *OneOf({"a", "b", "c", "system:serviceaccount:x:a", "system:serviceaccount:y:b"})};
  if (*rc::gen::arbitrary<bool>()) user.groups = {*OneOf({"a", "b"})};
  return user;
}

RequestAttributes ArbitraryRequest() {
  return {.verb = *OneOf({"get", "list"}),
          .group = *OneOf({"", "apps"}),
          .resource = *OneOf({"pods", "nodes"}),
          .subresource = *OneOf({"", "log"}),
          .namespace_name = *OneOf({"", "x", "y"}),
          .name = *OneOf({"", "n"})};
}

RC_GTEST_PROP(RbacPropertyTest, TheIndexDecidesAsTheDefinitionSays, ()) {
  const std::unique_ptr<store::Store> store = store::MakeMemoryStore();
  const auto authorizer = RbacAuthorizer::Open(*store).value();
  NaiveAuthorizer naive;
  for (int step = 0; step < 30; ++step) {
    const Json object = *rc::gen::arbitrary<bool>() ? ArbitraryRole() : ArbitraryBinding();
    if (*rc::gen::inRange(0, 4) == 0) {
      DeleteObject(*store, object);
      naive.Delete(object);
    } else {
      PutObject(*store, object);
      naive.Put(object);
    }
    const UserInfo user = ArbitraryUser();
    const RequestAttributes request = ArbitraryRequest();
    RC_ASSERT(authorizer->Authorize(user, request)->allowed == naive.Allows(user, request));
  }
}

}  // namespace
}  // namespace kubexms
