#include "kubexms/platform/operation_request_controller.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "kubexms/api/creator.h"
#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/api/kinds/rbac_v1.h"
#include "kubexms/api/names.h"
#include "kubexms/platform/access.h"
#include "kubexms/platform/names.h"
#include "kubexms/platform/user_objects.h"

namespace kubexms::platform {
namespace {

using corev1::Namespace;
using rbacv1::Role;
using rbacv1::RoleBinding;
using userv1::Operationrequest;
using userv1::User;

// The interval at which a missing user, who may be about to be created, is looked up again.
constexpr auto kUserPollInterval = std::chrono::seconds(5);

// The temporary binding during a change of the role, while "rb-<user>" is replaced. User names
// contain no colon, so that no other binding has this name.
std::string BridgeOf(const std::string& user) { return GuestBindingOf(user) + ":update"; }

Error InvalidField(std::string_view field, std::string_view message) {
  return Terminal(Error::BadRequest(fmt::format("{}: {}", field, message)));
}

// One execution of a request.
class Operation {
 public:
  Operation(ReconcileContext& context, const Operationrequest& request)
      : context_(context),
        spec_(request.spec),
        key_{spec_.namespace_name, GuestBindingOf(spec_.user)},
        bridge_{spec_.namespace_name, BridgeOf(spec_.user)} {}

  Result<RequestOutcome> Execute() {
    RETURN_IF_ERROR(CheckSpec());
    if (spec_.action == "Deprive") return Deprive();
    if (const std::string missing = FindUsers(); !missing.empty()) {
      return RequestOutcome::Waiting(fmt::format("waiting for the user {} to be created", missing),
                                     kUserPollInterval);
    }
    return spec_.action == "Grant" ? Grant() : Update();
  }

  // Removes the bridge, after it has created the missing binding with the role of the bridge.
  Result<void> ResolveBridge() {
    const auto bridge = Bound(bridge_);
    if (bridge == nullptr) return {};
    if (Bound(key_) == nullptr) {
      RoleBinding binding = *bridge;
      binding.metadata = MetadataFor(key_);
      binding.metadata.owner_references = bridge->metadata.owner_references;
      RETURN_IF_ERROR(Create(binding));
    }
    return Remove(bridge_);
  }

 private:
  Result<void> CheckSpec() const {
    if (UserOf(spec_.namespace_name).empty()) {
      return InvalidField("spec.namespace", "must be a workspace, such as ns-alice");
    }
    if (spec_.user == UserOf(spec_.namespace_name)) {
      return InvalidField("spec.user",
                          spec_.user + " owns this workspace and cannot be a guest in it");
    }
    if (GuestBindingOf(spec_.user) == UserOf(spec_.namespace_name)) {
      return InvalidField("spec.user",
                          fmt::format("{} cannot be a guest in {}: the bindings of guest and "
                                      "owner would have the same name",
                                      spec_.user, spec_.namespace_name));
    }
    if (spec_.role.empty() && spec_.action != "Deprive") {
      return InvalidField("spec.role", "must be Owner, Manager or Developer");
    }
    return {};
  }

  // The name of a user who does not exist yet; empty: both users exist.
  std::string FindUsers() {
    const std::string owner(UserOf(spec_.namespace_name));
    workspace_user_ = context_.Cached<User>().Get({"", owner});
    if (workspace_user_ == nullptr) return owner;
    user_ = context_.Cached<User>().Get({"", spec_.user});
    return user_ == nullptr ? spec_.user : "";
  }

  std::shared_ptr<const RoleBinding> Bound(const ObjectKey& key) const {
    return context_.Cached<RoleBinding>().Get(key);
  }

  ObjectMeta MetadataFor(const ObjectKey& key) const {
    ObjectMeta metadata;
    metadata.namespace_name = key.namespace_name;
    metadata.name = key.name;
    metadata.annotations[kOwner] = spec_.user;
    metadata.labels[kOwner] = spec_.user;
    return metadata;
  }

  Result<RoleBinding> BindingFor(const ObjectKey& key) const {
    RoleBinding binding;
    binding.metadata = MetadataFor(key);
    binding.role_ref = RoleNamed("Role", spec_.role);
    binding.subjects = {AccountSubject(spec_.user)};
    RETURN_IF_ERROR(SetControllerReference(binding.metadata, *user_));
    return binding;
  }

  // AlreadyExists is returned as an error, and the retry reads the existing binding.
  Result<void> Create(const RoleBinding& binding) {
    RETURN_IF_ERROR(context_.client.Create(binding, {.stop = context_.stop}));
    return {};
  }
  Result<void> Create(const ObjectKey& key) {
    ASSIGN_OR_RETURN(const RoleBinding binding, BindingFor(key));
    return Create(binding);
  }
  Result<void> Remove(const ObjectKey& key) {
    if (Bound(key) == nullptr) return {};
    return IgnoreNotFound(context_.client.Delete<RoleBinding>(key));
  }

  Result<RequestOutcome> Grant() {
    RETURN_IF_ERROR(ResolveBridge());
    const auto bound = Bound(key_);
    if (bound == nullptr) {
      RETURN_IF_ERROR(Create(key_));
    } else if (bound->role_ref.name != spec_.role) {
      return InvalidField(
          "spec.role",
          fmt::format("{} has the role {} in {}; ask for the action Update to change it",
                      spec_.user, bound->role_ref.name, spec_.namespace_name));
    }
    RETURN_IF_ERROR(RecordOwner());
    return Completed("has");
  }

