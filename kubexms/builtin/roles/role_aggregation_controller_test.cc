#include "kubexms/builtin/roles/role_aggregation_controller.h"

#include "kubexms/api/kinds/rbac_v1.h"
#include "kubexms/builtin/builtin_fixture_test.h"

namespace kubexms {
namespace {

using rbacv1::ClusterRole;
using ::testing::ElementsAre;

constexpr const char* kController = "clusterrole-aggregation-controller";

class RoleAggregationTest : public BuiltinTest {
 protected:
  void MakeRole(const std::string& name, const std::string& part, const std::string& rest) {
    const auto made = client().Create(Decode<ClusterRole>(R"({"metadata":{"name":")" + name +
                                                          R"(","labels":{"part-of":")" + part +
                                                          R"("}},)" + rest + "}")
                                          .value());
    ASSERT_TRUE(made.ok()) << made.error().message();
  }
  void MakePart(const std::string& name, const std::string& part, const std::string& verb) {
    MakeRole(name, part,
             R"("rules":[{"apiGroups":[""],"resources":["pods"],"verbs":[")" + verb + R"("]}])");
  }
  void MakeWhole(const std::string& name, const std::string& of, const std::string& part = "none") {
    MakeRole(name, part,
             R"("aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"part-of":")" + of +
                 R"("}}]})");
  }
  std::string VerbsOf(const std::string& name) {
    const auto role = client().Get<ClusterRole>({"", name});
    std::string verbs;
    if (!role.ok()) return "none";
    for (const auto& rule : role->rules) verbs += rule.verbs[0] + " ";
    return verbs;
  }
  void ExpectVerbs(const std::string& name, const std::string& verbs) {
    EXPECT_TRUE(Eventually([&] { return VerbsOf(name) == verbs; })) << VerbsOf(name);
  }
};

TEST_F(RoleAggregationTest, UpdatesAggregatedRules) {
  MakeWhole("whole", "x");
  MakeWhole("larger", "y");
  Start(kController);
  MakePart("b", "x", "list");
  MakePart("a", "x", "get");
  ExpectVerbs("whole", "get list ");
  EXPECT_EQ(VerbsOf("larger"), "");
  MakePart("c", "y", "watch");
  MakeWhole("between", "x", "y");
  ExpectVerbs("larger", "get list watch ");
  ASSERT_TRUE(client().Delete<ClusterRole>({"", "b"}).ok());
  ExpectVerbs("whole", "get ");
  ExpectVerbs("larger", "get watch ");
  ASSERT_TRUE(
      client().Patch<ClusterRole>({"", "a"}, {.body = R"({"metadata":{"labels":null}})"}).ok());
  ExpectVerbs("whole", "");
}

TEST_F(RoleAggregationTest, RevertsChangesOfAggregatedRules) {
  MakeWhole("whole", "x");
  MakePart("a", "x", "get");
  Start(kController);
  ExpectVerbs("whole", "get ");
  ASSERT_TRUE(client().Patch<ClusterRole>({"", "whole"}, {.body = R"({"rules":[]})"}).ok());
  ExpectVerbs("whole", "get ");
}

// The server bootstraps the default roles with aggregated rules.
TEST_F(RoleAggregationTest, DoesNotWriteTheDefaultRoles) {
  Start(kController);
  MakeWhole("whole", "x");
  MakePart("a", "x", "get");
  ExpectVerbs("whole", "get ");
  EXPECT_THAT(ClientOf(kController).TakeVerbs(), ElementsAre("update"));
}

}  // namespace
}  // namespace kubexms
