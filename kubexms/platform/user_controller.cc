#include "kubexms/platform/user_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "kubexms/api/kinds/authentication_v1.h"
#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/api/kinds/rbac_v1.h"
#include "kubexms/base/text/fnv.h"
#include "kubexms/controller/create_or_update.h"
#include "kubexms/controller/stages.h"
#include "kubexms/platform/ensure_deleted.h"
#include "kubexms/platform/names.h"
#include "kubexms/platform/user_kinds.h"
#include "kubexms/platform/user_objects.h"
#include "kubexms/platform/workspace_roles.h"

namespace kubexms::platform {
namespace {

using corev1::Namespace;
using corev1::Secret;
using corev1::ServiceAccount;
using rbacv1::ClusterRoleBinding;
using rbacv1::Role;
using rbacv1::RoleBinding;
using userv1::User;

constexpr const char* kFinalizer = "sealos.io/user.finalizers";
constexpr const char* kAccountAnnotation = "kubernetes.io/service-account.name";
constexpr const char* kClusterAdminBinding = "sealos-cloudadmin";
// Index of Secrets by their ServiceAccount.
constexpr const char* kByAccount = "account";
// Index of RoleBindings by the users among their subjects.
constexpr const char* kBySubject = "holder";
// A year, the default maximum of kube-controller-manager for certificates.
constexpr int64_t kLongestExpiration = 365 * 24 * 3600;
constexpr int64_t kShortestExpiration = 600;  // the minimum of Kubernetes

// State that the stages of one reconcile share.
struct UserState {
  std::optional<ServiceAccount> account;
};

std::string OwnerOf(const User& user) {
  const auto owner = user.metadata.annotations.find(kOwner);
  const bool given = owner != user.metadata.annotations.end() && !owner->second.empty();
  return given ? owner->second : user.metadata.name;
}

void SetAnnotations(const User& user, ObjectMeta& metadata) {
  metadata.annotations[kCreator] = user.metadata.name;
  metadata.annotations[kOwner] = OwnerOf(user);
}

// The annotations with names that the user lacks; they default to the user's own name.
JsonObject MissingNames(const User& user) {
  JsonObject missing;
  for (const char* key : {kDisplayName, kOwner}) {
    const auto given = user.metadata.annotations.find(key);
    const bool has = given != user.metadata.annotations.end() && !given->second.empty();
    if (!has) missing[key] = user.metadata.name;
  }
  return missing;
}

Result<StageOutcome> Initialize(ReconcileContext& context, User& user, UserState&) {
  if (JsonObject missing = MissingNames(user); !missing.empty()) {
    ASSIGN_OR_RETURN(user, Annotate(context, user.metadata.name, std::move(missing)));
  }
  return StageOutcome::Done("user has been initialized");
}

// ---- Workspace.

// Sets the Pod Security Standards of the workspace. The administrator's workspace is unrestricted.
void SetPodSecurity(const User& user, StringMap& labels) {
  constexpr const char* kPrefix = "pod-security.kubernetes.io/";
  constexpr std::pair<const char*, const char*> kLevels[] = {
      {"enforce", "baseline"}, {"audit", "restricted"}, {"warn", "restricted"}};
  for (const auto& [mode, level] : kLevels) {
    const std::string label = std::string(kPrefix) + mode;
    if (user.metadata.name == kAdmin) {
      labels.erase(label);
      labels.erase(label + "-version");
    } else {
      labels[label] = level;
      labels[label + "-version"] = "v1.25";
    }
  }
}

Result<StageOutcome> SyncNamespace(ReconcileContext& context, User& user, UserState&) {
  const ObjectKey key{"", WorkspaceOf(user.metadata.name)};
  const auto set = [&](Namespace& object) -> Result<void> {
    SetAnnotations(user, object.metadata);
    object.metadata.labels[kOwner] = OwnerOf(user);
    SetPodSecurity(user, object.metadata.labels);
    return SetControllerReference(object.metadata, user);
  };
  ASSIGN_OR_RETURN(const Written<Namespace> workspace,
                   CreateOrUpdate<Namespace>(context.client, key, set, {.stop = context.stop}));
  if (!workspace.object.metadata.deletion_timestamp.IsZero()) {
    return StageOutcome::Wait("NamespaceTerminating",
                              key.name + " is being deleted and will be created again");
  }
  return StageOutcome::Done();
}

// Removes the owner reference of the deleted user, so that the garbage collector retains the
// workspace.
Result<StageOutcome> ReleaseNamespace(ReconcileContext& context, const User& user,
                                      const ObjectKey& key) {
  const auto workspace = context.Cached<Namespace>().Get(key);
  if (workspace == nullptr) return StageOutcome::Done();
  Namespace released = *workspace;
  const size_t owners =
      std::erase_if(released.metadata.owner_references,
                    [&](const OwnerReference& owner) { return owner.uid == user.metadata.uid; });
  if (owners != 0) {
    RETURN_IF_ERROR(IgnoreNotFound(context.client.Update(released, {.stop = context.stop})));
  }
  return StageOutcome::Done();
}

Result<StageOutcome> DeleteNamespace(ReconcileContext& context, User& user, UserState&) {
  const ObjectKey key{"", WorkspaceOf(user.metadata.name)};
  if (user.metadata.annotations.contains(kRetainWorkspace)) {
    return ReleaseNamespace(context, user, key);
  }
  const auto workspace = context.Cached<Namespace>().Get(key);
  // The namespace of another owner is not deleted.
  if (workspace == nullptr || !IsControlledBy(workspace->metadata, user.metadata.uid)) {
    return StageOutcome::Done();
  }
  if (workspace->metadata.deletion_timestamp.IsZero()) {
    RETURN_IF_ERROR(EnsureDeleted<Namespace>(context, key));
  }
  return StageOutcome::Wait("NamespaceTerminating", key.name + " is being deleted");
}

// ---- ServiceAccount.

Result<void> EnsureSystemNamespace(ReconcileContext& context) {
  if (context.Cached<Namespace>().Get({"", kSystemNamespace}) != nullptr) return {};
  Namespace system;
  system.metadata.name = kSystemNamespace;
  const auto created = context.client.Create(system, {.stop = context.stop});
  if (created.ok() || created.error().IsAlreadyExists()) return {};
  return created.error();
}

// Tokens are bound to a Secret and become invalid when it is deleted. So another Secret revokes all
// earlier kubeconfigs. Its name is derived from the requested rotation, so that a retry, also after
// a crash, uses the same one. The hash is long enough that the names of two rotations do not
// collide.
std::string SecretNameOf(const User& user) {
  const std::string text = user.metadata.uid + user.spec.kube_config_rotate_at.ToString();
  return fmt::format("sealos-token-{}-{:016x}", user.metadata.name, Fnv1a64(text));
}

Result<StageOutcome> SyncServiceAccount(ReconcileContext& context, User& user, UserState& state) {
  RETURN_IF_ERROR(EnsureSystemNamespace(context));
  corev1::ObjectReference secret;
  secret.name = SecretNameOf(user);
  const auto set = [&](ServiceAccount& account) -> Result<void> {
    SetAnnotations(user, account.metadata);
    account.secrets = {secret};
    return SetControllerReference(account.metadata, user);
  };
  ASSIGN_OR_RETURN(
      Written<ServiceAccount> written,
      CreateOrUpdate<ServiceAccount>(context.client, {kSystemNamespace, user.metadata.name}, set,
                                     {.stop = context.stop}));
  state.account = std::move(written.object);
  return StageOutcome::Done();
}

Result<StageOutcome> DeleteServiceAccount(ReconcileContext& context, User& user, UserState&) {
  RETURN_IF_ERROR(EnsureDeleted<ServiceAccount>(context, {kSystemNamespace, user.metadata.name}));
  return StageOutcome::Done();
}

// ---- Bindings.

// roleRef is immutable: a binding with another role has to be deleted first.
template <Kind Binding>
Result<void> DeleteIfOtherRole(ReconcileContext& context, const ObjectKey& key,
                               const rbacv1::RoleRef& desired) {
  const auto cached = context.Cached<Binding>().Get(key);
  if (cached == nullptr || Encode(cached->role_ref) == Encode(desired)) return {};
  RETURN_IF_ERROR(EnsureDeleted<Binding>(context, key));
  return {};
}

template <Kind Binding>
Result<void> Bind(ReconcileContext& context, const User& user, const ObjectKey& key,
                  const rbacv1::RoleRef& role) {
  RETURN_IF_ERROR(DeleteIfOtherRole<Binding>(context, key, role));
  const auto set = [&](Binding& binding) -> Result<void> {
    SetAnnotations(user, binding.metadata);
    binding.role_ref = role;
    binding.subjects = {AccountSubject(user.metadata.name)};
    return SetControllerReference(binding.metadata, user);
  };
  RETURN_IF_ERROR(CreateOrUpdate<Binding>(context.client, key, set, {.stop = context.stop}));
  return {};
}

// ---- Kubeconfig.

Result<void> DeleteSecretsOf(ReconcileContext& context, const std::string& account,
                             std::string_view except) {
  for (const auto& secret : context.Cached<Secret>().ByIndex(kByAccount, account)) {
    if (secret->metadata.name == except) continue;
    RETURN_IF_ERROR(IgnoreNotFound(context.client.Delete<Secret>(ObjectKey::Of(secret->metadata))));
  }
  return {};
}

Result<Secret> SyncTokenSecret(ReconcileContext& context, const User& user) {
  const auto set = [&](Secret& secret) -> Result<void> {
    secret.metadata.annotations[kAccountAnnotation] = user.metadata.name;
    secret.type = "Opaque";
    return SetControllerReference(secret.metadata, user);
  };
  ASSIGN_OR_RETURN(Written<Secret> written,
                   CreateOrUpdate<Secret>(context.client, {kSystemNamespace, SecretNameOf(user)},
                                          set, {.stop = context.stop}));
  return std::move(written.object);
}

Result<TokenClaims> RequestToken(ReconcileContext& context, const ServiceAccount& account,
                                 const Secret& secret, int64_t expiration_seconds) {
  authenticationv1::TokenRequest request;
  request.spec.expiration_seconds = expiration_seconds;
  authenticationv1::BoundObjectReference& bound = request.spec.bound_object_ref.emplace();
  bound.api_version = "v1";
  bound.kind = "Secret";
  bound.name = secret.metadata.name;
  bound.uid = secret.metadata.uid;
  ASSIGN_OR_RETURN(const auto issued,
                   context.client.CreateSubresource<ServiceAccount>(
                       ObjectKey::Of(account.metadata), "token", request, {.stop = context.stop}));
  return ReadToken(issued.status.token);
}

int64_t ExpirationSeconds(const User& user) {
  const int64_t requested = user.spec.csr_expiration_seconds;
  return requested == 0 ? kLongestExpiration
                        : std::clamp(requested, kShortestExpiration, kLongestExpiration);
}

// Whether the token can still be used.
bool IsValid(const TokenClaims& token, const User& user, const Secret& secret, const Clock& clock) {
  return token.secret_uid == secret.metadata.uid && clock.Now() < token.RenewAt() &&
         user.status.observed_csr_expiration_seconds == ExpirationSeconds(user);
}

std::optional<TokenClaims> StoredToken(ReconcileContext& context, const ObjectKey& key) {
  const auto secret = context.Cached<Secret>().Get(key);
  if (secret == nullptr) return std::nullopt;
  const auto kubeconfig = secret->data.find(kKubeconfigKey);
  return kubeconfig == secret->data.end() ? std::nullopt : TokenIn(kubeconfig->second.value);
}

Result<void> StoreKubeconfig(ReconcileContext& context, const User& user, const ObjectKey& key,
                             const std::string& kubeconfig) {
  const auto set = [&](Secret& secret) -> Result<void> {
    SetAnnotations(user, secret.metadata);
    secret.type = "Opaque";
    secret.data.clear();
    secret.data[kKubeconfigKey] = Bytes{kubeconfig};
    return SetControllerReference(secret.metadata, user);
  };
  RETURN_IF_ERROR(CreateOrUpdate<Secret>(context.client, key, set, {.stop = context.stop}));
  return {};
}

// Users may read their next kubeconfig before theirs expires.
Result<void> AllowUserToRead(ReconcileContext& context, const User& user, const ObjectKey& secret) {
  const auto set = [&](Role& role) -> Result<void> {
    SetAnnotations(user, role.metadata);
    role.rules.clear();
    rbacv1::PolicyRule& rule = role.rules.emplace_back();
    rule.api_groups = {""};
    rule.resources = {"secrets"};
    rule.resource_names = {secret.name};
    rule.verbs = {"get"};
    return SetControllerReference(role.metadata, user);
  };
  RETURN_IF_ERROR(CreateOrUpdate<Role>(context.client, secret, set, {.stop = context.stop}));
  return Bind<RoleBinding>(context, user, secret, RoleNamed("Role", secret.name));
}

struct SyncKubeConfig {
  ServerAddress server;

