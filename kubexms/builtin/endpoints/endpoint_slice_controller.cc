#include "kubexms/builtin/endpoints/endpoint_slice_controller.h"

#include "kubexms/api/kinds/core_v1/node.h"
#include "kubexms/builtin/endpoints/endpoint_slices.h"
#include "kubexms/builtin/endpoints/service_watch.h"
#include "kubexms/builtin/endpoints/slice_writer.h"
#include "kubexms/builtin/nodes/pods_by_node.h"

namespace kubexms {
namespace {

using corev1::Node;
using corev1::Pod;
using corev1::Service;

constexpr const char* kManager = "endpointslice-controller.k8s.io";

std::string ZoneOf(const Node& node) {
  const auto zone = node.metadata.labels.find(kZoneLabel);
  return zone == node.metadata.labels.end() ? "" : zone->second;
}

std::vector<EndpointGroup> DesiredGroups(const ReconcileContext& context, const Service& service) {
  if (service.spec.type == "ExternalName") return {};
  const auto nodes = context.Cached<Node>();
  return GroupEndpoints(service, PodsOf(service, context),
                        [&](const std::string& name) -> std::optional<std::string> {
                          const auto node = nodes.Get({"", name});
                          if (node == nullptr) return std::nullopt;
                          return ZoneOf(*node);
                        });
}

Result<Outcome> Reconcile(ReconcileContext& context, const Service& service) {
  if (service.spec.selector.empty()) return Outcome::Done();
  SlicePlan plan = PlanSlices(SlicePattern(service, kManager), DesiredGroups(context, service),
                              SlicesOf(context, kManager), service.metadata.creation_timestamp);
  // New slices of a Service that is being deleted would only be garbage-collected.
  if (!service.metadata.deletion_timestamp.IsZero()) plan.create.clear();
  RETURN_IF_ERROR(WriteSlices(context, plan));
  return Outcome::Done();
}

}  // namespace

Controller EndpointSliceController(InformerSet& informers) {
  const auto services = MakeServiceLookup(informers);
  ControllerFor<Service> controller({.name = "endpointslice-controller",
                                     .event_source = "endpoint-slice-controller",
                                     .max_concurrent_reconciles = 5});
  WatchSelectedPods(services, controller);
  controller.Index<Pod>(kPodsByNode, &NodeOfPod)
      .Watches<Node>(
          [services](const DeclaredCaches& caches, const Node& node) {
            std::vector<ObjectKey> keys;
            for (const auto& pod : caches.Cached<Pod>().ByIndex(kPodsByNode, node.metadata.name)) {
              std::ranges::move(
                  services->Selecting(pod->metadata.namespace_name, pod->metadata.labels),
                  std::back_inserter(keys));
            }
            return keys;
          },
          {.predicates = {Changed<Node>([](const Node& before, const Node& after) {
             return ZoneOf(before) != ZoneOf(after);
           })}});
  WatchSlices(kManager, controller);
  controller.Reconciles(Reconcile);
  return controller;
}

}  // namespace kubexms
