#include "kubexms/builtin/workloads/stateful_set/stateful_set_controller.h"

#include "kubexms/builtin/workloads/kubelet_fixture_test.h"
#include "kubexms/builtin/workloads/pod_template.h"

namespace kubexms {
namespace {

using appsv1::ControllerRevision;
using appsv1::StatefulSet;
using corev1::PersistentVolumeClaim;
using corev1::Pod;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::SizeIs;

constexpr const char* kController = "statefulset-controller";
constexpr const char* kAccount = "statefulset-controller";
const StringMap kLabels{{"app", "db"}};

StatefulSet SetOf(int32_t replicas, const std::string& name = "db") {
  StatefulSet set;
  set.metadata.name = name;
  set.spec.replicas = replicas;
  set.spec.service_name = name;
  set.spec.selector.match_labels = kLabels;
  set.spec.template_.metadata.labels = kLabels;
  set.spec.template_.spec.containers.resize(1);
  set.spec.template_.spec.containers[0].name = "c";
  set.spec.template_.spec.containers[0].image = "img:1";
  return set;
}

void AddClaimTemplate(StatefulSet& set) {
  const auto claim = Decode<PersistentVolumeClaim>(
      R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"data"},
          "spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}})");
  ASSERT_TRUE(claim.ok());
  set.spec.volume_claim_templates.push_back(*claim);
}

class StatefulSetControllerTest : public KubeletTest {
 protected:
  StatefulSet Set(const std::string& name = "db") { return Read<StatefulSet>(name); }

  // All replicas are ready and updated, and the status says so.
  bool IsSettled(const std::string& name = "db") {
    const StatefulSet set = Set(name);
    const int32_t replicas = set.spec.replicas.value_or(1);
    return set.status.observed_generation == set.metadata.generation.value_or(0) &&
           set.status.replicas == replicas && set.status.available_replicas == replicas &&
           set.status.updated_replicas == replicas &&
           set.status.current_revision == set.status.update_revision;
  }
  void StartWith(const StatefulSet& set) {
    Create(set);
    Start(kController);
    ASSERT_TRUE(EventuallyWithKubelet([&] { return IsSettled(set.metadata.name); }));
  }

  void SetImage(const std::string& image) {
    Patch<StatefulSet>("db", fmt::format(R"({{"spec":{{"template":{{"spec":{{"containers":)"
                                         R"([{{"name":"c","image":"{}"}}]}}}}}}}})",
                                         image));
  }
  void Scale(int32_t replicas) {
    Patch<StatefulSet>("db", fmt::format(R"({{"spec":{{"replicas":{}}}}})", replicas));
  }
  std::vector<std::string> Images() {
    std::vector<std::string> images;
    for (const Pod& pod : All<Pod>()) {
      images.push_back(pod.metadata.name + " " + pod.spec.containers[0].image);
    }
    return images;
  }
  // Waits until the controller has observed all objects.
  void CatchUp() {
    const auto set = Patch<StatefulSet>(
        "db", fmt::format(R"({{"spec":{{"revisionHistoryLimit":{}}}}})", 10 + ++caught_up_ % 2));
    ASSERT_TRUE(Eventually(
        [&] { return Set().status.observed_generation == set.metadata.generation.value_or(0); }));
  }

