#pragma once

// Reads and writes the EndpointSlices of one controller (the manager), which a label identifies.

#include <string>
#include <string_view>
#include <vector>

#include "kubexms/builtin/endpoints/endpoint_slices.h"
#include "kubexms/controller/controller.h"

namespace kubexms {

// The Service of a slice, if the manager maintains it.
std::vector<ObjectKey> ServiceOfSlice(const discoveryv1::EndpointSlice& slice,
                                      std::string_view manager);

// Reconciles the object with the name of the Service when one of the manager's slices changes, and
// adds the index for SlicesOf().
template <Kind T>
void WatchSlices(const std::string& manager, ControllerFor<T>& controller) {
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
      .template RequiresAccess<EndpointSlice>({"create", "delete", "update"});
}

// The manager's slices of the reconciled key.
std::vector<EndpointSlicePtr> SlicesOf(const ReconcileContext& context, const std::string& manager);

// Creates slices before others are emptied, so that an endpoint that is moved is always in one of
// them.
Result<void> WriteSlices(ReconcileContext& context, const SlicePlan& plan);

}  // namespace kubexms
