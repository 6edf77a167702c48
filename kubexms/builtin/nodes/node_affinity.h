#pragma once

// Evaluates node selectors, node affinity and tolerations of Pods.

#include <optional>
#include <string>
#include <vector>

#include "kubexms/api/kinds/core_v1/node.h"
#include "kubexms/api/kinds/core_v1/pod.h"

namespace kubexms {

// An empty term selects nothing, nor does a requirement with an unknown operator or, with Gt and
// Lt, a value that is not an integer.
bool SelectsNode(const corev1::NodeSelectorTerm& term, const ObjectMeta& node);
// Whether one of the terms selects the node.
bool SelectsNode(const corev1::NodeSelector& selector, const ObjectMeta& node);

// Whether the node matches the Pod's nodeSelector and required node affinity.
bool MatchesNodeAffinity(const corev1::PodSpec& spec, const ObjectMeta& node);
// Whether MatchesNodeAffinity() can be false.
bool HasNodeAffinity(const corev1::PodSpec& spec);
// The names of the only nodes that can match, if the affinity lists them, as that of DaemonSet Pods
// does. Sorted.
std::optional<std::vector<std::string>> NamedNodes(const corev1::PodSpec& spec);

bool Tolerates(const corev1::Toleration& toleration, const corev1::Taint& taint);
bool Tolerates(const std::vector<corev1::Toleration>& tolerations, const corev1::Taint& taint);

}  // namespace kubexms
