#include "kubexms/apiserver/local_client.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <future>
#include <iterator>
#include <thread>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/apiserver/test_server.h"

namespace kubexms {
namespace {

using corev1::ConfigMap;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ConfigMap MakeConfigMap(const std::string& name, const std::string& label = "x") {
  ConfigMap config_map;
  config_map.metadata.namespace_name = "default";
  config_map.metadata.name = name;
  config_map.metadata.labels["l"] = label;
  config_map.data["key"] = "value";
  return config_map;
}

const ObjectKey kA{"default", "a"};
const ResourceType kConfigMaps = ResourceType::Of<ConfigMap>();
const ResourceType kWidgets{
    .group = "example.com", .version = "v1", .kind = "Widget", .plural = "widgets"};
const ResourceType kNewWidgets{
    .group = "example.com", .version = "v2", .kind = "Widget", .plural = "widgets"};

constexpr std::string_view kDefinition = R"({
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
  "metadata": {"name": "widgets.example.com"},
  "spec": {"group": "example.com", "scope": "Namespaced",
           "names": {"plural": "widgets", "kind": "Widget"},
           "versions": [
             {"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
              "schema": {"openAPIV3Schema": {"type": "object",
                                             "x-kubernetes-preserve-unknown-fields": true}}},
             {"name": "v2", "served": true, "storage": false, "subresources": {"status": {}},
              "schema": {"openAPIV3Schema": {"type": "object",
                                             "x-kubernetes-preserve-unknown-fields": true}}}]}})";

DynamicObject MakeWidget(const std::string& name) {
  DynamicObject widget{.api_version = "example.com/v1", .kind = "Widget"};
  widget.metadata.namespace_name = "default";
  widget.metadata.name = name;
  widget.content["spec"] = JsonObject{{"size", 1}};
  return widget;
}

std::vector<std::string> NamesOf(const ObjectPage& page) {
  std::vector<std::string> names;
  for (const SharedBytes& item : page.items) {
    names.push_back(DynamicObject::Decode(item.view()).value().metadata.name);
  }
  return names;
}

// "ADDED a"; the error's reason; or "" at the end.
std::string NextOf(ObjectWatch& watch) {
  const Result<std::optional<ObjectEvent>> event = watch.Next();
  if (!event.ok()) return event.error().reason();
  if (!*event) return "";
  const DynamicObject object = DynamicObject::Decode((*event)->object.view()).value();
  std::string line(ObjectEventTypeName((*event)->type));
  return object.metadata.name.empty() ? line : line + " " + object.metadata.name;
}

class LocalClientTest : public testing::Test {
 protected:
  void Make(const std::string& name, const std::string& label = "x") {
    ASSERT_TRUE(client_.Create(MakeConfigMap(name, label)).ok());
  }
  void Label(const std::string& name, const std::string& label) {
    const Patch patch{.body = R"({"metadata":{"labels":{"l":")" + label + R"("}}})"};
    ASSERT_TRUE(client_.Patch<ConfigMap>({"default", name}, patch).ok());
  }
  void DefineWidgets() {
    const ResourceType definitions{.group = "apiextensions.k8s.io",
                                   .version = "v1",
                                   .kind = "CustomResourceDefinition",
                                   .plural = "customresourcedefinitions",
                                   .namespaced = false};
    const Result<DynamicObject> made =
        client_.Create(definitions, DynamicObject::Decode(kDefinition).value());
    ASSERT_TRUE(made.ok()) << made.error().message();
  }
  std::string CurrentVersion() {
    return client_.List(kConfigMaps, {.namespace_name = "default"}).value().resource_version;
  }
  std::unique_ptr<ObjectWatch> Watch(WatchOptions options = {}) {
    options.namespace_name = "default";
    return client_.Watch(kConfigMaps, options).value();
  }

  TestServer server_;
  Client& client_ = server_.client();
};

TEST_F(LocalClientTest, CreatesReadsUpdatesAndDeletes) {
  const ConfigMap made = client_.Create(MakeConfigMap("a")).value();
  EXPECT_FALSE(made.metadata.uid.empty());
  ConfigMap read = client_.Get<ConfigMap>(kA).value();
  EXPECT_EQ(read.metadata.resource_version, made.metadata.resource_version);
  read.data["key"] = "other";
  EXPECT_EQ(client_.Update(read).value().data["key"], "other");
  EXPECT_TRUE(client_.Update(read).error().IsConflict());
  ASSERT_TRUE(client_.Delete<ConfigMap>(kA).ok());
  EXPECT_TRUE(client_.Get<ConfigMap>(kA).error().IsNotFound());
}

