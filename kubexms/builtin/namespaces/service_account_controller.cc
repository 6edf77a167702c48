#include "kubexms/builtin/namespaces/service_account_controller.h"

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/builtin/namespaces/active_namespace.h"

namespace kubexms {
namespace {

using corev1::Namespace;
using corev1::ServiceAccount;

constexpr const char* kName = "default";

Result<Outcome> Reconcile(ReconcileContext& context, const Namespace& namespace_name) {
  if (!IsActive(namespace_name)) return Outcome::Done();
  const ObjectKey key{context.key.name, kName};
  if (context.Cached<ServiceAccount>().Get(key) != nullptr) return Outcome::Done();
  ServiceAccount account;
  account.metadata.namespace_name = key.namespace_name;
  account.metadata.name = key.name;
  const auto created = context.client.Create(account, {.stop = context.stop});
  if (!created.ok() && !created.error().IsAlreadyExists()) {
    RETURN_IF_ERROR(IgnoreTerminating(created.error()));
  }
  return Outcome::Done();
}

}  // namespace

Controller ServiceAccountController() {
  ControllerFor<Namespace> controller({.name = "serviceaccount-controller"});
  controller
      .Watches<ServiceAccount>(
          [](const ServiceAccount& account) -> std::vector<ObjectKey> {
            return {{"", account.metadata.namespace_name}};
          },
          {.scope = {.field_selector = FieldSelector::Parse("metadata.name=default").value()}})
      .RequiresAccess<ServiceAccount>({"create"})
      .Reconciles(Reconcile);
  return controller;
}

}  // namespace kubexms
