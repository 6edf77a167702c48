#include "kubexms/builtin/workloads/stateful_set/stateful_set_plan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "kubexms/builtin/workloads/revision_history.h"
#include "kubexms/builtin/workloads/stateful_set/stateful_set_pod.h"

namespace kubexms {
namespace {

using appsv1::StatefulSet;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// ---- Plans.

enum class State { kStarting, kReady, kAvailable, kFinished };

StatefulPod PodIn(State state, int32_t ordinal, std::string revision = "new",
                  bool terminating = false) {
  return {.ordinal = ordinal,
          .finished = state == State::kFinished,
          .terminating = terminating,
          .ready = state == State::kReady || state == State::kAvailable,
          .available = state == State::kAvailable,
          .revision = std::move(revision)};
}
StatefulPod Good(int32_t ordinal, std::string revision = "new") {
  return PodIn(State::kAvailable, ordinal, std::move(revision));
}
StatefulPod Starting(int32_t ordinal, std::string revision = "new") {
  return PodIn(State::kStarting, ordinal, std::move(revision));
}
StatefulPod Finished(int32_t ordinal) { return PodIn(State::kFinished, ordinal); }
StatefulPod Terminating(int32_t ordinal) { return PodIn(State::kAvailable, ordinal, "new", true); }

StatefulSetGoal Ordered(int32_t replicas) {
  return {.replicas = replicas,
          .rolling_update = StatefulSetGoal::RollingUpdate{},
          .current_revision = "old",
          .update_revision = "new"};
}
StatefulSetGoal Parallel(int32_t replicas) {
  StatefulSetGoal goal = Ordered(replicas);
  goal.parallel = true;
  return goal;
}
StatefulSetGoal OnDelete(int32_t replicas) {
  StatefulSetGoal goal = Ordered(replicas);
  goal.rolling_update.reset();
  return goal;
}
StatefulSetGoal From(int32_t start, StatefulSetGoal goal) {
  goal.start = start;
  return goal;
}
StatefulSetGoal Updating(int32_t partition, int32_t max_unavailable, StatefulSetGoal goal) {
  goal.rolling_update = {partition, max_unavailable};
  return goal;
}

struct PlanCase {
  const char* name;
  StatefulSetGoal goal;
  std::vector<StatefulPod> pods;
  StatefulSetPlan plan;
};

TEST(StatefulSetPlanTest, PlansTheNextWrites) {
  const std::vector<PlanCase> cases = {
      // Creation.
      {"the first", Ordered(3), {}, {.create = {0}}},
      {"waits until the Pod runs", Ordered(3), {Starting(0)}, {}},
      {"waits until the Pod is available", Ordered(3), {PodIn(State::kReady, 0)}, {}},
      {"the second", Ordered(3), {Good(0)}, {.create = {1}}},
      {"fills a gap first", Ordered(3), {Good(0), Good(2)}, {.create = {1}}},
      {"all at once", Parallel(3), {Starting(1)}, {.create = {0, 2}}},
      {"from another ordinal", From(5, Ordered(2)), {Good(5)}, {.create = {6}}},
      {"nothing", Ordered(2), {Good(0), Good(1)}, {}},
      // Failures.
      {"a finished Pod is deleted", Ordered(2), {Good(0), Finished(1)}, {.remove = {1}}},
      {"and others wait", Ordered(3), {Finished(0), Good(1)}, {.remove = {0}}},
      {"its replacement waits", Ordered(2), {PodIn(State::kFinished, 0, "new", true), Good(1)}, {}},
      {"parallel", Parallel(3), {Finished(0), Good(2)}, {.create = {1}, .remove = {0}}},
      {"waits for a terminating Pod", Ordered(2), {Terminating(0), Good(1)}, {}},
      // Scaling down.
      {"the highest ordinal first", Ordered(1), {Good(0), Good(1), Good(2)}, {.remove = {2}}},
      {"one by one", Ordered(1), {Good(0), Good(1), Terminating(2)}, {}},
      {"not while a replica is missing", Ordered(2), {Good(0), Good(3)}, {.create = {1}}},
      {"an unhealthy Pod may be deleted",
       Ordered(1),
       {Good(0), Good(1), Starting(2)},
       {.remove = {2}}},
      {"waits for a lower unhealthy Pod", Ordered(1), {Good(0), Starting(1), Starting(2)}, {}},
      {"parallel scale-down", Parallel(1), {Good(0), Starting(1), Good(2)}, {.remove = {2, 1}}},
      {"below the first ordinal",
       From(2, Ordered(1)),
       {Good(0), Good(1), Good(2)},
       {.remove = {1}}},
      {"to nothing", Ordered(0), {Good(0)}, {.remove = {0}}},
      // Updates.
      {"the highest ordinal is updated first",
       Ordered(2),
       {Good(0, "old"), Good(1, "old")},
       {.remove = {1}}},
      {"then the others", Ordered(2), {Good(0, "old"), Good(1)}, {.remove = {0}}},
      {"waits for each", Ordered(2), {Good(0, "old"), Starting(1)}, {}},
      {"parallel sets too", Parallel(2), {Good(0, "old"), Starting(1)}, {}},
      {"an unhealthy Pod is replaced",
       Parallel(2),
       {Good(0, "old"), Starting(1, "old")},
       {.remove = {1}}},
      {"but not in an ordered set", Ordered(2), {Good(0, "old"), Starting(1, "old")}, {}},
      {"from the partition only", Updating(1, 1, Ordered(2)), {Good(0, "old"), Good(1)}, {}},
      {"a partition relative to ordinals.start",
       Updating(1, 1, From(5, Ordered(2))),
       {Good(5, "old"), Good(6, "old")},
       {.remove = {6}}},
      {"several at a time",
       Updating(0, 2, Ordered(3)),
       {Good(0, "old"), Good(1, "old"), Good(2, "old")},
       {.remove = {2, 1}}},
      {"Pods that are being updated count",
       Updating(0, 2, Parallel(3)),
       {Good(0, "old"), Good(1, "old"), Starting(2)},
       {.remove = {1}}},
      {"OnDelete", OnDelete(2), {Good(0, "old"), Good(1, "old")}, {}},
      {"scale-down comes first", Ordered(1), {Good(0, "old"), Good(1, "old")}, {.remove = {1}}},
  };
  for (const PlanCase& test : cases) {
    const StatefulSetPlan plan = PlanStatefulSet(test.goal, test.pods);
    EXPECT_THAT(plan.create, ::testing::ElementsAreArray(test.plan.create)) << test.name;
    EXPECT_THAT(plan.remove, ::testing::ElementsAreArray(test.plan.remove)) << test.name;
  }
}

TEST(StatefulSetPlanTest, PlansABoundedNumberOfCreations) {
  const StatefulSetPlan plan = PlanStatefulSet(Parallel(INT32_MAX), {});
  EXPECT_EQ(plan.create.size(), StatefulSetPlan::kMaxCreations);
}

TEST(StatefulSetPlanTest, NewPodsHaveTheRevisionOfTheirOrdinal) {
  const StatefulSetGoal goal = From(5, Updating(2, 1, Ordered(4)));
  EXPECT_EQ(RevisionForNewPod(goal, 6), "old");
  EXPECT_EQ(RevisionForNewPod(From(5, Updating(2, 1, Ordered(4))), 7), "new");
  EXPECT_EQ(RevisionForNewPod(OnDelete(2), 0), "new");
}

TEST(StatefulSetPlanTest, ReadsTheSpec) {
  const auto set = Decode<StatefulSet>(R"({"apiVersion":"apps/v1","kind":"StatefulSet","spec":{
      "replicas":10,"ordinals":{"start":3},"podManagementPolicy":"Parallel",
      "updateStrategy":{"type":"RollingUpdate",
                        "rollingUpdate":{"partition":2,"maxUnavailable":"25%"}}}})");
  ASSERT_TRUE(set.ok()) << set.error().message();
  const StatefulSetGoal goal = GoalOf(*set, "a", "b");
  EXPECT_EQ(goal.start, 3);
  EXPECT_EQ(goal.replicas, 10);
  EXPECT_TRUE(goal.parallel);
  ASSERT_TRUE(goal.rolling_update.has_value());
  EXPECT_EQ(goal.rolling_update->partition, 2);
  EXPECT_EQ(goal.rolling_update->max_unavailable, 2);
  EXPECT_EQ(goal.current_revision, "a");
  EXPECT_EQ(goal.update_revision, "b");
}