  Result<RequestOutcome> Update() {
    const auto bound = Bound(key_);
    if (bound == nullptr && Bound(bridge_) == nullptr) {
      RETURN_IF_ERROR(Create(key_));
    } else if (bound == nullptr || bound->role_ref.name != spec_.role) {
      RETURN_IF_ERROR(Replace());
    }
    RETURN_IF_ERROR(Remove(bridge_));
    RETURN_IF_ERROR(RecordOwner());
    return Completed("has");
  }

  // A binding exists at every moment: the old one until the bridge with the new role is created,
  // and the bridge until the new one is created.
  Result<void> Replace() {
    RETURN_IF_ERROR(CreateBridge());
    RETURN_IF_ERROR(Remove(key_));
    return Create(key_);
  }

  Result<void> CreateBridge() {
    const auto bridge = Bound(bridge_);
    if (bridge != nullptr && bridge->role_ref.name == spec_.role) return {};
    // An earlier request left a bridge with another role.
    RETURN_IF_ERROR(ResolveBridge());
    return Create(bridge_);
  }

  Result<RequestOutcome> Deprive() {
    const bool had = Bound(key_) != nullptr || Bound(bridge_) != nullptr;
    RETURN_IF_ERROR(Remove(bridge_));
    RETURN_IF_ERROR(Remove(key_));
    if (had) return Completed("no longer has a role");
    return RequestOutcome::Completed(
        fmt::format("{} had no role in {}", spec_.user, spec_.namespace_name));
  }

  // Records the owner of the workspace on its User.
  Result<void> RecordOwner() {
    if (spec_.role != kOwnerRole) return {};
    const auto known = workspace_user_->metadata.annotations.find(kOwner);
    if (known != workspace_user_->metadata.annotations.end() && known->second == spec_.user) {
      return {};
    }
    RETURN_IF_ERROR(
        Annotate(context_, workspace_user_->metadata.name, JsonObject{{kOwner, spec_.user}}));
    return {};
  }

  RequestOutcome Completed(std::string_view result) const {
    const std::string role = spec_.action == "Deprive" ? "" : " the role " + spec_.role;
    return RequestOutcome::Completed(
        fmt::format("{} {}{} in {}", spec_.user, result, role, spec_.namespace_name));
  }

  ReconcileContext& context_;
  const userv1::OperationrequestSpec& spec_;
  const ObjectKey key_;
  const ObjectKey bridge_;
  std::shared_ptr<const User> workspace_user_;
  std::shared_ptr<const User> user_;
};

Result<RequestOutcome> Execute(ReconcileContext& context, Operationrequest& request) {
  return Operation(context, request).Execute();
}

Result<void> Undo(ReconcileContext& context, const Operationrequest& request) {
  return Operation(context, request).ResolveBridge();
}

// The role to grant or to revoke. If the user has none, the least one, so that the revocation can
// be repeated after a crash.
std::string RequestedRole(ReconcileContext& context, const Operationrequest& request) {
  if (request.spec.action != "Deprive") return request.spec.role;
  const std::string& user = request.spec.user;
  for (const std::string& name : {GuestBindingOf(user), BridgeOf(user)}) {
    const auto bound = context.Cached<RoleBinding>().Get({request.spec.namespace_name, name});
    if (bound != nullptr) return bound->role_ref.name;
  }
  return kDeveloperRole;
}

// Requests have the user as a label.
StringMap LabelsOf(const Operationrequest& request) {
  const std::string& user = request.spec.user;
  if (user.empty() || !ValidateLabelValue(user).empty()) return {};
  return {{kOwner, user}};
}

Result<void> Authorize(ReconcileContext& context, const Operationrequest& request,
                       const Requester& requester) {
  if (requester.user.empty()) {
    if (request.metadata.namespace_name == kSystemNamespace) return {};
    return Terminal(Error::Forbidden(
        "operationrequests.user.sealos.io", request.metadata.name,
        fmt::format(
            "the creator of the request is unknown; set the annotation {} to your user name "
            "(kubectl auth whoami), or create the request in the namespace {}",
            kCreatorAnnotation, kSystemNamespace)));
  }
  const bool gives_up_own_role =
      request.spec.action == "Deprive" && requester.user == AccountUser(request.spec.user);
  if (gives_up_own_role) return {};
  return CheckAccess(context, requester,
                     {.verb = "bind",
                      .resource = ResourceType::Of<Role>(),
                      .key = {request.spec.namespace_name, RequestedRole(context, request)}});
}

}  // namespace

Controller OperationRequestController(const OperationRequestOptions& options) {
  ControllerFor<Operationrequest> controller = RequestController<Operationrequest>(
      {.controller = {.name = "operationrequest", .max_concurrent_reconciles = options.workers},
       .scope = {.namespace_name = options.watch_namespace},
       .record_namespace = kSystemNamespace,
       .times = options.times,
       .execute = Execute,
       .authorize = Authorize,
       .undo = Undo,
       // A bridge that remains after a crash is removed by the next request for the user.
       .finalizer_policy = RequestFinalizerPolicy::kAfterFirstAttempt,
       .ordering_key =
           [](const Operationrequest& request) {
             return request.spec.namespace_name + "/" + request.spec.user;
           },
       .labels = LabelsOf,
       .audit = options.audit});
  controller
      .Reads<User>()
      // Requests concern other namespaces than their own.
      .Reads<RoleBinding>({.all_namespaces = true})
      .RequiresAccess<User>({"patch"})
      .RequiresAccess<RoleBinding>({"create", "delete"}, "", "")
      .RequiresAccess<Role>({"bind", "escalate"}, "", "");
  controller.AddAccess(ReviewAccess());
  return controller;
}

}  // namespace kubexms::platform
