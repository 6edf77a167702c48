#include "kubexms/apiserver/authorization/policy_rules.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "kubexms/apiserver/authorization/rbac_objects_test.h"

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

TEST(RuleAllowsTest, RestrictsARuleByResourceNames) {
  const rbacv1::PolicyRule rule = Rule({"*"}, {"*"}, {"*"}, {"n"});
  EXPECT_TRUE(RuleAllows(rule, {.verb = "get", .resource = "pods", .name = "n"}));
  EXPECT_FALSE(RuleAllows(rule, {.verb = "get", .resource = "pods", .name = "m"}));
  EXPECT_FALSE(RuleAllows(rule, {.verb = "list", .resource = "pods"}));
}

TEST(RuleAllowsTest, MatchesPathsByPrefix) {
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

MissingRules Find(const PolicyRules& held, const PolicyRules& wanted) {
  std::vector<const rbacv1::PolicyRule*> pointers;
  for (const rbacv1::PolicyRule& rule : held) pointers.push_back(&rule);
  return FindMissingRules(pointers, wanted);
}

std::string Missing(const PolicyRules& held, const PolicyRules& wanted) {
  const MissingRules missing = Find(held, wanted);
  EXPECT_FALSE(missing.truncated);
  std::string text;
  for (const rbacv1::PolicyRule& rule : missing.rules) text += DescribeRule(rule);
  return text;
}

std::vector<std::string> Numbered(const std::string& prefix, size_t count) {
  std::vector<std::string> words;
  for (size_t i = 0; i < count; ++i) words.push_back(prefix + std::to_string(i));
  return words;
}

TEST(MissingRulesTest, AreEmptyWhenSeveralRulesTogetherCover) {
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

TEST(MissingRulesTest, ANameThatIsAStarIsAName) {
  EXPECT_NE(Missing({Rule({"get"}, {""}, {"pods"}, {"*"})}, {Rule({"get"}, {""}, {"pods"}, {"a"})}),
            "");
  EXPECT_EQ(Missing({Rule({"get"}, {""}, {"pods"}, {"*"})}, {Rule({"get"}, {""}, {"pods"}, {"*"})}),
            "");
}

TEST(MissingRulesTest, CombinesTheRemaindersOfSeveralHeldRules) {
  const PolicyRules held{Rule({"get"}, {"", "apps"}, {"a"}), Rule({"list"}, {""}, {"a", "b"})};
  EXPECT_EQ(Missing(held, {Rule({"get", "list"}, {"", "apps"}, {"a", "b"})}),
            R"({APIGroups:[""], Resources:["b"], Verbs:["get"]})"
            R"({APIGroups:["apps"], Resources:["a"], Verbs:["list"]})"
            R"({APIGroups:["apps"], Resources:["b"], Verbs:["get" "list"]})");
}

// The combinations of such a rule do not fit into memory.
TEST(MissingRulesTest, IsBoundedForRulesWithManyCombinations) {
  const auto groups = Numbered("group-", 20'000);
  const auto resources = Numbered("resource-", 20'000);
  const auto verbs = Numbered("verb-", 20'000);
  const PolicyRules wanted{Rule(verbs, groups, resources)};
  EXPECT_TRUE(Find({Rule({"*"}, {"*"}, {"*"})}, wanted).empty());
  EXPECT_TRUE(Find(wanted, wanted).empty());
  const MissingRules missing = Find({Rule({"get"}, {""}, {"pods"})}, wanted);
  EXPECT_TRUE(missing.truncated);
  EXPECT_LE(missing.rules.size(), 1000);
  const MissingRules all_but_one =
      Find({Rule(verbs, groups, Numbered("resource-", 19'999))}, wanted);
  EXPECT_TRUE(all_but_one.truncated);
}

// A verb on a resource of a group, optionally with a name, is held when one rule allows it.
bool IsHeld(const PolicyRules& held, const std::string& verb, const std::string& group,
            const std::string& resource, const std::string& name) {
  const auto has = [](const std::vector<std::string>& values, const std::string& value) {
    return std::ranges::count(values, value) > 0 || std::ranges::count(values, "*") > 0;
  };
  return std::ranges::any_of(held, [&](const rbacv1::PolicyRule& rule) {
    const bool named =
        rule.resource_names.empty() || std::ranges::count(rule.resource_names, name) > 0;
    return has(rule.verbs, verb) && has(rule.api_groups, group) && has(rule.resources, resource) &&
           named;
  });
}

RC_GTEST_PROP(MissingRulesTest, AreThePiecesThatNoHeldRuleAllows, ()) {
  const auto words = [](const std::vector<std::string>& from, int least) {
    const int chosen = *rc::gen::inRange(least, 1 << from.size());
    std::vector<std::string> some;
    for (size_t i = 0; i < from.size(); ++i) {
      if ((chosen >> i & 1) != 0) some.push_back(from[i]);
    }
    return some;
  };
  const auto rule = [&] {
    return Rule(words({"a", "b", "c", "*"}, 1), words({"x", "y", "*"}, 1),
                words({"r", "s", "t", "*"}, 1), words({"n", "m", "*"}, 0));
  };
  PolicyRules held(*rc::gen::inRange<size_t>(0, 5));
  for (rbacv1::PolicyRule& one : held) one = rule();
  const rbacv1::PolicyRule wanted = rule();
  const MissingRules missing = Find(held, {wanted});
  RC_ASSERT(!missing.truncated);
  std::set<std::string> expected;
  std::vector<std::string> names = wanted.resource_names;
  if (names.empty()) names = {""};
  for (const std::string& verb : wanted.verbs) {
    for (const std::string& group : wanted.api_groups) {
      for (const std::string& resource : wanted.resources) {
        for (const std::string& name : names) {
          if (IsHeld(held, verb, group, resource, name)) continue;
          expected.insert(verb + " " + group + " " + resource + " " + name);
        }
      }
    }
  }
  std::set<std::string> found;
  for (const rbacv1::PolicyRule& piece : missing.rules) {
    for (const std::string& verb : piece.verbs) {
      const std::string name = piece.resource_names.empty() ? "" : piece.resource_names[0];
      found.insert(verb + " " + piece.api_groups[0] + " " + piece.resources[0] + " " + name);
    }
  }
  RC_ASSERT(found == expected);
}

TEST(MissingRulesTest, ReportsRulesAsMissingWhenTheBudgetIsExhausted) {
  // Each held rule leaves gaps in other places.
  PolicyRules held;
  const auto words = Numbered("w", 60);
  for (size_t i = 0; i < words.size(); ++i) {
    for (size_t j = 0; j < words.size(); ++j) {
      held.push_back(Rule({words[i], words[j]}, {words[j]}, {words[(i * j) % words.size()]}));
    }
  }
  const MissingRules missing = Find(held, PolicyRules(50, Rule(words, words, words)));
  EXPECT_FALSE(missing.empty());
  EXPECT_TRUE(missing.truncated);
}

}  // namespace
}  // namespace kubexms