TEST(StatefulSetPlanTest, CountsForTheStatus) {
  const std::vector<StatefulPod> pods = {Good(0, "old"), PodIn(State::kReady, 1), Starting(2),
                                         Terminating(3)};
  const auto status = StatusOf(Ordered(4), pods, {});
  EXPECT_EQ(status.replicas, 4);
  EXPECT_EQ(status.ready_replicas, 3);
  EXPECT_EQ(status.available_replicas, 2);
  EXPECT_EQ(status.current_replicas, 1);
  EXPECT_EQ(status.updated_replicas, 2);
  EXPECT_EQ(status.current_revision, "old");
  EXPECT_EQ(status.update_revision, "new");
}

TEST(StatefulSetPlanTest, UpdateCompletesWhenAllPodsAreReady) {
  const std::vector<StatefulPod> pods = {Good(0), Good(1)};
  const auto status = StatusOf(Ordered(2), pods, {});
  EXPECT_EQ(status.current_revision, "new");
  EXPECT_EQ(status.current_replicas, 2);
  EXPECT_EQ(StatusOf(OnDelete(2), pods, {}).current_revision, "old");
  EXPECT_EQ(StatusOf(Ordered(3), pods, {}).current_revision, "old");
}

// ---- Random sequences.

// Pods to which plans and random changes are applied.
class World {
 public:
  explicit World(StatefulSetGoal initial) : goal(std::move(initial)) {}

