#pragma once

// Nodes without machines: as many as are asked for, each with a Node and a Lease that say that it
// is well, and with Pods that come up, end and go as they would under a kubelet
// (simulated_pod.h). Controllers, schedulers and clients are tried out on them, by the thousand.
//
// A node that exists already is taken over as it is. One that is deleted stays away until the
// simulation begins anew. Of all Pods together one cache is kept, and a Pod costs one write until
// it is ready.

#include <chrono>

#include "kubexms/controller/manager/manager.h"

namespace kubexms {

struct SimulatedNodesOptions {
  int count = 0;
  // As those of kubelets.
  std::chrono::seconds lease_duration{40};
  std::chrono::nanoseconds lease_period = std::chrono::seconds(10);
  std::chrono::seconds status_period{300};
  int pod_workers = 4;
};

// Adds them to the manager, before it runs. They act through `client`, whose user may do what
// kubelets do: for Nodes, Leases, Pods and their status.
void AddSimulatedNodes(const SimulatedNodesOptions& options, Client& client, Manager& manager);

}  // namespace kubexms