  Result<StageOutcome> operator()(ReconcileContext& context, User& user, UserState& state) const {
    if (!state.account) {
      return StageOutcome::Wait("NoServiceAccount", "the ServiceAccount has not been created yet");
    }
    ASSIGN_OR_RETURN(const Secret secret, SyncTokenSecret(context, user));
    const ObjectKey key{kSystemNamespace, KubeconfigSecretOf(user.metadata.name)};
    std::optional<TokenClaims> token = StoredToken(context, key);
    if (!token || !IsValid(*token, user, secret, context.clock)) {
      ASSIGN_OR_RETURN(token,
                       RequestToken(context, *state.account, secret, ExpirationSeconds(user)));
    }
    RETURN_IF_ERROR(StoreKubeconfig(context, user, key,
                                    UserKubeconfig(user.metadata.name, server, token->token)));
    RETURN_IF_ERROR(AllowUserToRead(context, user, key));
    // Last, so that the old kubeconfig stays valid until the new one is stored.
    RETURN_IF_ERROR(DeleteSecretsOf(context, user.metadata.name, secret.metadata.name));
    corev1::SecretReference& reference = user.status.kube_config_secret.emplace();
    reference.namespace_name = key.namespace_name;
    reference.name = key.name;
    user.status.observed_csr_expiration_seconds = ExpirationSeconds(user);
    user.status.observed_kube_config_rotate_at = user.spec.kube_config_rotate_at;
    const auto renew_in = std::max<std::chrono::nanoseconds>(token->RenewAt() - context.clock.Now(),
                                                             std::chrono::seconds(1));
    return StageOutcome::Done().RequeueAfter(renew_in);
  }
};

Result<StageOutcome> DeleteKubeConfig(ReconcileContext& context, User& user, UserState&) {
  RETURN_IF_ERROR(DeleteSecretsOf(context, user.metadata.name, ""));
  RETURN_IF_ERROR(
      EnsureDeleted<Secret>(context, {kSystemNamespace, KubeconfigSecretOf(user.metadata.name)}));
  return StageOutcome::Done();
}

// ---- Roles.

struct SyncRole {
  std::vector<WorkspaceRole> roles;

