#include "kubexms/platform/user_controller.h"

#include <ostream>

#include "kubexms/api/condition.h"
#include "kubexms/api/kinds/authorization_v1.h"
#include "kubexms/platform/platform_fixture_test.h"
#include "kubexms/platform/user_objects.h"
#include "kubexms/platform/workspace_roles.h"

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

ConfigMap MapIn(const std::string& namespace_name) {
  ConfigMap map;
  map.metadata.namespace_name = namespace_name;
  map.metadata.name = "m";
  return map;
}

// Whether an access is allowed in ns-alice.
struct Question {
  std::string verb;
  std::string group;
  std::string resource;  // "pods/exec"

  friend std::ostream& operator<<(std::ostream& out, const Question& question) {
    return out << question.verb << " " << question.resource << " of \"" << question.group << "\"";
  }
};

bool May(Client& user, const Question& question) {
  authorizationv1::SelfSubjectAccessReview review;
  authorizationv1::ResourceAttributes& attributes = review.spec.resource_attributes.emplace();
  attributes.namespace_name = "ns-alice";
  attributes.verb = question.verb;
  attributes.group = question.group;
  attributes.resource = question.resource.substr(0, question.resource.find('/'));
  if (const size_t slash = question.resource.find('/'); slash != std::string::npos) {
    attributes.subresource = question.resource.substr(slash + 1);
  }
  const auto answer = user.Create(review);
  EXPECT_TRUE(answer.ok()) << answer.error().message();
  return answer.ok() && answer->status.allowed;
}

class UserControllerTest : public PlatformTest {
 protected:
  // The user's roles by any binding: "ns-alice Owner".
  std::vector<std::string> GivenTo(const std::string& user) {
    std::vector<std::string> given;
    const List<RoleBinding> all = client().List<RoleBinding>().value();
    for (const RoleBinding& binding : all.items) {
      if (binding.subjects.empty() || binding.subjects.front().name != user) continue;
      given.push_back(binding.metadata.namespace_name + " " + binding.role_ref.name);
    }
    return given;
  }
  void Give(const std::string& user, const std::string& namespace_name,
            const char* role = kDeveloperRole) {
    RoleBinding binding;
    binding.metadata.namespace_name = namespace_name;
    binding.metadata.name = GuestBindingOf(user);
    binding.role_ref = RoleNamed("Role", role);
    binding.subjects = {AccountSubject(user)};
    ASSERT_TRUE(client().Create(binding).ok());
  }
  // The Secret of the kubeconfig, and those that tokens are bound to.
  std::vector<corev1::Secret> Secrets() {
    return client().List<corev1::Secret>({.namespace_name = kSystemNamespace}).value().items;
  }
  void Change(const std::string& user, const std::string& patch) {
    const auto changed = client().Patch<User>({"", user}, {.body = patch});
    ASSERT_TRUE(changed.ok()) << changed.error().message();
  }
};

TEST_F(UserControllerTest, CreatesAWorkspaceForEveryUser) {
  Start();
  CreateUser("alice");
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
  EXPECT_EQ(user.status.observed_csr_expiration_seconds, 365 * 24 * 3600);
}

TEST_F(UserControllerTest, IsPendingUntilReconciled) {
  EXPECT_EQ(CreateUser("alice").status.phase, "Pending");
  EXPECT_EQ(UserNamed("alice").status.phase, "Pending");
  Start();
  EXPECT_TRUE(BecomesActive("alice"));
}

TEST_F(UserControllerTest, DisplayNameDefaultsToTheName) {
  Start();
  CreateUser("alice");
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
  // The workspace has the same owner.
  Change("bob", R"({"metadata":{"annotations":{"user.sealos.io/owner":"carol"}}})");
  EXPECT_TRUE(Eventually([&] {
    return client().Get<Namespace>({"", "ns-bob"})->metadata.labels.at(kOwner) == "carol";
  }));
}