// The path without a name is that of the collection.
TEST_F(LocalClientTest, RefusesToDeleteAnObjectWithoutAName) {
  Make("a");
  EXPECT_FALSE(client_.Delete<ConfigMap>({"default", ""}).ok());
  EXPECT_TRUE(client_.Get<ConfigMap>(kA).ok());
}

TEST_F(LocalClientTest, ReturnsTheStatusOfTheServerAsError) {
  Make("a");
  const Error exists = client_.Create(MakeConfigMap("a")).error();
  EXPECT_TRUE(exists.IsAlreadyExists());
  EXPECT_EQ(exists.details().name, "a");
  EXPECT_TRUE(client_.Create(MakeConfigMap("Not A Name")).error().IsInvalid());
  EXPECT_TRUE(client_.Get(kWidgets, kA).error().IsNotFound());
}

TEST_F(LocalClientTest, SupportsEveryPatchType) {
  Make("a");
  const auto patch = [&](PatchType type, std::string body) {
    return client_.Patch<ConfigMap>(kA, {.type = type, .body = std::move(body)}).value().data;
  };
  EXPECT_EQ(patch(PatchType::kMerge, R"({"data":{"a":"1"}})")["a"], "1");
  EXPECT_EQ(patch(PatchType::kStrategicMerge, R"({"data":{"a":"2"}})")["a"], "2");
  EXPECT_EQ(patch(PatchType::kJson, R"([{"op":"replace","path":"/data/a","value":"3"}])")["a"],
            "3");
}

TEST_F(LocalClientTest, AppliesAndReportsConflicts) {
  ConfigMap wanted = MakeConfigMap("a");
  ASSERT_TRUE(client_.Apply(wanted, {.field_manager = "one"}).ok());
  wanted.data["key"] = "another";
  EXPECT_TRUE(client_.Apply(wanted, {.field_manager = "two"}).error().IsConflict());
  EXPECT_EQ(client_.Apply(wanted, {.field_manager = "two", .force = true}).value().data["key"],
            "another");
}

TEST_F(LocalClientTest, DryRunsChangeNothing) {
  ASSERT_TRUE(client_.Create(MakeConfigMap("a"), {.dry_run = true}).ok());
  EXPECT_TRUE(client_.Get<ConfigMap>(kA).error().IsNotFound());
}

TEST_F(LocalClientTest, UserAgentIsTheDefaultFieldManager) {
  Make("a");
  EXPECT_EQ(client_.Get<ConfigMap>(kA).value().metadata.managed_fields.at(0).manager, "kubexms");
}

TEST_F(LocalClientTest, ServesCustomResourcesInTheirVersions) {
  DefineWidgets();
  DynamicObject widget = client_.Create(kWidgets, MakeWidget("a")).value();
  widget.content["status"] = JsonObject{{"phase", "Ready"}};
  widget = client_.Update(kWidgets, widget, {.subresource = "status"}).value();
  EXPECT_EQ(FindString(widget.content["status"], "phase"), "Ready");
  const DynamicObject newer = client_.Get(kNewWidgets, kA).value();
  EXPECT_EQ(newer.api_version, "example.com/v2");
  EXPECT_EQ(newer.metadata.uid, widget.metadata.uid);
  const ObjectPage page = client_.List(kNewWidgets).value();
  ASSERT_EQ(page.items.size(), 1);
  EXPECT_THAT(page.items[0].view(), HasSubstr("example.com/v2"));
  const auto watch = client_.Watch(kNewWidgets).value();
  EXPECT_THAT((*watch->Next().value()).object.view(), HasSubstr("example.com/v2"));
  ASSERT_TRUE(client_.Delete(kWidgets, kA).ok());
  EXPECT_EQ(NextOf(*watch), "DELETED a");
}

TEST_F(LocalClientTest, DeletesACollectionBySelector) {
  Make("a", "x");
  Make("b", "y");
  const ListOptions which{.namespace_name = "default",
                          .label_selector = Selector::Parse("l=x").value()};
  ASSERT_TRUE(client_.DeleteAllOf<ConfigMap>(which).ok());
  EXPECT_TRUE(client_.Get<ConfigMap>(kA).error().IsNotFound());
  EXPECT_TRUE(client_.Get<ConfigMap>({"default", "b"}).ok());
}

