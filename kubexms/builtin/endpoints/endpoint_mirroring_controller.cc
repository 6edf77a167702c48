#include "kubexms/builtin/endpoints/endpoint_mirroring_controller.h"

#include <fmt/format.h>

#include "kubexms/api/kinds/core_v1/service.h"
#include "kubexms/builtin/endpoints/endpoint_mirror.h"
#include "kubexms/builtin/endpoints/slice_writer.h"
#include "kubexms/controller/events/event_recorder.h"

namespace kubexms {
namespace {

using corev1::Endpoints;
using corev1::Service;

constexpr const char* kManager = "endpointslicemirroring-controller.k8s.io";

// Slices of Endpoints that are not mirrored are deleted.
bool IsMirrored(const ReconcileContext& context, const Endpoints& endpoints) {
  const auto service = context.Cached<Service>().Get(context.key);
  return service != nullptr && service->spec.selector.empty() && ShouldMirror(endpoints);
}

void RecordSkipped(const ReconcileContext& context, const Endpoints& endpoints, size_t skipped) {
  if (skipped == 0) return;
  context.events.Event(
      ReferenceTo(endpoints), EventType::kWarning, "TooManyAddressesToMirror",
      fmt::format("A max of {} addresses can be mirrored to EndpointSlices per Endpoints subset. "
                  "{} addresses were skipped",
                  kMaxMirroredAddresses, skipped));
}

Result<Outcome> Reconcile(ReconcileContext& context, const Endpoints& endpoints) {
  const MirroredEndpoints mirrored =
      IsMirrored(context, endpoints) ? MirrorEndpoints(endpoints) : MirroredEndpoints();
  SlicePlan plan =
      PlanSlices(MirrorPattern(endpoints, kManager), mirrored.groups, SlicesOf(context, kManager),
                 Time(), {.max_endpoints = kMaxMirroredAddresses, .exact_annotations = true});
  if (!endpoints.metadata.deletion_timestamp.IsZero()) plan.create.clear();
  if (!plan.empty()) RecordSkipped(context, endpoints, mirrored.skipped);
  RETURN_IF_ERROR(WriteSlices(context, plan));
  return Outcome::Done();
}

Result<Outcome> DeleteSlices(ReconcileContext& context) {
  RETURN_IF_ERROR(WriteSlices(context, {.remove = SlicesOf(context, kManager)}));
  return Outcome::Done();
}

}  // namespace

Controller EndpointMirroringController() {
  ControllerFor<Endpoints> controller({.name = "endpointslice-mirroring-controller",
                                       .event_source = "endpoint-slice-mirroring-controller",
                                       .max_concurrent_reconciles = 5});
  controller.Watches<Service>(
      [](const Service& service) -> std::vector<ObjectKey> {
        return {ObjectKey::Of(service.metadata)};
      },
      {.predicates = {Changed<Service>([](const Service& before, const Service& after) {
         return before.spec.selector.empty() != after.spec.selector.empty();
       })}});
  WatchSlices(kManager, controller);
  controller.Reconciles(Reconcile).OnDeleted(DeleteSlices);
  return controller;
}

}  // namespace kubexms
