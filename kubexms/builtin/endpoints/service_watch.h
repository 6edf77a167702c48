#pragma once

// The watches of Pods that controllers of Services need.

#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/api/kinds/core_v1/service.h"
#include "kubexms/builtin/endpoints/service_pods.h"
#include "kubexms/builtin/shared/label_lookup.h"
#include "kubexms/controller/controller.h"

namespace kubexms {

using ServiceLookup = SelectorLookup<corev1::Service>;

inline std::shared_ptr<const ServiceLookup> MakeServiceLookup(InformerSet& informers) {
  return std::make_shared<const ServiceLookup>(informers, &SelectorOfService);
}

// Reconciles the Services that select a Pod, or selected it before, when its endpoint may have
// changed.
inline void WatchSelectedPods(std::shared_ptr<const ServiceLookup> services,
                              ControllerFor<corev1::Service>& controller) {
  controller
      .Watches<corev1::Pod>(
          [services = std::move(services)](const corev1::Pod& pod) {
            return services->Selecting(pod.metadata.namespace_name, pod.metadata.labels);
          },
          {.predicates = {Changed<corev1::Pod>(&EndpointChanged)}})
      .Index<corev1::Pod>(kLabelIndex, &LabelsOf<corev1::Pod>);
}

inline std::vector<PodPointer> PodsOf(const corev1::Service& service,
                                      const ReconcileContext& context) {
  return SelectedBy(SelectorOfService(service), service.metadata.namespace_name,
                    context.Cached<corev1::Pod>());
}

}  // namespace kubexms