TEST_F(LocalClientTest, ReadsShareTheStoredBytes) {
  Make("a");
  const ClientRequest get = Client::GetRequest(kConfigMaps, kA);
  const SharedBytes first = client_.Do(get).value();
  EXPECT_EQ(first.view().data(), client_.Do(get).value().view().data());
  const ObjectPage page =
      client_.List(kConfigMaps, {.field_selector = FieldSelector::Equal("metadata.name", "a")})
          .value();
  ASSERT_EQ(page.items.size(), 1);
  EXPECT_EQ(first.view().data(), page.items[0].view().data());
  const ObjectEvent event = *Watch()->Next().value();
  EXPECT_EQ(first.view().data(), event.object.view().data());
}

TEST_F(LocalClientTest, ListsAllAtOnceUnlessALimitIsSet) {
  for (int i = 0; i < 600; ++i) Make("c" + std::to_string(1000 + i));
  const ListOptions all{.namespace_name = "default",
                        .label_selector = Selector::Parse("l").value()};
  ClientRequest request = Client::ListRequest(kConfigMaps, all);
  request.page_size = 500;
  EXPECT_EQ(client_.ListPage(request).value().items.size(), 600);
  ListOptions some{.namespace_name = "default", .limit = 250};
  ObjectPage page = client_.List(kConfigMaps, some).value();
  EXPECT_EQ(page.items.size(), 250);
  ASSERT_TRUE(page.remaining.has_value());
  some.continue_token = page.continue_token;
  EXPECT_EQ(client_.List(kConfigMaps, some).value().items.size(), 250);
}

TEST_F(LocalClientTest, AContinueTokenExpiresAfterCompaction) {
  for (const char* name : {"a", "b", "c"}) Make(name);
  ListOptions options{.namespace_name = "default", .limit = 1};
  options.continue_token = client_.List(kConfigMaps, options).value().continue_token;
  server_.CompactNow();
  EXPECT_TRUE(client_.List(kConfigMaps, options).error().IsExpired());
}

TEST_F(LocalClientTest, ListsBySelectors) {
  Make("a", "x");
  Make("b", "y");
  EXPECT_THAT(
      NamesOf(
          client_.List(kConfigMaps, {.label_selector = Selector::Parse("l=y").value()}).value()),
      ElementsAre("b"));
  const Error unknown =
      client_.List(kConfigMaps, {.field_selector = FieldSelector::Equal("data.key", "1")}).error();
  EXPECT_TRUE(unknown.IsBadRequest());
}

TEST_F(LocalClientTest, ReturnsOnlyMetadataOnRequest) {
  Make("a");
  ClientRequest get = Client::GetRequest(kConfigMaps, kA);
  get.metadata_only = true;
  EXPECT_THAT(client_.Do(get).value().view(), HasSubstr(R"("kind":"PartialObjectMetadata")"));
  ClientRequest list = Client::ListRequest(kConfigMaps, {.namespace_name = "default"});
  list.metadata_only = true;
  const ObjectPage page = client_.ListPage(list).value();
  ASSERT_FALSE(page.items.empty());
  for (const SharedBytes& item : page.items) {
    const DynamicObject object = DynamicObject::Decode(item.view()).value();
    EXPECT_EQ(object.kind, "PartialObjectMetadata");
    EXPECT_THAT(object.content, IsEmpty());
  }
  ClientRequest watch = Client::WatchRequest(kConfigMaps, {.namespace_name = "default"});
  watch.metadata_only = true;
  const auto watched = client_.OpenWatch(watch).value();
  EXPECT_THAT((*watched->Next().value()).object.view(),
              HasSubstr(R"("kind":"PartialObjectMetadata")"));
}

TEST_F(LocalClientTest, AWatchSendsExistingObjectsThenChanges) {
  Make("a");
  const auto watch = Watch();
  EXPECT_EQ(NextOf(*watch), "ADDED a");
  Make("b");
  Label("a", "y");
  ASSERT_TRUE(client_.Delete<ConfigMap>({"default", "b"}).ok());
  EXPECT_EQ(NextOf(*watch), "ADDED b");
  EXPECT_EQ(NextOf(*watch), "MODIFIED a");
  EXPECT_EQ(NextOf(*watch), "DELETED b");
}

