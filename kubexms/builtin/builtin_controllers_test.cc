#include "kubexms/builtin/builtin_controllers.h"

#include "kubexms/builtin/builtin_fixture_test.h"

namespace kubexms {
namespace {

using corev1::ConfigMap;
using corev1::Namespace;
using corev1::ServiceAccount;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> Selected(std::string_view list) {
  std::vector<std::string> names;
  const auto selected = SelectControllers(list);
  if (!selected.ok()) return {selected.error().message()};
  for (const BuiltinController* controller : *selected) names.emplace_back(controller->name);
  return names;
}

TEST(SelectControllersTest, SelectsAllSomeAndNone) {
  EXPECT_EQ(Selected("*").size(), BuiltinControllers().size());
  EXPECT_EQ(Selected("*,-namespace-controller").size(), BuiltinControllers().size() - 1);
  EXPECT_THAT(Selected("namespace-controller,serviceaccount-controller"),
              ElementsAre("namespace-controller", "serviceaccount-controller"));
  EXPECT_THAT(Selected(""), ElementsAre());
  EXPECT_THAT(Selected("none"), ElementsAre());
}

TEST(SelectControllersTest, ErrorListsTheControllers) {
  EXPECT_THAT(Selected("*,nonsense"), ElementsAre(HasSubstr("\"nonsense\"; choose from ")));
}

TEST_F(BuiltinTest, SkipsControllersOfKindsThatTheServerDoesNotServe) {
  const auto all = SelectControllers("*");
  ASSERT_TRUE(all.ok());
  Result<Discovery> server = Discover(client());
  ASSERT_TRUE(server.ok());
  EXPECT_EQ(ServedControllers(*all, *server, Logger()), *all);

  std::erase_if(server->resources, [](const DiscoveredResource& resource) {
    return resource.type.group == "policy" || resource.type.kind == "CronJob";
  });
  std::set<std::string_view> left_out;
  for (const BuiltinController* controller : *all) left_out.insert(controller->name);
  for (const auto* controller : ServedControllers(*all, *server, Logger())) {
    left_out.erase(controller->name);
  }
  EXPECT_THAT(left_out, ElementsAre("cronjob-controller", "disruption-controller"));

  server->failures.push_back({"policy/v1", Error::Internal("it does not answer")});
  EXPECT_EQ(ServedControllers(*all, *server, Logger()).size(), all->size() - 1);
}

TEST_F(BuiltinTest, CreatesServiceAccountAndRootCaInEveryNamespace) {
  Start();
  CreateNamespace("a");
  const auto has_both = [&](const std::string& namespace_name) {
    const auto map = client().Get<ConfigMap>({namespace_name, "kube-root-ca.crt"});
    return client().Get<ServiceAccount>({namespace_name, "default"}).ok() && map.ok() &&
           map->data == StringMap{{"ca.crt", "the authority"}};
  };
  for (const char* namespace_name : {"default", "kube-system", "a"}) {
    EXPECT_TRUE(Eventually([&] { return has_both(namespace_name); })) << namespace_name;
  }
  ASSERT_TRUE(client().Delete<ServiceAccount>({"a", "default"}).ok());
  ASSERT_TRUE(client().Delete<ConfigMap>({"a", "kube-root-ca.crt"}).ok());
  EXPECT_TRUE(Eventually([&] { return has_both("a"); }));
  ASSERT_TRUE(
      client().Patch<ConfigMap>({"a", "kube-root-ca.crt"}, {.body = R"({"data":{"x":"y"}})"}).ok());
  EXPECT_TRUE(Eventually([&] { return has_both("a"); }));
}

TEST_F(BuiltinTest, DoesNotBlockNamespaceDeletion) {
  Start();
  for (int i = 0; i < 3; ++i) {
    CreateNamespace("a");
    ASSERT_TRUE(Eventually([&] { return client().Get<ServiceAccount>({"a", "default"}).ok(); }));
    ASSERT_TRUE(client().Delete<Namespace>({"", "a"}).ok());
    ASSERT_TRUE(Eventually([&] { return !NamespaceExists("a"); }));
  }
}

}  // namespace
}  // namespace kubexms
