#pragma once

// An index of cached Pods by the node that they are bound to:
//
//   controller.Index<corev1::Pod>(kPodsByNode, NodeOfPod)
//       .Watches<corev1::Node>(&PodsOn);
//   context.Cached<corev1::Pod>().ByIndex(kPodsByNode, node.metadata.name);

#include <string>
#include <vector>

#include "kubexms/api/kinds/core_v1/node.h"
#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/controller/reconcile.h"

namespace kubexms {

inline constexpr const char* kPodsByNode = "spec.nodeName";

// Unassigned Pods have the empty name.
inline std::vector<std::string> NodeOfPod(const corev1::Pod& pod) { return {pod.spec.node_name}; }

// Maps a node to its Pods, for controllers of Pods that have the index.
inline std::vector<ObjectKey> PodsOn(const DeclaredCaches& caches, const corev1::Node& node) {
  std::vector<ObjectKey> keys;
  for (const auto& pod : caches.Cached<corev1::Pod>().ByIndex(kPodsByNode, node.metadata.name)) {
    keys.push_back(ObjectKey::Of(pod->metadata));
  }
  return keys;
}

}  // namespace kubexms
