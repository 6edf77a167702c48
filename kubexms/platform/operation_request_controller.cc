#include "kubexms/platform/operation_request_controller.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

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

// How often it is looked whether a user is there who may be about to be made.
constexpr auto kLookForUser = std::chrono::seconds(5);

// While one role takes the place of another: the binding that bridges the time without "rb-<user>".
// No user's name has a colon, so that nobody's own binding is called so.
std::string BridgeOf(const std::string& user) { return GuestBindingOf(user) + ":update"; }

Error Wrong(std::string_view field, std::string_view what) {
  return Terminal(Error::BadRequest(fmt::format("{}: {}", field, what)));
}

// One execution.
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
      return RequestOutcome::Waiting(fmt::format("waits for the user {}", missing), kLookForUser);
    }
    return spec_.action == "Grant" ? Grant() : Update();
  }

  // Leaves one binding: the one that is there, or else the one that was to replace it.
  Result<void> SettleBridge() {
    const auto bridge = Bound(bridge_);
    if (bridge == nullptr) return {};
    if (Bound(key_) == nullptr) {
      RoleBinding settled = *bridge;
      settled.metadata = MetadataFor(key_);
      settled.metadata.owner_references = bridge->metadata.owner_references;
      RETURN_IF_ERROR(Make(settled));
    }
    return Remove(bridge_);
  }

 private:
  Result<void> CheckSpec() const {
    if (UserOf(spec_.namespace_name).empty()) {
      return Wrong("spec.namespace", "must be a workspace, such as ns-alice");
    }
    if (spec_.user == UserOf(spec_.namespace_name)) {
      return Wrong("spec.user", spec_.user + " owns this workspace and cannot be a guest in it");
    }
    if (GuestBindingOf(spec_.user) == UserOf(spec_.namespace_name)) {
      return Wrong("spec.user", fmt::format("{} cannot be a guest in {}, whose owner's binding has "
                                            "the name of the guest's",
                                            spec_.user, spec_.namespace_name));
    }
    if (spec_.role.empty() && spec_.action != "Deprive") {
      return Wrong("spec.role", "must be Owner, Manager or Developer");
    }
    return {};
  }

  // The name of the one who is not there yet; empty: all are.
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

  // One that is there already has to be looked at: the error says so, and it is tried again.
  Result<void> Make(const RoleBinding& binding) {
    RETURN_IF_ERROR(context_.client.Create(binding, {.stop = context_.stop}));
    return {};
  }
  Result<void> Make(const ObjectKey& key) {
    ASSIGN_OR_RETURN(const RoleBinding binding, BindingFor(key));
    return Make(binding);
  }
  Result<void> Remove(const ObjectKey& key) {
    if (Bound(key) == nullptr) return {};
    return IgnoreNotFound(context_.client.Delete<RoleBinding>(key));
  }

  Result<RequestOutcome> Grant() {
    RETURN_IF_ERROR(SettleBridge());
    const auto bound = Bound(key_);
    if (bound == nullptr) {
      RETURN_IF_ERROR(Make(key_));
    } else if (bound->role_ref.name != spec_.role) {
      return Wrong("spec.role",
                   fmt::format("{} has the role {} in {}; ask for the action Update to change it",
                               spec_.user, bound->role_ref.name, spec_.namespace_name));
    }
    RETURN_IF_ERROR(NoteOwner());
    return Completed("has");
  }

  Result<RequestOutcome> Update() {
    const auto bound = Bound(key_);
    if (bound == nullptr && Bound(bridge_) == nullptr) {
      RETURN_IF_ERROR(Make(key_));
    } else if (bound == nullptr || bound->role_ref.name != spec_.role) {
      RETURN_IF_ERROR(Replace());
    }
    RETURN_IF_ERROR(Remove(bridge_));
    RETURN_IF_ERROR(NoteOwner());
    return Completed("has");
  }

  // At every moment there is a binding: the old one until the bridge to the new role is there, and
  // the bridge until the new one is.
  Result<void> Replace() {
    RETURN_IF_ERROR(MakeBridge());
    RETURN_IF_ERROR(Remove(key_));
    return Make(key_);
  }

  Result<void> MakeBridge() {
    const auto bridge = Bound(bridge_);
    if (bridge != nullptr && bridge->role_ref.name == spec_.role) return {};
    // Left by another request, to another role.
    RETURN_IF_ERROR(SettleBridge());
    return Make(bridge_);
  }

  Result<RequestOutcome> Deprive() {
    const bool had = Bound(key_) != nullptr || Bound(bridge_) != nullptr;
    RETURN_IF_ERROR(Remove(bridge_));
    RETURN_IF_ERROR(Remove(key_));
    if (had) return Completed("no longer has a role");
    return RequestOutcome::Completed(
        fmt::format("{} had no role in {}", spec_.user, spec_.namespace_name));
  }

  // A workspace knows its owner.
  Result<void> NoteOwner() {
    if (spec_.role != kOwnerRole) return {};
    const auto known = workspace_user_->metadata.annotations.find(kOwner);
    if (known != workspace_user_->metadata.annotations.end() && known->second == spec_.user) {
      return {};
    }
    RETURN_IF_ERROR(
        Annotate(context_, workspace_user_->metadata.name, JsonObject{{kOwner, spec_.user}}));
    return {};
  }

  RequestOutcome Completed(std::string_view what) const {
    const std::string role = spec_.action == "Deprive" ? "" : " the role " + spec_.role;
    return RequestOutcome::Completed(
        fmt::format("{} {}{} in {}", spec_.user, what, role, spec_.namespace_name));
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
  return Operation(context, request).SettleBridge();
}

