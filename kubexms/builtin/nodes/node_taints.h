#pragma once

// What the conditions of a Node mean for the Pods on it, as taints: decisions without any I/O.

#include <string_view>

#include "kubexms/api/kinds/core_v1/node.h"

namespace kubexms {

inline constexpr const char* kNotReadyTaint = "node.kubernetes.io/not-ready";
inline constexpr const char* kUnreachableTaint = "node.kubernetes.io/unreachable";
inline constexpr const char* kOutOfServiceTaint = "node.kubernetes.io/out-of-service";

enum class NodeReadiness {
  kReady,
  kNotReady,  // it says so itself
  kUnknown,   // it has fallen silent
  kNew,       // it has said nothing yet
};
NodeReadiness ReadinessOf(const corev1::Node& node);

// The condition of that type, or null.
const corev1::NodeCondition* FindNodeCondition(const corev1::Node& node, std::string_view type);

bool HasTaint(const corev1::Node& node, std::string_view key, std::string_view effect);

// The functions below change the node and say whether anything changed.

// The conditions of a node that has fallen silent, or never spoke.
bool MarkUnknown(corev1::Node& node, Time now);

// What new Pods are kept from: NoSchedule for everything that is wrong with the node, and for one
// that is cordoned off.
bool SetNoScheduleTaints(corev1::Node& node, Time now);

// What drives Pods away: NoExecute with this key, which is that of not-ready or unreachable nodes,
// instead of the other one. An empty key: neither.
bool SetNoExecuteTaint(corev1::Node& node, std::string_view key, Time now);

// The older labels of operating system and architecture say the same as the newer ones.
bool SetBetaLabels(corev1::Node& node);

}  // namespace kubexms
