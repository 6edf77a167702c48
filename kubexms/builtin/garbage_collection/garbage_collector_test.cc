#include "kubexms/builtin/garbage_collection/garbage_collector.h"

#include <algorithm>

#include "kubexms/builtin/builtin_fixture_test.h"

namespace kubexms {
namespace {

using corev1::ConfigMap;

constexpr const char* kCollector = "garbage-collector-controller";
constexpr const char* kAccount = "generic-garbage-collector";

OwnerReference ReferenceToMap(const ObjectMeta& owner, bool blocks = false) {
  OwnerReference reference;
  reference.api_version = "v1";
  reference.kind = "ConfigMap";
  reference.name = owner.name;
  reference.uid = owner.uid;
  if (blocks) reference.block_owner_deletion = true;
  return reference;
}

class GarbageCollectorTest : public BuiltinTest {
 protected:
  ConfigMap MakeOwned(const std::string& name, std::vector<OwnerReference> owners,
                      const std::string& namespace_name = "default") {
    ConfigMap map = ConfigMapNamed({namespace_name, name});
    map.metadata.owner_references = std::move(owners);
    return CreateConfigMap(map);
  }
  ConfigMap MakeOwner(const std::string& name = "owner") { return MakeOwned(name, {}); }

  void Delete(const std::string& name, const std::string& propagation = "Background") {
    DeleteOptions options;
    options.propagation_policy = propagation;
    const auto deleted = client().Delete<ConfigMap>({"default", name}, options);
    ASSERT_TRUE(deleted.ok()) << deleted.error().message();
  }
  bool ExistsInDefault(const std::string& name) { return Exists({"default", name}); }
  bool EventuallyDeletedInDefault(const std::string& name) {
    return EventuallyDeleted({"default", name});
  }
  ObjectMeta MetadataOf(const std::string& name) {
    const auto map = client().Get<ConfigMap>({"default", name});
    return map.ok() ? map->metadata : ObjectMeta();
  }
  // Waits until the collector has deleted an object created as garbage, and so has processed all
  // earlier changes.
  void AwaitStable() {
    OwnerReference absent = ReferenceToMap({});
    absent.name = "never";
    absent.uid = "00000000-0000-4000-8000-00000000000" + std::to_string(markers_++ % 10);
    MakeOwned("marker", {absent});
    ASSERT_TRUE(EventuallyDeletedInDefault("marker"));
  }