  Result<StageOutcome> operator()(ReconcileContext& context, User& user, UserState&) const {
    for (const WorkspaceRole& desired : roles) {
      const auto set = [&](Role& role) -> Result<void> {
        SetAnnotations(user, role.metadata);
        role.rules = desired.rules;
        return SetControllerReference(role.metadata, user);
      };
      RETURN_IF_ERROR(CreateOrUpdate<Role>(context.client,
                                           {WorkspaceOf(user.metadata.name), desired.name}, set,
                                           {.stop = context.stop}));
    }
    return StageOutcome::Done();
  }
};

Result<StageOutcome> SyncRoleBinding(ReconcileContext& context, User& user, UserState&) {
  const std::string& name = user.metadata.name;
  RETURN_IF_ERROR(
      Bind<RoleBinding>(context, user, {WorkspaceOf(name), name}, RoleNamed("Role", kOwnerRole)));
  return StageOutcome::Done();
}

// Includes bindings in the workspaces of other users: a later user of the same name must not
// inherit them.
Result<StageOutcome> DeleteRoleBindings(ReconcileContext& context, User& user, UserState&) {
  for (const auto& binding :
       context.Cached<RoleBinding>().ByIndex(kBySubject, user.metadata.name)) {
    RETURN_IF_ERROR(EnsureDeleted<RoleBinding>(context, ObjectKey::Of(binding->metadata)));
  }
  return StageOutcome::Done();
}

Result<StageOutcome> SyncClusterRoleBinding(ReconcileContext& context, User& user, UserState&) {
  if (user.metadata.name != kAdmin) return StageOutcome::Skip("NotAdministrator");
  RETURN_IF_ERROR(Bind<ClusterRoleBinding>(context, user, {"", kClusterAdminBinding},
                                           RoleNamed("ClusterRole", "cluster-admin")));
  return StageOutcome::Done();
}

Result<StageOutcome> DeleteClusterRoleBinding(ReconcileContext& context, User& user, UserState&) {
  if (user.metadata.name == kAdmin) {
    RETURN_IF_ERROR(EnsureDeleted<ClusterRoleBinding>(context, {"", kClusterAdminBinding}));
  }
  return StageOutcome::Done();
}

// ---- Stages.

std::string PhaseOf(const User& user, const UserState&) {
  const Condition* ready = FindCondition(user.status.conditions, "Ready");
  if (ready == nullptr) return "Pending";
  return ready->status == kConditionTrue ? "Active" : "Unknown";
}

Stages<User, UserState> UserStages(UserControllerOptions options) {
  return Stages<User, UserState>({.policy = StagePolicy::kRunAll, .finalizer = kFinalizer})
      .Add({.name = "Initialize", .condition = "Initialized", .run = Initialize})
      .Add({.name = "Namespace",
            .condition = "NamespaceSyncReady",
            .run = SyncNamespace,
            .cleanup = DeleteNamespace})
      .Add({.name = "ServiceAccount",
            .condition = "ServiceAccountSyncReady",
            .run = SyncServiceAccount,
            .cleanup = DeleteServiceAccount})
      .Add({.name = "KubeConfig",
            .condition = "KubeConfigSyncReady",
            .run = SyncKubeConfig{std::move(options.server)},
            .cleanup = DeleteKubeConfig})
      .Add({.name = "Role",
            .condition = "RoleSyncReady",
            .run = SyncRole{WorkspaceRoles(options.workspace_groups)}})
      .Add({.name = "RoleBinding",
            .condition = "RoleBindingSyncReady",
            .run = SyncRoleBinding,
            .cleanup = DeleteRoleBindings})
      .Add({.name = "ClusterRoleBinding",
            .condition = "ClusterRoleBindingSyncReady",
            .skipped = SkippedCondition::kNone,
            .run = SyncClusterRoleBinding,
            .cleanup = DeleteClusterRoleBinding})
      .Phase(PhaseOf);
}

bool NeedsReconcile(const User& before, const User& after) {
  return before.metadata.generation != after.metadata.generation ||
         OwnerOf(before) != OwnerOf(after) || !MissingNames(after).empty() ||
         before.metadata.deletion_timestamp != after.metadata.deletion_timestamp;
}

// The users among the subjects of a binding.
std::vector<std::string> SubjectsOf(const RoleBinding& binding) {
  std::vector<std::string> users;
  for (const rbacv1::Subject& subject : binding.subjects) {
    if (subject.kind == "ServiceAccount" && subject.namespace_name == kSystemNamespace) {
      users.push_back(subject.name);
    }
  }
  return users;
}

// Bindings of the workspace's owner. Bindings of guests are maintained by Operationrequests.
bool IsOwnBinding(const RoleBinding& binding) {
  return UserOf(binding.metadata.namespace_name) == binding.metadata.name ||
         binding.metadata.namespace_name == kSystemNamespace;
}

std::vector<std::string> AccountOf(const Secret& secret) {
  const auto account = secret.metadata.annotations.find(kAccountAnnotation);
  if (account == secret.metadata.annotations.end()) return {};
  return {account->second};
}

}  // namespace

Controller UserController(UserControllerOptions options) {
  const RuleOptions in_system{.scope = {.namespace_name = kSystemNamespace}};
  ControllerFor<User> controller({.name = "user", .max_concurrent_reconciles = options.workers});
  controller.WithPredicates(Changed<User>(NeedsReconcile))
      .Owns<Namespace>()
      .Owns<ServiceAccount>(in_system)
      .Owns<Secret>(in_system)
      .Owns<Role>()
      .Owns<RoleBinding>({.predicates = {Matches<RoleBinding>(IsOwnBinding)}})
      .Owns<ClusterRoleBinding>()
      .Index<Secret>(kByAccount, AccountOf)
      .Index<RoleBinding>(kBySubject, SubjectsOf)
      .RequiresAccess<ServiceAccount>({"create"}, "token")
      // RBAC requires "escalate" and "bind" to grant permissions that the controller itself does
      // not have.
      .RequiresAccess<Role>({"bind", "escalate"})
      .RequiresAccess<rbacv1::ClusterRole>({"bind"})
      .Reconciles(UserStages(std::move(options)));
  return controller;
}

}  // namespace kubexms::platform
