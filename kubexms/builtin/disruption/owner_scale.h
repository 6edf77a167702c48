#pragma once

// How many Pods those want who own some: what a share of Pods is a share of.

#include <cstdint>
#include <memory>
#include <span>

#include "kubexms/builtin/shared/pod_state.h"
#include "kubexms/client/discovery.h"
#include "kubexms/controller/reconcile.h"

namespace kubexms {

struct OwnerScale {
  int64_t replicas = 0;    // of all owners together, each counted once
  bool unmanaged = false;  // some of the Pods have no owner
};

// Deployments (through their ReplicaSets), ReplicaSets, StatefulSets and ReplicationControllers are
// read from the caches of the context, which must have them; of other kinds the server is asked for
// their scale, and it is an error when they have none.
Result<OwnerScale> ScaleOfOwners(ReconcileContext& context, ResourceMapper& kinds,
                                 std::span<const PodPointer> pods);

}  // namespace kubexms
