#pragma once

// ClusterRoles that are made of others: the rules that one has by its aggregationRule.

#include <memory>
#include <vector>

#include "kubexms/api/kinds/rbac_v1.h"
#include "kubexms/api/labels.h"

namespace kubexms {

using ClusterRolePointer = std::shared_ptr<const rbacv1::ClusterRole>;

// One for each kind of roles that it wants; none when it is not made of others.
std::vector<Selector> AggregationSelectors(const rbacv1::ClusterRole& role);

// Whether the rules of `part` belong to those of `role`.
bool Aggregates(const rbacv1::ClusterRole& role, const rbacv1::ClusterRole& part);

// For each selector the rules of the roles that it selects, in the order of their names; each rule
// once. `others` has at least the roles that it selects, in any order.
std::vector<rbacv1::PolicyRule> AggregatedRules(const rbacv1::ClusterRole& role,
                                                std::vector<ClusterRolePointer> others);

// Gives every role that is made of others its rules, also where those are made of others in turn.
// Returns the roles that had other rules before, as they are now.
std::vector<ClusterRolePointer> SettleAggregatedRules(std::vector<ClusterRolePointer>& roles);

}  // namespace kubexms
