#pragma once

// Which nodes a Pod may be on, as far as labels, names and taints of nodes say so.

#include <optional>
#include <string>
#include <vector>

#include "kubexms/api/kinds/core_v1/node.h"
#include "kubexms/api/kinds/core_v1/pod.h"

namespace kubexms {

// An empty term selects nothing. What has an unknown operator or no number where there should be
// one selects nothing either.
bool SelectsNode(const corev1::NodeSelectorTerm& term, const ObjectMeta& node);
// One of the terms does.
bool SelectsNode(const corev1::NodeSelector& selector, const ObjectMeta& node);

// The nodeSelector of the Pod and the node affinity that it requires.
bool MatchesNodeAffinity(const corev1::PodSpec& spec, const ObjectMeta& node);
// Whether MatchesNodeAffinity() can say no.
bool HasNodeAffinity(const corev1::PodSpec& spec);
// The names of the only nodes that can match, where the affinity names them: Pods of a DaemonSet
// do. Sorted.
std::optional<std::vector<std::string>> NamedNodes(const corev1::PodSpec& spec);

bool Tolerates(const corev1::Toleration& toleration, const corev1::Taint& taint);
bool Tolerates(const std::vector<corev1::Toleration>& tolerations, const corev1::Taint& taint);

}  // namespace kubexms