  int caught_up_ = 0;
};

TEST_F(StatefulSetControllerTest, CreatesPodsAndClaimsInOrder) {
  RecordPodWrites(kAccount);
  StatefulSet set = SetOf(3);
  AddClaimTemplate(set);
  StartWith(set);
  EXPECT_THAT(TakePodWrites(), ElementsAre("create db-0", "create db-1", "create db-2"));
  const std::string revision = Set().status.update_revision;
  EXPECT_EQ(Encode(Set().status),
            fmt::format(R"({{"availableReplicas":3,"collisionCount":0,"currentReplicas":3,)"
                        R"("currentRevision":"{0}","observedGeneration":1,"readyReplicas":3,)"
                        R"("replicas":3,"updateRevision":"{0}","updatedReplicas":3}})",
                        revision));
  const Pod pod = Read<Pod>("db-1");
  EXPECT_EQ(pod.metadata.generate_name, "db-");
  EXPECT_EQ(pod.metadata.labels, (StringMap{{"app", "db"},
                                            {"apps.kubernetes.io/pod-index", "1"},
                                            {"controller-revision-hash", revision},
                                            {"statefulset.kubernetes.io/pod-name", "db-1"}}));
  EXPECT_TRUE(IsControlledBy(pod.metadata, Set().metadata.uid));
  EXPECT_EQ(pod.spec.hostname, "db-1");
  EXPECT_EQ(pod.spec.subdomain, "db");
  ASSERT_FALSE(pod.spec.volumes.empty());
  EXPECT_EQ(pod.spec.volumes[0].persistent_volume_claim->claim_name, "data-db-1");
  EXPECT_THAT(NamesOf(All<PersistentVolumeClaim>()),
              ElementsAre("data-db-0", "data-db-1", "data-db-2"));
  EXPECT_EQ(Read<PersistentVolumeClaim>("data-db-0").metadata.labels, kLabels);
  EXPECT_TRUE(Eventually([&] { return EventsOf("StatefulSet", "db").size() == 6; }));
  EXPECT_THAT(
      EventsOf("StatefulSet", "db"),
      IsSupersetOf({"Normal SuccessfulCreate: create Claim data-db-0 Pod db-0 in StatefulSet db "
                    "success",
                    "Normal SuccessfulCreate: create Pod db-0 in StatefulSet db successful"}));
}

TEST_F(StatefulSetControllerTest, RecordsTheTemplateAsARevision) {
  StartWith(SetOf(1));
  const auto revisions = All<ControllerRevision>();
  ASSERT_THAT(revisions, SizeIs(1));
  const ObjectMeta& metadata = revisions[0].metadata;
  const std::string hash = metadata.name.substr(3);
  EXPECT_EQ(metadata.name, Set().status.update_revision);
  EXPECT_EQ(metadata.labels, (StringMap{{"app", "db"}, {"controller.kubernetes.io/hash", hash}}));
  EXPECT_TRUE(IsControlledBy(metadata, Set().metadata.uid));
  EXPECT_EQ(revisions[0].revision, 1);
  EXPECT_EQ(
      revisions[0].data.text,
      R"({"spec":{"template":{"$patch":"replace","metadata":{"labels":{"app":"db"}},)"
      R"("spec":{"containers":[{"image":"img:1","imagePullPolicy":"IfNotPresent","name":"c",)"
      R"("resources":{},"terminationMessagePath":"/dev/termination-log",)"
      R"("terminationMessagePolicy":"File"}],"dnsPolicy":"ClusterFirst","restartPolicy":"Always",)"
      R"("schedulerName":"default-scheduler","securityContext":{},)"
      R"("terminationGracePeriodSeconds":30}}}})");
}

TEST_F(StatefulSetControllerTest, ScalesDownInReverseOrderAndUpAgain) {
  StatefulSet set = SetOf(3);
  AddClaimTemplate(set);
  StartWith(set);
  RecordPodWrites(kAccount);
  Scale(1);
  ASSERT_TRUE(EventuallyWithKubelet([&] { return IsSettled(); }));
  EXPECT_THAT(TakePodWrites(), ElementsAre("delete db-2", "delete db-1"));
  EXPECT_THAT(All<PersistentVolumeClaim>(), SizeIs(3));  // retained
  Scale(2);
  ASSERT_TRUE(EventuallyWithKubelet([&] { return IsSettled(); }));
  EXPECT_THAT(PodNames(), ElementsAre("db-0", "db-1"));
  EXPECT_TRUE(Eventually([&] {
    return !EventsOf("StatefulSet", "db").empty() &&
           ::testing::Value(
               EventsOf("StatefulSet", "db"),
               Contains("Normal SuccessfulDelete: delete Pod db-2 in StatefulSet db successful"));
  }));
}

TEST_F(StatefulSetControllerTest, ParallelPodsDoNotWaitForEachOther) {
  StatefulSet set = SetOf(4);
  set.spec.pod_management_policy = "Parallel";
  Create(set);
  Start(kController);
  EXPECT_TRUE(Eventually([&] { return PodNames().size() == 4; }));
  ASSERT_TRUE(EventuallyWithKubelet([&] { return IsSettled(); }));
  paused_pods_ = {"db-1", "db-2", "db-3"};
  Scale(0);
  EXPECT_TRUE(EventuallyWithKubelet([&] {
    const auto pods = All<Pod>();
    return pods.size() == 3 && std::all_of(pods.begin(), pods.end(), &IsBeingDeleted);
  }));
}

TEST_F(StatefulSetControllerTest, TerminatingPodBlocksItsReplacement) {
  StartWith(SetOf(2));
  RecordPodWrites(kAccount);
  paused_pods_ = {"db-0"};
  ASSERT_TRUE(client().Delete<Pod>({kNamespace, "db-0"}).ok());
  // The watches of the two kinds are independent: wait until the controller has observed the
  // deletion.
  ASSERT_TRUE(Eventually([&] {
    const CachedObject pod = manager_->informers().Get<Pod>()->cache().Get({kNamespace, "db-0"});
    return pod && !pod.metadata->deletion_timestamp.IsZero();
  }));
  Scale(3);
  CatchUp();
  EXPECT_THAT(PodNames(), ElementsAre("db-0", "db-1"));
  EXPECT_THAT(TakePodWrites(), IsEmpty());
  paused_pods_ = {};
  ASSERT_TRUE(EventuallyWithKubelet([&] { return IsSettled(); }));
  EXPECT_THAT(TakePodWrites(), ElementsAre("create db-0", "create db-2"));
}

TEST_F(StatefulSetControllerTest, ReplacesFinishedPods) {
  StartWith(SetOf(2));
  const std::string first = Read<Pod>("db-0").metadata.uid;
  const std::string second = Read<Pod>("db-1").metadata.uid;
  SetStatus(Read<Pod>("db-0"), "Failed", false);
  SetStatus(Read<Pod>("db-1"), "Succeeded", false);
  EXPECT_TRUE(EventuallyWithKubelet([&] {
    const auto pods = All<Pod>();
    return pods.size() == 2 && pods[0].metadata.uid != first && pods[1].metadata.uid != second &&
           IsSettled();
  }));
}

TEST_F(StatefulSetControllerTest, UpdatesInReverseOrderAndWaitsForEachPod) {
  StartWith(SetOf(3));
  const std::string before = Set().status.current_revision;
  RecordPodWrites(kAccount);
  paused_pods_ = {"db-2"};
  SetImage("img:2");
  ASSERT_TRUE(EventuallyWithKubelet([&] { return IsBeingDeleted(Read<Pod>("db-2")); }));
  CatchUp();
  EXPECT_THAT(TakePodWrites(), ElementsAre("delete db-2"));
  EXPECT_EQ(Set().status.current_revision, before);
  EXPECT_NE(Set().status.update_revision, before);
  EXPECT_EQ(Set().status.current_replicas, 2);
  EXPECT_EQ(Set().status.updated_replicas, 0);
  paused_pods_ = {};
  ASSERT_TRUE(EventuallyWithKubelet([&] { return IsSettled(); }));
  EXPECT_THAT(TakePodWrites(), ElementsAre("create db-2", "delete db-1", "create db-1",
                                           "delete db-0", "create db-0"));
  EXPECT_THAT(Images(), ElementsAre("db-0 img:2", "db-1 img:2", "db-2 img:2"));
  EXPECT_NE(Set().status.current_revision, before);
  EXPECT_THAT(All<ControllerRevision>(), SizeIs(2));
}

TEST_F(StatefulSetControllerTest, PartitionRetainsLowerOrdinals) {
  StatefulSet set = SetOf(3);
  set.spec.update_strategy.type = "RollingUpdate";
  set.spec.update_strategy.rolling_update.emplace().partition = 2;
  StartWith(set);
  SetImage("img:2");
  const auto is_partly_updated = [&] {
    const StatefulSet now = Set();
    return now.status.updated_replicas == 1 && now.status.available_replicas == 3 &&
           now.status.current_replicas == 2 && now.status.replicas == 3;
  };
  ASSERT_TRUE(EventuallyWithKubelet(is_partly_updated));
  EXPECT_THAT(Images(), ElementsAre("db-0 img:1", "db-1 img:1", "db-2 img:2"));
  const std::string uid = Read<Pod>("db-0").metadata.uid;
  ASSERT_TRUE(client().Delete<Pod>({kNamespace, "db-0"}).ok());
  ASSERT_TRUE(EventuallyWithKubelet([&] {
    const auto pods = All<Pod>();
    return pods.size() == 3 && pods[0].metadata.uid != uid && is_partly_updated();
  }));
  EXPECT_THAT(Images(), ElementsAre("db-0 img:1", "db-1 img:1", "db-2 img:2"));
  Patch<StatefulSet>("db", R"({"spec":{"updateStrategy":{"rollingUpdate":{"partition":0}}}})");
  ASSERT_TRUE(EventuallyWithKubelet([&] { return IsSettled(); }));
  EXPECT_THAT(Images(), ElementsAre("db-0 img:2", "db-1 img:2", "db-2 img:2"));
}

TEST_F(StatefulSetControllerTest, OnDeleteUpdatesDeletedPodsOnly) {
  StatefulSet set = SetOf(2);
  set.spec.update_strategy.type = "OnDelete";
  StartWith(set);
  SetImage("img:2");
  CatchUp();
  EXPECT_THAT(Images(), ElementsAre("db-0 img:1", "db-1 img:1"));
  ASSERT_TRUE(client().Delete<Pod>({kNamespace, "db-0"}).ok());
  ASSERT_TRUE(EventuallyWithKubelet(
      [&] { return Set().status.updated_replicas == 1 && Set().status.available_replicas == 2; }));
  EXPECT_THAT(Images(), ElementsAre("db-0 img:2", "db-1 img:1"));
}

TEST_F(StatefulSetControllerTest, StartsAtOrdinalsStart) {
  StatefulSet set = SetOf(2);
  set.spec.ordinals.emplace().start = 5;
  StartWith(set);
  EXPECT_THAT(PodNames(), ElementsAre("db-5", "db-6"));
  Patch<StatefulSet>("db", R"({"spec":{"ordinals":{"start":6}}})");
  ASSERT_TRUE(EventuallyWithKubelet([&] {
    return IsSettled() && !client().Get<Pod>({kNamespace, "db-5"}).ok();
  }));
  EXPECT_THAT(PodNames(), ElementsAre("db-6", "db-7"));
}

TEST_F(StatefulSetControllerTest, PodsBecomeAvailableAfterMinReadySeconds) {
  StatefulSet set = SetOf(2);
  set.spec.min_ready_seconds = 3600;
  Create(set);
  Start(kController);
  ASSERT_TRUE(EventuallyWithKubelet([&] { return Set().status.ready_replicas == 1; }));
  EXPECT_EQ(Set().status.available_replicas, 0);
  EXPECT_THAT(PodNames(), ElementsAre("db-0"));
  // Pods that became ready long ago are available.
  Patch<StatefulSet>("db", R"({"spec":{"minReadySeconds":0}})");
  EXPECT_TRUE(EventuallyWithKubelet([&] { return IsSettled(); }));
}

TEST_F(StatefulSetControllerTest, SetsClaimOwnersForTheRetentionPolicy) {
  StatefulSet set = SetOf(2);
  AddClaimTemplate(set);
  set.spec.persistent_volume_claim_retention_policy.emplace().when_deleted = "Delete";
  set.spec.persistent_volume_claim_retention_policy->when_scaled = "Delete";
  StartWith(set);
  const auto owners = [&](const std::string& claim) {
    std::vector<std::string> uids;
    for (const auto& owner : Read<PersistentVolumeClaim>(claim).metadata.owner_references) {
      uids.push_back(owner.uid);
    }
    return uids;
  };
  EXPECT_THAT(owners("data-db-1"), ElementsAre(Set().metadata.uid));
  const std::string pod = Read<Pod>("db-1").metadata.uid;
  paused_pods_ = {"db-1"};
  Scale(1);
  ASSERT_TRUE(EventuallyWithKubelet([&] { return IsBeingDeleted(Read<Pod>("db-1")); }));
  EXPECT_THAT(owners("data-db-1"), ElementsAre(pod));
  EXPECT_THAT(owners("data-db-0"), ElementsAre(Set().metadata.uid));
  Patch<StatefulSet>("db", R"({"spec":{"persistentVolumeClaimRetentionPolicy":
      {"whenDeleted":"Retain","whenScaled":"Retain"}}})");
  EXPECT_TRUE(Eventually([&] { return owners("data-db-0").empty(); }));
}