TEST_F(LocalClientTest, AWatchBlocksUntilAnObjectChanges) {
  const auto watch = Watch();
  const std::jthread writer([this] { Make("a"); });
  EXPECT_EQ(NextOf(*watch), "ADDED a");
}

TEST_F(LocalClientTest, AWatchCallsBackWhenItHasAnEvent) {
  const auto watch = Watch();
  std::promise<void> called;
  while (watch->IsReady([] {})) ASSERT_TRUE(watch->Next().ok());  // existing objects
  ASSERT_FALSE(watch->IsReady([&] { called.set_value(); }));
  Make("a");
  called.get_future().wait();
  EXPECT_TRUE(watch->IsReady([] {}));
  EXPECT_EQ(NextOf(*watch), "ADDED a");
  EXPECT_FALSE(watch->IsReady([] {}));
}

TEST_F(LocalClientTest, AWatchResumesFromAResourceVersion) {
  Make("a");
  const std::string version = CurrentVersion();
  Make("b");
  EXPECT_EQ(NextOf(*Watch({.resource_version = version})), "ADDED b");
}

TEST_F(LocalClientTest, AWatchReportsObjectsThatStartAndStopMatchingItsSelector) {
  Make("a", "y");
  const auto watch = Watch({.label_selector = Selector::Parse("l=x").value()});
  Label("a", "x");
  Label("a", "y");
  Label("a", "z");
  Make("b", "x");
  EXPECT_EQ(NextOf(*watch), "ADDED a");
  EXPECT_EQ(NextOf(*watch), "DELETED a");
  EXPECT_EQ(NextOf(*watch), "ADDED b");
}

TEST_F(LocalClientTest, AWatchIsLimitedToItsNamespace) {
  const auto everywhere = client_.Watch(ResourceType::Of<corev1::Secret>()).value();
  const auto elsewhere =
      client_.Watch(ResourceType::Of<corev1::Secret>(), {.namespace_name = "kube-system"}).value();
  corev1::Secret secret;
  secret.metadata.namespace_name = "default";
  secret.metadata.name = "a";
  ASSERT_TRUE(client_.Create(secret).ok());
  secret.metadata.namespace_name = "kube-system";
  secret.metadata.name = "b";
  ASSERT_TRUE(client_.Create(secret).ok());
  EXPECT_EQ(NextOf(*everywhere), "ADDED a");
  EXPECT_EQ(NextOf(*everywhere), "ADDED b");
  EXPECT_EQ(NextOf(*elsewhere), "ADDED b");
}

TEST_F(LocalClientTest, InitialEventsEndWithABookmark) {
  Make("a");
  const auto watch = Watch({.bookmarks = true, .send_initial_events = true});
  EXPECT_EQ(NextOf(*watch), "ADDED a");
  const ObjectEvent end = *watch->Next().value();
  EXPECT_EQ(end.type, ObjectEventType::kBookmark);
  const DynamicObject bookmark = DynamicObject::Decode(end.object.view()).value();
  EXPECT_EQ(bookmark.metadata.resource_version, CurrentVersion());
  EXPECT_EQ(bookmark.metadata.annotations.at("k8s.io/initial-events-end"), "true");
}

TEST_F(LocalClientTest, AWatchEndsAtItsTimeoutWithABookmark) {
  const auto watch = Watch({.bookmarks = true, .timeout = std::chrono::seconds(1)});
  EXPECT_EQ(NextOf(*watch), "BOOKMARK");
  EXPECT_EQ(NextOf(*watch), "");
}

TEST_F(LocalClientTest, AWatchExpiresAfterCompaction) {
  Make("a");
  const std::string version = CurrentVersion();
  server_.CompactNow();
  const auto watch = Watch({.resource_version = version});
  EXPECT_EQ(NextOf(*watch), "Expired");
  EXPECT_EQ(NextOf(*watch), "");
}

TEST_F(LocalClientTest, AnOpenWatchSurvivesCompaction) {
  const auto watch = Watch({.resource_version = CurrentVersion()});
  server_.CompactNow();
  Make("a");
  EXPECT_EQ(NextOf(*watch), "ADDED a");
}

TEST_F(LocalClientTest, TheStopTokenEndsABlockedWatch) {
  std::stop_source stop;
  const auto watch = Watch({.stop = stop.get_token()});
  const std::jthread stopper([&] { stop.request_stop(); });
  EXPECT_EQ(NextOf(*watch), "");
  EXPECT_EQ(client_.Watch(kConfigMaps, {.stop = stop.get_token()}).error().reason(), "Canceled");
  EXPECT_EQ(client_.Get<ConfigMap>(kA, {.stop = stop.get_token()}).error().reason(), "Canceled");
}

