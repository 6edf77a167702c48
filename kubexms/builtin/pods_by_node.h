#pragma once

// The index of cached Pods by the node that they are bound to:
//
//   controller.Index<corev1::Pod>(kPodsByNode, NodeOfPod);
//   context.Cached<corev1::Pod>().ByIndex(kPodsByNode, node.metadata.name);

#include <string>
#include <vector>

#include "kubexms/api/kinds/core_v1_pod.h"

namespace kubexms {

inline constexpr const char* kPodsByNode = "spec.nodeName";

// Pods that are bound to no node are found under the empty name.
inline std::vector<std::string> NodeOfPod(const corev1::Pod& pod) { return {pod.spec.node_name}; }

}  // namespace kubexms
