#include "kubexms/platform/delete_request_controller.h"

#include <fmt/format.h>

#include <memory>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/platform/access.h"
#include "kubexms/platform/names.h"
#include "kubexms/platform/user_objects.h"

namespace kubexms::platform {
namespace {

using corev1::Namespace;
using userv1::Deleterequest;
using userv1::User;

bool RetainsWorkspace(const Deleterequest& request) {
  return request.spec.delete_dependents.has_value() && !*request.spec.delete_dependents;
}

std::string CompletedMessage(const Deleterequest& request, bool existed) {
  const std::string& user = request.spec.user;
  std::string message = fmt::format("{} {}", user, existed ? "deleted" : "does not exist");
  if (RetainsWorkspace(request))
    message += fmt::format("; workspace {} retained", WorkspaceOf(user));
  return message;
}

// Set before the user is deleted, so that a crash in between does not delete the workspace.
Result<void> MarkWorkspaceRetained(ReconcileContext& context, const User& user) {
  if (user.metadata.annotations.contains(kRetainWorkspace)) return {};
  RETURN_IF_ERROR(Annotate(context, user.metadata.name, JsonObject{{kRetainWorkspace, "true"}}));
  return {};
}

// Deletes the workspace of a user who was deleted without a request, or whose workspace was
// retained.
Result<RequestOutcome> DeleteWorkspace(ReconcileContext& context, const Deleterequest& request,
                                       const DeleteRequestOptions& options) {
  const ObjectKey key{"", WorkspaceOf(request.spec.user)};
  const auto workspace = context.Cached<Namespace>().Get(key);
  const bool started = !request.status.message.empty();
  if (workspace == nullptr || !workspace->metadata.annotations.contains(kOwner)) {
    return RequestOutcome::Completed(CompletedMessage(request, started));
  }
  if (workspace->metadata.deletion_timestamp.IsZero()) {
    RETURN_IF_ERROR(IgnoreNotFound(context.client.Delete<Namespace>(key)));
  }
  return RequestOutcome::Waiting(key.name + " is being deleted", options.poll_interval);
}

Result<RequestOutcome> Execute(ReconcileContext& context, const Deleterequest& request,
                               const DeleteRequestOptions& options) {
  const std::string& name = request.spec.user;
  if (options.protected_users.contains(name)) {
    return Terminal(Error::Forbidden("users.user.sealos.io", name, "this user is protected"));
  }
  const auto user = context.Cached<User>().Get({"", name});
  if (user == nullptr) {
    if (!RetainsWorkspace(request)) return DeleteWorkspace(context, request, options);
    return RequestOutcome::Completed(CompletedMessage(request, !request.status.message.empty()));
  }
  if (user->metadata.deletion_timestamp.IsZero()) {
    if (RetainsWorkspace(request)) RETURN_IF_ERROR(MarkWorkspaceRetained(context, *user));
    DeleteOptions options_with_uid;
    options_with_uid.preconditions.emplace().uid = user->metadata.uid;
    RETURN_IF_ERROR(IgnoreNotFound(context.client.Delete<User>({"", name}, options_with_uid)));
  }
  return RequestOutcome::Waiting(name + " is being deleted", options.poll_interval);
}

// If the server does not record the creator, everyone who may create Deleterequests is authorized.
Result<void> Authorize(ReconcileContext& context, const Deleterequest& request,
                       const Requester& requester) {
  if (requester.user.empty()) return {};
  return CheckAccess(
      context, requester,
      {.verb = "delete", .resource = ResourceType::Of<User>(), .key = {"", request.spec.user}});
}

}  // namespace

Controller DeleteRequestController(const DeleteRequestOptions& options) {
  ControllerFor<Deleterequest> controller = RequestController<Deleterequest>(
      {.controller = {.name = "deleterequest", .max_concurrent_reconciles = options.workers},
       .record_namespace = kSystemNamespace,
       .times = options.times,
       .execute = [options](ReconcileContext& context,
                            Deleterequest& request) { return Execute(context, request, options); },
       .authorize = Authorize,
       .ordering_key = [](const Deleterequest& request) { return request.spec.user; },
       .audit = options.audit});
  controller.Reads<User>()
      .Reads<Namespace>()
      .RequiresAccess<User>({"patch", "delete"})
      .RequiresAccess<Namespace>({"delete"});
  controller.AddAccess(ReviewAccess());
  return controller;
}

}  // namespace kubexms::platform
