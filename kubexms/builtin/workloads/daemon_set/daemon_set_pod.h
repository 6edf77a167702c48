#pragma once

// Builds the Pods of a DaemonSet. The node affinity of each names one node, to which the scheduler
// binds it.

#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/kinds/apps_v1.h"
#include "kubexms/api/kinds/core_v1/node.h"
#include "kubexms/builtin/workloads/daemon_set/daemon_set_plan.h"

namespace kubexms {

// The tolerations of the template and those that every Pod of a DaemonSet has: it stays on a node
// that is not ready or unreachable, and may run on a node that is cordoned or under resource
// pressure.
std::vector<corev1::Toleration> DaemonTolerations(const corev1::PodSpec& spec);

// Whether Pods with this spec and these tolerations should run on the node.
DaemonNode EvaluateNode(const corev1::PodSpec& spec,
                        const std::vector<corev1::Toleration>& tolerations,
                        const corev1::Node& node);

// The Pod to create for a node. `hash` is that of the newest revision.
corev1::Pod NewDaemonPod(const appsv1::DaemonSet& set, std::string_view node,
                         std::string_view hash);

// The node that the Pod is bound to or created for; empty if neither is known.
std::string TargetNode(const corev1::PodSpec& spec);

}  // namespace kubexms
