#include "kubexms/builtin/namespaces/namespace_controller.h"

#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/builtin/builtin_fixture_test.h"

namespace kubexms {
namespace {

using corev1::ConfigMap;
using corev1::Namespace;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> Texts(const Namespace& object) {
  std::vector<std::string> texts;
  for (const auto& condition : object.status.conditions) {
    texts.push_back(condition.type + " " + condition.status + " " + condition.reason + ": " +
                    condition.message);
  }
  return texts;
}

class NamespaceControllerTest : public BuiltinTest {
 protected:
  void Delete(const std::string& name) {
    const auto deleted = client().Delete<Namespace>({"", name});
    ASSERT_TRUE(deleted.ok()) << deleted.error().message();
  }
  bool EventuallyDeleted(const std::string& name) {
    return Eventually([&] { return !NamespaceExists(name); });
  }
  // The texts of the conditions, as soon as one contains `part`.
  std::vector<std::string> ConditionsWith(const std::string& part, const std::string& name = "a") {
    std::vector<std::string> texts;
    EXPECT_TRUE(Eventually([&] {
      const auto object = client().Get<Namespace>({"", name});
      texts = object.ok() ? Texts(*object) : std::vector<std::string>();
      return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
        return text.find(part) != std::string::npos;
      });
    })) << part
        << " is not in " << ::testing::PrintToString(texts);
    return texts;
  }
  void RemoveFinalizers(const ObjectKey& key) {
    ASSERT_TRUE(
        client().Patch<ConfigMap>(key, {.body = R"({"metadata":{"finalizers":null}})"}).ok());
  }
};

TEST_F(NamespaceControllerTest, DeletesBuiltInAndCustomContent) {
  DefineWidgets();
  CreateNamespace("a");
  CreateNamespace("b");
  CreateConfigMap(ConfigMapNamed({"a", "one"}));
  CreateConfigMap(ConfigMapNamed({"b", "stays"}));
  CreateWidget({"a", "one"});
  Start("namespace-controller");
  Delete("a");
  EXPECT_TRUE(EventuallyDeleted("a"));
  EXPECT_TRUE(NamespaceExists("b"));
  EXPECT_TRUE(Exists({"b", "stays"}));
  CreateNamespace("a");
  EXPECT_FALSE(Exists({"a", "one"}));
  EXPECT_FALSE(WidgetExists({"a", "one"}));
}

TEST_F(NamespaceControllerTest, DiscoversNewKinds) {
  Start("namespace-controller");
  DefineWidgets();
  CreateNamespace("a");
  CreateWidget({"a", "one"});
  Delete("a");
  EXPECT_TRUE(EventuallyDeleted("a"));
}

TEST_F(NamespaceControllerTest, ReportsRemainingContentAndFinalizers) {
  CreateNamespace("a");
  ConfigMap held = ConfigMapNamed({"a", "held"});
  held.metadata.finalizers = {"example.com/stuck"};
  CreateConfigMap(held);
  CreateConfigMap(ConfigMapNamed({"a", "free"}));
  Start("namespace-controller");
  Delete("a");
  EXPECT_THAT(
      ConditionsWith("SomeFinalizersRemain"),
      ElementsAre(
          "NamespaceDeletionDiscoveryFailure False ResourcesDiscovered: All resources "
          "successfully discovered",
          "NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions: All legacy kube "
          "types successfully parsed",
          "NamespaceDeletionContentFailure False ContentDeleted: All content successfully "
          "deleted, may be waiting on finalization",
          "NamespaceContentRemaining True SomeResourcesRemain: Some resources are remaining: "
          "configmaps. has 1 resource instances",
          "NamespaceFinalizersRemaining True SomeFinalizersRemain: Some content in the namespace "
          "has finalizers remaining: example.com/stuck in 1 resource instances"));
  EXPECT_FALSE(Exists({"a", "free"}));
  RemoveFinalizers({"a", "held"});
  EXPECT_TRUE(EventuallyDeleted("a"));
}

TEST_F(NamespaceControllerTest, RemovesPropagationFinalizers) {
  CreateNamespace("a");
  ConfigMap map = ConfigMapNamed({"a", "held"});
  map.metadata.finalizers = {"foregroundDeletion"};
  CreateConfigMap(map);
  Start("namespace-controller");
  Delete("a");
  EXPECT_TRUE(EventuallyDeleted("a"));
}

TEST_F(NamespaceControllerTest, ReportsGroupsThatCannotBeDiscovered) {
  CreateNamespace("a");
  CreateConfigMap(ConfigMapNamed({"a", "one"}));
  Start("namespace-controller");
  ClientOf("namespace-controller").SetPath([](Client& server, std::string_view path) {
    return path == "/apis/apps/v1" ? Result<SharedBytes>(Error::ServiceUnavailable("down"))
                                   : server.GetPath(path, {});
  });
  Delete("a");
  EXPECT_THAT(ConditionsWith("DiscoveryFailed"),
              Contains("NamespaceDeletionDiscoveryFailure True DiscoveryFailed: Discovery failed "
                       "for some groups, 1 failing: unable to retrieve the complete list of "
                       "server APIs: apps/v1: down"));
  // Content of discovered groups is deleted all the same.
  EXPECT_TRUE(Eventually([&] { return !Exists({"a", "one"}); }));
  EXPECT_TRUE(NamespaceExists("a"));
  ClientOf("namespace-controller").SetPath({});
  EXPECT_TRUE(EventuallyDeleted("a"));
}

