#include "kubexms/builtin/endpoints/endpoints_controller.h"

#include <fmt/format.h>

#include "kubexms/builtin/endpoints/endpoint_subsets.h"
#include "kubexms/builtin/endpoints/service_watch.h"
#include "kubexms/builtin/namespaces/active_namespace.h"
#include "kubexms/controller/events/event_recorder.h"

namespace kubexms {
namespace {

using corev1::Endpoints;
using corev1::Service;

// Endpoints of other writers do not trigger a reconcile.
std::vector<ObjectKey> KeyIfManaged(const Endpoints& endpoints) {
  if (!endpoints.metadata.labels.contains(kEndpointsManagerLabel)) return {};
  return {ObjectKey::Of(endpoints.metadata)};
}

Result<void> Create(ReconcileContext& context, const Endpoints& endpoints) {
  const auto created = context.client.Create(endpoints, {.stop = context.stop});
  if (created.ok() || IgnoreTerminating(created.error()).ok()) return {};
  context.events.Event(ReferenceTo(endpoints), EventType::kWarning, "FailedToCreateEndpoint",
                       fmt::format("Failed to create endpoint for service {}: {}",
                                   context.key.ToString(), created.error().message()));
  return created.error();
}

Result<void> Update(ReconcileContext& context, const Endpoints& endpoints) {
  const auto updated = context.client.Update(endpoints, {.stop = context.stop});
  if (updated.ok()) return {};
  if (!updated.error().IsConflict()) {
    context.events.Event(ReferenceTo(endpoints), EventType::kWarning, "FailedToUpdateEndpoint",
                         fmt::format("Failed to update endpoint {}: {}", context.key.ToString(),
                                     updated.error().message()));
  }
  return updated.error();
}

Result<Outcome> Reconcile(ReconcileContext& context, const Service& service) {
  if (service.spec.selector.empty() || service.spec.type == "ExternalName") return Outcome::Done();
  const auto current = context.Cached<Endpoints>().Get(context.key);
  const auto desired = PlanEndpoints(service, PodsOf(service, context), current.get());
  if (!desired) return Outcome::Done();
  RETURN_IF_ERROR(current == nullptr ? Create(context, *desired) : Update(context, *desired));
  return Outcome::Done();
}

// The Endpoints object is deleted with the Service of its name, whoever created it, as upstream
// does.
Result<Outcome> DeleteEndpoints(ReconcileContext& context) {
  if (context.Cached<Endpoints>().Get(context.key) == nullptr) return Outcome::Done();
  RETURN_IF_ERROR(IgnoreNotFound(context.client.Delete<Endpoints>(context.key)));
  return Outcome::Done();
}

}  // namespace

Controller EndpointsController(InformerSet& informers) {
  ControllerFor<Service> controller({.name = "endpoints-controller",
                                     .event_source = "endpoint-controller",
                                     .max_concurrent_reconciles = 5});
  WatchSelectedPods(MakeServiceLookup(informers), controller);
  controller.Watches<Endpoints>(&KeyIfManaged)
      .RequiresAccess<Endpoints>({"create", "delete", "update"})
      .Reconciles(Reconcile)
      .OnDeleted(DeleteEndpoints);
  return controller;
}

}  // namespace kubexms
