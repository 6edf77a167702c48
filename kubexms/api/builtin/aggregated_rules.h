#pragma once

// Aggregated ClusterRoles: the rules that a role receives by its aggregationRule.

#include <memory>
#include <vector>

#include "kubexms/api/kinds/rbac_v1.h"
#include "kubexms/api/labels.h"

namespace kubexms {

using ClusterRolePointer = std::shared_ptr<const rbacv1::ClusterRole>;

// The selectors of the role's aggregationRule; empty when the role is not aggregated.
std::vector<Selector> AggregationSelectors(const rbacv1::ClusterRole& role);

// Whether the aggregationRule of `role` selects `part`.
bool Aggregates(const rbacv1::ClusterRole& role, const rbacv1::ClusterRole& part);

// The rules of the roles that `role` selects, by selector and by name of the role, without
// duplicates. `others` contains at least these roles, in any order.
std::vector<rbacv1::PolicyRule> AggregatedRules(const rbacv1::ClusterRole& role,
                                                std::vector<ClusterRolePointer> others);

// Updates the rules of all aggregated roles until none changes: an aggregated role may select
// another one. Returns the roles whose rules changed, with their new rules.
std::vector<ClusterRolePointer> UpdateAggregatedRules(std::vector<ClusterRolePointer>& roles);

}  // namespace kubexms