  std::vector<StatefulPod> Pods() const {
    std::vector<StatefulPod> all;
    for (const auto& [ordinal, pod] : pods_) all.push_back(pod);
    return all;
  }

  void CarryOut(const StatefulSetPlan& plan) {
    for (const int32_t ordinal : plan.remove) {
      RC_ASSERT(pods_.contains(ordinal) && !pods_[ordinal].terminating);
      pods_[ordinal].terminating = true;
    }
    for (const int32_t ordinal : plan.create) {
      RC_ASSERT(!pods_.contains(ordinal));  // at most one per ordinal
      pods_[ordinal] = PodIn(State::kStarting, ordinal, RevisionForNewPod(goal, ordinal));
    }
  }

  void CheckOrder(const StatefulSetPlan& plan) const {
    if (goal.parallel) return;
    RC_ASSERT(plan.create.size() <= 1U);
    for (const int32_t created : plan.create) {
      for (int32_t lower = goal.start; lower < created; ++lower) RC_ASSERT(IsGood(lower));
    }
    for (const int32_t removed : plan.remove) {
      if (InOrdinalRange(goal, removed)) continue;
      RC_ASSERT(removed == HighestUnwanted());
      for (int32_t wanted = goal.start; wanted < goal.start + goal.replicas; ++wanted) {
        RC_ASSERT(IsGood(wanted));
      }
    }
    const int32_t most = goal.rolling_update ? goal.rolling_update->max_unavailable : 0;
    RC_ASSERT(static_cast<int32_t>(plan.remove.size()) <= std::max(1, most));
  }

  void Happen(int what, int32_t ordinal) {
    const auto found = pods_.find(ordinal);
    if (found == pods_.end()) return;
    StatefulPod& pod = found->second;
    if (pod.terminating) {
      if (what != 0) pods_.erase(found);
    } else if (what <= 2) {
      pod = PodIn(State::kAvailable, ordinal, pod.revision);
    } else if (what == 3) {
      pod = PodIn(State::kFinished, ordinal, pod.revision);
    } else if (what == 4) {
      pod = PodIn(State::kStarting, ordinal, pod.revision);
    } else {
      pod.terminating = true;  // deleted by a user
    }
  }

  void AllGoesWell() {
    std::erase_if(pods_, [](const auto& entry) { return entry.second.terminating; });
    for (auto& [ordinal, pod] : pods_) {
      if (!pod.finished) pod = PodIn(State::kAvailable, ordinal, pod.revision);
    }
  }

