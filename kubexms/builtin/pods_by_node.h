#pragma once

// The index of cached Pods by the node that they are bound to:
//
//   controller.Index<corev1::Pod>(kPodsByNode, NodeOfPod)
//       .Watches<corev1::Node>(PodsOn(informers.Get<corev1::Pod>()));
//   context.Cached<corev1::Pod>().ByIndex(kPodsByNode, node.metadata.name);

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kubexms/api/kinds/core_v1_node.h"
#include "kubexms/api/kinds/core_v1_pod.h"
#include "kubexms/controller/informer.h"

namespace kubexms {

inline constexpr const char* kPodsByNode = "spec.nodeName";

// Pods that are bound to no node are found under the empty name.
inline std::vector<std::string> NodeOfPod(const corev1::Pod& pod) { return {pod.spec.node_name}; }

// Maps a node to the Pods on it, for controllers of Pods.
inline std::function<std::vector<ObjectKey>(const corev1::Node&)> PodsOn(
    std::shared_ptr<Informer> pods) {
  return [pods = std::move(pods)](const corev1::Node& node) {
    std::vector<ObjectKey> keys;
    for (const CachedObject& pod : pods->cache().ByIndex(kPodsByNode, node.metadata.name)) {
      keys.push_back(pod.key());
    }
    return keys;
  };
}

}  // namespace kubexms
