#pragma once

// Nodes that fall silent. A node that neither renews its Lease nor posts its status for a while is
// of unknown state: its conditions say so, new Pods are kept from it at once, and the Pods on it
// are no longer ready. Then it gets the taint that drives Pods away (taint_eviction_controller.h),
// one node after the other and not while most of them fail (node_zones.h). A node that is back is
// as before.
//
// What counts is when a sign of life arrives here, by the clock of this process.

#include <chrono>

#include "kubexms/builtin/nodes/node_zones.h"
#include "kubexms/controller/controller.h"

namespace kubexms {

struct NodeLifecycleOptions {
  std::chrono::nanoseconds grace_period = std::chrono::seconds(50);
  // Of a node that has said nothing since it was made.
  std::chrono::nanoseconds startup_grace_period = std::chrono::seconds(60);
  // How often nodes that are not ready are looked at without a change.
  std::chrono::nanoseconds monitor_period = std::chrono::seconds(5);
  NodeZonesOptions zones;
};

Controller NodeLifecycleController(const NodeLifecycleOptions& options = {});

}  // namespace kubexms
