#include "kubexms/controller/create_or_update.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "kubexms/api/crd/crd.h"
#include "kubexms/api/kinds/apps_v1.h"
#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/apiserver/test_server.h"
#include "kubexms/controller/informers/informer_set.h"
#include "kubexms/controller/manager/reconcile_client.h"
#include "kubexms/controller/testing/intercepted_client_test.h"

namespace kubexms {
namespace {

using appsv1::Deployment;
using corev1::ConfigMap;
using testing::ElementsAre;
using testing::IsEmpty;

const ObjectKey kKey{"default", "web"};

// A kind whose spec may be left out.
struct LampSpec : Struct {
  std::string color;

  static void Describe(Type<LampSpec>& type) {
    type.Field("color", &LampSpec::color).Default("red");
  }
};

struct Lamp : Object<LampSpec, NoStatus> {
  static constexpr KindName kKind{.group = "test.io", .version = "v1", .kind = "Lamp"};
};

class CreateOrUpdateTest : public testing::Test {
 protected:
  CreateOrUpdateTest() : client_(server_.client()) {}

  static auto SetColor(const std::string& color) {
    return [color](ConfigMap& config_map) { config_map.data["color"] = color; };
  }

  // Everything that a deployment needs, and none of what the server fills in.
  static void SetWholeTemplate(Deployment& deployment) {
    deployment.spec.replicas = 2;
    deployment.spec.selector = {};
    deployment.spec.selector.match_labels["app"] = "web";
    deployment.spec.template_ = {};
    deployment.spec.template_.metadata.labels["app"] = "web";
    corev1::Container container;
    container.name = "web";
    container.image = "nginx:1.27";
    container.ports.emplace_back().container_port = 80;
    deployment.spec.template_.spec.containers.push_back(std::move(container));
  }

  std::string Version() {
    return server_.client().Get<Deployment>(kKey).value().metadata.resource_version;
  }