TEST_F(NamespaceControllerTest, ReportsContentThatCannotBeDeleted) {
  CreateNamespace("a");
  CreateConfigMap(ConfigMapNamed({"a", "one"}));
  Start("namespace-controller");
  ClientOf("namespace-controller").Set([](Client& server, const ClientRequest& request) {
    if (request.verb != Verb::kDeleteCollection) return server.Do(request);
    return Result<SharedBytes>(Error::ServiceUnavailable("not now"));
  });
  Delete("a");
  EXPECT_THAT(ConditionsWith("ContentDeletionFailed"),
              Contains("NamespaceDeletionContentFailure True ContentDeletionFailed: Failed to "
                       "delete all resource types, 1 remaining: not now"));
  ClientOf("namespace-controller").Set({});
  EXPECT_TRUE(EventuallyDeleted("a"));
}

TEST_F(NamespaceControllerTest, DeletesObjectsOneByOneWithoutDeleteCollection) {
  CreateNamespace("a");
  CreateConfigMap(ConfigMapNamed({"a", "one"}));
  Start("namespace-controller");
  ClientOf("namespace-controller").Set([](Client& server, const ClientRequest& request) {
    if (request.verb != Verb::kDeleteCollection) return server.Do(request);
    return Result<SharedBytes>(Error::MethodNotSupported("configmaps", "deletecollection"));
  });
  Delete("a");
  EXPECT_TRUE(EventuallyDeleted("a"));
}

TEST_F(NamespaceControllerTest, DeletesPodsFirst) {
  CreateNamespace("a");
  CreateConfigMap(ConfigMapNamed({"a", "used"}));
  const auto pod = ParseJson(R"({"apiVersion":"v1","kind":"Pod",
      "metadata":{"name":"web","namespace":"a"},
      "spec":{"nodeName":"node1","containers":[{"name":"c","image":"i"}]}})");
  ASSERT_TRUE(client().Create(FromJson<corev1::Pod>(pod.value()).value()).ok());
  Start("namespace-controller");
  Delete("a");
  EXPECT_THAT(ConditionsWith("SomeResourcesRemain"),
              Contains(HasSubstr("remaining: pods. has 1 resource instances")));
  EXPECT_TRUE(Exists({"a", "used"}));
  DeleteOptions at_once;
  at_once.grace_period_seconds = 0;
  ASSERT_TRUE(client().Delete<corev1::Pod>({"a", "web"}, at_once).ok());
  EXPECT_TRUE(EventuallyDeleted("a"));
}

TEST_F(NamespaceControllerTest, RetainsOtherFinalizersOfTheNamespace) {
  const auto object = ParseJson(R"({"apiVersion":"v1","kind":"Namespace",
      "metadata":{"name":"a"},"spec":{"finalizers":["example.com/own"]}})");
  ASSERT_TRUE(client().Create(FromJson<Namespace>(object.value()).value()).ok());
  Start("namespace-controller");
  Delete("a");
  EXPECT_TRUE(Eventually([&] {
    return client().Get<Namespace>({"", "a"})->spec.finalizers ==
           std::vector<std::string>{"example.com/own"};
  }));
}

TEST_F(NamespaceControllerTest, ContinuesAfterARestart) {
  CreateNamespace("a");
  ConfigMap held = ConfigMapNamed({"a", "held"});
  held.metadata.finalizers = {"example.com/stuck"};
  CreateConfigMap(held);
  Start("namespace-controller");
  Delete("a");
  ConditionsWith("SomeFinalizersRemain");
  Stop();
  RemoveFinalizers({"a", "held"});
  Start("namespace-controller");
  EXPECT_TRUE(EventuallyDeleted("a"));
}

TEST(NamespaceConditionsTest, TransitionTimesChangeOnlyWithTheStatus) {
  const Time first(std::chrono::sys_seconds(std::chrono::seconds(1000)));
  const Time second(std::chrono::sys_seconds(std::chrono::seconds(2000)));
  corev1::NamespaceStatus status;
  EXPECT_TRUE(SetDeletionConditions({.remaining = {{"pods.", 2}}}, first, status));
  EXPECT_FALSE(SetDeletionConditions({.remaining = {{"pods.", 2}}}, second, status));
  EXPECT_TRUE(SetDeletionConditions({.remaining = {{"pods.", 1}}}, second, status));
  EXPECT_EQ(status.conditions.at(3).last_transition_time, first);
  EXPECT_TRUE(SetDeletionConditions({}, second, status));
  EXPECT_EQ(status.conditions.at(3).last_transition_time, second);
  EXPECT_EQ(status.conditions.at(3).reason, "ContentRemoved");
}

}  // namespace
}  // namespace kubexms