// The role to be given, or the one to be taken; where none is held, the least, so that whoever may
// take a role may ask again after a crash.
std::string RoleInQuestion(ReconcileContext& context, const Operationrequest& request) {
  if (request.spec.action != "Deprive") return request.spec.role;
  const std::string& user = request.spec.user;
  for (const std::string& name : {GuestBindingOf(user), BridgeOf(user)}) {
    const auto bound = context.Cached<RoleBinding>().Get({request.spec.namespace_name, name});
    if (bound != nullptr) return bound->role_ref.name;
  }
  return kDeveloperRole;
}

// Requests are found by whom they are about.
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
        fmt::format("this server does not record who created it; create it in the namespace {}",
                    kSystemNamespace)));
  }
  const bool gives_up_own_role =
      request.spec.action == "Deprive" && requester.user == AccountUser(request.spec.user);
  if (gives_up_own_role) return {};
  return CheckAccess(context, requester,
                     {.verb = "bind",
                      .resource = ResourceType::Of<Role>(),
                      .key = {request.spec.namespace_name, RoleInQuestion(context, request)}});
}

}  // namespace

Controller OperationRequestController(const OperationRequestOptions& options) {
  ControllerFor<Operationrequest> controller = RequestController<Operationrequest>(
      {.controller = {.name = "operationrequest", .workers = options.workers},
       .scope = {.namespace_name = options.watch_namespace},
       .record_namespace = kSystemNamespace,
       .times = options.times,
       .execute = Execute,
       .authorize = Authorize,
       .undo = Undo,
       // A bridge that is left after all is settled by the next request about that user.
       .hold = RequestHold::kUnfinished,
       .one_at_a_time =
           [](const Operationrequest& request) {
             return request.spec.namespace_name + "/" + request.spec.user;
           },
       .labels = LabelsOf,
       .audit = options.audit});
  controller
      .Reads<User>()
      // Requests are about other namespaces than their own.
      .Reads<RoleBinding>({.all_namespaces = true})
      .Touches<User>({"patch"})
      .Touches<RoleBinding>({"create", "delete"}, "", "")
      .Touches<Role>({"bind", "escalate"}, "", "");
  controller.AddAccess(ReviewAccess());
  return controller;
}

}  // namespace kubexms::platform