  std::string Describe() const {
    std::string text =
        fmt::format("{} from {}{}{}", goal.replicas, goal.start, goal.parallel ? ", parallel" : "",
                    goal.rolling_update ? fmt::format(", partition {}, unavailable {}",
                                                      goal.rolling_update->partition,
                                                      goal.rolling_update->max_unavailable)
                                        : ", on delete");
    text += fmt::format(", update to {}:", goal.update_revision);
    for (const auto& [ordinal, pod] : pods_) {
      text += fmt::format(" {}={}{}{}{}", ordinal, pod.revision, pod.available ? " available" : "",
                          pod.finished ? " finished" : "", pod.terminating ? " terminating" : "");
    }
    return text;
  }

  bool IsAsWanted() const {
    if (static_cast<int32_t>(pods_.size()) != goal.replicas) return false;
    return std::all_of(pods_.begin(), pods_.end(), [&](const auto& entry) {
      const bool must_be_new =
          goal.rolling_update && entry.first >= goal.start + goal.rolling_update->partition;
      return InOrdinalRange(goal, entry.first) && IsGood(entry.first) &&
             (!must_be_new || entry.second.revision == goal.update_revision);
    });
  }

  StatefulSetGoal goal;

 private:
  bool IsGood(int32_t ordinal) const {
    const auto found = pods_.find(ordinal);
    return found != pods_.end() && found->second.available && !found->second.terminating;
  }
  int32_t HighestUnwanted() const {
    int32_t highest = -1;
    for (const auto& [ordinal, pod] : pods_) {
      if (!InOrdinalRange(goal, ordinal)) highest = std::max(highest, ordinal);
    }
    return highest;
  }

  std::map<int32_t, StatefulPod> pods_;
};

StatefulSetGoal AnyGoal(int revision) {
  StatefulSetGoal goal = *rc::gen::element(Ordered(0), Parallel(0), OnDelete(0));
  goal.start = *rc::gen::inRange(0, 3);
  goal.replicas = *rc::gen::inRange(0, 6);
  if (goal.rolling_update) {
    goal.rolling_update = {.partition = *rc::gen::inRange(0, 4),
                           .max_unavailable = *rc::gen::inRange(1, 4)};
  }
  goal.current_revision = "0";
  goal.update_revision = std::to_string(revision);
  return goal;
}

RC_GTEST_PROP(StatefulSetPlanPropertyTest, FollowsTheOrderAndConverges, ()) {
  World world(AnyGoal(0));
  const int rounds = *rc::gen::inRange(0, 60);
  for (int round = 0; round < rounds; ++round) {
    if (*rc::gen::inRange(0, 10) == 0) world.goal = AnyGoal(*rc::gen::inRange(0, 3));
    const StatefulSetPlan plan = PlanStatefulSet(world.goal, world.Pods());
    world.CheckOrder(plan);
    world.CarryOut(plan);
    world.Happen(*rc::gen::inRange(0, 6), *rc::gen::inRange(0, 9));
  }
  for (int round = 0; round < 40; ++round) {
    world.AllGoesWell();
    world.CarryOut(PlanStatefulSet(world.goal, world.Pods()));
  }
  world.AllGoesWell();
  RC_LOG() << world.Describe();
  RC_ASSERT(world.IsAsWanted());
  RC_ASSERT(PlanStatefulSet(world.goal, world.Pods()) == StatefulSetPlan());
}

// ---- Pods and claims.

StatefulSet Database() {
  const auto set = Decode<StatefulSet>(R"({"apiVersion":"apps/v1","kind":"StatefulSet",
      "metadata":{"name":"db","namespace":"a","uid":"set-uid"},
      "spec":{"serviceName":"db-hosts","selector":{"matchLabels":{"app":"db"}},
        "template":{"metadata":{"labels":{"app":"db"}},
          "spec":{"containers":[{"name":"c","image":"img:1"}],
                  "volumes":[{"name":"data","emptyDir":{}},{"name":"tmp","emptyDir":{}}]}},
        "volumeClaimTemplates":[{"metadata":{"name":"data","labels":{"tier":"fast"}},
                                 "spec":{"accessModes":["ReadWriteOnce"]},
                                 "status":{"phase":"Pending"}}]}})");
  EXPECT_TRUE(set.ok()) << set.error().message();
  return set.ok() ? *set : StatefulSet();
}

