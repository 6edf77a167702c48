#include "kubexms/builtin/workloads/replica_set/replica_set_controller.h"

#include "kubexms/builtin/workloads/replica_set/replica_plan.h"
#include "kubexms/builtin/workloads/status_rate_limiter.h"
#include "kubexms/builtin/workloads/workload_fixture_test.h"
#include "kubexms/client/client_decorator.h"

namespace kubexms {
namespace {

using appsv1::ReplicaSet;
using corev1::Pod;
using corev1::ReplicationController;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

const StringMap kLabels{{"app", "web"}};

TEST(ReplicaPlanTest, CreatesMissingAndDeletesSurplusPods) {
  EXPECT_EQ(PlanReplicas(3, 3), ReplicaPlan{});
  EXPECT_EQ(PlanReplicas(1, 3), ReplicaPlan{.create = 2});
  EXPECT_EQ(PlanReplicas(3, 1), ReplicaPlan{.remove = 2});
  EXPECT_EQ(PlanReplicas(0, -1), ReplicaPlan{});
  EXPECT_EQ(PlanReplicas(0, 1200), ReplicaPlan{.create = kMaxPodsPerReconcile});
  EXPECT_EQ(PlanReplicas(1200, 0), ReplicaPlan{.remove = kMaxPodsPerReconcile});
}

TEST(ReplicaPlanTest, CountsPodsByTheirState) {
  const std::chrono::sys_seconds now{std::chrono::seconds(1'800'000'000)};
  const auto pod = [&](const std::string& phase, int ready_for, StringMap labels = kLabels) {
    auto made = std::make_shared<Pod>();
    made->metadata.labels = std::move(labels);
    made->status.phase = phase;
    if (ready_for < 0) return made;
    made->status.conditions.resize(1);
    made->status.conditions[0].type = "Ready";
    made->status.conditions[0].status = "True";
    made->status.conditions[0].last_transition_time = Time(now - std::chrono::seconds(ready_for));
    return made;
  };
  const auto ending = pod("Running", 50);
  ending->metadata.deletion_timestamp = Time(now);
  const std::vector<PodPointer> pods = {pod("Pending", -1),
                                        pod("Running", 4),
                                        pod("Running", 7),
                                        pod("Running", 10),
                                        pod("Failed", 50),
                                        pod("Succeeded", 9),
                                        ending,
                                        pod("Running", 50, {})};
  const ReplicaCounts counts = CountReplicas(pods, kLabels, 10, now);
  EXPECT_EQ(counts.active, 5);
  EXPECT_EQ(counts.fully_labeled, 4);
  EXPECT_EQ(counts.ready, 4);
  EXPECT_EQ(counts.available, 2);
  EXPECT_EQ(counts.terminating, 1);
  EXPECT_EQ(counts.until_available, std::chrono::seconds(3));
}

TEST(StatusRateLimiterTest, AllowsOneWritePerObjectAndPeriod) {
  using std::chrono::milliseconds;
  const ManualClock clock;
  const auto start = clock.MonotonicNow();
  StatusRateLimiter limiter(milliseconds(50), 2);
  EXPECT_EQ(limiter.Reserve("a", start), milliseconds(0));
  EXPECT_EQ(limiter.Reserve("a", start + milliseconds(20)), milliseconds(30));
  EXPECT_EQ(limiter.Reserve("b", start + milliseconds(20)), milliseconds(0));
  EXPECT_EQ(limiter.Reserve("a", start + milliseconds(50)), milliseconds(0));
  EXPECT_EQ(limiter.Reserve("a", start + milliseconds(60)), milliseconds(40));
  // Objects beyond the capacity are not limited.
  EXPECT_EQ(limiter.Reserve("c", start + milliseconds(60)), milliseconds(0));
  EXPECT_EQ(limiter.Reserve("b", start + milliseconds(60)), milliseconds(0));
}

// A client whose watches of Pods deliver no events while they are held.
class LaggingClient final : public ClientDecorator {
 public:
  using ClientDecorator::ClientDecorator;

  void Hold(bool hold) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    paused_pods_ = hold;
    changed_.NotifyAll();
  }

  Result<std::unique_ptr<ObjectWatch>> OpenWatch(const ClientRequest& request) override {
    ASSIGN_OR_RETURN(auto watch, ClientDecorator::OpenWatch(request));
    if (request.resource.plural != "pods") return watch;
    return std::unique_ptr<ObjectWatch>(
        std::make_unique<LaggingWatch>(*this, std::move(watch), request.stop));
  }

 private:
  class LaggingWatch final : public ObjectWatch {
   public:
    LaggingWatch(LaggingClient& client, std::unique_ptr<ObjectWatch> watch, std::stop_token stop)
        : client_(client), watch_(std::move(watch)), stop_(std::move(stop)) {}

    Result<std::optional<ObjectEvent>> Next() override {
      auto event = watch_->Next();
      client_.AwaitRelease(stop_);
      return event;
    }

   private:
    LaggingClient& client_;
    const std::unique_ptr<ObjectWatch> watch_;
    const std::stop_token stop_;
  };

  void AwaitRelease(const std::stop_token& stop) EXCLUDES(mutex_) {
    const std::stop_callback wake(stop, [this] { Hold(false); });
    MutexLock lock(mutex_);
    while (paused_pods_) changed_.Wait(mutex_);
  }

  Mutex mutex_;
  CondVar changed_;
  bool paused_pods_ GUARDED_BY(mutex_) = false;
};

class ReplicaSetControllerTest : public WorkloadTest {
 protected:
  static constexpr const char* kAccount = "replicaset-controller";

  static ReplicaSet SetOf(int replicas, const std::string& name = "web") {
    ReplicaSet set;
    set.metadata.namespace_name = kNamespace;
    set.metadata.name = name;
    set.spec.replicas = replicas;
    set.spec.selector.match_labels = kLabels;
    set.spec.template_ = TemplateOf(kLabels);
    return set;
  }

  // The status as soon as `condition` is true.
  template <class Condition>
  appsv1::ReplicaSetStatus StatusOnce(const Condition& condition, const std::string& name = "web") {
    appsv1::ReplicaSetStatus status;
    EXPECT_TRUE(Eventually([&] {
      status = Read<ReplicaSet>(name).status;
      return condition(status);
    })) << Encode(status);
    return status;
  }

  static Pod PodOf(const std::string& name, StringMap labels = kLabels) {
    Pod pod;
    pod.metadata.namespace_name = kNamespace;
    pod.metadata.name = name;
    pod.metadata.labels = std::move(labels);
    pod.spec = TemplateOf({}).spec;
    return pod;
  }
  // A Pod without a controller.
  Pod Orphan(const std::string& name, StringMap labels = kLabels) {
    return Create(PodOf(name, std::move(labels)));
  }
  bool IsOwned(const std::string& pod, const ObjectMeta& owner) {
    const Pod object = Read<Pod>(pod);
    const OwnerReference* controller = ControllerOf(object.metadata);
    return controller != nullptr && controller->uid == owner.uid;
  }
};

TEST_F(ReplicaSetControllerTest, CreatesPodsFromItsTemplate) {
  Start(kAccount);
  const ReplicaSet set = Create(SetOf(3));
  const Pods pods = ActivePods(3);
  const auto status = StatusOnce([](const auto& now) { return now.replicas == 3; });
  EXPECT_EQ(status.fully_labeled_replicas, 3);
  EXPECT_EQ(status.ready_replicas, 0);
  EXPECT_EQ(status.terminating_replicas, 0);
  EXPECT_EQ(status.observed_generation, 1);
  for (const Pod& pod : pods) {
    EXPECT_THAT(pod.metadata.name, StartsWith("web-"));
    EXPECT_EQ(pod.metadata.labels, kLabels);
    EXPECT_EQ(pod.spec.containers.at(0).image, "web:1");
    EXPECT_TRUE(IsOwned(pod.metadata.name, set.metadata));
    EXPECT_TRUE(Eventually([&] {
      const auto events = EventsOf("ReplicaSet", "web");
      return std::ranges::count(events,
                                "Normal SuccessfulCreate: Created pod: " + pod.metadata.name) == 1;
    }));
  }
}

TEST_F(ReplicaSetControllerTest, CountsPodsAndThenWritesNothing) {
  Start(kAccount);
  Create(SetOf(3));
  MakeReady(ActivePods(3));
  StatusOnce(
      [](const auto& now) { return now.ready_replicas == 3 && now.available_replicas == 3; });
  ClientOf(kAccount).TakeVerbs();
  // The reconcile has nothing to write; only the status of the next set is written.
  Patch<ReplicaSet>("web", R"({"metadata":{"labels":{"more":"true"}}})");
  Create(SetOf(0, "next"));
  StatusOnce([](const auto& now) { return now.observed_generation == 1; }, "next");
  EXPECT_THAT(ClientOf(kAccount).TakeVerbs(), ElementsAre("update status"));
}

TEST_F(ReplicaSetControllerTest, AdoptsAndReleasesPods) {
  Orphan("matching");
  Orphan("alien", {{"app", "alien"}});
  Start(kAccount);
  const ReplicaSet set = Create(SetOf(2));
  ActivePods(3);
  EXPECT_TRUE(IsOwned("matching", set.metadata));
  EXPECT_EQ(ControllerOf(Read<Pod>("alien").metadata), nullptr);

  // Later Pods are adopted as well and are surplus then.
  Patch<Pod>("alien", R"({"metadata":{"labels":{"app":"web"}}})");
  ActivePods(2);

  // A Pod that no longer matches is replaced.
  const Pod lost = AllPods()[0];
  Patch<Pod>(lost.metadata.name, R"({"metadata":{"labels":{"app":"debug"}}})");
  ActivePods(3);
  EXPECT_TRUE(Eventually([&] {
    const Pod pod = Read<Pod>(lost.metadata.name);
    return pod.metadata.owner_references.empty();
  }));
}

TEST_F(ReplicaSetControllerTest, DoesNotAdoptPodsOfOthersOrTerminatingPods) {
  const corev1::ConfigMap owner = CreateConfigMap(ConfigMapNamed({kNamespace, "owner"}));
  Pod taken = PodOf("taken");
  ASSERT_TRUE(SetControllerReference(taken.metadata, owner).ok());
  Create(taken);
  const Pod ending = Orphan("ending");
  Bind(ending, "node1");
  ASSERT_TRUE(client().Delete<Pod>({kNamespace, "ending"}).ok());
  SetStatus(Orphan("finished"), "Succeeded", false);
  Start(kAccount);
  const ReplicaSet set = Create(SetOf(1));
  ActivePods(2);
  StatusOnce([](const auto& now) { return now.replicas == 1 && now.terminating_replicas == 0; });
  for (const char* pod : {"taken", "ending", "finished"}) {
    EXPECT_FALSE(IsOwned(pod, set.metadata)) << pod;
  }
}

TEST_F(ReplicaSetControllerTest, ReplacesPodsThatAreFinishedOrDeleted) {
  Start(kAccount);
  Create(SetOf(2));
  const Pods pods = ActivePods(2);
  SetStatus(pods[0], "Failed", false);
  Bind(pods[1], "node1");
  ASSERT_TRUE(client().Delete<Pod>(ObjectKey::Of(pods[1].metadata)).ok());
  EXPECT_TRUE(Eventually([&] { return AllPods().size() == 4; }));
  StatusOnce([](const auto& now) { return now.replicas == 2 && now.terminating_replicas == 1; });
  Remove(pods[1]);
  StatusOnce([](const auto& now) { return now.replicas == 2 && now.terminating_replicas == 0; });
}

TEST_F(ReplicaSetControllerTest, ScalesDownInDeletionOrder) {
  Start(kAccount);
  Create(SetOf(4));
  const Pods pods = ActivePods(4);
  MakeReady({pods[1], pods[3]});
  StatusOnce([](const auto& now) { return now.ready_replicas == 2; });
  Scale<ReplicaSet>("web", 2);
  const Pods left = ActivePods(2);
  EXPECT_EQ(left[0].metadata.name, pods[1].metadata.name);
  EXPECT_EQ(left[1].metadata.name, pods[3].metadata.name);
  StatusOnce([](const auto& now) { return now.replicas == 2 && now.observed_generation == 2; });
  EXPECT_TRUE(Eventually([&] {
    const auto events = EventsOf("ReplicaSet", "web");
    return std::ranges::count(
               events, "Normal SuccessfulDelete: Deleted pod: " + pods[0].metadata.name) == 1;
  }));
}

TEST_F(ReplicaSetControllerTest, PrefersNodesWithMorePodsOfTheSameOwner) {
  Start(kAccount);
  ReplicaSet first = SetOf(1, "first");
  ReplicaSet second = SetOf(2, "second");
  const corev1::ConfigMap owner = CreateConfigMap(ConfigMapNamed({kNamespace, "owner"}));
  for (ReplicaSet* set : {&first, &second}) {
    const StringMap labels{{"app", set->metadata.name}};
    set->spec.selector.match_labels = set->spec.template_.metadata.labels = labels;
    ASSERT_TRUE(SetControllerReference(set->metadata, owner).ok());
    Create(*set);
  }
  const Pods pods = ActivePods(3);  // the first of "first", two of "second"
  for (const Pod& pod : pods) Bind(pod, &pod == &pods[1] ? "quiet" : "busy");
  MakeReady(AllPods());
  StatusOnce([](const auto& now) { return now.ready_replicas == 2; }, "second");
  Scale<ReplicaSet>("second", 1);
  const Pods left = ActivePods(2);
  EXPECT_EQ(left[1].metadata.name, pods[1].metadata.name);
}

TEST_F(ReplicaSetControllerTest, NeverCreatesAPodTwice) {
  auto direct = server_.NewClient(
      {.name = "system:kube-controller-manager", .groups = {"system:authenticated"}});
  auto lagging = std::make_unique<LaggingClient>(*direct);
  LaggingClient& watch = *lagging;
  manager_client_ = std::move(lagging);
  Start(kAccount);
  watch.Hold(true);
  Create(SetOf(5));
  ActivePods(5);
  // Repeated reconciles while the watch has not delivered any Pod.
  for (int i = 0; i < 5; ++i) {
    Patch<ReplicaSet>("web", fmt::format(R"({{"metadata":{{"labels":{{"n":"{}"}}}}}})", i));
  }
  Scale<ReplicaSet>("web", 7);
  ActivePods(7);
  Scale<ReplicaSet>("web", 6);
  ActivePods(6);
  StatusOnce([](const auto& now) { return now.replicas == 6 && now.observed_generation == 3; });
  watch.Hold(false);
  MakeReady(AllPods());
  StatusOnce([](const auto& now) { return now.ready_replicas == 6; });
  EXPECT_THAT(AllPods(), SizeIs(6));
  const auto verbs = ClientOf(kAccount).TakeVerbs();
  EXPECT_EQ(std::ranges::count(verbs, "create"), 7);
  EXPECT_EQ(std::ranges::count(verbs, "delete"), 1);
  Stop();
  manager_client_ = nullptr;
}

TEST_F(ReplicaSetControllerTest, ReportsFailedCreations) {
  std::atomic<int> creations = 0;
  ClientOf(kAccount).Set([&](Client& server, const ClientRequest& request) {
    if (request.verb != Verb::kCreate) return server.Do(request);
    ++creations;
    return Result<SharedBytes>(Error::Forbidden("pods", "web-x", "exceeded quota"));
  });
  Start(kAccount);
  Create(SetOf(100));
  const auto status = StatusOnce([](const auto& now) { return !now.conditions.empty(); });
  EXPECT_EQ(status.conditions[0].type, "ReplicaFailure");
  EXPECT_EQ(status.conditions[0].status, "True");
  EXPECT_EQ(status.conditions[0].reason, "FailedCreate");
  EXPECT_THAT(status.conditions[0].message, ::testing::HasSubstr("exceeded quota"));
  EXPECT_TRUE(Eventually([&] { return !EventsOf("ReplicaSet", "web").empty(); }));
  EXPECT_THAT(EventsOf("ReplicaSet", "web"), Contains(StartsWith("Warning FailedCreate: Error")));
  // One Event and not one per Pod: slow start stops at the first failure.
  EXPECT_LT(creations, 50);
  ClientOf(kAccount).Set({});
  StatusOnce([](const auto& now) { return now.replicas == 100 && now.conditions.empty(); });
}

TEST_F(ReplicaSetControllerTest, ReportsFailedDeletions) {
  Start(kAccount);
  Create(SetOf(2));
  StatusOnce([](const auto& now) { return now.replicas == 2; });
  ClientOf(kAccount).Set([&](Client& server, const ClientRequest& request) {
    if (request.verb != Verb::kDelete) return server.Do(request);
    return Result<SharedBytes>(Error::ServiceUnavailable("not now"));
  });
  Scale<ReplicaSet>("web", 1);
  const auto status = StatusOnce([](const auto& now) { return !now.conditions.empty(); });
  EXPECT_EQ(status.conditions[0].reason, "FailedDelete");
  ClientOf(kAccount).Set({});
  StatusOnce([](const auto& now) { return now.replicas == 1 && now.conditions.empty(); });
}

// With the permissions of its account, and without waiting for the watch.
TEST_F(ReplicaSetControllerTest, DoesNotRepeatACreationWhoseResponseWasLost) {
  std::atomic<int> made = 0;
  ClientOf(kAccount).Set([&](Client& server, const ClientRequest& request) -> Result<SharedBytes> {
    Result<SharedBytes> answer = server.Do(request);
    if (request.verb == Verb::kCreate && ++made == 1) return Error::ServiceUnavailable("lost");
    return answer;
  });
  Start(kAccount);
  Create(SetOf(3));
  StatusOnce([](const auto& now) { return now.replicas == 3 && now.conditions.empty(); });
  EXPECT_EQ(made, 3);
  EXPECT_THAT(AllPods(), SizeIs(3));
  ClientOf(kAccount).Set({});
}

TEST_F(ReplicaSetControllerTest, PodsBecomeAvailableAfterMinReadySeconds) {
  Start(kAccount);
  ReplicaSet set = SetOf(1);
  set.spec.min_ready_seconds = 2;
  Create(set);
  MakeReady(ActivePods(1));
  const auto since = AllPods()[0].status.conditions[0].last_transition_time.value();
  // Without a further change.
  StatusOnce([](const auto& now) { return now.available_replicas == 1; });
  EXPECT_GE(clock_.Now() - since, std::chrono::seconds(2));
}

TEST_F(ReplicaSetControllerTest, CreatesNothingWhileBeingDeleted) {
  Start(kAccount);
  ReplicaSet set = SetOf(2);
  set.metadata.finalizers = {"example.com/held"};
  Create(set);
  const Pods pods = ActivePods(2);
  ASSERT_TRUE(client().Delete<ReplicaSet>({kNamespace, "web"}).ok());
  // A deletion increments the generation. Once it is observed, deleted Pods are not replaced.
  const auto generation = Read<ReplicaSet>("web").metadata.generation;
  ASSERT_EQ(generation, 2);
  StatusOnce([&](const auto& now) { return now.observed_generation == generation; });
  Remove(pods[0]);
  StatusOnce([](const auto& now) { return now.replicas == 1; });
  EXPECT_THAT(AllPods(), SizeIs(1));
}

TEST_F(ReplicaSetControllerTest, CreatesManyPodsInSeveralReconciles) {
  Start(kAccount);
  Create(SetOf(1100));
  StatusOnce([](const auto& now) { return now.replicas == 1100; });
  EXPECT_THAT(AllPods(), SizeIs(1100));
  Scale<ReplicaSet>("web", 0);
  StatusOnce([](const auto& now) { return now.replicas == 0; });
  EXPECT_THAT(AllPods(), IsEmpty());
}

TEST_F(ReplicaSetControllerTest, ReconcilesReplicationControllers) {
  Start("replicationcontroller-controller");
  ReplicationController controller;
  controller.metadata.name = "old";
  controller.spec.replicas = 2;
  controller.spec.selector = kLabels;
  controller.spec.template_ = TemplateOf(kLabels);
  Orphan("matching");
  controller = Create(controller);
  MakeReady(ActivePods(2));
  EXPECT_TRUE(IsOwned("matching", controller.metadata));
  EXPECT_TRUE(Eventually(
      [&] { return Read<ReplicationController>("old").status.available_replicas == 2; }));
  Scale<ReplicationController>("old", 1);
  ActivePods(1);
}

}  // namespace
}  // namespace kubexms