  TestServer server_;
  InterceptedClient client_;
};

TEST_F(CreateOrUpdateTest, CreatesUpdatesAndLeavesAlone) {
  const auto created = CreateOrUpdate<ConfigMap>(client_, kKey, SetColor("red")).value();
  EXPECT_EQ(created.result, OperationResult::kCreated);
  EXPECT_FALSE(created.object.metadata.uid.empty());
  EXPECT_THAT(client_.TakeVerbs(), ElementsAre("get", "create"));

  const auto updated = CreateOrUpdate<ConfigMap>(client_, kKey, SetColor("blue")).value();
  EXPECT_EQ(updated.result, OperationResult::kUpdated);
  EXPECT_EQ(updated.object.data.at("color"), "blue");
  EXPECT_THAT(client_.TakeVerbs(), ElementsAre("get", "update"));

  const auto unchanged = CreateOrUpdate<ConfigMap>(client_, kKey, SetColor("blue")).value();
  EXPECT_EQ(unchanged.result, OperationResult::kUnchanged);
  EXPECT_EQ(unchanged.object.metadata.resource_version, updated.object.metadata.resource_version);
  EXPECT_THAT(client_.TakeVerbs(), ElementsAre("get"));
}

TEST_F(CreateOrUpdateTest, DefaultsOfTheServerAreNoChange) {
  ASSERT_EQ(CreateOrUpdate<Deployment>(client_, kKey, SetWholeTemplate).value().result,
            OperationResult::kCreated);
  const std::string version = Version();
  for (int i = 0; i < 3; ++i) {
    const auto again = CreateOrUpdate<Deployment>(client_, kKey, SetWholeTemplate).value();
    EXPECT_EQ(again.result, OperationResult::kUnchanged);
    EXPECT_EQ(again.object.metadata.generation, 1);
  }
  EXPECT_EQ(Version(), version);
}

TEST_F(CreateOrUpdateTest, AControllerSendsAnUpdateThatTheServersDefaultsUndoOnlyOnce) {
  SystemClock clock;
  SystemRandom random;
  InformerSet informers({client_, clock, random, {}, nullptr});
  CacheAwareClient client(client_, informers);
  ASSERT_TRUE(CreateOrUpdate<Deployment>(client, kKey, SetWholeTemplate).ok());
  ASSERT_TRUE(CreateOrUpdate<Deployment>(client, kKey, SetWholeTemplate).ok());
  client_.TakeVerbs();
  for (int i = 0; i < 3; ++i) {
    const auto again = CreateOrUpdate<Deployment>(client, kKey, SetWholeTemplate).value();
    EXPECT_EQ(again.result, OperationResult::kUnchanged);
    EXPECT_EQ(again.object.metadata.resource_version, Version());
    EXPECT_THAT(client_.TakeVerbs(), ElementsAre("get"));
  }
  // A change by another client is detected and reverted.
  ASSERT_TRUE(
      server_.client().Patch<Deployment>(kKey, {.body = R"({"spec":{"replicas":5}})"}).ok());
  const auto mended = CreateOrUpdate<Deployment>(client, kKey, SetWholeTemplate).value();
  EXPECT_EQ(mended.result, OperationResult::kUpdated);
  EXPECT_EQ(mended.object.spec.replicas, 2);
}

TEST_F(CreateOrUpdateTest, ASpecThatIsLeftOutHasItsDefaults) {
  const auto definition = DynamicObject::FromJson(MakeCrd(TypeOf<Lamp>()));
  const ResourceType definitions{.group = "apiextensions.k8s.io",
                                 .version = "v1",
                                 .kind = "CustomResourceDefinition",
                                 .plural = "customresourcedefinitions",
                                 .namespaced = false};
  ASSERT_TRUE(server_.client().Create(definitions, *definition).ok());
  const auto nothing = [](Lamp&) {};
  EXPECT_EQ(CreateOrUpdate<Lamp>(client_, kKey, nothing).value().object.spec.color, "red");
  EXPECT_EQ(server_.client().Get<Lamp>(kKey).value().spec.color, "red");
  EXPECT_EQ(CreateOrUpdate<Lamp>(client_, kKey, nothing).value().result,
            OperationResult::kUnchanged);
  const auto clear = [](Lamp& lamp) { lamp.spec = {}; };
  EXPECT_EQ(CreateOrUpdate<Lamp>(client_, kKey, clear).value().result, OperationResult::kUnchanged);
}

// With the client of a reconcile whose controller declares a cache of ConfigMaps.
class CachedCreateOrUpdateTest : public CreateOrUpdateTest {
 protected:
  CachedCreateOrUpdateTest() {
    Declare(FormOf<ConfigMap>(&StripManagedFields<ConfigMap>));
    thread_ = std::jthread([this](std::stop_token stop) { informers_.Run(stop); });
  }

  void Declare(const ObjectForm& form, const InformerScope& scope = {}) {
    caches_ = {{form, informers_.Get(form, scope)}};
  }
  const ObjectCache& cache() const { return caches_.front().informer->cache(); }
  void AwaitSync() {
    std::stop_source never;
    ASSERT_TRUE(informers_.WaitForSync(never.get_token()));
  }
  // The cache is as old as it is now from then on.
  void FreezeCaches() { thread_ = {}; }
  ReconcileClient TheClient(const ObjectKey* reconciled = nullptr) {
    return ReconcileClient(aware_, {.caches = caches_, .reconciled = reconciled}, {});
  }

