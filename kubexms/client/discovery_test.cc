#include "kubexms/client/discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "kubexms/client/running_server_test.h"

namespace kubexms {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;

const DiscoveredResource* FindResource(const Discovery& discovery, std::string_view plural) {
  for (const DiscoveredResource& resource : discovery.resources) {
    if (resource.type.QualifiedName() == plural) return &resource;
  }
  return nullptr;
}

TEST(DiscoveryTest, ListsTheResourcesOfTheServer) {
  const RunningApiServer server;
  const auto client = server.Connect();
  const Discovery discovery = Discover(*client).value();
  EXPECT_THAT(discovery.failures, SizeIs(0));
  const DiscoveredResource* deployments = FindResource(discovery, "deployments.apps");
  ASSERT_NE(deployments, nullptr);
  EXPECT_EQ(deployments->type, (ResourceType{"apps", "v1", "Deployment", "deployments", true}));
  EXPECT_EQ(deployments->singular, "deployment");
  EXPECT_THAT(deployments->short_names, Contains("deploy"));
  EXPECT_THAT(deployments->subresources, Contains("scale"));
  EXPECT_TRUE(deployments->preferred);
  EXPECT_TRUE(deployments->Supports(Verb::kWatch));
  const DiscoveredResource* nodes = FindResource(discovery, "nodes");
  ASSERT_NE(nodes, nullptr);
  EXPECT_FALSE(nodes->type.namespaced);
}

TEST(ResourceMapperTest, FindsTypesByTheirNames) {
  const RunningApiServer server;
  const auto client = server.Connect();
  const ManualClock clock;
  ResourceMapper mapper(*client, clock);
  for (const char* name : {"Deployment", "deployment", "deployments", "deploy", "deployments.apps",
                           "deployments.v1.apps", "deploy.apps", "apps/v1 Deployment"}) {
    const auto found = mapper.Find(name);
    ASSERT_TRUE(found.ok()) << name;
    EXPECT_EQ(found->QualifiedName(), "deployments.apps") << name;
  }
  EXPECT_EQ(mapper.Find("v1 Pod")->Path("a"), "/api/v1/namespaces/a/pods");
  EXPECT_EQ(mapper.Find("pods.v1")->plural, "pods");
  EXPECT_EQ(mapper.Find("events")->group, "") << "the core group comes first";
  EXPECT_EQ(mapper.Find("events.events.k8s.io")->group, "events.k8s.io");
  EXPECT_EQ(mapper.Find({.group = "apps", .version = "v1", .kind = "Deployment"})->plural,
            "deployments");
  EXPECT_TRUE(mapper.Find("apps/v2 Deployment").error().IsNotFound());
  EXPECT_EQ(mapper.Find("widgets").error().message(),
            "the server has no resource type \"widgets\"");
}

// Answers GetPath() from a table: servers of odd shapes.
class TableClient final : public Client {
 public:
  std::map<std::string, std::string, std::less<>> paths;
  int calls = 0;

  Result<SharedBytes> Do(const ClientRequest&) override { return Error::Internal("unused"); }
  Result<ObjectPage> ListPage(const ClientRequest&) override { return Error::Internal("unused"); }
  Result<std::unique_ptr<ObjectWatch>> OpenWatch(const ClientRequest&) override {
    return Error::Internal("unused");
  }
  Result<SharedBytes> GetPath(std::string_view path, std::stop_token) override {
    ++calls;
    const auto found = paths.find(path);
    if (found == paths.end()) return Error::NotFound("paths", path);
    if (found->second.empty()) return Error::ServiceUnavailable("down");
    return SharedBytes(found->second);
  }
};

constexpr const char* kGroups =
    R"({"kind":"APIGroupList","apiVersion":"v1","groups":[)"
    R"({"name":"a.io","versions":[{"groupVersion":"a.io/v1beta1","version":"v1beta1"},)"
    R"({"groupVersion":"a.io/v1","version":"v1"}],)"
    R"("preferredVersion":{"groupVersion":"a.io/v1","version":"v1"}},)"
    R"({"name":"b.io","versions":[{"groupVersion":"b.io/v1","version":"v1"}]}]})";

std::string Resources(const std::string& group_version, const std::string& plural,
                      const std::string& kind) {
  return R"({"kind":"APIResourceList","apiVersion":"v1","groupVersion":")" + group_version +
         R"(","resources":[{"name":")" + plural +
         R"(","singularName":"","namespaced":true,"kind":")" + kind + R"(","verbs":["get"]}]})";
}

class OddServerTest : public testing::Test {
 protected:
  OddServerTest() {
    client_.paths["/apis"] = kGroups;
    client_.paths["/apis/a.io/v1"] = Resources("a.io/v1", "apples", "Apple");
    client_.paths["/apis/a.io/v1beta1"] = Resources("a.io/v1beta1", "apples", "Apple");
    client_.paths["/apis/b.io/v1"] = "";
  }

  TableClient client_;
  ManualClock clock_;
  ResourceMapper mapper_{client_, clock_};
};

TEST_F(OddServerTest, AGroupThatIsDownDoesNotHideOthers) {
  client_.paths["/api"] = R"({"kind":"APIVersions","apiVersion":"v1","versions":["v1"]})";
  client_.paths["/api/v1"] = "not JSON";
  const Discovery discovery = Discover(client_).value();
  EXPECT_THAT(discovery.resources, SizeIs(2));
  ASSERT_THAT(discovery.failures, SizeIs(2));
  EXPECT_EQ(discovery.failures[0].group_version, "v1");
  EXPECT_EQ(discovery.failures[1].group_version, "b.io/v1");
  EXPECT_EQ(discovery.resources[0].type.version, "v1") << "the preferred one comes first";
  EXPECT_THAT(mapper_.Find("Banana").error().message(),
              HasSubstr("b.io/v1 could not be asked: down"));
}

TEST_F(OddServerTest, TheCoreGroupMayBeMissing) {
  EXPECT_EQ(mapper_.Find("Apple")->ApiVersion(), "a.io/v1");
  EXPECT_EQ(mapper_.Find("apples.v1beta1.a.io")->ApiVersion(), "a.io/v1beta1");
}

TEST_F(OddServerTest, AServerThatListsNothingIsAnError) {
  client_.paths["/apis"] = "";
  EXPECT_EQ(Discover(client_).error().message(), "down");
}

TEST_F(OddServerTest, RefreshesForUnknownNamesAtALimitedRate) {
  ASSERT_TRUE(mapper_.Find("Apple").ok());
  const int once = client_.calls;
  client_.paths["/apis/b.io/v1"] = Resources("b.io/v1", "bananas", "Banana");
  EXPECT_TRUE(mapper_.Find("Banana").error().IsNotFound());
  EXPECT_EQ(client_.calls, once) << "it was asked just now";
  clock_.Advance(std::chrono::seconds(5));
  EXPECT_TRUE(mapper_.Find("Apple").ok());
  EXPECT_EQ(client_.calls, once) << "what is known is not asked for";
  EXPECT_TRUE(mapper_.Find("Banana").ok());
  EXPECT_EQ(client_.calls, 2 * once);
}

}  // namespace
}  // namespace kubexms