TEST_F(StatefulSetControllerTest, WaitsForATerminatingClaim) {
  PersistentVolumeClaim claim;
  claim.metadata.name = "data-db-0";
  claim.metadata.labels = kLabels;
  claim.metadata.finalizers = {"example.com/hold"};
  claim.spec.access_modes = {"ReadWriteOnce"};
  claim.spec.resources.requests["storage"] = Quantity(1);
  Create(claim);
  ASSERT_TRUE(client().Delete<PersistentVolumeClaim>({kNamespace, "data-db-0"}).ok());
  StatefulSet set = SetOf(1);
  AddClaimTemplate(set);
  Create(set);
  Start(kController);
  ASSERT_TRUE(Eventually([&] {
    const auto events = EventsOf("StatefulSet", "db");
    return std::any_of(events.begin(), events.end(), [](const std::string& event) {
      return event.starts_with("Warning FailedCreate: create Pod db-0 in StatefulSet db failed");
    });
  }));
  EXPECT_THAT(PodNames(), IsEmpty());
  Patch<PersistentVolumeClaim>("data-db-0", R"({"metadata":{"finalizers":null}})");
  EXPECT_TRUE(EventuallyWithKubelet([&] { return IsSettled(); }));
}

TEST_F(StatefulSetControllerTest, AdoptsPodsByNameAndLabels) {
  for (const char* name : {"db-0", "db-x"}) {
    Pod pod;
    pod.metadata.name = name;
    pod.metadata.labels = kLabels;
    pod.spec = SetOf(1).spec.template_.spec;
    Create(pod);
  }
  Create(SetOf(1));
  Start(kController);
  ASSERT_TRUE(EventuallyWithKubelet([&] {
    const auto pod = client().Get<Pod>({kNamespace, "db-0"});
    return pod.ok() && IsControlledBy(pod->metadata, Set().metadata.uid) &&
           pod->metadata.labels.contains("statefulset.kubernetes.io/pod-name") && IsSettled();
  }));
  EXPECT_EQ(ControllerOf(Read<Pod>("db-x").metadata), nullptr);
}