TEST_F(LocalClientTest, DropWatchesEndsABlockedWatch) {
  const auto watch = Watch();
  const std::jthread dropper([this] { server_.DropWatches(); });
  EXPECT_EQ(NextOf(*watch), "ServiceUnavailable");
}

TEST_F(LocalClientTest, ASlowReaderCanResumeItsWatch) {
  Make("a");
  const auto watch = Watch();
  const DynamicObject last = DynamicObject::Decode((*watch->Next().value()).object.view()).value();
  constexpr int kMoreThanTheBuffer = 16'500;
  for (int i = 0; i < kMoreThanTheBuffer; ++i) Label("a", std::to_string(i));
  EXPECT_EQ(NextOf(*watch), "TooManyRequests");
  const auto again = Watch({.resource_version = last.metadata.resource_version});
  const ObjectEvent next = *again->Next().value();
  EXPECT_EQ(DynamicObject::Decode(next.object.view()).value().metadata.labels.at("l"), "0");
}

TEST_F(LocalClientTest, AuthorizesUsersByTheirRoles) {
  Make("a");
  const auto weak = server_.NewClient({.name = "weak"});
  EXPECT_TRUE(weak->Get<ConfigMap>(kA).error().IsForbidden());
  EXPECT_TRUE(weak->List<ConfigMap>().error().IsForbidden());
  EXPECT_TRUE(weak->Watch<ConfigMap>().error().IsForbidden());
  EXPECT_TRUE(weak->Create(MakeConfigMap("b")).error().IsForbidden());
  // Every authenticated user may read this path.
  EXPECT_TRUE(weak->GetPath("/version").ok());
  EXPECT_TRUE(server_.NewClient({.name = "system:anonymous"})
                  ->GetPath("/version")
                  .error()
                  .IsUnauthorized());
}

TEST_F(LocalClientTest, AnswersPathsOutsideTheResources) {
  EXPECT_THAT(client_.GetPath("/version").value().view(), HasSubstr("gitVersion"));
  EXPECT_EQ(client_.GetPath("/readyz").value().view(), "ok");
  EXPECT_TRUE(client_.GetPath("/nothing").error().IsNotFound());
}

TEST_F(LocalClientTest, CountsRequestsInMetrics) {
  Make("a");
  EXPECT_THAT(client_.GetPath("/metrics").value().view(),
              HasSubstr(R"(resource="configmaps",scope="namespace")"));
}

class OwnServerTest : public testing::Test {
 protected:
  OwnServerTest() { std::filesystem::remove_all(directory_); }
  ~OwnServerTest() override { std::filesystem::remove_all(directory_); }

  std::unique_ptr<ApiServer> MakeServer() {
    return ApiServer::Create({.data_directory = directory_, .store = "memory", .port = 0}).value();
  }

  const std::string directory_ =
      fmt::format("{}local_client_test.{}", testing::TempDir(), ::getpid());
  const UserInfo user_{.name = "jane", .groups = {"system:masters"}};
};

TEST_F(OwnServerTest, RecordsWritesInTheAuditLog) {
  {
    const auto server = MakeServer();
    ASSERT_TRUE(server->NewClient(user_, "tester/1")->Create(MakeConfigMap("a")).ok());
  }
  std::ifstream file(directory_ + "/audit.log");
  const std::string log{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(log, HasSubstr("jane"));
  EXPECT_THAT(log, HasSubstr("tester/1"));
  EXPECT_THAT(log, HasSubstr(R"("requestURI":"/api/v1/namespaces/default/configmaps")"));
}

TEST_F(OwnServerTest, AClientWorksBeforeAndAfterTheServerRuns) {
  const auto server = MakeServer();
  const auto client = server->NewClient(user_);
  const auto watch = client->Watch(kConfigMaps, {.namespace_name = "default"}).value();
  ASSERT_TRUE(client->Create(MakeConfigMap("a")).ok());
  EXPECT_EQ(NextOf(*watch), "ADDED a");
  std::stop_source stop;
  stop.request_stop();
  server->Run(stop.get_token());
  ASSERT_TRUE(client->Create(MakeConfigMap("b")).ok());
  EXPECT_EQ(NextOf(*watch), "ADDED b");
}

}  // namespace
}  // namespace kubexms
