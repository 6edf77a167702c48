#include "kubexms/api/builtin/aggregated_rules.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "kubexms/api/codec.h"

namespace kubexms {

using rbacv1::ClusterRole;
using rbacv1::PolicyRule;

std::vector<Selector> AggregationSelectors(const ClusterRole& role) {
  std::vector<Selector> selectors;
  if (!role.aggregation_rule) return selectors;
  for (const LabelSelector& each : role.aggregation_rule->cluster_role_selectors) {
    Result<Selector> selector = Selector::From(each);
    if (selector.ok()) selectors.push_back(*std::move(selector));
  }
  return selectors;
}

bool Aggregates(const ClusterRole& role, const ClusterRole& part) {
  if (role.metadata.name == part.metadata.name) return false;
  const std::vector<Selector> selectors = AggregationSelectors(role);
  return std::any_of(selectors.begin(), selectors.end(), [&](const Selector& selector) {
    return selector.Matches(part.metadata.labels);
  });
}

std::vector<PolicyRule> AggregatedRules(const ClusterRole& role,
                                        std::vector<ClusterRolePointer> others) {
  std::sort(others.begin(), others.end(),
            [](const auto& a, const auto& b) { return a->metadata.name < b->metadata.name; });
  std::vector<PolicyRule> rules;
  std::set<std::string> seen;
  for (const Selector& selector : AggregationSelectors(role)) {
    for (const ClusterRolePointer& other : others) {
      if (other->metadata.name == role.metadata.name) continue;
      if (!selector.Matches(other->metadata.labels)) continue;
      for (const PolicyRule& rule : other->rules) {
        if (seen.insert(Encode(rule)).second) rules.push_back(rule);
      }
    }
  }
  return rules;
}

std::vector<ClusterRolePointer> UpdateAggregatedRules(std::vector<ClusterRolePointer>& roles) {
  std::map<std::string, ClusterRolePointer> changed;  // by name
  bool settled = false;
  // Each round completes one more level of aggregation, so there are at most as many rounds as
  // roles.
  for (size_t round = 0; round <= roles.size() && !settled; ++round) {
    settled = true;
    for (ClusterRolePointer& role : roles) {
      if (!role->aggregation_rule) continue;
      ClusterRole wanted = *role;
      wanted.rules = AggregatedRules(*role, roles);
      if (SemanticEqual(wanted, *role)) continue;
      role = std::make_shared<const ClusterRole>(std::move(wanted));
      changed[role->metadata.name] = role;
      settled = false;
    }
  }
  std::vector<ClusterRolePointer> result;
  for (auto& [name, role] : changed) result.push_back(std::move(role));
  return result;
}

}  // namespace kubexms
