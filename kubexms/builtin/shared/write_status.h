#pragma once

// Writes a status that a controller computes as a whole.

#include "kubexms/api/codec.h"
#include "kubexms/controller/reconcile.h"

namespace kubexms {

// Updates the status and the annotations of `after`, a changed copy of `before`; sends nothing if
// neither differs. Not found is not an error: the object was deleted meanwhile.
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
