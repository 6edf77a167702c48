#pragma once

// What a simulated node says of itself: the Node and the Lease that a kubelet would write.
//
// Annotations of the Node, below "simulate.kubexms.io/", change it:
//
//   stopped    "true": it is as if the machine were off: no heartbeats, and nothing happens to its
//              Pods
//   pressure   conditions that are then true: "MemoryPressure,DiskPressure,PIDPressure"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "kubexms/api/kinds/coordination_v1.h"
#include "kubexms/api/kinds/core_v1/node.h"

namespace kubexms {

// As many as there are ranges of addresses for their Pods.
inline constexpr int kMaxSimulatedNodes = 32768;

// "sim-0001"; numbers begin at 1.
std::string SimulatedNodeName(int number);
// The number in such a name, or nothing.
std::optional<int> SimulatedNodeNumber(std::string_view name);

// A node that is ready, in one of three zones, with a range of addresses for its Pods.
corev1::Node MakeSimulatedNode(int number, Time now);

// Makes the status of a node be as it is with the simulated one of this number, which is ready.
// What says how large it is stays, so that it can be changed. True when there is something to
// write: it differs, or the last heartbeat is older than `heartbeat_period`.
bool RefreshNodeStatus(int number, Time now, std::chrono::seconds heartbeat_period,
                       corev1::Node& node);

bool IsStopped(const corev1::Node& node);
// Empty when it has none yet.
std::string InternalIp(const corev1::Node& node);

inline constexpr const char* kNodeLeaseNamespace = "kube-node-lease";
// The first one, which belongs to the node.
coordinationv1::Lease MakeNodeLease(const corev1::Node& node, std::chrono::seconds duration,
                                    MicroTime now);
// A merge patch that renews it.
std::string NodeLeaseRenewal(const corev1::Node& node, std::chrono::seconds duration,
                             MicroTime now);

}  // namespace kubexms