  int markers_ = 0;
};

TEST_F(GarbageCollectorTest, BackgroundDeletionDeletesTheWholeTree) {
  const ConfigMap owner = MakeOwner();
  const ConfigMap child = MakeOwned("child", {ReferenceToMap(owner.metadata)});
  MakeOwned("grandchild", {ReferenceToMap(child.metadata)});
  MakeOwner("bystander");
  Start(kCollector);
  Delete("owner");
  EXPECT_TRUE(EventuallyDeletedInDefault("child"));
  EXPECT_TRUE(EventuallyDeletedInDefault("grandchild"));
  EXPECT_TRUE(ExistsInDefault("bystander"));
}

TEST_F(GarbageCollectorTest, ForegroundDeletionWaitsForBlockingDependents) {
  const ConfigMap owner = MakeOwner();
  ConfigMap child = ConfigMapNamed({"default", "child"});
  child.metadata.owner_references = {ReferenceToMap(owner.metadata, true)};
  child.metadata.finalizers = {"example.com/hold"};
  child = CreateConfigMap(child);
  MakeOwned("grandchild", {ReferenceToMap(child.metadata, true)});
  Start(kCollector);
  Delete("owner", "Foreground");
  EXPECT_TRUE(EventuallyDeletedInDefault("grandchild"));
  ASSERT_TRUE(Eventually([&] { return !MetadataOf("child").deletion_timestamp.IsZero(); }));
  AwaitStable();
  EXPECT_TRUE(ExistsInDefault("owner"));
  ASSERT_TRUE(
      client()
          .Patch<ConfigMap>({"default", "child"}, {.body = R"({"metadata":{"finalizers":null}})"})
          .ok());
  EXPECT_TRUE(EventuallyDeletedInDefault("child"));
  EXPECT_TRUE(EventuallyDeletedInDefault("owner"));
}

TEST_F(GarbageCollectorTest, ForegroundDeletionDoesNotWaitForOtherDependents) {
  const ConfigMap owner = MakeOwner();
  ConfigMap child = ConfigMapNamed({"default", "child"});
  child.metadata.owner_references = {ReferenceToMap(owner.metadata)};
  child.metadata.finalizers = {"example.com/hold"};
  CreateConfigMap(child);
  Start(kCollector);
  Delete("owner", "Foreground");
  EXPECT_TRUE(EventuallyDeletedInDefault("owner"));
  EXPECT_TRUE(Eventually([&] { return !MetadataOf("child").deletion_timestamp.IsZero(); }));
  EXPECT_TRUE(ExistsInDefault("child"));
}

TEST_F(GarbageCollectorTest, ForegroundDeletionOfACycleCompletes) {
  const ConfigMap a = MakeOwner("a");
  const ConfigMap b = MakeOwned("b", {ReferenceToMap(a.metadata, true)});
  ASSERT_TRUE(client()
                  .Patch<ConfigMap>({"default", "a"},
                                    {.body = R"({"metadata":{"ownerReferences":[)" +
                                             Encode(ReferenceToMap(b.metadata, true)) + "]}}"})
                  .ok());
  Start(kCollector);
  Delete("a", "Foreground");
  EXPECT_TRUE(EventuallyDeletedInDefault("a"));
  EXPECT_TRUE(EventuallyDeletedInDefault("b"));
}

TEST_F(GarbageCollectorTest, OrphanDeletionRemovesOwnerReferences) {
  const ConfigMap owner = MakeOwner();
  const ConfigMap other = MakeOwner("other");
  MakeOwned("child", {ReferenceToMap(owner.metadata)});
  MakeOwned("shared", {ReferenceToMap(owner.metadata), ReferenceToMap(other.metadata)});
  Start(kCollector);
  Delete("owner", "Orphan");
  EXPECT_TRUE(EventuallyDeletedInDefault("owner"));
  EXPECT_TRUE(MetadataOf("child").owner_references.empty());
  ASSERT_EQ(MetadataOf("shared").owner_references.size(), 1U);
  EXPECT_EQ(MetadataOf("shared").owner_references[0].uid, other.metadata.uid);
  AwaitStable();
  EXPECT_TRUE(ExistsInDefault("child"));
}

// The watch of the dependents may be behind that of the owners.
TEST_F(GarbageCollectorTest, OrphansDependentsThatAreDeliveredLate) {
  const ConfigMap owner = MakeOwner();
  Start(kCollector);
  Delete("owner", "Orphan");
  EXPECT_TRUE(EventuallyDeletedInDefault("owner"));
  MakeOwned("late", {ReferenceToMap(owner.metadata)});
  ASSERT_TRUE(Eventually([&] { return MetadataOf("late").owner_references.empty(); }));
  AwaitStable();
  EXPECT_TRUE(ExistsInDefault("late"));
}

TEST_F(GarbageCollectorTest, RemovesReferencesToMissingOwnersFromObjectsWithOtherOwners) {
  const ConfigMap owner = MakeOwner();
  const ConfigMap other = MakeOwner("other");
  MakeOwned("shared", {ReferenceToMap(owner.metadata, true), ReferenceToMap(other.metadata)});
  Start(kCollector);
  Delete("owner", "Foreground");
  EXPECT_TRUE(EventuallyDeletedInDefault("owner"));
  ASSERT_TRUE(Eventually([&] { return MetadataOf("shared").owner_references.size() == 1; }));
  EXPECT_EQ(MetadataOf("shared").owner_references[0].uid, other.metadata.uid);
}

TEST_F(GarbageCollectorTest, OwnerThatNeverExistedCountsAsMissing) {
  Start(kCollector);
  OwnerReference absent = ReferenceToMap({});
  absent.name = "never";
  absent.uid = "00000000-0000-4000-8000-000000000099";
  MakeOwned("child", {absent});
  EXPECT_TRUE(EventuallyDeletedInDefault("child"));
}

TEST_F(GarbageCollectorTest, ObjectWithTheOwnersNameAndAnotherUidIsNotTheOwner) {
  const ConfigMap owner = MakeOwner();
  MakeOwned("child", {ReferenceToMap(owner.metadata)});
  Delete("owner");
  MakeOwner();
  Start(kCollector);
  EXPECT_TRUE(EventuallyDeletedInDefault("child"));
  EXPECT_TRUE(ExistsInDefault("owner"));
}

TEST_F(GarbageCollectorTest, OwnerInAnotherNamespaceCountsAsMissing) {
  CreateNamespace("a");
  const ConfigMap owner = MakeOwner();
  Start(kCollector);
  MakeOwned("child", {ReferenceToMap(owner.metadata)}, "a");
  EXPECT_TRUE(EventuallyDeleted({"a", "child"}));
  EXPECT_TRUE(ExistsInDefault("owner"));
  const ResourceType events{.group = "", .version = "v1", .kind = "Event", .plural = "events"};
  EXPECT_TRUE(Eventually([&] {
    const auto page = client().List(events, {.namespace_name = "a"});
    return page.ok() && std::any_of(page->items.begin(), page->items.end(), [](const auto& event) {
             return event.view().find("OwnerRefInvalidNamespace") != std::string_view::npos;
           });
  }));
}

TEST_F(GarbageCollectorTest, DoesNotCollectClusterScopedObjectsWithNamespacedOwners) {
  const ConfigMap owner = MakeOwner();
  corev1::Namespace object;
  object.metadata.name = "a";
  object.metadata.owner_references = {ReferenceToMap(owner.metadata)};
  ASSERT_TRUE(client().Create(object).ok());
  Start(kCollector);
  Delete("owner");
  AwaitStable();
  EXPECT_TRUE(NamespaceExists("a"));
}

TEST_F(GarbageCollectorTest, DoesNotCollectObjectsWithOwnersOfUnknownKinds) {
  OwnerReference unknown = ReferenceToMap({});
  unknown.api_version = "unknown.example.com/v1";
  unknown.kind = "Nothing";
  unknown.name = "n";
  unknown.uid = "00000000-0000-4000-8000-000000000098";
  Start(kCollector);
  MakeOwned("child", {unknown});
  AwaitStable();
  EXPECT_TRUE(ExistsInDefault("child"));
}

TEST_F(GarbageCollectorTest, CollectsCustomResources) {
  Start(kCollector);
  AwaitStable();
  DefineWidgets();
  const DynamicObject widget = CreateWidget({"default", "w"});
  OwnerReference reference;
  reference.api_version = widget.api_version;
  reference.kind = widget.kind;
  reference.name = widget.metadata.name;
  reference.uid = widget.metadata.uid;
  const ConfigMap child = MakeOwned("child", {reference});
  CreateWidget({"default", "grandchild"}, {ReferenceToMap(child.metadata)});
  ASSERT_TRUE(client().Delete(kWidgets, {"default", "w"}).ok());
  EXPECT_TRUE(EventuallyDeletedInDefault("child"));
  EXPECT_TRUE(Eventually([&] { return !WidgetExists({"default", "grandchild"}); }));
}

TEST_F(GarbageCollectorTest, CollectsDependentsOfDeletedCustomResourceDefinitions) {
  DefineWidgets();
  const DynamicObject widget = CreateWidget({"default", "w"});
  OwnerReference reference;
  reference.api_version = widget.api_version;
  reference.kind = widget.kind;
  reference.name = widget.metadata.name;
  reference.uid = widget.metadata.uid;
  MakeOwned("child", {reference});
  Start(kCollector);
  AwaitStable();
  ASSERT_TRUE(client().Delete(kDefinitions, {"", "widgets.example.com"}).ok());
  EXPECT_TRUE(EventuallyDeletedInDefault("child"));
}

TEST_F(GarbageCollectorTest, SendsOneRequestPerDependent) {
  constexpr int kCount = 1000;
  const ConfigMap owner = MakeOwner();
  for (int i = 0; i < kCount; ++i) {
    MakeOwned("child-" + std::to_string(i), {ReferenceToMap(owner.metadata)});
  }
  CreateNamespace("b");
  Start(kCollector);
  AwaitStable();
  ClientOf(kAccount).TakeVerbs();
  Delete("owner");
  const auto left = [&] {
    return client().List<ConfigMap>({.namespace_name = "default"})->items.size();
  };
  EXPECT_TRUE(Eventually([&] { return left() == 0; }));
  Stop();
  const std::vector<std::string> verbs = ClientOf(kAccount).TakeVerbs();
  EXPECT_EQ(std::count(verbs.begin(), verbs.end(), "delete"), kCount);
  EXPECT_EQ(verbs.size(), static_cast<size_t>(kCount));
}

TEST_F(GarbageCollectorTest, ContinuesAfterARestart) {
  const ConfigMap owner = MakeOwner();
  MakeOwned("blocks", {ReferenceToMap(owner.metadata, true)});
  const ConfigMap orphaned = MakeOwner("orphaned");
  MakeOwned("orphan", {ReferenceToMap(orphaned.metadata)});
  const ConfigMap background = MakeOwner("background");
  MakeOwned("follows", {ReferenceToMap(background.metadata)});
  Start(kCollector);
  ClientOf(kAccount).Set([](Client& server, const ClientRequest& request) {
    if (!IsWrite(request.verb)) return server.Do(request);
    return Result<SharedBytes>(Error::ServiceUnavailable("not now"));
  });
  Delete("owner", "Foreground");
  Delete("orphaned", "Orphan");
  Delete("background");
  Stop();
  EXPECT_TRUE(ExistsInDefault("owner") && ExistsInDefault("orphaned") &&
              ExistsInDefault("follows"));
  ClientOf(kAccount).Set({});
  Start(kCollector);
  EXPECT_TRUE(EventuallyDeletedInDefault("owner") && EventuallyDeletedInDefault("orphaned") &&
              EventuallyDeletedInDefault("follows") && EventuallyDeletedInDefault("blocks"));
  EXPECT_TRUE(ExistsInDefault("orphan"));
}

TEST_F(GarbageCollectorTest, DeletesObjectsThatAreWrittenConstantly) {
  const ConfigMap owner = MakeOwner();
  MakeOwned("child", {ReferenceToMap(owner.metadata)});
  Start(kCollector);
  ClientOf(kAccount).Set([this](Client& server, const ClientRequest& request) {
    if (request.verb == Verb::kDelete &&
        request.body.find("resourceVersion") != std::string::npos) {
      EXPECT_TRUE(
          client().Patch<ConfigMap>({"default", "child"}, {.body = R"({"data":{"a":"b"}})"}).ok());
    }
    return server.Do(request);
  });
  Delete("owner");
  EXPECT_TRUE(EventuallyDeletedInDefault("child"));
}

}  // namespace
}  // namespace kubexms
