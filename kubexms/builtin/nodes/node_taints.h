#pragma once

// Derives the taints of a Node from its conditions.

#include <string_view>

#include "kubexms/api/kinds/core_v1/node.h"

namespace kubexms {

inline constexpr const char* kNotReadyTaint = "node.kubernetes.io/not-ready";
inline constexpr const char* kUnreachableTaint = "node.kubernetes.io/unreachable";
inline constexpr const char* kOutOfServiceTaint = "node.kubernetes.io/out-of-service";

enum class NodeReadiness {
  kReady,
  kNotReady,  // Ready is False
  kUnknown,   // Ready is Unknown
  kNew,       // without a condition Ready
};
NodeReadiness ReadinessOf(const corev1::Node& node);

// The condition of the type, or null.
const corev1::NodeCondition* FindNodeCondition(const corev1::Node& node, std::string_view type);

bool HasTaint(const corev1::Node& node, std::string_view key, std::string_view effect);

// The functions below return whether they changed the node.

// Sets the conditions that the kubelet reports to Unknown.
bool MarkUnknown(corev1::Node& node, Time now);

// Sets the NoSchedule taints for the node's conditions and for spec.unschedulable.
bool SetNoScheduleTaints(corev1::Node& node, Time now);

// Sets the NoExecute taint with this key, which is kNotReadyTaint or kUnreachableTaint, and removes
// the other one. An empty key removes both.
bool SetNoExecuteTaint(corev1::Node& node, std::string_view key, Time now);

// Copies the operating system and architecture to the beta.kubernetes.io labels.
bool SetBetaLabels(corev1::Node& node);

}  // namespace kubexms
