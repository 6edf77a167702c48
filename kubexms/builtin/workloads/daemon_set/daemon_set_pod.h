#pragma once

// The Pods of a DaemonSet: each is meant for one node, which the scheduler then gives it.

#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/kinds/apps_v1.h"
#include "kubexms/api/kinds/core_v1/node.h"
#include "kubexms/builtin/workloads/daemon_set/daemon_set_plan.h"

namespace kubexms {

// Those of the template, and those that every Pod of a DaemonSet has: it stays on a node that is
// not ready or cannot be reached, and comes to one that is short of something or cordoned.
std::vector<corev1::Toleration> DaemonTolerations(const corev1::PodSpec& spec);

// What a node means to Pods of this spec, which tolerate `tolerations`.
DaemonNode JudgeNode(const corev1::PodSpec& spec,
                     const std::vector<corev1::Toleration>& tolerations, const corev1::Node& node);

// The Pod for a node as it is created. `hash` is that of the present revision.
corev1::Pod NewDaemonPod(const appsv1::DaemonSet& set, std::string_view node,
                         std::string_view hash);

// The node that a Pod is on or meant for; empty when it is for none.
std::string TargetNode(const corev1::PodSpec& spec);

}  // namespace kubexms
