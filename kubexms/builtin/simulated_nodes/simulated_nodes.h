#pragma once

// Simulated nodes: Nodes with Leases and a ready status, whose Pods start, finish and terminate as
// they would under a kubelet (simulated_pod.h). For trying out controllers, schedulers and clients
// at scale.
//
// An existing Node is adopted. A deleted Node is not created again until the simulation restarts.
// All nodes share one cache of Pods, and a Pod costs one write until it is ready.

#include <chrono>

#include "kubexms/controller/manager/manager.h"

namespace kubexms {

struct SimulatedNodesOptions {
  int count = 0;
  // Defaults of the kubelet.
  std::chrono::seconds lease_duration{40};
  std::chrono::nanoseconds lease_period = std::chrono::seconds(10);
  std::chrono::seconds status_period{300};
  int pod_workers = 4;
};

// Adds the controllers to the manager before it runs. They write through `client`, whose user needs
// the permissions of a kubelet for Nodes, Leases, Pods and their status.
void AddSimulatedNodes(const SimulatedNodesOptions& options, Client& client, Manager& manager);

}  // namespace kubexms