TEST_F(StatefulSetControllerTest, RollbackRenumbersTheOldRevision) {
  StatefulSet set = SetOf(1);
  set.spec.revision_history_limit = 1;
  StartWith(set);
  const std::string first = Set().status.current_revision;
  const auto update = [&](const std::string& image) {
    SetImage(image);
    ASSERT_TRUE(EventuallyWithKubelet(
        [&] { return IsSettled() && Images() == std::vector<std::string>{"db-0 " + image}; }));
  };
  update("img:2");
  update("img:1");
  EXPECT_EQ(Set().status.current_revision, first);
  EXPECT_EQ(Read<ControllerRevision>(first).revision, 3);
  EXPECT_THAT(All<ControllerRevision>(), SizeIs(2));
  update("img:3");
  update("img:4");
  EXPECT_TRUE(Eventually([&] { return All<ControllerRevision>().size() == 2; }));
  EXPECT_FALSE(client().Get<ControllerRevision>({kNamespace, first}).ok());
}

TEST_F(StatefulSetControllerTest, AnotherRevisionOfTheSameNameIsAHashCollision) {
  const StatefulSet set = Create(SetOf(1));
  ControllerRevision other;
  other.metadata.name = "db-" + TemplateHash(set.spec.template_, std::nullopt);
  other.data.text = R"({"spec":{}})";
  other.revision = 7;
  Create(other);
  Start(kController);
  ASSERT_TRUE(EventuallyWithKubelet([&] { return IsSettled(); }));
  EXPECT_EQ(Set().status.collision_count, 1);
  EXPECT_EQ(Set().status.update_revision, "db-" + TemplateHash(set.spec.template_, 1));
}