TEST_F(UserControllerTest, KubeconfigHasTheFormatOfSealos) {
  Start();
  CreateUser("alice");
  ASSERT_TRUE(BecomesActive("alice"));
  const std::string text = KubeconfigOf("alice");
  EXPECT_THAT(text, HasSubstr("current-context: alice@sealos"));
  EXPECT_THAT(text, HasSubstr("namespace: ns-alice"));
  const auto config = ParseKubeconfig(text);
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->server, server_.url());
}

TEST_F(UserControllerTest, OnlyItsUserAndAdministratorsMayReadAKubeconfig) {
  Start();
  CreateUser("alice");
  CreateUser("bob");
  ASSERT_TRUE(BecomesActive("alice"));
  ASSERT_TRUE(BecomesActive("bob"));
  const User user = UserNamed("alice");
  ASSERT_TRUE(user.status.kube_config_secret.has_value());
  const ObjectKey key{user.status.kube_config_secret->namespace_name,
                      user.status.kube_config_secret->name};
  EXPECT_EQ(key, (ObjectKey{"user-system", "kubeconfig-alice"}));
  const std::string token = TokenIn(KubeconfigOf("alice"))->token;
  const auto stored = client().Get(ResourceType::Of<User>(), {"", "alice"});
  EXPECT_THAT(stored->Encode(), Not(HasSubstr(token)));
  EXPECT_TRUE(ClientOfUser("alice")->Get<corev1::Secret>(key).ok());
  EXPECT_TRUE(ClientOfUser("alice")
                  ->List<corev1::Secret>({.namespace_name = "user-system"})
                  .error()
                  .IsForbidden());
  // Nor with the highest role in the workspace.
  Give("bob", "ns-alice", kOwnerRole);
  const auto bob = ClientOfUser("bob");
  ASSERT_TRUE(Eventually([&] { return May(*bob, {"create", "", "configmaps"}); }));
  EXPECT_TRUE(bob->Get<corev1::Secret>(key).error().IsForbidden());
  // Changed objects are restored.
  ASSERT_TRUE(client().Delete<RoleBinding>(key).ok());
  EXPECT_TRUE(Eventually([&] { return Exists<RoleBinding>(key); }));
  ASSERT_TRUE(client().Delete<corev1::Secret>(key).ok());
  EXPECT_TRUE(Eventually([&] { return Exists<corev1::Secret>(key); }));
}

TEST_F(UserControllerTest, KubeconfigWorksInTheWorkspaceOnly) {
  Start();
  CreateUser("alice");
  CreateUser("bob");
  ASSERT_TRUE(BecomesActive("alice"));
  ASSERT_TRUE(BecomesActive("bob"));
  const auto alice = ClientOfUser("alice");
  EXPECT_TRUE(alice->Create(MapIn("ns-alice")).ok());
  EXPECT_TRUE(alice->Create(MapIn("ns-bob")).error().IsForbidden());
  EXPECT_TRUE(alice->List<User>().error().IsForbidden());
}

