#pragma once

// The EndpointSlices that one controller keeps, and no other: their label tells whose they are.

#include <string>
#include <string_view>
#include <vector>

#include "kubexms/builtin/endpoints/endpoint_slices.h"
#include "kubexms/controller/controller.h"

namespace kubexms {

// The Service that a slice tells of, if it is one of the manager's.
std::vector<ObjectKey> ServiceOfSlice(const discoveryv1::EndpointSlice& slice,
                                      std::string_view manager);

// Reconciles the object of the Service's name when one of the manager's slices changes; SlicesOf()
// finds them.
template <Kind T>
void KeepSlices(const std::string& manager, ControllerFor<T>& controller) {
  using discoveryv1::EndpointSlice;
  controller
      .template Watches<EndpointSlice>(
          [manager](const EndpointSlice& slice) { return ServiceOfSlice(slice, manager); })
      .template Index<EndpointSlice>(manager,
                                     [manager](const EndpointSlice& slice) {
                                       std::vector<std::string> values;
                                       for (const ObjectKey& key : ServiceOfSlice(slice, manager)) {
                                         values.push_back(key.ToString());
                                       }
                                       return values;
                                     })
      .template Touches<EndpointSlice>({"create", "delete", "update"});
}

// The manager's slices of the key that is reconciled.
std::vector<EndpointSlicePtr> SlicesOf(const ReconcileContext& context, const std::string& manager);

// Slices are made before others are emptied, so that an endpoint that moves is always in one.
Result<void> WriteSlices(ReconcileContext& context, const SlicePlan& plan);

}  // namespace kubexms
