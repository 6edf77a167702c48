#pragma once

// The Node and the Lease that the kubelet of a simulated node writes.
//
// Annotations of the Node with the prefix "simulate.kubexms.io/" change the simulation:
//
//   stopped    "true": the machine is off: no heartbeats, and its Pods do not change
//   pressure   conditions with the status True: "MemoryPressure,DiskPressure,PIDPressure"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "kubexms/api/kinds/coordination_v1.h"
#include "kubexms/api/kinds/core_v1/node.h"

namespace kubexms {

// The number of Pod CIDRs.
inline constexpr int kMaxSimulatedNodes = 32768;

// "sim-0001"; numbers begin at 1.
std::string SimulatedNodeName(int number);
// The number in the name of a simulated node; nothing for other names.
std::optional<int> SimulatedNodeNumber(std::string_view name);

// A ready node in one of three zones, with a Pod CIDR.
corev1::Node MakeSimulatedNode(int number, Time now);

// Sets the status of the simulated node with this number, which is ready. Capacity and allocatable
// are retained, so that users can change them. True if the status has to be written: it differs, or
// the last heartbeat is older than `heartbeat_period`.
bool RefreshNodeStatus(int number, Time now, std::chrono::seconds heartbeat_period,
                       corev1::Node& node);

bool IsStopped(const corev1::Node& node);
// Empty if the node has none yet.
std::string InternalIp(const corev1::Node& node);

inline constexpr const char* kNodeLeaseNamespace = "kube-node-lease";
// The Lease to create, owned by the node.
coordinationv1::Lease MakeNodeLease(const corev1::Node& node, std::chrono::seconds duration,
                                    MicroTime now);
// A merge patch that renews the Lease.
std::string NodeLeaseRenewal(const corev1::Node& node, std::chrono::seconds duration,
                             MicroTime now);

}  // namespace kubexms
