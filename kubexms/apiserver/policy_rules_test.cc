#include "kubexms/apiserver/policy_rules.h"

#include <gtest/gtest.h>

#include "kubexms/apiserver/rbac_objects_test.h"

namespace kubexms {
namespace {

TEST(RuleAllowsTest, MatchesVerbGroupAndResource) {
  const rbacv1::PolicyRule rule = Rule({"get", "list"}, {"", "apps"}, {"pods", "deployments"});
  EXPECT_TRUE(RuleAllows(rule, {.verb = "get", .resource = "pods"}));
  EXPECT_TRUE(RuleAllows(rule, {.verb = "list", .group = "apps", .resource = "deployments"}));
  EXPECT_FALSE(RuleAllows(rule, {.verb = "watch", .resource = "pods"}));
  EXPECT_FALSE(RuleAllows(rule, {.verb = "get", .group = "batch", .resource = "pods"}));
  EXPECT_FALSE(RuleAllows(rule, {.verb = "get", .resource = "nodes"}));
  EXPECT_FALSE(RuleAllows(rule, {.verb = "get", .is_resource = false, .path = "/pods"}));
}

TEST(RuleAllowsTest, SubresourcesAreResourcesOfTheirOwn) {
  const RequestAttributes log{.verb = "get", .resource = "pods", .subresource = "log"};
  EXPECT_FALSE(RuleAllows(Rule({"get"}, {""}, {"pods"}), log));
  EXPECT_TRUE(RuleAllows(Rule({"get"}, {""}, {"pods/log"}), log));
  EXPECT_TRUE(RuleAllows(Rule({"get"}, {""}, {"*/log"}), log));
  EXPECT_TRUE(RuleAllows(Rule({"get"}, {""}, {"*"}), log));
  EXPECT_FALSE(RuleAllows(Rule({"get"}, {""}, {"pods/*"}), log));
  EXPECT_FALSE(RuleAllows(Rule({"get"}, {""}, {"*/log"}), {.verb = "get", .resource = "pods"}));
}

TEST(RuleAllowsTest, NamesNarrowARule) {
  const rbacv1::PolicyRule rule = Rule({"*"}, {"*"}, {"*"}, {"n"});
  EXPECT_TRUE(RuleAllows(rule, {.verb = "get", .resource = "pods", .name = "n"}));
  EXPECT_FALSE(RuleAllows(rule, {.verb = "get", .resource = "pods", .name = "m"}));
  EXPECT_FALSE(RuleAllows(rule, {.verb = "list", .resource = "pods"}));
}

TEST(RuleAllowsTest, PathsMayEndInAStar) {
  const auto may_get = [](const rbacv1::PolicyRule& rule, const char* path) {
    return RuleAllows(rule, {.verb = "get", .is_resource = false, .path = path});
  };
  EXPECT_TRUE(may_get(UrlRule({"get"}, {"/healthz/*"}), "/healthz/ping"));
  EXPECT_FALSE(may_get(UrlRule({"get"}, {"/healthz/*"}), "/healthz"));
  EXPECT_FALSE(may_get(UrlRule({"get"}, {"/healthz"}), "/healthz/ping"));
  EXPECT_TRUE(may_get(UrlRule({"*"}, {"*"}), "/anything"));
  EXPECT_FALSE(may_get(UrlRule({"post"}, {"*"}), "/anything"));
  EXPECT_FALSE(may_get(Rule({"*"}, {"*"}, {"*"}), "/anything"));
}

std::string Missing(const PolicyRules& held, const PolicyRules& wanted) {
  std::string text;
  for (const rbacv1::PolicyRule& rule : MissingRules(held, wanted)) text += DescribeRule(rule);
  return text;
}

TEST(MissingRulesTest, AreNoneWhenSeveralRulesTogetherCover) {
  const PolicyRules held{Rule({"get"}, {""}, {"*"}), Rule({"list"}, {"*"}, {"pods"})};
  EXPECT_EQ(Missing(held, {Rule({"get", "list"}, {""}, {"pods"})}), "");
  EXPECT_EQ(Missing({Rule({"*"}, {"*"}, {"*"})}, held), "");
}

TEST(MissingRulesTest, AWildcardIsCoveredByAWildcardOnly) {
  EXPECT_EQ(Missing({Rule({"get", "list"}, {""}, {"pods"})}, {Rule({"*"}, {""}, {"pods"})}),
            R"({APIGroups:[""], Resources:["pods"], Verbs:["*"]})");
}

TEST(MissingRulesTest, NamesCoverNamesButNotAll) {
  const PolicyRules held{Rule({"get"}, {""}, {"pods"}, {"a"})};
  EXPECT_EQ(Missing(held, {Rule({"get"}, {""}, {"pods"}, {"a"})}), "");
  EXPECT_EQ(Missing(held, {Rule({"get", "list"}, {""}, {"pods"}, {"b"})}),
            R"({APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get" "list"]})");
  EXPECT_EQ(Missing(held, {Rule({"get"}, {""}, {"pods"})}),
            R"({APIGroups:[""], Resources:["pods"], Verbs:["get"]})");
}

TEST(MissingRulesTest, SubresourcesAreCoveredByTheirWildcard) {
  EXPECT_EQ(Missing({Rule({"get"}, {""}, {"*/log"})}, {Rule({"get"}, {""}, {"pods/log"})}), "");
  EXPECT_NE(Missing({Rule({"get"}, {""}, {"pods"})}, {Rule({"get"}, {""}, {"pods/log"})}), "");
}

TEST(MissingRulesTest, PathsAreCoveredByPrefixes) {
  EXPECT_EQ(Missing({UrlRule({"get"}, {"/healthz/*"})}, {UrlRule({"get"}, {"/healthz/a/*"})}), "");
  EXPECT_EQ(Missing({UrlRule({"get"}, {"/healthz"})}, {UrlRule({"get"}, {"/healthz/*"})}),
            R"({NonResourceURLs:["/healthz/*"], Verbs:["get"]})");
}

}  // namespace
}  // namespace kubexms
