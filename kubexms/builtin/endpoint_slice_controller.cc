#include "kubexms/builtin/endpoint_slice_controller.h"

#include "kubexms/api/kinds/core_v1_node.h"
#include "kubexms/builtin/active_namespace.h"
#include "kubexms/builtin/endpoint_slices.h"
#include "kubexms/builtin/pods_by_node.h"
#include "kubexms/builtin/service_watch.h"

namespace kubexms {
namespace {

using corev1::Node;
using corev1::Pod;
using corev1::Service;
using discoveryv1::EndpointSlice;

constexpr const char* kManager = "endpointslice-controller.k8s.io";
constexpr const char* kServiceIndex = "endpointslice-controller service";

// The Service of a slice that this controller keeps.
std::vector<ObjectKey> ServiceOf(const EndpointSlice& slice) {
  const StringMap& labels = slice.metadata.labels;
  const auto manager = labels.find(kSliceManagerLabel);
  const auto service = labels.find(kServiceNameLabel);
  if (manager == labels.end() || service == labels.end() || manager->second != kManager) return {};
  return {{slice.metadata.namespace_, service->second}};
}

std::vector<std::string> ServiceIndexOf(const EndpointSlice& slice) {
  std::vector<std::string> values;
  for (const ObjectKey& key : ServiceOf(slice)) values.push_back(key.ToString());
  return values;
}

std::string ZoneOf(const Node& node) {
  const auto zone = node.metadata.labels.find(kZoneLabel);
  return zone == node.metadata.labels.end() ? "" : zone->second;
}

std::vector<EndpointGroup> WantedGroups(const ReconcileContext& context, const Service& service) {
  if (service.spec.type == "ExternalName") return {};
  const auto nodes = context.Cached<Node>();
  return GroupEndpoints(service, PodsOf(service, context),
                        [&](const std::string& name) -> std::optional<std::string> {
                          const auto node = nodes.Get({"", name});
                          if (node == nullptr) return std::nullopt;
                          return ZoneOf(*node);
                        });
}

// Slices are made before others are emptied, so that an endpoint that moves is always in one.
Result<void> Write(ReconcileContext& context, const SlicePlan& plan) {
  for (const EndpointSlice& slice : plan.create) {
    const auto created = context.client.Create(slice, {.stop = context.stop});
    if (!created.ok()) return IgnoreTerminating(created.error());
  }
  for (const EndpointSlice& slice : plan.update) {
    RETURN_IF_ERROR(context.client.Update(slice, {.stop = context.stop}));
  }
  for (const EndpointSlicePtr& slice : plan.remove) {
    RETURN_IF_ERROR(
        IgnoreNotFound(context.client.Delete<EndpointSlice>(ObjectKey::Of(slice->metadata))));
  }
  return {};
}

Result<Outcome> Reconcile(ReconcileContext& context, const Service& service) {
  if (service.spec.selector.empty()) return Outcome::Done();
  const auto existing =
      context.Cached<EndpointSlice>().ByIndex(kServiceIndex, context.key.ToString());
  SlicePlan plan = PlanSlices(SlicePattern(service, kManager), WantedGroups(context, service),
                              existing, service.metadata.creation_timestamp);
  // What is made for a Service that goes would only have to be collected with it.
  if (!service.metadata.deletion_timestamp.IsZero()) plan.create.clear();
  RETURN_IF_ERROR(Write(context, plan));
  return Outcome::Done();
}

}  // namespace

Controller EndpointSliceController(InformerSet& informers) {
  const auto services = LookupOfServices(informers);
  const auto pods = informers.Get<Pod>();
  ControllerFor<Service> controller(
      {.name = "endpointslice-controller",
       .event_source = "endpoint-slice-controller",
       .workers = 5});
  WatchSelectedPods(services, controller);
  controller.Index<Pod>(kPodsByNode, &NodeOfPod)
      .Watches<Node>(
          [services, pods](const Node& node) {
            std::vector<ObjectKey> keys;
            for (const auto& pod :
                 Lister<Pod>(pods->cache()).ByIndex(kPodsByNode, node.metadata.name)) {
              std::ranges::move(services->Selecting(pod->metadata.namespace_, pod->metadata.labels),
                                std::back_inserter(keys));
            }
            return keys;
          },
          {.predicates = {Changed<Node>([](const Node& before, const Node& after) {
             return ZoneOf(before) != ZoneOf(after);
           })}})
      .Watches<EndpointSlice>(&ServiceOf)
      .Index<EndpointSlice>(kServiceIndex, &ServiceIndexOf)
      .Touches<EndpointSlice>({"create", "delete", "update"})
      .Reconciles(Reconcile);
  return controller;
}

}  // namespace kubexms