TEST_F(StatefulSetControllerTest, WritesNothingWithoutAChange) {
  StatefulSet set = SetOf(2);
  AddClaimTemplate(set);
  StartWith(set);
  Stop();
  TakeWrites(kAccount);
  Start(kController);
  Create(SetOf(0, "other"));
  ASSERT_TRUE(EventuallyWithKubelet([&] { return IsSettled("other"); }));
  // The writes for the other set: a revision and a status.
  EXPECT_THAT(TakeWrites(kAccount), ElementsAre("create", "update status"));
}

TEST_F(StatefulSetControllerTest, CreatesNothingWhileBeingDeleted) {
  StatefulSet set = SetOf(2);
  set.metadata.finalizers = {"example.com/hold"};
  StartWith(set);
  ASSERT_TRUE(client().Delete<StatefulSet>({kNamespace, "db"}).ok());
  ASSERT_TRUE(EventuallyWithKubelet(
      [&] { return Set().status.observed_generation == Set().metadata.generation; }));
  ASSERT_TRUE(client().Delete<Pod>({kNamespace, "db-1"}).ok());
  EXPECT_TRUE(EventuallyWithKubelet([&] { return Set().status.replicas == 1; }));
  EXPECT_THAT(PodNames(), ElementsAre("db-0"));
}