// Checked by SelfSubjectAccessReviews, since a path that is not served returns 404.
TEST_F(UserControllerTest, OwnersCannotEscalateOutOfTheWorkspace) {
  Start();
  CreateUser("alice");
  ASSERT_TRUE(BecomesActive("alice"));
  const auto alice = ClientOfUser("alice");
  const std::string sealos = "user.sealos.io";
  const std::string rbac = "rbac.authorization.k8s.io";
  const Question refused[] = {
      // The Namespace with its pod security labels, quotas and limits.
      {"patch", "", "namespaces"},
      {"update", "", "namespaces"},
      {"delete", "", "namespaces"},
      {"patch", "", "namespaces/status"},
      {"update", "", "namespaces/finalize"},
      {"delete", "", "resourcequotas"},
      {"patch", "", "limitranges"},
      // Resources that controllers and the scheduler write.
      {"patch", sealos, "operationrequests/status"},
      {"update", sealos, "operationrequests/status"},
      {"update", sealos, "operationrequests/finalizers"},
      {"patch", sealos, "operationrequests"},
      {"update", sealos, "operationrequests"},
      {"patch", "devbox.sealos.io", "devboxes/status"},
      {"patch", "", "pods/status"},
      {"create", "", "pods/binding"},
      {"create", "", "bindings"},
      {"patch", "", "services/status"},
      {"patch", "", "endpoints"},
      {"create", "discovery.k8s.io", "endpointslices"},
      {"patch", "apps", "deployments/status"},
      // Permissions that owners do not have.
      {"escalate", rbac, "roles"},
      {"bind", rbac, "roles"},
      {"bind", rbac, "clusterroles"},
      {"impersonate", "", "users"},
      {"impersonate", "", "groups"},
      {"approve", "certificates.k8s.io", "signers"},
      {"create", "certificates.k8s.io", "certificatesigningrequests"},
      {"get", "", "nodes/proxy"},
      {"create", "admissionregistration.k8s.io", "validatingwebhookconfigurations"},
      {"create", sealos, "deleterequests"},
      {"get", sealos, "users"},
      {"*", "*", "*"},
  };
  for (const Question& question : refused) EXPECT_FALSE(May(*alice, question)) << question;
  const Question allowed[] = {
      {"get", "", "namespaces"},
      {"create", "", "pods"},
      {"create", "", "pods/exec"},
      {"create", "", "serviceaccounts/token"},
      {"deletecollection", "apps", "deployments"},
      {"patch", "apps", "statefulsets/scale"},
      {"create", rbac, "rolebindings"},
      {"create", sealos, "operationrequests"},
      {"delete", sealos, "operationrequests"},
      {"get", sealos, "operationrequests/status"},
      {"patch", "devbox.sealos.io", "devboxes"},
  };
  for (const Question& question : allowed) EXPECT_TRUE(May(*alice, question)) << question;
}

TEST_F(UserControllerTest, OwnersCannotGrantMoreThanTheyHave) {
  Start();
  CreateUser("alice");
  ASSERT_TRUE(BecomesActive("alice"));
  const auto alice = ClientOfUser("alice");
  const auto bind = [&](const std::string& kind, const std::string& role) {
    RoleBinding binding;
    binding.metadata.namespace_name = "ns-alice";
    binding.metadata.generate_name = "given-";
    binding.role_ref = RoleNamed(kind, role);
    binding.subjects = {AccountSubject("alice")};
    return alice->Create(binding);
  };
  for (const char* role : {"Owner", "Manager", "Developer"}) {
    EXPECT_TRUE(bind("Role", role).ok()) << role;
  }
  // As Helm charts do.
  for (const char* role : {"admin", "edit", "view"}) {
    EXPECT_TRUE(bind("ClusterRole", role).ok()) << role;
  }
  EXPECT_TRUE(bind("ClusterRole", "cluster-admin").error().IsForbidden());
  Role everything;
  everything.metadata.namespace_name = "ns-alice";
  everything.metadata.name = "everything";
  rbacv1::PolicyRule& rule = everything.rules.emplace_back();
  rule.api_groups = rule.resources = rule.verbs = {"*"};
  EXPECT_TRUE(alice->Create(everything).error().IsForbidden());
  const std::string rules = R"({"rules":[{"apiGroups":["*"],"resources":["*"],"verbs":["*"]}]})";
  EXPECT_TRUE(alice->Patch<Role>({"ns-alice", "Owner"}, {.body = rules}).error().IsForbidden());
}

TEST_F(UserControllerTest, DevelopersMayOnlyRead) {
  Start();
  CreateUser("alice");
  CreateUser("bob");
  ASSERT_TRUE(BecomesActive("alice"));
  ASSERT_TRUE(BecomesActive("bob"));
  Give("bob", "ns-alice");
  const auto bob = ClientOfUser("bob");
  ASSERT_TRUE(Eventually([&] { return May(*bob, {"get", "", "configmaps"}); }));
  // A GET has effects on these, too.
  for (const char* subresource : {"pods/exec", "pods/attach", "pods/portforward", "pods/proxy"}) {
    EXPECT_FALSE(May(*bob, {"get", "", subresource})) << subresource;
  }
  EXPECT_FALSE(May(*bob, {"get", "", "services/proxy"}));
  EXPECT_TRUE(May(*bob, {"get", "", "pods/log"}));
}