StatefulSet WithPolicy(const std::string& when_deleted, const std::string& when_scaled) {
  StatefulSet set = Database();
  auto& policy = set.spec.persistent_volume_claim_retention_policy.emplace();
  policy.when_deleted = when_deleted;
  policy.when_scaled = when_scaled;
  return set;
}

TEST(StatefulPodTest, ParsesExactNamesOnly) {
  const StatefulSet set = Database();
  EXPECT_EQ(OrdinalOf(set, "db-0"), 0);
  EXPECT_EQ(OrdinalOf(set, "db-2147483647"), 2147483647);
  for (const char* name : {"db", "db-", "db-x", "db-01", "db--1", "db-1x", "db-2147483648",
                           "other-0", "my-db-0", "-0"}) {
    EXPECT_FALSE(OrdinalOf(set, name).has_value()) << name;
  }
}

TEST(StatefulPodTest, PodHasIdentityAndClaims) {
  const StatefulSet set = Database();
  const corev1::Pod pod = NewStatefulPod(set, set.spec.template_, 3, "db-abc");
  EXPECT_EQ(pod.metadata.name, "db-3");
  EXPECT_EQ(pod.metadata.namespace_name, "a");
  EXPECT_EQ(pod.metadata.labels, (StringMap{{"app", "db"},
                                            {"apps.kubernetes.io/pod-index", "3"},
                                            {"controller-revision-hash", "db-abc"},
                                            {"statefulset.kubernetes.io/pod-name", "db-3"}}));
  EXPECT_TRUE(IsControlledBy(pod.metadata, "set-uid"));
  EXPECT_EQ(pod.spec.hostname, "db-3");
  EXPECT_EQ(pod.spec.subdomain, "db-hosts");
  ASSERT_EQ(pod.spec.volumes.size(), 2U);
  EXPECT_EQ(Encode(pod.spec.volumes[0]),
            R"({"name":"data","persistentVolumeClaim":{"claimName":"data-db-3"}})");
  EXPECT_EQ(pod.spec.volumes[1].name, "tmp");
}

TEST(StatefulPodTest, ClaimHasTheSelectorLabels) {
  const auto claims = ClaimsOf(Database(), 3);
  ASSERT_EQ(claims.size(), 1U);
  EXPECT_EQ(claims[0].metadata.name, "data-db-3");
  EXPECT_EQ(claims[0].metadata.namespace_name, "a");
  EXPECT_EQ(claims[0].metadata.labels, (StringMap{{"app", "db"}, {"tier", "fast"}}));
  EXPECT_THAT(claims[0].metadata.owner_references, IsEmpty());
  EXPECT_EQ(claims[0].status.phase, "");
  EXPECT_TRUE(IsControlledBy(ClaimsOf(WithPolicy("Delete", "Retain"), 3)[0].metadata, "set-uid"));
}

TEST(StatefulPodTest, ClaimOwnersFollowTheRetentionPolicy) {
  struct Case {
    const char* when_deleted;
    const char* when_scaled;
    bool scaled_down;
    std::vector<std::string> owners;
  };
  const std::vector<Case> cases = {
      {"Retain", "Retain", false, {}},          {"Retain", "Retain", true, {}},
      {"Delete", "Retain", false, {"set-uid"}}, {"Delete", "Retain", true, {"set-uid"}},
      {"Retain", "Delete", false, {}},          {"Retain", "Delete", true, {"pod-uid"}},
      {"Delete", "Delete", false, {"set-uid"}}, {"Delete", "Delete", true, {"pod-uid"}},
  };
  corev1::Pod pod;
  pod.metadata.name = "db-0";
  pod.metadata.uid = "pod-uid";
  for (const Case& before : cases) {
    corev1::PersistentVolumeClaim claim;
    claim.metadata.namespace_name = "a";
    SetClaimOwners(WithPolicy(before.when_deleted, before.when_scaled), pod, before.scaled_down,
                   claim);
    for (const Case& after : cases) {
      corev1::PersistentVolumeClaim changed = claim;
      const StatefulSet set = WithPolicy(after.when_deleted, after.when_scaled);
      EXPECT_EQ(SetClaimOwners(set, pod, after.scaled_down, changed),
                before.owners != after.owners);
      std::vector<std::string> owners;
      for (const auto& owner : changed.metadata.owner_references) owners.push_back(owner.uid);
      EXPECT_EQ(owners, after.owners);
      EXPECT_FALSE(SetClaimOwners(set, pod, after.scaled_down, changed));
    }
  }
}