TEST_F(StatefulSetControllerTest, ContinuesAfterACrashAtAnyWrite) {
  for (const bool done : {false, true}) {
    bool happened = true;
    for (int count = 0; happened; ++count) {
      SCOPED_TRACE(fmt::format("write {}, {}", count, done ? "done" : "not done"));
      StatefulSet set = SetOf(2);
      AddClaimTemplate(set);
      set.spec.persistent_volume_claim_retention_policy.emplace().when_deleted = "Delete";
      Create(set);
      {
        const Crash crash(ClientOf(kAccount), count, done);
        Start(kController);
        ASSERT_TRUE(EventuallyWithKubelet([&] { return crash.happened() || IsSettled(); }));
        happened = crash.happened();
        Stop();
      }
      Start(kController);
      ASSERT_TRUE(EventuallyWithKubelet([&] { return IsSettled(); }));
      EXPECT_THAT(PodNames(), ElementsAre("db-0", "db-1"));
      EXPECT_THAT(All<ControllerRevision>(), SizeIs(1));
      EXPECT_EQ(Set().status.collision_count, 0);
      Stop();
      ASSERT_TRUE(client().Delete<StatefulSet>({kNamespace, "db"}).ok());
      for (const Pod& pod : All<Pod>()) Remove(pod);
      ASSERT_TRUE(client().DeleteAllOf<ControllerRevision>({.namespace_name = kNamespace}).ok());
      for (const auto& claim : All<PersistentVolumeClaim>()) {
        ASSERT_TRUE(client().Delete<PersistentVolumeClaim>(ObjectKey::Of(claim.metadata)).ok());
        (void)client().Patch<PersistentVolumeClaim>(
            ObjectKey::Of(claim.metadata), {.body = R"({"metadata":{"finalizers":null}})"});
      }
    }
  }
}

}  // namespace
}  // namespace kubexms
