#include "kubexms/builtin/endpoints/slice_writer.h"

#include "kubexms/builtin/namespaces/active_namespace.h"

namespace kubexms {

using discoveryv1::EndpointSlice;

std::vector<ObjectKey> ServiceOfSlice(const EndpointSlice& slice, std::string_view manager) {
  const StringMap& labels = slice.metadata.labels;
  const auto managed_by = labels.find(kSliceManagerLabel);
  const auto service = labels.find(kServiceNameLabel);
  if (managed_by == labels.end() || service == labels.end() || managed_by->second != manager)
    return {};
  return {{slice.metadata.namespace_name, service->second}};
}

std::vector<EndpointSlicePtr> SlicesOf(const ReconcileContext& context,
                                       const std::string& manager) {
  return context.Cached<EndpointSlice>().ByIndex(manager, context.key.ToString());
}

Result<void> WriteSlices(ReconcileContext& context, const SlicePlan& plan) {
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

}  // namespace kubexms
