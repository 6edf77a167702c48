#pragma once

// The rules inside roles: which requests one allows, and what some rules grant that others do not.
// Everything here is pure; rbac.h decides whose rules they are.

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
  // In pieces of some verbs on one resource, or one path, and one name, if any.
  PolicyRules rules;
  // There is more than `rules` say, or it would take too long to find out.
  bool truncated = false;

  bool empty() const { return rules.empty() && !truncated; }
};

// What `wanted` grants and `held` does not; empty when everything wanted is held. Each rule is a
// product of sets, and what is held is taken away from it set by set: the products, which may have
// billions of members, are never formed. Bounded in time, and to some hundred kilobytes of answer.
MissingRules FindMissingRules(std::span<const rbacv1::PolicyRule* const> held,
                              std::span<const rbacv1::PolicyRule> wanted);

// {APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}
std::string DescribeRule(const rbacv1::PolicyRule& rule);
// ["a" "b"], as Go prints a list of strings.
std::string DescribeList(std::span<const std::string> values);

}  // namespace kubexms
