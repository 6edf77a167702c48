#pragma once

// The rules of roles: which attributes a rule allows, and which permissions some rules grant and
// others do not. Pure functions; rbac.h finds the rules of a user.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/kinds/rbac_v1.h"
#include "kubexms/apiserver/request/user.h"

namespace kubexms {

using PolicyRules = std::vector<rbacv1::PolicyRule>;

// Allocates nothing.
bool RuleAllows(const rbacv1::PolicyRule& rule, const RequestAttributes& request);

struct MissingRules {
  // Each covers some verbs on one resource or one non-resource URL, and at most one name.
  PolicyRules rules;
  // `rules` is incomplete because of the limits on size and time.
  bool truncated = false;

  bool empty() const { return rules.empty() && !truncated; }
};

// The permissions that `wanted` grants and `held` does not; empty when `held` covers `wanted`. Each
// rule is a product of sets, and held rules are subtracted set by set: the products, which may have
// billions of members, are never expanded. Bounded in time, and to a few hundred kilobytes of
// result.
MissingRules FindMissingRules(std::span<const rbacv1::PolicyRule* const> held,
                              std::span<const rbacv1::PolicyRule> wanted);

// {APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}
std::string DescribeRule(const rbacv1::PolicyRule& rule);
// ["a" "b"], as Go prints a list of strings.
std::string DescribeList(std::span<const std::string> values);

}  // namespace kubexms
