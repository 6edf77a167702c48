// Damaged records, which hold no object: they do not prevent a server from starting or hide other
// objects, are named in the log, and can be deleted.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/apiserver/server.h"
#include "kubexms/base/check.h"
#include "kubexms/store/rocksdb_store.h"

namespace kubexms {
namespace {

using corev1::ConfigMap;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

const ResourceType kConfigMaps = ResourceType::Of<ConfigMap>();

// Values of records that are no objects.
constexpr std::string_view kDamages[] = {
    "",
    "\x01\x02",
    "{",
    "[]",
    "null",
    R"({"metadata":{}})",
    R"({"metadata":[]})",
    R"({"metadata":{"name":"a"}})",
    R"({"apiVersion":"v7","kind":"ConfigMap","metadata":{"name":"a"}})",
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\xff\"}}"};

std::string DeepObject(int depth) {
  std::string text = R"({"apiVersion":"v1","metadata":{"name":"a"},"x":)";
  for (int i = 0; i < depth; ++i) text += R"({"x":)";
  return text + "1" + std::string(depth + 1, '}');
}

class DamagedObjectsTest : public testing::Test {
 protected:
  DamagedObjectsTest() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "kubexms-damaged-XXXXXX").string();
    KUBEXMS_CHECK(::mkdtemp(pattern.data()) != nullptr);
    directory_ = pattern;
  }
  ~DamagedObjectsTest() override {
    Stop();
    std::filesystem::remove_all(directory_);
  }

  void Start() {
    Result<std::unique_ptr<ApiServer>> server =
        ApiServer::Create({.data_directory = directory_,
                           .bind_address = "127.0.0.1",
                           .port = 0,
                           .audit_log = "-",
                           .workers = 2,
                           .io_threads = 1,
                           .log = Logger({.sink = &sink_, .clock = &clock_})});
    ASSERT_TRUE(server.ok()) << server.error().message();
    server_ = std::move(*server);
    client_ = server_->NewClient({.name = "kubernetes-admin", .groups = {"system:masters"}});
  }

  void Stop() {
    client_.reset();
    server_.reset();
  }

  // While no server runs.
  void Damage(const std::vector<std::string>& keys, std::string_view value) {
    const auto store = store::OpenRocksDbStore({.directory = directory_ + "/store"}).value();
    for (const std::string& key : keys) {
      ASSERT_TRUE(store->Commit(store::Transaction().Put(key, std::string(value))).ok());
    }
  }
  std::vector<std::string> AllKeys() {
    const auto store = store::OpenRocksDbStore({.directory = directory_ + "/store"}).value();
    std::vector<std::string> keys;
    const store::ListPage all = store->List({.prefix = "/registry/"}).value();
    for (const store::RecordPtr& record : all.records) keys.emplace_back(record->key);
    return keys;
  }

  void Create(const std::string& name) {
    ConfigMap config_map;
    config_map.metadata.namespace_name = "default";
    config_map.metadata.name = name;
    ASSERT_TRUE(client_->Create(config_map).ok());
  }

  std::vector<std::string> ListedNames() {
    std::vector<std::string> names;
    const auto list = client_->List<ConfigMap>({.namespace_name = "default"});
    EXPECT_TRUE(list.ok()) << list.error().message();
    if (!list.ok()) return names;
    for (const ConfigMap& one : list->items) names.push_back(one.metadata.name);
    return names;
  }

  static std::string Key(std::string_view name) {
    return fmt::format("/registry/core/configmaps/default/{}", name);
  }

  std::string directory_;
  SystemClock clock_;
  CapturingLogSink sink_;
  std::unique_ptr<ApiServer> server_;
  std::unique_ptr<Client> client_;
};

