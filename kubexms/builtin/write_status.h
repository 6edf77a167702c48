#pragma once

// Status that a controller computes as a whole.

#include "kubexms/api/codec.h"
#include "kubexms/controller/reconcile.h"

namespace kubexms {

// Stores `status` as that of `object`, unless it is so already. That somebody else has changed or
// deleted the object is no error: the news of that reconciles it again.
template <Kind T, class Status>
Result<void> WriteStatus(ReconcileContext& context, const T& object, Status status) {
  if (SemanticEqual(object.status, status)) return {};
  T changed = object;
  changed.status = std::move(status);
  const auto written = context.client.Do(
      Client::WriteRequest(Verb::kUpdate, ResourceType::Of<T>(), changed.metadata, Encode(changed),
                           {.subresource = "status", .stop = context.stop}));
  if (written.ok() || written.error().IsConflict() || written.error().IsNotFound()) return {};
  return written.error();
}

}  // namespace kubexms
