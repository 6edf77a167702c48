#pragma once

// The node lifecycle controller. If a node neither renews its Lease nor updates its status for the
// grace period, the controller sets its conditions to Unknown, adds NoSchedule taints, and marks
// its Pods as not ready. Later it adds the NoExecute taint, by which taint_eviction_controller.h
// evicts the Pods: rate-limited, and not while most nodes of a zone fail (node_zones.h). When the
// node reports again, the taints are removed.
//
// The grace period counts from the time at which this process received the last heartbeat, by its
// own clock.

#include <chrono>

#include "kubexms/builtin/nodes/node_zones.h"
#include "kubexms/controller/controller.h"

namespace kubexms {

struct NodeLifecycleOptions {
  std::chrono::nanoseconds grace_period = std::chrono::seconds(50);
  // For a node that has not reported any status since its creation.
  std::chrono::nanoseconds startup_grace_period = std::chrono::seconds(60);
  // How often nodes that are not ready are reconciled without a change.
  std::chrono::nanoseconds monitor_period = std::chrono::seconds(5);
  NodeZonesOptions zones;
};

Controller NodeLifecycleController(const NodeLifecycleOptions& options = {});

}  // namespace kubexms
