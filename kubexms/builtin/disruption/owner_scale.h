#pragma once

// The number of replicas that the owners of Pods want: the base of percentages.

#include <cstdint>
#include <memory>
#include <span>

#include "kubexms/builtin/shared/pod_state.h"
#include "kubexms/client/discovery.h"
#include "kubexms/controller/reconcile.h"

namespace kubexms {

struct OwnerScale {
  int64_t replicas = 0;    // of all owners, each counted once
  bool unmanaged = false;  // some Pods have no controller
};

// Deployments (of ReplicaSets), ReplicaSets, StatefulSets and ReplicationControllers are read from
// the caches of the context, which must have them. For other kinds the scale subresource is read
// from the server; a kind without it is an error.
Result<OwnerScale> ScaleOfOwners(ReconcileContext& context, ResourceMapper& kinds,
                                 std::span<const PodPointer> pods);

}  // namespace kubexms
