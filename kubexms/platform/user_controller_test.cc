#include "kubexms/platform/user_controller.h"

#include "kubexms/api/condition.h"
#include "kubexms/platform/platform_fixture_test.h"
#include "kubexms/platform/user_objects.h"

namespace kubexms::platform {
namespace {

using corev1::ConfigMap;
using corev1::Namespace;
using corev1::ServiceAccount;
using rbacv1::ClusterRoleBinding;
using rbacv1::Role;
using rbacv1::RoleBinding;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSubsetOf;
using ::testing::Not;
using ::testing::Pair;
using userv1::User;

std::vector<std::string> Texts(const std::vector<Condition>& conditions) {
  std::vector<std::string> texts;
  for (const Condition& condition : conditions) {
    texts.push_back(condition.type + " " + condition.status + " " + condition.reason);
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

ConfigMap MapIn(const std::string& name_space) {
  ConfigMap map;
  map.metadata.namespace_ = name_space;
  map.metadata.name = "m";
  return map;
}

class UserControllerTest : public PlatformTest {
 protected:
  // By whatever binding: "ns-alice Owner".
  std::vector<std::string> GivenTo(const std::string& user) {
    std::vector<std::string> given;
    for (const RoleBinding& binding : client().List<RoleBinding>().value().items) {
      if (binding.subjects.empty() || binding.subjects.front().name != user) continue;
      given.push_back(binding.metadata.namespace_ + " " + binding.role_ref.name);
    }
    return given;
  }
  void Give(const std::string& user, const std::string& name_space) {
    RoleBinding binding;
    binding.metadata.namespace_ = name_space;
    binding.metadata.name = GuestBindingOf(user);
    binding.role_ref = RoleNamed("Role", kDeveloperRole);
    binding.subjects = {AccountSubject(user)};
    ASSERT_TRUE(client().Create(binding).ok());
  }
  std::vector<corev1::Secret> TokenSecrets() {
    return client().List<corev1::Secret>({.name_space = kSystemNamespace}).value().items;
  }
  void Change(const std::string& user, const std::string& patch) {
    const auto changed = client().Patch<User>({"", user}, {.body = patch});
    ASSERT_TRUE(changed.ok()) << changed.error().message();
  }
};

TEST_F(UserControllerTest, GivesEveryUserAWorkspace) {
  Start();
  MakeUser("alice");
  ASSERT_TRUE(BecomesActive("alice"));
  const Namespace workspace = client().Get<Namespace>({"", "ns-alice"}).value();
  EXPECT_THAT(workspace.metadata.annotations, Contains(Pair("user.sealos.io/creator", "alice")));
  EXPECT_THAT(workspace.metadata.annotations, Contains(Pair("user.sealos.io/owner", "alice")));
  for (const auto& [label, value] :
       StringMap{{"user.sealos.io/owner", "alice"},
                 {"pod-security.kubernetes.io/enforce", "baseline"},
                 {"pod-security.kubernetes.io/enforce-version", "v1.25"},
                 {"pod-security.kubernetes.io/audit", "restricted"},
                 {"pod-security.kubernetes.io/audit-version", "v1.25"},
                 {"pod-security.kubernetes.io/warn", "restricted"},
                 {"pod-security.kubernetes.io/warn-version", "v1.25"}}) {
    EXPECT_THAT(workspace.metadata.labels, Contains(Pair(label, value)));
  }
  for (const char* role : {"Owner", "Manager", "Developer"}) {
    EXPECT_TRUE(Exists<Role>({"ns-alice", role})) << role;
  }
  const RoleBinding binding = client().Get<RoleBinding>({"ns-alice", "alice"}).value();
  EXPECT_EQ(binding.role_ref.name, "Owner");
  EXPECT_FALSE(Exists<ClusterRoleBinding>({"", "sealos-cloudadmin"}));

  // Every stage of a fresh user has its condition.
  const User user = UserNamed("alice");
  EXPECT_THAT(Texts(user.status.conditions),
              ElementsAre("Initialized True Succeeded", "KubeConfigSyncReady True Succeeded",
                          "NamespaceSyncReady True Succeeded", "Ready True Ready",
                          "RoleBindingSyncReady True Succeeded", "RoleSyncReady True Succeeded",
                          "ServiceAccountSyncReady True Succeeded"));
  EXPECT_EQ(user.status.observed_generation, *user.metadata.generation);
  EXPECT_EQ(user.status.observed_csr_expiration_seconds, 1'000'000'000);
}

TEST_F(UserControllerTest, IsPendingUntilSomebodyLooks) {
  EXPECT_EQ(MakeUser("alice").status.phase, "Pending");
  EXPECT_EQ(UserNamed("alice").status.phase, "Pending");
  Start();
  EXPECT_TRUE(BecomesActive("alice"));
}

TEST_F(UserControllerTest, IsCalledByTheOwnNameUnlessAnotherIsGiven) {
  Start();
  MakeUser("alice");
  User bob;
  bob.metadata.name = "bob";
  bob.metadata.annotations = {{"user.sealos.io/display-name", "Bob"},
                              {"user.sealos.io/owner", "alice"}};
  ASSERT_TRUE(client().Create(bob).ok());
  ASSERT_TRUE(BecomesActive("alice"));
  ASSERT_TRUE(BecomesActive("bob"));
  const auto names = [&](const std::string& user) {
    const StringMap annotations = UserNamed(user).metadata.annotations;
    const auto of = [&](const char* key) {
      const auto found = annotations.find(key);
      return found == annotations.end() ? "none" : found->second;
    };
    return of("user.sealos.io/display-name") + " " + of("user.sealos.io/owner");
  };
  EXPECT_EQ(names("alice"), "alice alice");
  EXPECT_EQ(names("bob"), "Bob alice");
  Change("bob", R"({"metadata":{"annotations":{"user.sealos.io/display-name":null}}})");
  EXPECT_TRUE(Eventually([&] { return names("bob") == "bob alice"; }));
  // The owner is that of the workspace, too.
  Change("bob", R"({"metadata":{"annotations":{"user.sealos.io/owner":"carol"}}})");
  EXPECT_TRUE(Eventually([&] {
    return client().Get<Namespace>({"", "ns-bob"})->metadata.labels.at(kOwner) == "carol";
  }));
}

TEST_F(UserControllerTest, TheKubeconfigIsTheOneThatUsersOfSealosKnow) {
  Start();
  MakeUser("alice");
  ASSERT_TRUE(BecomesActive("alice"));
  const std::string text = UserNamed("alice").status.kube_config;
  EXPECT_THAT(text, HasSubstr("current-context: alice@sealos"));
  EXPECT_THAT(text, HasSubstr("namespace: ns-alice"));
  const auto config = ParseKubeconfig(text);
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->server, server_.url());
}

TEST_F(UserControllerTest, TheKubeconfigWorksInTheWorkspaceAndNowhereElse) {
  Start();
  MakeUser("alice");
  MakeUser("bob");
  ASSERT_TRUE(BecomesActive("alice"));
  ASSERT_TRUE(BecomesActive("bob"));
  const auto alice = ClientOfUser("alice");
  EXPECT_TRUE(alice->Create(MapIn("ns-alice")).ok());
  EXPECT_TRUE(alice->Create(MapIn("ns-bob")).error().IsForbidden());
  EXPECT_TRUE(alice->List<User>().error().IsForbidden());
}

TEST_F(UserControllerTest, TheAdministratorMayDoEverything) {
  Start();
  MakeUser("admin");
  ASSERT_TRUE(BecomesActive("admin"));
  EXPECT_TRUE(ClientOfUser("admin")->List<User>().ok());
  const Namespace workspace = client().Get<Namespace>({"", "ns-admin"}).value();
  EXPECT_THAT(workspace.metadata.labels,
              Not(Contains(Pair("pod-security.kubernetes.io/enforce", ::testing::_))));
}

TEST_F(UserControllerTest, SteadyStateWritesNothing) {
  Start();
  MakeUser("alice");
  ASSERT_TRUE(BecomesActive("alice"));
  Stop();
  NeverCrash();
  Start();
  ASSERT_TRUE(Eventually([&] { return manager_->Readiness().ok(); }));
  MakeUser("bob");  // after alice in the queue of the same controller
  ASSERT_TRUE(BecomesActive("bob"));
  EXPECT_THAT(WritesAbout("bob"), Not(IsEmpty()));
  Stop();  // works off what is queued
  EXPECT_THAT(WritesAbout("alice"), IsEmpty());
}

TEST_F(UserControllerTest, OneStatusWriteForEachUser) {
  Start();
  MakeUser("alice");
  ASSERT_TRUE(BecomesActive("alice"));
  ASSERT_TRUE(Eventually([&] { return manager_->Readiness().ok(); }));
  const auto verbs = intercepted_.TakeVerbs();
  EXPECT_LE(std::count(verbs.begin(), verbs.end(), "patch status"), 2);
  EXPECT_EQ(std::count(verbs.begin(), verbs.end(), "create token"), 1);
}

TEST_F(UserControllerTest, RotationMakesTheOldKubeconfigWorthless) {
  Start();
  MakeUser("alice");
  ASSERT_TRUE(BecomesActive("alice"));
  const std::string before = UserNamed("alice").status.kube_config;
  const auto old = ClientOf(before);
  EXPECT_TRUE(old->Create(MapIn("ns-alice")).ok());
  Change("alice", R"({"spec":{"kubeConfigRotateAt":"2030-01-01T00:00:00Z"}})");
  ASSERT_TRUE(Eventually([&] { return UserNamed("alice").status.kube_config != before; }));
  EXPECT_TRUE(Eventually([&] {
    const auto read = old->Get<ConfigMap>({"ns-alice", "m"});
    return !read.ok() && read.error().IsUnauthorized();
  }));
  EXPECT_TRUE(ClientOfUser("alice")->Get<ConfigMap>({"ns-alice", "m"}).ok());
  EXPECT_TRUE(Eventually([&] { return TokenSecrets().size() == 1; }));
}

TEST_F(UserControllerTest, AnotherExpirationMakesAnotherToken) {
  Start();
  MakeUser("alice");
  ASSERT_TRUE(BecomesActive("alice"));
  Change("alice", R"({"spec":{"csrExpirationSeconds":3600}})");
  ASSERT_TRUE(Eventually(
      [&] { return UserNamed("alice").status.observed_csr_expiration_seconds == 3600; }));
  const auto token = TokenIn(UserNamed("alice").status.kube_config);
  ASSERT_TRUE(token.has_value());
  EXPECT_EQ(token->expires - token->issued, std::chrono::seconds(3600));
  EXPECT_EQ(token->RenewAt() - token->issued, std::chrono::seconds(2880));
}

TEST_F(UserControllerTest, WhatSomebodyChangedIsMended) {
  Start();
  MakeUser("alice");
  ASSERT_TRUE(BecomesActive("alice"));
  // Owners may change their namespace, and must not get out of its bounds.
  ASSERT_TRUE(ClientOfUser("alice")
                  ->Patch<Namespace>({"", "ns-alice"}, {.body = R"({"metadata":{"labels":null}})"})
                  .ok());
  EXPECT_TRUE(Eventually([&] {
    const auto workspace = client().Get<Namespace>({"", "ns-alice"});
    return workspace->metadata.labels.contains("pod-security.kubernetes.io/enforce");
  }));
  ASSERT_TRUE(client().Delete<RoleBinding>({"ns-alice", "alice"}).ok());
  EXPECT_TRUE(Eventually([&] { return Exists<RoleBinding>({"ns-alice", "alice"}); }));
  ASSERT_TRUE(client().Patch<Role>({"ns-alice", "Developer"}, {.body = R"({"rules":[]})"}).ok());
  EXPECT_TRUE(Eventually([&] {
    const auto role = client().Get<Role>({"ns-alice", "Developer"});
    return role.ok() && role->rules.size() == 1;
  }));
  // Also while nobody was there to see it, and however long ago that was made.
  Stop();
  ASSERT_TRUE(client().Delete<Role>({"ns-alice", "Manager"}).ok());
  Start();
  EXPECT_TRUE(Eventually([&] { return Exists<Role>({"ns-alice", "Manager"}); }));
}

TEST_F(UserControllerTest, AFailedStageIsSeenAndStopsNoOther) {
  intercepted_.Set([](Client& server, const ClientRequest& request) -> Result<SharedBytes> {
    const bool token = request.subresource == "token";
    if (token) return Error::Forbidden("serviceaccounts", request.name, "no tokens today");
    return server.Do(request);
  });
  Start();
  MakeUser("alice");
  ASSERT_TRUE(Eventually([&] { return UserNamed("alice").status.phase == "Unknown"; }));
  const User user = UserNamed("alice");
  EXPECT_THAT(Texts(user.status.conditions), Contains("KubeConfigSyncReady False Forbidden"));
  EXPECT_THAT(Texts(user.status.conditions), Contains("RoleBindingSyncReady True Succeeded"));
  const Condition* ready = FindCondition(user.status.conditions, "Ready");
  ASSERT_NE(ready, nullptr);
  EXPECT_EQ(ready->status, "False");
  EXPECT_THAT(ready->message, HasSubstr("no tokens today"));
  EXPECT_TRUE(EventuallyTold("alice", "KubeConfigFailed"));
  intercepted_.Set({});
  EXPECT_TRUE(BecomesActive("alice"));
}

TEST_F(UserControllerTest, DeletionTakesEverythingAlong) {
  Start();
  MakeUser("alice");
  ASSERT_TRUE(BecomesActive("alice"));
  const auto alice = ClientOfUser("alice");
  ASSERT_TRUE(client().Delete<User>({"", "alice"}).ok());
  EXPECT_TRUE(EventuallyGone<User>({"", "alice"}));
  EXPECT_FALSE(Exists<Namespace>({"", "ns-alice"}));
  EXPECT_FALSE(Exists<ServiceAccount>({kSystemNamespace, "alice"}));
  EXPECT_THAT(TokenSecrets(), IsEmpty());
  EXPECT_TRUE(alice->List<ConfigMap>({.name_space = "ns-alice"}).error().IsUnauthorized());
}

TEST_F(UserControllerTest, IsCleanedUpInOrder) {
  Start();
  MakeUser("admin");
  ASSERT_TRUE(BecomesActive("admin"));
  NeverCrash();
  ASSERT_TRUE(client().Delete<User>({"", "admin"}).ok());
  ASSERT_TRUE(EventuallyGone<User>({"", "admin"}));
  Stop();
  EXPECT_THAT(DeletedKinds(), ElementsAre("clusterrolebindings", "rolebindings", "secrets",
                                          "serviceaccounts", "namespaces"));
  // The finalizer goes last.
  EXPECT_THAT(WritesAbout("admin").back(), ::testing::EndsWith("/users/admin"));
}

TEST_F(UserControllerTest, AWorkspaceThatCannotBeDeletedKeepsTheUser) {
  Start();
  MakeUser("alice");
  ASSERT_TRUE(BecomesActive("alice"));
  ConfigMap held = MapIn("ns-alice");
  held.metadata.finalizers = {"example.com/held"};
  ASSERT_TRUE(client().Create(held).ok());
  ASSERT_TRUE(client().Delete<User>({"", "alice"}).ok());
  EXPECT_TRUE(Eventually([&] {
    const User user = UserNamed("alice");
    const Condition* workspace = FindCondition(user.status.conditions, "NamespaceSyncReady");
    return workspace != nullptr && workspace->reason == "NamespaceTerminating";
  }));
  EXPECT_TRUE(Exists<User>({"", "alice"}));
  ASSERT_TRUE(
      client()
          .Patch<ConfigMap>({"ns-alice", "m"}, {.body = R"({"metadata":{"finalizers":null}})"})
          .ok());
  EXPECT_TRUE(EventuallyGone<User>({"", "alice"}));
}

TEST_F(UserControllerTest, IsMadeWhateverWriteItCrashesAt) {
  CrashAtEveryWrite(
      {.ask = [&](const std::string& name) { MakeUser(name); },
       .is_done = [&](const std::string& name) { return UserNamed(name).status.phase == "Active"; },
       .check_done =
           [&](const std::string& name) {
             EXPECT_TRUE(ClientOfUser(name)->Create(MapIn("ns-" + name)).ok());
             EXPECT_THAT(GivenTo(name), ElementsAre("ns-" + name + " Owner"));
           }});
}

TEST_F(UserControllerTest, IsRotatedWhateverWriteItCrashesAt) {
  std::string before;
  CrashAtEveryWrite({.prepare =
                         [&](const std::string& name) {
                           MakeUser(name);
                           ASSERT_TRUE(BecomesActive(name));
                           before = UserNamed(name).status.kube_config;
                         },
                     .ask =
                         [&](const std::string& name) {
                           Change(name,
                                  R"({"spec":{"kubeConfigRotateAt":"2030-01-01T00:00:00Z"}})");
                         },
                     .is_done =
                         [&](const std::string& name) {
                           return !UserNamed(name).status.observed_kube_config_rotate_at.IsZero();
                         },
                     .check_done =
                         [&](const std::string& name) {
                           EXPECT_TRUE(ClientOfUser(name)->Create(MapIn("ns-" + name)).ok());
                           const auto read = ClientOf(before)->Get<ConfigMap>({"ns-" + name, "m"});
                           EXPECT_TRUE(!read.ok() && read.error().IsUnauthorized());
                           ASSERT_TRUE(client().Delete<User>({"", name}).ok());
                           ASSERT_TRUE(EventuallyGone<User>({"", name}));
                         }});
}

// Also what was granted elsewhere goes, so that nobody of the same name inherits it.
TEST_F(UserControllerTest, IsDeletedWhateverWriteItCrashesAt) {
  Namespace elsewhere;
  elsewhere.metadata.name = "elsewhere";
  ASSERT_TRUE(client().Create(elsewhere).ok());
  std::unique_ptr<Client> user;
  CrashAtEveryWrite(
      {.prepare =
           [&](const std::string& name) {
             MakeUser(name);
             ASSERT_TRUE(BecomesActive(name));
             user = ClientOfUser(name);
             Give(name, "elsewhere");
           },
       .ask =
           [&](const std::string& name) {
             ASSERT_TRUE(client().Delete<User>({"", name}).ok());
           },
       .is_done =
           [&](const std::string& name) {
             return !Exists<User>({"", name});
           },
       .check_crashed =
           [&](const std::string& name) {
             EXPECT_THAT(GivenTo(name), IsSubsetOf(std::vector<std::string>{
                                            "elsewhere Developer", "ns-" + name + " Owner"}));
           },
       .check_done =
           [&](const std::string& name) {
             EXPECT_FALSE(Exists<Namespace>({"", "ns-" + name}));
             EXPECT_FALSE(Exists<ServiceAccount>({kSystemNamespace, name}));
             EXPECT_THAT(TokenSecrets(), IsEmpty());
             EXPECT_THAT(GivenTo(name), IsEmpty());
             EXPECT_TRUE(
                 user->List<ConfigMap>({.name_space = "elsewhere"}).error().IsUnauthorized());
           }});
}

using UserTimesTest = TimedPlatformTest;

TEST_F(UserTimesTest, TheTokenIsRenewedBeforeItExpires) {
  Start();
  User alice;
  alice.metadata.name = "alice";
  alice.spec.csr_expiration_seconds = 3600;
  ASSERT_TRUE(client().Create(alice).ok());
  const auto is_active = [&](const char* name) {
    return InTime([&] { return UserNamed(name).status.phase == "Active"; });
  };
  ASSERT_TRUE(is_active("alice"));
  const std::string before = UserNamed("alice").status.kube_config;
  MoveTime(std::chrono::seconds(2800));
  MakeUser("bob");
  ASSERT_TRUE(is_active("bob"));
  EXPECT_EQ(UserNamed("alice").status.kube_config, before);
  MoveTime(std::chrono::seconds(80));
  EXPECT_TRUE(InTime([&] { return UserNamed("alice").status.kube_config != before; }));
  // Whoever has not seen it yet is not locked out.
  EXPECT_TRUE(ClientOf(before)->Create(MapIn("ns-alice")).ok());
  EXPECT_GT(TokenIn(UserNamed("alice").status.kube_config)->expires, TokenIn(before)->expires);
}

}  // namespace
}  // namespace kubexms::platform
