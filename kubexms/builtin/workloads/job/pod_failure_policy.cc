#include "kubexms/builtin/workloads/job/pod_failure_policy.h"

#include <fmt/format.h>

#include <algorithm>

namespace kubexms {
namespace {

using batchv1::PodFailurePolicyRule;
using corev1::ContainerStatus;
using corev1::Pod;

bool HasCode(const ContainerStatus& container,
             const batchv1::PodFailurePolicyOnExitCodesRequirement& codes) {
  if (!container.state.terminated || container.state.terminated->exit_code == 0) return false;
  if (!codes.container_name.empty() && codes.container_name != container.name) return false;
  const int32_t code = container.state.terminated->exit_code;
  const bool listed =
      std::find(codes.values.begin(), codes.values.end(), code) != codes.values.end();
  return codes.operator_ == "In" ? listed : codes.operator_ == "NotIn" && !listed;
}

const ContainerStatus* ContainerWithCode(
    const Pod& pod, const batchv1::PodFailurePolicyOnExitCodesRequirement& codes) {
  for (const auto* list : {&pod.status.container_statuses, &pod.status.init_container_statuses}) {
    for (const ContainerStatus& container : *list) {
      if (HasCode(container, codes)) return &container;
    }
  }
  return nullptr;
}

const corev1::PodCondition* MatchingCondition(const Pod& pod, const PodFailurePolicyRule& rule) {
  for (const corev1::PodCondition& condition : pod.status.conditions) {
    for (const auto& pattern : rule.on_pod_conditions) {
      if (pattern.type == condition.type && pattern.status == condition.status) return &condition;
    }
  }
  return nullptr;
}

// A description of the match for the Job's condition; empty if the rule does not match.
std::string Match(const Pod& pod, const PodFailurePolicyRule& rule) {
  if (rule.on_exit_codes) {
    const ContainerStatus* container = ContainerWithCode(pod, *rule.on_exit_codes);
    if (container == nullptr) return {};
    return fmt::format("Container {} for pod {}/{} failed with exit code {}", container->name,
                       pod.metadata.namespace_name, pod.metadata.name,
                       container->state.terminated->exit_code);
  }
  const corev1::PodCondition* condition = MatchingCondition(pod, rule);
  if (condition == nullptr) return {};
  return fmt::format("Pod {}/{} has condition {}", pod.metadata.namespace_name, pod.metadata.name,
                     condition->type);
}

PodFailureAction ActionOf(const PodFailurePolicyRule& rule) {
  if (rule.action == "Ignore") return PodFailureAction::kIgnore;
  if (rule.action == "FailIndex") return PodFailureAction::kFailIndex;
  if (rule.action == "FailJob") return PodFailureAction::kFailJob;
  return PodFailureAction::kCount;
}

}  // namespace

PodFailureMatch MatchPodFailure(const batchv1::JobSpec& spec, const Pod& pod) {
  if (!spec.pod_failure_policy) return {};
  const std::vector<PodFailurePolicyRule>& rules = spec.pod_failure_policy->rules;
  for (size_t i = 0; i < rules.size(); ++i) {
    const std::string matched = Match(pod, rules[i]);
    if (matched.empty()) continue;
    const PodFailureAction action = ActionOf(rules[i]);
    if (action != PodFailureAction::kFailJob) return {.action = action};
    return {.action = action,
            .message = fmt::format("{} matching {} rule at index {}", matched, rules[i].action, i)};
  }
  return {};
}

}  // namespace kubexms
