#pragma once

// The rules inside roles: which requests one allows, and what some rules grant that others do not.
// Everything here is pure; rbac.h decides whose rules they are.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/kinds/rbac_v1.h"
#include "kubexms/apiserver/user.h"

namespace kubexms {

using PolicyRules = std::vector<rbacv1::PolicyRule>;

// Allocates nothing.
bool RuleAllows(const rbacv1::PolicyRule& rule, const RequestAttributes& request);

// What `wanted` grants and `held` does not, in pieces of one verb on one resource (or path), put
// together again where only the verbs differ. Empty when everything wanted is held.
PolicyRules MissingRules(std::span<const rbacv1::PolicyRule> held,
                         std::span<const rbacv1::PolicyRule> wanted);

// {APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}
std::string DescribeRule(const rbacv1::PolicyRule& rule);
// ["a" "b"], as Go prints a list of strings.
std::string DescribeList(std::span<const std::string> values);

}  // namespace kubexms