TEST_F(UserControllerTest, WorkspaceRolesIncludeConfiguredGroups) {
  options_.users.workspace_groups = {"example.com"};
  Start();
  CreateUser("alice");
  ASSERT_TRUE(BecomesActive("alice"));
  const auto alice = ClientOfUser("alice");
  EXPECT_TRUE(May(*alice, {"create", "example.com", "widgets"}));
  EXPECT_FALSE(May(*alice, {"create", "example.org", "widgets"}));
  EXPECT_FALSE(May(*alice, {"bind", "example.com", "widgets"}));
  EXPECT_TRUE(CheckWorkspaceGroup("gateway.networking.k8s.io").ok());
  for (const char* group : {"", "*", "apps", "user.sealos.io", "rbac.authorization.k8s.io"}) {
    EXPECT_FALSE(CheckWorkspaceGroup(group).ok()) << group;
  }
}

TEST_F(UserControllerTest, AdministratorIsClusterAdmin) {
  Start();
  CreateUser("admin");
  ASSERT_TRUE(BecomesActive("admin"));
  EXPECT_TRUE(ClientOfUser("admin")->List<User>().ok());
  const Namespace workspace = client().Get<Namespace>({"", "ns-admin"}).value();
  EXPECT_THAT(workspace.metadata.labels,
              Not(Contains(Pair("pod-security.kubernetes.io/enforce", ::testing::_))));
}

TEST_F(UserControllerTest, WritesNothingWithoutAChange) {
  Start();
  CreateUser("alice");
  ASSERT_TRUE(BecomesActive("alice"));
  Stop();
  NeverCrash();
  Start();
  ASSERT_TRUE(Eventually([&] { return manager_->Readiness().ok(); }));
  CreateUser("bob");  // after alice in the queue of the same controller
  ASSERT_TRUE(BecomesActive("bob"));
  EXPECT_THAT(WritesAbout("bob"), Not(IsEmpty()));
  Stop();  // drains the queue
  EXPECT_THAT(WritesAbout("alice"), IsEmpty());
}

TEST_F(UserControllerTest, OneStatusWriteForEachUser) {
  Start();
  CreateUser("alice");
  ASSERT_TRUE(BecomesActive("alice"));
  ASSERT_TRUE(Eventually([&] { return manager_->Readiness().ok(); }));
  const auto verbs = intercepted_.TakeVerbs();
  EXPECT_LE(std::count(verbs.begin(), verbs.end(), "patch status"), 2);
  EXPECT_EQ(std::count(verbs.begin(), verbs.end(), "create token"), 1);
}

TEST_F(UserControllerTest, RotationRevokesTheOldKubeconfig) {
  Start();
  CreateUser("alice");
  ASSERT_TRUE(BecomesActive("alice"));
  const std::string before = KubeconfigOf("alice");
  const auto old = ClientOf(before);
  EXPECT_TRUE(old->Create(MapIn("ns-alice")).ok());
  Change("alice", R"({"spec":{"kubeConfigRotateAt":"2030-01-01T00:00:00Z"}})");
  ASSERT_TRUE(Eventually([&] { return KubeconfigOf("alice") != before; }));
  EXPECT_TRUE(Eventually([&] {
    const auto read = old->Get<ConfigMap>({"ns-alice", "m"});
    return !read.ok() && read.error().IsUnauthorized();
  }));
  EXPECT_TRUE(ClientOfUser("alice")->Get<ConfigMap>({"ns-alice", "m"}).ok());
  EXPECT_TRUE(Eventually([&] { return Secrets().size() == 2; }));
}

TEST_F(UserControllerTest, ChangedExpirationIssuesANewToken) {
  Start();
  CreateUser("alice");
  ASSERT_TRUE(BecomesActive("alice"));
  Change("alice", R"({"spec":{"csrExpirationSeconds":3600}})");
  ASSERT_TRUE(Eventually(
      [&] { return UserNamed("alice").status.observed_csr_expiration_seconds == 3600; }));
  const auto token = TokenIn(KubeconfigOf("alice"));
  ASSERT_TRUE(token.has_value());
  EXPECT_EQ(token->expires - token->issued, std::chrono::seconds(3600));
  EXPECT_EQ(token->RenewAt() - token->issued, std::chrono::seconds(2880));
}