  SystemClock clock_;
  SystemRandom random_;
  InformerSet informers_{{client_, clock_, random_, {}, nullptr}};
  CacheAwareClient aware_{client_, informers_};
  std::vector<DeclaredCache> caches_;
  std::jthread thread_;
};

TEST_F(CachedCreateOrUpdateTest, ReadsCachedObjectsWithoutAnApiCall) {
  AwaitSync();
  ReconcileClient client = TheClient();
  ASSERT_EQ(CreateOrUpdate<ConfigMap>(client, kKey, SetColor("red")).value().result,
            OperationResult::kCreated);
  EXPECT_THAT(client_.TakeVerbs(), ElementsAre("create"));
  const auto unchanged = CreateOrUpdate<ConfigMap>(client, kKey, SetColor("red")).value();
  EXPECT_EQ(unchanged.result, OperationResult::kUnchanged);
  EXPECT_FALSE(unchanged.object.metadata.uid.empty());
  ASSERT_EQ(CreateOrPatch<ConfigMap>(client, kKey, SetColor("red")).value().result,
            OperationResult::kUnchanged);
  EXPECT_THAT(client_.TakeVerbs(), IsEmpty());
  ASSERT_EQ(CreateOrUpdate<ConfigMap>(client, kKey, SetColor("blue")).value().result,
            OperationResult::kUpdated);
  EXPECT_THAT(client_.TakeVerbs(), ElementsAre("update"));
  EXPECT_TRUE(client.Get<ConfigMap>(kKey).ok());
  EXPECT_THAT(client_.TakeVerbs(), ElementsAre("get"));  // nobody said that a cache will do
}

TEST_F(CachedCreateOrUpdateTest, ACacheThatIsTooOldIsNoticed) {
  Client& server = server_.client();
  AwaitSync();
  FreezeCaches();
  ReconcileClient client = TheClient();
  // Created, changed and deleted by another client.
  ASSERT_TRUE(CreateOrUpdate<ConfigMap>(server, kKey, SetColor("red")).ok());
  ASSERT_EQ(
      CreateOrUpdate<ConfigMap>(client, kKey, SetColor("blue")).value().object.data.at("color"),
      "blue");
  EXPECT_THAT(client_.TakeVerbs(), ElementsAre("create", "get", "update"));
  ASSERT_TRUE(server.Patch<ConfigMap>(kKey, {.body = R"({"data":{"size":"1"}})"}).ok());
  const auto changed = CreateOrUpdate<ConfigMap>(client, kKey, SetColor("green")).value();
  EXPECT_EQ(changed.object.data.at("size"), "1");
  EXPECT_THAT(client_.TakeVerbs(), ElementsAre("update", "get", "update"));
  ASSERT_TRUE(server.Delete<ConfigMap>(kKey).ok());
  EXPECT_EQ(CreateOrUpdate<ConfigMap>(client, kKey, SetColor("red")).value().result,
            OperationResult::kCreated);
  EXPECT_THAT(client_.TakeVerbs(), ElementsAre("update", "get", "create"));
}

TEST_F(CachedCreateOrUpdateTest, ReadsOnlyCachesOfCompleteObjects) {
  ASSERT_TRUE(CreateOrUpdate<ConfigMap>(server_.client(), kKey, SetColor("red")).ok());
  const std::vector<std::pair<ObjectForm, InformerScope>> others = {
      {FormOf<MetadataObject>(ResourceType::Of<ConfigMap>()), {}},
      {FormOf<ConfigMap>([](ConfigMap& map) { map.data.clear(); }), {}},
      {FormOf<ConfigMap>(), {.namespace_name = "other"}},
      {FormOf<ConfigMap>(), {.label_selector = *Selector::Parse("me")}},
      {FormOf<ConfigMap>(), {.field_selector = *FieldSelector::Parse("metadata.name=web")}}};
  for (const auto& [form, scope] : others) {
    Declare(form, scope);
    AwaitSync();
    ReconcileClient client = TheClient();
    client_.TakeVerbs();
    EXPECT_EQ(CreateOrUpdate<ConfigMap>(client, kKey, SetColor("red")).value().result,
              OperationResult::kUnchanged);
    EXPECT_THAT(client_.TakeVerbs(), ElementsAre("get"));
  }
  // The reconciled object is at hand: whoever reads it again wants a newer one.
  Declare(FormOf<ConfigMap>());
  AwaitSync();
  ReconcileClient client = TheClient(&kKey);
  ASSERT_TRUE(CreateOrUpdate<ConfigMap>(client, kKey, SetColor("red")).ok());
  EXPECT_THAT(client_.TakeVerbs(), ElementsAre("get"));
}

TEST_F(CreateOrUpdateTest, DefaultsOfTheServerAreNoChangeForAPatchEither) {
  ASSERT_EQ(CreateOrPatch<Deployment>(client_, kKey, SetWholeTemplate).value().result,
            OperationResult::kCreated);
  const std::string version = Version();
  EXPECT_EQ(CreateOrPatch<Deployment>(client_, kKey, SetWholeTemplate).value().result,
            OperationResult::kUnchanged);
  EXPECT_EQ(Version(), version);
}

TEST_F(CreateOrUpdateTest, DefaultsOfTheSchemaAreNotEvenSent) {
  const auto scale = [](Deployment& deployment) {
    SetWholeTemplate(deployment);
    deployment.spec.replicas = std::nullopt;  // one, by default
  };
  ASSERT_TRUE(CreateOrUpdate<Deployment>(client_, kKey, scale).ok());
  client_.TakeVerbs();
  const auto forget = [](Deployment& deployment) { deployment.spec.replicas = std::nullopt; };
  EXPECT_EQ(CreateOrUpdate<Deployment>(client_, kKey, forget).value().result,
            OperationResult::kUnchanged);
  EXPECT_THAT(client_.TakeVerbs(), ElementsAre("get"));
}

TEST_F(CreateOrUpdateTest, AChangeBesideDefaultsIsWritten) {
  ASSERT_TRUE(CreateOrUpdate<Deployment>(client_, kKey, SetWholeTemplate).ok());
  const auto change = [](Deployment& deployment) {
    SetWholeTemplate(deployment);
    deployment.spec.template_.spec.containers[0].image = "nginx:1.28";
  };
  const auto changed = CreateOrUpdate<Deployment>(client_, kKey, change).value();
  EXPECT_EQ(changed.result, OperationResult::kUpdated);
  EXPECT_EQ(changed.object.metadata.generation, 2);
}

TEST_F(CreateOrUpdateTest, RemovesFieldsThatTheFunctionRemoves) {
  ASSERT_TRUE(CreateOrUpdate<ConfigMap>(client_, kKey, [](ConfigMap& config_map) {
                config_map.metadata.labels["tier"] = "front";
              }).ok());
  const auto removed = CreateOrUpdate<ConfigMap>(client_, kKey, [](ConfigMap& config_map) {
                         config_map.metadata.labels.clear();
                       }).value();
  EXPECT_EQ(removed.result, OperationResult::kUpdated);
  EXPECT_TRUE(removed.object.metadata.labels.empty());
}

TEST_F(CreateOrUpdateTest, RetriesAfterAConflict) {
  ASSERT_TRUE(CreateOrUpdate<ConfigMap>(client_, kKey, SetColor("red")).ok());
  int races = 2;
  client_.Set([&](Client& server, const ClientRequest& request) {
    if (request.verb == Verb::kUpdate && races-- > 0) {
      EXPECT_TRUE(CreateOrUpdate<ConfigMap>(server, kKey, [&](ConfigMap& config_map) {
                    config_map.data["other"] = std::to_string(races);
                  }).ok());
    }
    return server.Do(request);
  });
  const auto updated = CreateOrUpdate<ConfigMap>(client_, kKey, SetColor("blue")).value();
  EXPECT_EQ(updated.object.data.at("color"), "blue");
  EXPECT_EQ(updated.object.data.at("other"), "0");
}

TEST_F(CreateOrUpdateTest, RetriesAfterAConcurrentCreationOrDeletion) {
  bool raced = false;
  client_.Set([&](Client& server, const ClientRequest& request) {
    if (request.verb == Verb::kCreate && !std::exchange(raced, true)) {
      EXPECT_TRUE(CreateOrUpdate<ConfigMap>(server, kKey, SetColor("red")).ok());
    }
    return server.Do(request);
  });
  EXPECT_EQ(CreateOrUpdate<ConfigMap>(client_, kKey, SetColor("blue")).value().result,
            OperationResult::kUpdated);
  raced = false;
  client_.Set([&](Client& server, const ClientRequest& request) {
    if (request.verb == Verb::kUpdate && !std::exchange(raced, true)) {
      EXPECT_TRUE(server.Delete<ConfigMap>(kKey).ok());
    }
    return server.Do(request);
  });
  EXPECT_EQ(CreateOrUpdate<ConfigMap>(client_, kKey, SetColor("green")).value().result,
            OperationResult::kCreated);
}

TEST_F(CreateOrUpdateTest, GivesUpAfterSomeConflicts) {
  ASSERT_TRUE(CreateOrUpdate<ConfigMap>(client_, kKey, SetColor("red")).ok());
  client_.TakeVerbs();
  client_.Set([](Client& server, const ClientRequest& request) -> Result<SharedBytes> {
    if (IsWrite(request.verb)) return Error::Conflict("configmaps", "web", "too late");
    return server.Do(request);
  });
  const auto result = CreateOrUpdate<ConfigMap>(client_, kKey, SetColor("blue"));
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(result.error().IsConflict());
  EXPECT_EQ(client_.TakeVerbs().size(), 10u);
}

TEST_F(CreateOrUpdateTest, AMissingNamespaceIsNoRace) {
  const auto result = CreateOrUpdate<ConfigMap>(client_, {"nowhere", "web"}, SetColor("red"));
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(result.error().IsNotFound());
  EXPECT_THAT(client_.TakeVerbs(), ElementsAre("get", "create"));
}

TEST_F(CreateOrUpdateTest, TheKeyIsFixed) {
  const auto result = CreateOrUpdate<ConfigMap>(
      client_, kKey, [](ConfigMap& config_map) { config_map.metadata.name = "other"; });
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(
      result.error().message(),
      "the mutate function changed the key of configmaps \"default/web\" to \"default/other\": "
      "namespace and name of an object cannot be changed");
}

TEST_F(CreateOrUpdateTest, AnErrorOfTheFunctionEndsIt) {
  const auto result = CreateOrUpdate<ConfigMap>(
      client_, kKey, [](ConfigMap&) -> Result<void> { return Error::Internal("no idea"); });
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().message(), "no idea");
  EXPECT_THAT(client_.TakeVerbs(), ElementsAre("get"));
}

TEST_F(CreateOrUpdateTest, APatchSendsOnlyChangedFields) {
  ASSERT_TRUE(CreateOrPatch<ConfigMap>(client_, kKey, SetColor("red")).ok());
  std::string patch;
  client_.Set([&](Client& server, const ClientRequest& request) {
    if (request.verb == Verb::kPatch) {
      patch = request.body;
      // Another client changes another field: no conflict.
      EXPECT_TRUE(CreateOrUpdate<ConfigMap>(server, kKey, [](ConfigMap& config_map) {
                    config_map.data["size"] = "large";
                  }).ok());
    }
    return server.Do(request);
  });
  const auto patched = CreateOrPatch<ConfigMap>(client_, kKey, SetColor("blue")).value();
  EXPECT_EQ(patched.result, OperationResult::kUpdated);
  EXPECT_EQ(patch, R"({"data":{"color":"blue"}})");
  EXPECT_EQ(patched.object.data.at("size"), "large");
}

TEST_F(CreateOrUpdateTest, APatchOfAListIsBoundToItsVersion) {
  const auto add = [](const std::string& finalizer) {
    return [finalizer](ConfigMap& config_map) { AddFinalizer(config_map.metadata, finalizer); };
  };
  ASSERT_TRUE(CreateOrPatch<ConfigMap>(client_, kKey, add("example.io/a")).ok());
  bool raced = false;
  client_.Set([&](Client& server, const ClientRequest& request) {
    if (request.verb == Verb::kPatch && !std::exchange(raced, true)) {
      EXPECT_TRUE(CreateOrUpdate<ConfigMap>(server, kKey, add("example.io/b")).ok());
    }
    return server.Do(request);
  });
  const auto patched = CreateOrPatch<ConfigMap>(client_, kKey, add("example.io/c")).value();
  EXPECT_THAT(patched.object.metadata.finalizers,
              ElementsAre("example.io/a", "example.io/b", "example.io/c"));
}

TEST_F(CreateOrUpdateTest, APatchWritesTheStatusSeparately) {
  const auto observe = [](Deployment& deployment) {
    SetWholeTemplate(deployment);
    deployment.status.observed_generation = 1;
  };
  const auto created = CreateOrPatch<Deployment>(client_, kKey, observe).value();
  EXPECT_EQ(created.result, OperationResult::kCreated);
  EXPECT_EQ(created.object.status.observed_generation, 1);
  EXPECT_THAT(client_.TakeVerbs(), ElementsAre("get", "create", "patch status"));

  const auto scale = [](Deployment& deployment) { deployment.status.replicas = 5; };
  EXPECT_EQ(CreateOrPatch<Deployment>(client_, kKey, scale).value().result,
            OperationResult::kUpdated);
  EXPECT_THAT(client_.TakeVerbs(), ElementsAre("get", "patch status"));
  EXPECT_EQ(CreateOrPatch<Deployment>(client_, kKey, scale).value().result,
            OperationResult::kUnchanged);
  EXPECT_THAT(client_.TakeVerbs(), ElementsAre("get"));
}

TEST_F(CreateOrUpdateTest, TheStatusAloneIsNoReasonToUpdate) {
  ASSERT_TRUE(CreateOrUpdate<Deployment>(client_, kKey, SetWholeTemplate).ok());
  client_.TakeVerbs();
  const auto scale = [](Deployment& deployment) { deployment.status.replicas = 5; };
  EXPECT_EQ(CreateOrUpdate<Deployment>(client_, kKey, scale).value().result,
            OperationResult::kUnchanged);
  EXPECT_THAT(client_.TakeVerbs(), ElementsAre("get"));
}

TEST_F(CreateOrUpdateTest, ObjectsOfAnyKind) {
  const ResourceType type = ResourceType::Of<Deployment>();
  const auto mutate = [](DynamicObject& object) -> Result<void> {
    object.content = ParseJson(R"({"spec":{"selector":{"matchLabels":{"app":"web"}},"template":{
        "metadata":{"labels":{"app":"web"}},
        "spec":{"containers":[{"name":"web","image":"nginx"}]}}}})")
                         .value()
                         .as_object();
    return {};
  };
  EXPECT_EQ(CreateOrUpdate(client_, type, kKey, mutate).value().result, OperationResult::kCreated);
  const std::string version = Version();
  EXPECT_EQ(CreateOrUpdate(client_, type, kKey, mutate).value().result,
            OperationResult::kUnchanged);
  EXPECT_EQ(CreateOrPatch(client_, type, kKey, mutate).value().result, OperationResult::kUnchanged);
  EXPECT_EQ(Version(), version);
}

TEST_F(CreateOrUpdateTest, ResultsHaveNames) {
  EXPECT_EQ(OperationResultName(OperationResult::kUnchanged), "unchanged");
  EXPECT_EQ(OperationResultName(OperationResult::kCreated), "created");
  EXPECT_EQ(OperationResultName(OperationResult::kUpdated), "updated");
}

}  // namespace
}  // namespace kubexms
