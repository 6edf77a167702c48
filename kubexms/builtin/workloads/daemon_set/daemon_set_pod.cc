#include "kubexms/builtin/workloads/daemon_set/daemon_set_pod.h"

#include <algorithm>
#include <optional>

#include "kubexms/builtin/nodes/node_affinity.h"
#include "kubexms/builtin/workloads/pod_template.h"
#include "kubexms/builtin/workloads/revision_history.h"

namespace kubexms {
namespace {

using corev1::Pod;
using corev1::PodSpec;
using corev1::Taint;
using corev1::Toleration;

constexpr const char* kTemplateGeneration = "deprecated.daemonset.template.generation";
constexpr const char* kTemplateGenerationLabel = "pod-template-generation";
constexpr const char* kNoExecute = "NoExecute";
constexpr const char* kNoSchedule = "NoSchedule";

Toleration ToleratesAny(std::string key, std::string effect) {
  Toleration toleration;
  toleration.key = std::move(key);
  toleration.operator_ = "Exists";
  toleration.effect = std::move(effect);
  return toleration;
}

// Replaces a toleration that differs in tolerationSeconds only, or appends.
void AddOrReplace(Toleration toleration, std::vector<Toleration>& tolerations) {
  const auto same =
      std::find_if(tolerations.begin(), tolerations.end(), [&](const Toleration& other) {
        return other.key == toleration.key && other.operator_ == toleration.operator_ &&
               other.effect == toleration.effect && other.value == toleration.value;
      });
  if (same != tolerations.end()) {
    *same = std::move(toleration);
  } else {
    tolerations.push_back(std::move(toleration));
  }
}

// Replaces the required node affinity of the template, which EvaluateNode() has already considered.
void PinTo(std::string_view node, PodSpec& spec) {
  if (!spec.affinity) spec.affinity.emplace();
  if (!spec.affinity->node_affinity) spec.affinity->node_affinity.emplace();
  corev1::NodeSelector selector;
  auto& requirement = selector.node_selector_terms.emplace_back().match_fields.emplace_back();
  requirement.key = "metadata.name";
  requirement.operator_ = "In";
  requirement.values = {std::string(node)};
  spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution =
      std::move(selector);
}

}  // namespace

std::vector<Toleration> DaemonTolerations(const PodSpec& spec) {
  std::vector<Toleration> tolerations = spec.tolerations;
  AddOrReplace(ToleratesAny("node.kubernetes.io/not-ready", kNoExecute), tolerations);
  AddOrReplace(ToleratesAny("node.kubernetes.io/unreachable", kNoExecute), tolerations);
  AddOrReplace(ToleratesAny("node.kubernetes.io/disk-pressure", kNoSchedule), tolerations);
  AddOrReplace(ToleratesAny("node.kubernetes.io/memory-pressure", kNoSchedule), tolerations);
  AddOrReplace(ToleratesAny("node.kubernetes.io/pid-pressure", kNoSchedule), tolerations);
  AddOrReplace(ToleratesAny("node.kubernetes.io/unschedulable", kNoSchedule), tolerations);
  if (spec.host_network) {
    AddOrReplace(ToleratesAny("node.kubernetes.io/network-unavailable", kNoSchedule), tolerations);
  }
  return tolerations;
}

DaemonNode EvaluateNode(const PodSpec& spec, const std::vector<Toleration>& tolerations,
                        const corev1::Node& node) {
  DaemonNode evaluated{.name = node.metadata.name};
  if (!spec.node_name.empty() && spec.node_name != node.metadata.name) return evaluated;
  if (!MatchesNodeAffinity(spec, node.metadata)) return evaluated;
  evaluated.should_run = evaluated.should_continue_running = true;
  for (const Taint& taint : node.spec.taints) {
    if (taint.effect != kNoExecute && taint.effect != kNoSchedule) continue;
    if (Tolerates(tolerations, taint)) continue;
    evaluated.should_run = false;
    if (taint.effect == kNoExecute) evaluated.should_continue_running = false;
  }
  return evaluated;
}

Pod NewDaemonPod(const appsv1::DaemonSet& set, std::string_view node, std::string_view hash) {
  Pod pod = PodFromTemplate(set.spec.template_, set);
  pod.metadata.labels[kRevisionLabel] = hash;
  const auto generation = set.metadata.annotations.find(kTemplateGeneration);
  if (generation != set.metadata.annotations.end()) {
    pod.metadata.labels[kTemplateGenerationLabel] = generation->second;
  }
  PinTo(node, pod.spec);
  pod.spec.tolerations = DaemonTolerations(pod.spec);
  return pod;
}

std::string TargetNode(const PodSpec& spec) {
  if (!spec.node_name.empty()) return spec.node_name;
  const std::optional<std::vector<std::string>> named = NamedNodes(spec);
  return named && named->size() == 1 ? named->front() : "";
}

}  // namespace kubexms
