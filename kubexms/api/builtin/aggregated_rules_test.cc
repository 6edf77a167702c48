#include "kubexms/api/builtin/aggregated_rules.h"

#include <gtest/gtest.h>

#include "kubexms/api/codec.h"

namespace kubexms {
namespace {

using rbacv1::ClusterRole;

ClusterRolePointer Role(const std::string& name, const std::string& label,
                        std::vector<std::string> verbs) {
  ClusterRole role;
  role.metadata.name = name;
  role.metadata.labels = {{"part", label}};
  for (std::string& verb : verbs) role.rules.emplace_back().verbs = {std::move(verb)};
  return std::make_shared<const ClusterRole>(std::move(role));
}

ClusterRole Whole(const std::string& name) {
  return Decode<ClusterRole>(R"({"metadata":{"name":")" + name + R"(","labels":{"part":"of-a"}},
      "rules":[{"verbs":["old"]}],"aggregationRule":{"clusterRoleSelectors":[
      {"matchLabels":{"part":"of-b"}},{"matchLabels":{"part":"of-a"}}]}})")
      .value();
}

std::string VerbsOf(const std::vector<rbacv1::PolicyRule>& rules) {
  std::string verbs;
  for (const auto& rule : rules) verbs += rule.verbs[0] + " ";
  return verbs;
}

TEST(AggregatedRulesTest, CollectsTheRulesOfSelectedRolesWithoutDuplicates) {
  const ClusterRole whole = Whole("whole");
  const std::vector<ClusterRolePointer> others = {
      Role("b", "of-a", {"list", "watch"}), Role("a", "of-a", {"get", "list"}),
      Role("c", "of-nothing", {"delete"}), Role("d", "of-b", {"create"}),
      std::make_shared<const ClusterRole>(whole)};
  EXPECT_EQ(VerbsOf(AggregatedRules(whole, others)), "create get list watch ");
  EXPECT_EQ(VerbsOf(AggregatedRules(whole, {})), "");
}

TEST(AggregatedRulesTest, ARoleDoesNotAggregateItself) {
  const ClusterRole whole = Whole("whole");
  EXPECT_FALSE(Aggregates(whole, whole));
  EXPECT_TRUE(Aggregates(whole, Whole("other")));
  EXPECT_TRUE(Aggregates(whole, *Role("a", "of-b", {})));
  EXPECT_FALSE(Aggregates(whole, *Role("a", "of-nothing", {})));
  EXPECT_FALSE(Aggregates(*Role("a", "of-b", {}), whole));
}

TEST(AggregatedRulesTest, UpdatesRolesThatAggregateAggregatedRoles) {
  std::vector<ClusterRolePointer> roles = {
      std::make_shared<const ClusterRole>(Whole("first")),  // has the rules of the second
      std::make_shared<const ClusterRole>(Whole("second")), Role("a", "of-a", {"get"})};
  EXPECT_EQ(UpdateAggregatedRules(roles).size(), 2U);
  EXPECT_EQ(VerbsOf(roles[0]->rules), "get old ");
  EXPECT_EQ(VerbsOf(roles[1]->rules), "get old ");
  EXPECT_EQ(UpdateAggregatedRules(roles).size(), 0U);
}

}  // namespace
}  // namespace kubexms