TEST_F(UserControllerTest, TokensAreValidForAYearAtMost) {
  Start();
  CreateUser("alice");
  ASSERT_TRUE(BecomesActive("alice"));
  Change("alice", R"({"spec":{"csrExpirationSeconds":1000000000}})");
  // Observed after the expiration, which does not change the status.
  Change("alice", R"({"spec":{"kubeConfigRotateAt":"2031-01-01T00:00:00Z"}})");
  ASSERT_TRUE(Eventually(
      [&] { return !UserNamed("alice").status.observed_kube_config_rotate_at.IsZero(); }));
  EXPECT_EQ(UserNamed("alice").status.observed_csr_expiration_seconds, 365 * 24 * 3600);
  const auto token = TokenIn(KubeconfigOf("alice"));
  ASSERT_TRUE(token.has_value());
  EXPECT_EQ(token->expires - token->issued, std::chrono::hours(365 * 24));
}

TEST_F(UserControllerTest, RestoresChangedObjects) {
  Start();
  CreateUser("alice");
  ASSERT_TRUE(BecomesActive("alice"));
  ASSERT_TRUE(client()
                  .Patch<Namespace>({"", "ns-alice"}, {.body = R"({"metadata":{"labels":null}})"})
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
    return role.ok() && !role->rules.empty();
  }));
  // Also if it changed while no controller ran.
  Stop();
  ASSERT_TRUE(client().Delete<Role>({"ns-alice", "Manager"}).ok());
  Start();
  EXPECT_TRUE(Eventually([&] { return Exists<Role>({"ns-alice", "Manager"}); }));
}

TEST_F(UserControllerTest, FailedStageDoesNotStopOthers) {
  intercepted_.Set([](Client& server, const ClientRequest& request) -> Result<SharedBytes> {
    const bool token = request.subresource == "token";
    if (token) return Error::Forbidden("serviceaccounts", request.name, "no tokens today");
    return server.Do(request);
  });
  Start();
  CreateUser("alice");
  ASSERT_TRUE(Eventually([&] { return UserNamed("alice").status.phase == "Unknown"; }));
  const User user = UserNamed("alice");
  EXPECT_THAT(Texts(user.status.conditions), Contains("KubeConfigSyncReady False Forbidden"));
  EXPECT_THAT(Texts(user.status.conditions), Contains("RoleBindingSyncReady True Succeeded"));
  const Condition* ready = FindCondition(user.status.conditions, "Ready");
  ASSERT_NE(ready, nullptr);
  EXPECT_EQ(ready->status, "False");
  EXPECT_THAT(ready->message, HasSubstr("no tokens today"));
  EXPECT_TRUE(EventuallyRecorded("alice", "KubeConfigFailed"));
  intercepted_.Set({});
  EXPECT_TRUE(BecomesActive("alice"));
}

TEST_F(UserControllerTest, DeletionRemovesAllObjects) {
  Start();
  CreateUser("alice");
  ASSERT_TRUE(BecomesActive("alice"));
  const auto alice = ClientOfUser("alice");
  ASSERT_TRUE(client().Delete<User>({"", "alice"}).ok());
  EXPECT_TRUE(EventuallyDeleted<User>({"", "alice"}));
  EXPECT_FALSE(Exists<Namespace>({"", "ns-alice"}));
  EXPECT_FALSE(Exists<ServiceAccount>({kSystemNamespace, "alice"}));
  EXPECT_THAT(Secrets(), IsEmpty());
  EXPECT_TRUE(alice->List<ConfigMap>({.namespace_name = "ns-alice"}).error().IsUnauthorized());
}

TEST_F(UserControllerTest, IsCleanedUpInOrder) {
  Start();
  CreateUser("admin");
  ASSERT_TRUE(BecomesActive("admin"));
  NeverCrash();
  ASSERT_TRUE(client().Delete<User>({"", "admin"}).ok());
  ASSERT_TRUE(EventuallyDeleted<User>({"", "admin"}));
  Stop();
  EXPECT_THAT(DeletedKinds(), ElementsAre("clusterrolebindings", "rolebindings", "secrets",
                                          "serviceaccounts", "namespaces"));
  // The finalizer is removed last.
  EXPECT_THAT(WritesAbout("admin").back(), ::testing::EndsWith("/users/admin"));
}

