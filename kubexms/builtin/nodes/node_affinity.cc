#include "kubexms/builtin/nodes/node_affinity.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace kubexms {
namespace {

using corev1::NodeSelector;
using corev1::NodeSelectorRequirement;
using corev1::NodeSelectorTerm;
using corev1::PodSpec;
using corev1::Taint;
using corev1::Toleration;

std::optional<int64_t> NumberIn(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool IsBeyond(const std::string& value, const NodeSelectorRequirement& requirement) {
  if (requirement.values.size() != 1) return false;
  const std::optional<int64_t> number = NumberIn(value);
  const std::optional<int64_t> bound = NumberIn(requirement.values.front());
  if (!number || !bound) return false;
  return requirement.operator_ == "Gt" ? *number > *bound : *number < *bound;
}

// `value` is null if the node does not have the label.
bool Holds(const NodeSelectorRequirement& requirement, const std::string* value) {
  const std::string& op = requirement.operator_;
  const auto listed = [&] { return std::ranges::count(requirement.values, *value) > 0; };
  if (op == "In") return value != nullptr && listed();
  if (op == "NotIn") return value == nullptr || !listed();
  if (op == "Exists") return value != nullptr;
  if (op == "DoesNotExist") return value == nullptr;
  if (op == "Gt" || op == "Lt") return value != nullptr && IsBeyond(*value, requirement);
  return false;
}

bool IsName(const NodeSelectorRequirement& requirement) {
  return requirement.key == "metadata.name";
}

const NodeSelector* RequiredAffinity(const PodSpec& spec) {
  if (!spec.affinity || !spec.affinity->node_affinity) return nullptr;
  const auto& required =
      spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution;
  return required ? &*required : nullptr;
}

// The names that all requirements on metadata.name allow; nothing if the term has none.
std::optional<std::vector<std::string>> NamesIn(const NodeSelectorTerm& term) {
  std::optional<std::vector<std::string>> names;
  for (const NodeSelectorRequirement& requirement : term.match_fields) {
    if (!IsName(requirement) || requirement.operator_ != "In") continue;
    if (!names) {
      names = requirement.values;
    } else {
      std::erase_if(*names, [&](const std::string& name) {
        return std::ranges::count(requirement.values, name) == 0;
      });
    }
  }
  return names;
}

}  // namespace

bool SelectsNode(const NodeSelectorTerm& term, const ObjectMeta& node) {
  if (term.match_expressions.empty() && term.match_fields.empty()) return false;
  for (const NodeSelectorRequirement& requirement : term.match_expressions) {
    const auto label = node.labels.find(requirement.key);
    if (!Holds(requirement, label == node.labels.end() ? nullptr : &label->second)) return false;
  }
  return std::ranges::all_of(term.match_fields, [&](const NodeSelectorRequirement& requirement) {
    return IsName(requirement) && Holds(requirement, &node.name);
  });
}

bool SelectsNode(const NodeSelector& selector, const ObjectMeta& node) {
  return std::ranges::any_of(selector.node_selector_terms,
                             [&](const NodeSelectorTerm& term) { return SelectsNode(term, node); });
}

bool MatchesNodeAffinity(const PodSpec& spec, const ObjectMeta& node) {
  for (const auto& [key, value] : spec.node_selector) {
    const auto label = node.labels.find(key);
    if (label == node.labels.end() || label->second != value) return false;
  }
  const NodeSelector* required = RequiredAffinity(spec);
  return required == nullptr || SelectsNode(*required, node);
}

bool HasNodeAffinity(const PodSpec& spec) {
  return !spec.node_selector.empty() || RequiredAffinity(spec) != nullptr;
}

std::optional<std::vector<std::string>> NamedNodes(const PodSpec& spec) {
  const NodeSelector* required = RequiredAffinity(spec);
  if (required == nullptr || required->node_selector_terms.empty()) return std::nullopt;
  std::vector<std::string> names;
  for (const NodeSelectorTerm& term : required->node_selector_terms) {
    const std::optional<std::vector<std::string>> named = NamesIn(term);
    if (!named) return std::nullopt;
    names.insert(names.end(), named->begin(), named->end());
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

bool Tolerates(const Toleration& toleration, const Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.operator_ == "Exists") return true;
  if (!toleration.operator_.empty() && toleration.operator_ != "Equal") return false;
  return toleration.value == taint.value;
}

bool Tolerates(const std::vector<Toleration>& tolerations, const Taint& taint) {
  return std::ranges::any_of(
      tolerations, [&](const Toleration& toleration) { return Tolerates(toleration, taint); });
}

}  // namespace kubexms
