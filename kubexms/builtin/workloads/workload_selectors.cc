#include "kubexms/builtin/workloads/workload_selectors.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace kubexms {
namespace {

std::string IndexOf(std::string_view namespace_name, std::string_view key, std::string_view value) {
  std::string index;
  index.reserve(namespace_name.size() + key.size() + value.size() + 2);
  return index.append(namespace_name).append(" ").append(key).append("=").append(value);
}

bool HasAll(const StringMap& labels, const StringMap& wanted) {
  return std::ranges::all_of(wanted, [&](const auto& entry) {
    const auto label = labels.find(entry.first);
    return label != labels.end() && label->second == entry.second;
  });
}

void AddTo(LabelSelector& all, const Selector::Requirement& requirement) {
  LabelSelectorRequirement added;
  added.key = requirement.key;
  added.values = requirement.values;
  switch (requirement.op) {
    case SelectorOperator::kNotIn:
    case SelectorOperator::kNotEquals: added.operator_ = "NotIn"; break;
    case SelectorOperator::kExists: added.operator_ = "Exists"; break;
    case SelectorOperator::kDoesNotExist: added.operator_ = "DoesNotExist"; break;
    default: added.operator_ = "In"; break;
  }
  all.match_expressions.push_back(std::move(added));
}

}  // namespace

void WorkloadSelectors::SetService(const ObjectKey& key, const StringMap& selector) {
  RemoveService(key);
  if (selector.empty()) return;
  Service& service = services_[key];
  service.selector = selector;
  const auto& [label, value] = *selector.begin();
  service.index = IndexOf(key.namespace_name, label, value);
  by_label_[service.index].push_back(&service.selector);
}

void WorkloadSelectors::RemoveService(const ObjectKey& key) {
  const auto service = services_.find(key);
  if (service == services_.end()) return;
  const auto listed = by_label_.find(service->second.index);
  std::erase(listed->second, &service->second.selector);
  if (listed->second.empty()) by_label_.erase(listed);
  services_.erase(service);
}

void WorkloadSelectors::SetOwner(const std::string& kind, const ObjectKey& key, Selector selector) {
  owners_[kind].insert_or_assign(key, std::move(selector));
}

void WorkloadSelectors::RemoveOwner(const std::string& kind, const ObjectKey& key) {
  owners_[kind].erase(key);
}

std::optional<Selector> WorkloadSelectors::SelectorFor(const ObjectMeta& pod) const {
  LabelSelector all;
  if (!by_label_.empty()) {
    for (const auto& [label, value] : pod.labels) {
      const auto listed = by_label_.find(IndexOf(pod.namespace_name, label, value));
      if (listed == by_label_.end()) continue;
      for (const StringMap* selector : listed->second) {
        if (HasAll(pod.labels, *selector)) {
          all.match_labels.insert(selector->begin(), selector->end());
        }
      }
    }
  }
  for (const OwnerReference& owner : pod.owner_references) {
    if (!owner.controller.value_or(false)) continue;
    const auto kind = owners_.find(owner.kind);
    if (kind == owners_.end()) continue;
    const auto selector = kind->second.find({pod.namespace_name, owner.name});
    if (selector == kind->second.end()) continue;
    for (const auto& requirement : selector->second.requirements()) AddTo(all, requirement);
  }
  if (all.match_labels.empty() && all.match_expressions.empty()) return std::nullopt;
  const Result<Selector> selector = Selector::From(all);
  if (!selector.ok()) return std::nullopt;
  return *selector;
}

}  // namespace kubexms