TEST(StatefulPodTest, DoesNotChangeClaimsOfOtherControllers) {
  corev1::PersistentVolumeClaim claim;
  OwnerReference& other = claim.metadata.owner_references.emplace_back();
  other.uid = "other";
  other.controller = true;
  EXPECT_FALSE(SetClaimOwners(WithPolicy("Delete", "Delete"), {}, true, claim));
  EXPECT_EQ(claim.metadata.owner_references.size(), 1U);
}

TEST(StatefulPodTest, StaleClaimIsNotReused) {
  corev1::PersistentVolumeClaim claim;
  EXPECT_FALSE(IsStale(claim, "db-0"));
  OwnerReference& owner = claim.metadata.owner_references.emplace_back();
  owner.kind = "Pod";
  owner.name = "db-0";
  EXPECT_TRUE(IsStale(claim, "db-0"));
  EXPECT_FALSE(IsStale(claim, "db-1"));
  claim.metadata.deletion_timestamp = Time(std::chrono::sys_seconds(std::chrono::seconds(1)));
  EXPECT_TRUE(IsStale(claim, "db-1"));
}

// ---- Revisions.

RevisionPointer Revision(int64_t number, const std::string& data) {
  auto revision = std::make_shared<appsv1::ControllerRevision>();
  revision->metadata.name = "r" + std::to_string(number);
  revision->revision = number;
  revision->data.text = data;
  return revision;
}

TEST(RevisionHistoryTest, PatchRestoresTheTemplate) {
  const corev1::PodTemplateSpec pods = Database().spec.template_;
  appsv1::ControllerRevision revision;
  revision.data.text = TemplatePatch(pods);
  EXPECT_TRUE(revision.data.text.starts_with(
      R"({"spec":{"template":{"$patch":"replace","metadata":{"labels":{"app":"db"}},"spec":)"))
      << revision.data.text;
  const auto back = TemplateOf(revision);
  ASSERT_TRUE(back.ok()) << back.error().message();
  EXPECT_TRUE(SemanticEqual(*back, pods));
  revision.data.text = R"({"spec":{}})";
  EXPECT_FALSE(TemplateOf(revision).ok());
}

TEST(RevisionHistoryTest, ReusesAnEqualRevision) {
  EXPECT_EQ(ChooseRevision({}, "a"), RevisionChoice{});
  const std::vector<RevisionPointer> history = {Revision(2, "a"), Revision(5, "b")};
  EXPECT_EQ(ChooseRevision(history, "b"), (RevisionChoice{history[1], 5}));
  EXPECT_EQ(ChooseRevision(history, "a"), (RevisionChoice{history[0], 6}));
  EXPECT_EQ(ChooseRevision(history, "c"), (RevisionChoice{nullptr, 6}));
}

TEST(RevisionHistoryTest, SelectsTheOldestUnusedRevisions) {
  const std::vector<RevisionPointer> history = {Revision(1, "a"), Revision(2, "b"),
                                                Revision(3, "c"), Revision(4, "d")};
  const auto numbers = [&](const std::set<std::string, std::less<>>& live, int32_t limit) {
    std::vector<int64_t> surplus;
    for (const auto& revision : SurplusRevisions(history, live, limit)) {
      surplus.push_back(revision->revision);
    }
    return surplus;
  };
  EXPECT_THAT(numbers({"r4"}, 10), IsEmpty());
  EXPECT_THAT(numbers({"r4"}, 1), ElementsAre(1, 2));
  EXPECT_THAT(numbers({"r1", "r4"}, 0), ElementsAre(2, 3));
}

}  // namespace
}  // namespace kubexms