TEST_F(DamagedObjectsTest, AServerStartsWithAnyDamagedRecord) {
  ASSERT_NO_FATAL_FAILURE(Start());
  const Result<SharedBytes> definition = client_->Do(
      {.verb = Verb::kCreate,
       .resource = {.group = "apiextensions.k8s.io",
                    .version = "v1",
                    .kind = "CustomResourceDefinition",
                    .plural = "customresourcedefinitions"},
       .body = R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
                   "metadata":{"name":"widgets.example.com"},
                   "spec":{"group":"example.com","scope":"Namespaced",
                           "names":{"plural":"widgets","kind":"Widget"},
                           "versions":[{"name":"v1","served":true,"storage":true,
                             "schema":{"openAPIV3Schema":{"type":"object"}}}]}})"});
  ASSERT_TRUE(definition.ok()) << definition.error().message();
  Stop();
  const std::vector<std::string> keys = AllKeys();
  ASSERT_GT(keys.size(), 50U);  // roles, bindings, namespaces, services, addresses …
  for (const std::string_view damage : {kDamages[1], kDamages[4], kDamages[7], kDamages[9]}) {
    Damage(keys, damage);
    ASSERT_NO_FATAL_FAILURE(Start());
    ASSERT_NO_FATAL_FAILURE(Create("works"));
    ASSERT_TRUE(client_->Delete<ConfigMap>({"default", "works"}).ok());
    Stop();
  }
}

TEST_F(DamagedObjectsTest, ListsOmitADamagedObjectThatCanBeDeleted) {
  ASSERT_NO_FATAL_FAILURE(Start());
  for (const std::string name : {"a", "b", "c"}) Create(name);
  for (const std::string_view damage : kDamages) {
    SCOPED_TRACE(damage);
    Stop();
    Damage({Key("b")}, damage);
    ASSERT_NO_FATAL_FAILURE(Start());
    EXPECT_THAT(ListedNames(), ElementsAre("a", "c"));
    EXPECT_THAT(sink_.Lines(), Contains(HasSubstr(Key("b"))));
    const Result<ConfigMap> read = client_->Get<ConfigMap>({"default", "b"});
    EXPECT_EQ(read.error().code(), 500);
    EXPECT_THAT(read.error().message(), HasSubstr(Key("b")));
    EXPECT_THAT(read.error().message(), HasSubstr("delete it"));
    auto watch = client_->Watch<ConfigMap>({.namespace_name = "default"}).value();
    EXPECT_EQ(watch.Next().value()->object.metadata.name, "a");
    EXPECT_EQ(watch.Next().value()->object.metadata.name, "c");
    ASSERT_TRUE(client_->Delete<ConfigMap>({"default", "b"}).ok());
    Create("b");
    EXPECT_EQ(watch.Next().value()->object.metadata.name, "b");
  }
}

TEST_F(DamagedObjectsTest, AnObjectDeeperThanTheParserAcceptsIsDamaged) {
  ASSERT_NO_FATAL_FAILURE(Start());
  Create("a");
  Stop();
  Damage({Key("b")}, DeepObject(600));
  ASSERT_NO_FATAL_FAILURE(Start());
  EXPECT_THAT(ListedNames(), ElementsAre("a"));
  EXPECT_TRUE(client_->Delete<ConfigMap>({"default", "b"}).ok());
}

TEST_F(DamagedObjectsTest, DeletingACollectionRemovesDamagedObjects) {
  ASSERT_NO_FATAL_FAILURE(Start());
  Create("a");
  Stop();
  Damage({Key("b")}, "{");
  ASSERT_NO_FATAL_FAILURE(Start());
  ASSERT_TRUE(client_
                  ->Do({.verb = Verb::kDeleteCollection,
                        .resource = kConfigMaps,
                        .namespace_name = "default"})
                  .ok());
  EXPECT_TRUE(client_->Get<ConfigMap>({"default", "b"}).error().IsNotFound());
}

TEST_F(DamagedObjectsTest, RemovingADamagedServiceReleasesItsAddresses) {
  const ResourceType services{.version = "v1", .kind = "Service", .plural = "services"};
  ASSERT_NO_FATAL_FAILURE(Start());
  const ClientRequest create{.verb = Verb::kCreate,
                             .resource = services,
                             .namespace_name = "default",
                             .body = R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},
                  "spec":{"type":"NodePort","clusterIP":"10.96.7.7",
                          "ports":[{"port":80,"nodePort":30777}]}})"};
  ASSERT_TRUE(client_->Do(create).ok());
  Stop();
  Damage({"/registry/core/services/default/s"}, "{");
  ASSERT_NO_FATAL_FAILURE(Start());
  ASSERT_TRUE(client_
                  ->Do({.verb = Verb::kDelete,
                        .resource = services,
                        .namespace_name = "default",
                        .name = "s"})
                  .ok());
  const Result<SharedBytes> again = client_->Do(create);
  EXPECT_TRUE(again.ok()) << again.error().message();
}

}  // namespace
}  // namespace kubexms