TEST_F(UserControllerTest, UserIsRetainedUntilTheWorkspaceIsDeleted) {
  Start();
  CreateUser("alice");
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
  EXPECT_TRUE(EventuallyDeleted<User>({"", "alice"}));
}

TEST_F(UserControllerTest, CreationSurvivesACrashAtAnyWrite) {
  CrashAtEveryWrite(
      {.trigger = [&](const std::string& name) { CreateUser(name); },
       .is_done = [&](const std::string& name) { return UserNamed(name).status.phase == "Active"; },
       .check_done =
           [&](const std::string& name) {
             EXPECT_TRUE(ClientOfUser(name)->Create(MapIn("ns-" + name)).ok());
             EXPECT_THAT(GivenTo(name),
                         ElementsAre("ns-" + name + " Owner", "user-system kubeconfig-" + name));
           }});
}

TEST_F(UserControllerTest, RotationSurvivesACrashAtAnyWrite) {
  std::string before;
  CrashAtEveryWrite({.prepare =
                         [&](const std::string& name) {
                           CreateUser(name);
                           ASSERT_TRUE(BecomesActive(name));
                           before = KubeconfigOf(name);
                         },
                     .trigger =
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
                           ASSERT_TRUE(EventuallyDeleted<User>({"", name}));
                         }});
}

// Bindings in other workspaces are deleted, too, so that a later user of the same name does not
// inherit them.
TEST_F(UserControllerTest, DeletionSurvivesACrashAtAnyWrite) {
  Namespace elsewhere;
  elsewhere.metadata.name = "elsewhere";
  ASSERT_TRUE(client().Create(elsewhere).ok());
  std::unique_ptr<Client> user;
  CrashAtEveryWrite(
      {.prepare =
           [&](const std::string& name) {
             CreateUser(name);
             ASSERT_TRUE(BecomesActive(name));
             user = ClientOfUser(name);
             Give(name, "elsewhere");
           },
       .trigger =
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
                                            "elsewhere Developer", "ns-" + name + " Owner",
                                            "user-system kubeconfig-" + name}));
           },
       .check_done =
           [&](const std::string& name) {
             EXPECT_FALSE(Exists<Namespace>({"", "ns-" + name}));
             EXPECT_FALSE(Exists<ServiceAccount>({kSystemNamespace, name}));
             EXPECT_THAT(Secrets(), IsEmpty());
             EXPECT_THAT(GivenTo(name), IsEmpty());
             EXPECT_TRUE(
                 user->List<ConfigMap>({.namespace_name = "elsewhere"}).error().IsUnauthorized());
           }});
}

using UserTimesTest = TimedPlatformTest;

TEST_F(UserTimesTest, RenewsTheTokenBeforeItExpires) {
  Start();
  User alice;
  alice.metadata.name = "alice";
  alice.spec.csr_expiration_seconds = 3600;
  ASSERT_TRUE(client().Create(alice).ok());
  const auto is_active = [&](const char* name) {
    return EventuallyInTime([&] { return UserNamed(name).status.phase == "Active"; });
  };
  ASSERT_TRUE(is_active("alice"));
  const std::string before = KubeconfigOf("alice");
  AdvanceTime(std::chrono::seconds(2800));
  CreateUser("bob");
  ASSERT_TRUE(is_active("bob"));
  EXPECT_EQ(KubeconfigOf("alice"), before);
  AdvanceTime(std::chrono::seconds(80));
  EXPECT_TRUE(EventuallyInTime([&] { return KubeconfigOf("alice") != before; }));
  // The old token stays valid for users who have not fetched the new one.
  EXPECT_TRUE(ClientOf(before)->Create(MapIn("ns-alice")).ok());
  EXPECT_GT(TokenIn(KubeconfigOf("alice"))->expires, TokenIn(before)->expires);
}

}  // namespace
}  // namespace kubexms::platform
