#pragma once

// Status that a controller computes as a whole.

#include "kubexms/api/codec.h"
#include "kubexms/controller/reconcile.h"

namespace kubexms {

// Stores the status of `after`, a copy of `before`, and its annotations, which the server takes
// with it; nothing when both are the same. That the object is gone is no error.
template <Kind T>
Result<void> WriteStatus(ReconcileContext& context, const T& before, const T& after) {
  if (before.metadata.annotations == after.metadata.annotations &&
      SemanticEqual(before.status, after.status)) {
    return {};
  }
  const auto written = context.client.Do(
      Client::WriteRequest(Verb::kUpdate, ResourceType::Of<T>(), after.metadata, Encode(after),
                           {.subresource = "status", .stop = context.stop}));
  if (written.ok() || written.error().IsNotFound()) return {};
  return written.error();
}

}  // namespace kubexms
