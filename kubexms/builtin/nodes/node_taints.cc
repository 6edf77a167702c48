#include "kubexms/builtin/nodes/node_taints.h"

#include <algorithm>
#include <array>
#include <utility>

#include "kubexms/api/condition.h"

namespace kubexms {
namespace {

using corev1::Node;
using corev1::NodeCondition;
using corev1::Taint;

constexpr std::string_view kNoSchedule = "NoSchedule";
constexpr std::string_view kNoExecute = "NoExecute";
constexpr const char* kUnschedulableTaint = "node.kubernetes.io/unschedulable";

// A node whose condition `type` has this status has the taint `key`.
struct ConditionTaint {
  std::string_view type;
  std::string_view status;
  std::string_view key;
};
constexpr std::array<ConditionTaint, 6> kConditionTaints = {{
    {"Ready", kConditionFalse, kNotReadyTaint},
    {"Ready", kConditionUnknown, kUnreachableTaint},
    {"MemoryPressure", kConditionTrue, "node.kubernetes.io/memory-pressure"},
    {"DiskPressure", kConditionTrue, "node.kubernetes.io/disk-pressure"},
    {"NetworkUnavailable", kConditionTrue, "node.kubernetes.io/network-unavailable"},
    {"PIDPressure", kConditionTrue, "node.kubernetes.io/pid-pressure"},
}};

// The conditions that the kubelet reports.
constexpr std::array<std::string_view, 4> kReported = {"Ready", "MemoryPressure", "DiskPressure",
                                                       "PIDPressure"};

bool SetTaint(std::string_view key, std::string_view effect, bool wanted, Time now, Node& node) {
  if (wanted == HasTaint(node, key, effect)) return false;
  if (!wanted) {
    std::erase_if(node.spec.taints,
                  [&](const Taint& taint) { return taint.key == key && taint.effect == effect; });
    return true;
  }
  Taint& taint = node.spec.taints.emplace_back();
  taint.key = key;
  taint.effect = effect;
  taint.time_added = now;
  return true;
}

bool HasCondition(const Node& node, std::string_view type, std::string_view status) {
  const NodeCondition* condition = FindNodeCondition(node, type);
  return condition != nullptr && condition->status == status;
}

NodeCondition NeverPosted(const Node& node, std::string_view type, Time now) {
  NodeCondition condition;
  condition.type = type;
  condition.status = kConditionUnknown;
  condition.reason = "NodeStatusNeverUpdated";
  condition.message = "Kubelet never posted node status.";
  condition.last_heartbeat_time = node.metadata.creation_timestamp;
  condition.last_transition_time = now;
  return condition;
}

}  // namespace

NodeReadiness ReadinessOf(const Node& node) {
  const NodeCondition* ready = FindNodeCondition(node, "Ready");
  if (ready == nullptr) return NodeReadiness::kNew;
  if (ready->status == kConditionTrue) return NodeReadiness::kReady;
  return ready->status == kConditionFalse ? NodeReadiness::kNotReady : NodeReadiness::kUnknown;
}

const NodeCondition* FindNodeCondition(const Node& node, std::string_view type) {
  const auto& conditions = node.status.conditions;
  const auto found =
      std::find_if(conditions.begin(), conditions.end(),
                   [&](const NodeCondition& condition) { return condition.type == type; });
  return found == conditions.end() ? nullptr : &*found;
}

bool HasTaint(const Node& node, std::string_view key, std::string_view effect) {
  return std::any_of(node.spec.taints.begin(), node.spec.taints.end(), [&](const Taint& taint) {
    return taint.key == key && taint.effect == effect;
  });
}

bool MarkUnknown(Node& node, Time now) {
  bool changed = false;
  for (const std::string_view type : kReported) {
    const NodeCondition* found = FindNodeCondition(node, type);
    if (found == nullptr) {
      node.status.conditions.push_back(NeverPosted(node, type, now));
      changed = true;
      continue;
    }
    if (found->status == kConditionUnknown) continue;
    auto& condition =
        node.status.conditions[static_cast<size_t>(found - node.status.conditions.data())];
    condition.status = kConditionUnknown;
    condition.reason = "NodeStatusUnknown";
    condition.message = "Kubelet stopped posting node status.";
    condition.last_transition_time = now;
    changed = true;
  }
  return changed;
}

bool SetNoScheduleTaints(Node& node, Time now) {
  bool changed = SetTaint(kUnschedulableTaint, kNoSchedule, node.spec.unschedulable, now, node);
  // Admission adds the not-ready taint to a new node; it stays until the node reports.
  if (ReadinessOf(node) == NodeReadiness::kNew) return changed;
  for (const ConditionTaint& taint : kConditionTaints) {
    changed |=
        SetTaint(taint.key, kNoSchedule, HasCondition(node, taint.type, taint.status), now, node);
  }
  return changed;
}

bool SetNoExecuteTaint(Node& node, std::string_view key, Time now) {
  bool changed = false;
  for (const std::string_view one : {kNotReadyTaint, kUnreachableTaint}) {
    changed |= SetTaint(one, kNoExecute, one == key, now, node);
  }
  return changed;
}

bool SetBetaLabels(Node& node) {
  bool changed = false;
  for (const auto& [name, older] : {std::pair("kubernetes.io/os", "beta.kubernetes.io/os"),
                                    std::pair("kubernetes.io/arch", "beta.kubernetes.io/arch")}) {
    const auto label = node.metadata.labels.find(name);
    if (label == node.metadata.labels.end()) continue;
    const auto old = node.metadata.labels.find(older);
    if (old != node.metadata.labels.end() && old->second == label->second) continue;
    node.metadata.labels[older] = label->second;
    changed = true;
  }
  return changed;
}

}  // namespace kubexms
