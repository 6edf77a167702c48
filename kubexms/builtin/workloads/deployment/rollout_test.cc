#include "kubexms/builtin/workloads/deployment/rollout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "kubexms/base/random.h"

namespace kubexms {
namespace {

using Sizes = std::vector<int32_t>;

appsv1::DeploymentSpec SpecOf(int32_t replicas, IntOrString surge, IntOrString unavailable) {
  appsv1::DeploymentSpec spec;
  spec.replicas = replicas;
  spec.strategy.type = "RollingUpdate";
  spec.strategy.rolling_update.emplace();
  spec.strategy.rolling_update->max_surge = std::move(surge);
  spec.strategy.rolling_update->max_unavailable = std::move(unavailable);
  return spec;
}

TEST(RolloutTest, LimitsAreNumbersOrPercentages) {
  struct Case {
    int32_t replicas;
    IntOrString surge;
    IntOrString unavailable;
    RolloutLimits limits;
  };
  for (const Case& c : std::vector<Case>{
           {10, 3, 2, {10, 3, 2}},
           {10, "25%", "25%", {10, 3, 2}},
           {3, "25%", "25%", {3, 1, 0}},
           {1, 0, "25%", {1, 0, 1}},
           {4, 0, 0, {4, 0, 1}},
           {4, "0%", "10%", {4, 0, 1}},
           {2, 1, 5, {2, 1, 2}},
           {0, "25%", "25%", {0, 0, 0}},
       }) {
    EXPECT_EQ(LimitsOf(SpecOf(c.replicas, c.surge, c.unavailable)), c.limits)
        << c.replicas << " " << c.surge.ToString() << " " << c.unavailable.ToString();
  }
  appsv1::DeploymentSpec recreate;
  recreate.replicas = 5;
  recreate.strategy.type = "Recreate";
  EXPECT_EQ(LimitsOf(recreate), (RolloutLimits{5, 0, 0}));
}

// The last of the sets is the current one.
Rollout With(RolloutLimits limits, std::vector<RolloutSet> sets) {
  const size_t current = sets.size() - 1;
  return {.limits = limits, .sets = std::move(sets), .current = current};
}

TEST(RolloutTest, RollsForwardStepByStep) {
  struct Case {
    std::string what;
    RolloutLimits limits;
    std::vector<RolloutSet> sets;
    Sizes sizes;
  };
  for (const Case& c : std::vector<Case>{
           {"nothing to do", {3, 1, 0}, {{0, 0}, {3, 3}}, {0, 3}},
           {"a single set is scaled up at once", {3, 1, 0}, {{0, 0}}, {3}},
           {"surge first", {3, 1, 0}, {{3, 3}, {0, 0}}, {3, 1}},
           {"waits until the new Pod is available", {3, 1, 0}, {{3, 3}, {1, 0}}, {3, 1}},
           {"scales an old set down for a new Pod", {3, 1, 0}, {{3, 3}, {1, 1}}, {2, 1}},
           {"then the surge allows another one", {3, 1, 0}, {{2, 2}, {1, 1}}, {2, 2}},
           {"a stale status does not count twice", {3, 1, 0}, {{2, 3}, {1, 1}}, {2, 2}},
           {"Pods that have yet to go take room",
            {3, 1, 0},
            {{.size = 2, .available = 3, .pods = 3}, {1, 1}},
            {2, 1}},
           {"a size that is not observed yet may be exceeded",
            {3, 1, 0},
            {{.size = 2, .available = 2, .pods = 2, .observed = false}, {1, 1}},
            {2, 1}},
           {"no surge", {4, 0, 1}, {{4, 4}, {0, 0}}, {3, 0}},
           {"no surge, up", {4, 0, 1}, {{3, 3}, {0, 0}}, {3, 1}},
           {"both", {10, 3, 2}, {{10, 10}, {0, 0}}, {8, 3}},
           {"unhealthy old Pods first", {4, 1, 1}, {{2, 0}, {2, 2}, {1, 1}}, {0, 2, 1}},
           {"oldest first", {4, 0, 2}, {{2, 2}, {2, 2}, {0, 0}}, {0, 2, 0}},
           {"all at once", {3, 3, 3}, {{3, 3}, {0, 0}}, {0, 3}},
           {"the current one is too large", {2, 1, 0}, {{0, 0}, {5, 5}}, {0, 2}},
           {"down to nothing", {0, 0, 0}, {{2, 2}, {1, 0}}, {0, 0}},
       }) {
    EXPECT_EQ(RollingSizes(With(c.limits, c.sets)), c.sizes) << c.what;
  }
}

TEST(RolloutTest, NewSetStartsWithTheSurge) {
  Rollout rollout{.limits = {10, 3, 2}, .sets = {{8, 8}, {2, 0}}};
  EXPECT_EQ(InitialSize(rollout), 3);
  rollout.sets.push_back({4, 4});
  EXPECT_EQ(InitialSize(rollout), 0);
  rollout.sets.clear();
  EXPECT_EQ(InitialSize(rollout), 10);
}

TEST(RolloutTest, RecreateWaitsForOldPods) {
  Rollout rollout = With({3, 0, 0}, {{3, 3}, {0, 0}});
  EXPECT_EQ(RecreateSizes(rollout, true), Sizes({0, 0}));
  rollout.sets[0] = {0, 0};
  EXPECT_EQ(RecreateSizes(rollout, true), Sizes({0, 0}));
  EXPECT_EQ(RecreateSizes(rollout, false), Sizes({0, 3}));
  rollout.current.reset();
  EXPECT_EQ(RecreateSizes(rollout, true), Sizes({0, 0}));
}

TEST(RolloutTest, DetectsRescaling) {
  EXPECT_FALSE(WasRescaled(With({3, 1, 0}, {{3, 3, 3, 4}})));
  EXPECT_FALSE(WasRescaled(With({3, 1, 0}, {{3, 3}})));        // adopted: no annotation
  EXPECT_FALSE(WasRescaled(With({3, 1, 0}, {{0, 0, 7, 8}})));  // has no Pods
  EXPECT_TRUE(WasRescaled(With({5, 2, 1}, {{0, 0, 5, 7}, {3, 3, 3, 4}})));
}

TEST(RolloutTest, RescalesInProportion) {
  struct Case {
    std::string what;
    RolloutLimits limits;
    std::vector<RolloutSet> sets;
    Sizes sizes;
  };
  for (const Case& c : std::vector<Case>{
           {"one set with Pods", {5, 2, 1}, {{0, 0, 3, 4}, {3, 3, 3, 4}}, {0, 5}},
           {"one old set with Pods", {5, 2, 1}, {{3, 3, 3, 4}, {0, 0, 3, 4}}, {5, 0}},
           {"no set with Pods", {5, 2, 1}, {{0, 0}, {0, 0}}, {0, 5}},
           {"up", {20, 5, 5}, {{8, 8, 10, 13}, {5, 0, 10, 13}}, {15, 10}},
           {"down during a rollout", {1, 1, 0}, {{2, 2, 3, 4}, {2, 1, 3, 4}}, {1, 1}},
           {"to nothing", {0, 0, 0}, {{2, 2, 3, 4}, {2, 1, 3, 4}}, {0, 0}},
           {"the newer of equal sets gets the rest",
            {4, 1, 1},
            {{2, 2, 3, 4}, {2, 1, 3, 4}},
            {2, 3}},
           {"without annotations", {8, 0, 2}, {{2, 2}, {2, 0}}, {4, 4}},
           {"a complete rollout scales old sets to zero",
            {3, 1, 0},
            {{2, 2, 3, 4}, {3, 3, 3, 4}},
            {0, 3}},
       }) {
    EXPECT_EQ(RescaledSizes(With(c.limits, c.sets), true), c.sizes) << c.what;
  }
  EXPECT_EQ(RescaledSizes(With({9, 0, 0}, {{2, 2, 3, 3}, {2, 1, 3, 3}}), false), Sizes({2, 2}));
  EXPECT_EQ(RescaledSizes({.limits = {3, 1, 0}}, true), Sizes());
}

// ReplicaSets whose Pods are created and deleted. Readiness is reported with a delay, sizes are
// observed later than they are set, and Pods are created and deleted later than sizes are observed.
class Cluster {
 public:
  Cluster(RolloutLimits limits, uint64_t seed) : random_(seed) {
    rollout_.limits = limits;
    ChangeTemplate();
    while (Advance()) {
    }
  }

  void ChangeTemplate() {
    const int32_t size = InitialSize(rollout_);
    rollout_.current = rollout_.sets.size();
    rollout_.sets.push_back({.size = size, .observed = false});
    pods_.push_back({});
  }

  // Applies a random event. False if none is possible.
  bool Advance() {
    const size_t set = random_.Below(pods_.size());
    switch (random_.Below(5)) {
      case 0: return Step() || !IsSettled();
      case 1: return FollowSize(set) || !IsSettled();
      case 2: return Start(set) || !IsSettled();
      case 3: return SeeSize(set) || !IsSettled();
      default: return Report(set) || !IsSettled();
    }
  }

  int32_t Pods() const {
    int32_t pods = 0;
    for (const SetPods& set : pods_) pods += set.all;
    return pods;
  }
  int32_t Available() const {
    int32_t pods = 0;
    for (const SetPods& set : pods_) pods += set.ready;
    return pods;
  }
  int32_t OfCurrent() const { return pods_[*rollout_.current].ready; }

 private:
  struct SetPods {
    int32_t all = 0;
    int32_t ready = 0;
    int32_t size = 0;         // as observed by the ReplicaSet controller
    bool is_current = false;  // the observed size is the current one
  };

  bool Step() {
    const Sizes sizes = RollingSizes(rollout_);
    bool changed = false;
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (std::exchange(rollout_.sets[i].size, sizes[i]) == sizes[i]) continue;
      rollout_.sets[i].observed = pods_[i].is_current = false;
      changed = true;
    }
    return changed;
  }
  bool SeeSize(size_t set) {
    pods_[set].size = rollout_.sets[set].size;
    return !std::exchange(pods_[set].is_current, true);
  }
  // As the ReplicaSet controller does: Pods that are not ready are deleted first.
  bool FollowSize(size_t set) {
    SetPods& pods = pods_[set];
    pods.ready = std::min(pods.ready, pods.size);
    rollout_.sets[set].pods = pods.size;
    rollout_.sets[set].observed = pods.is_current;
    return std::exchange(pods.all, pods.size) != pods.size;
  }
  bool Start(size_t set) {
    if (pods_[set].ready == pods_[set].all) return false;
    ++pods_[set].ready;
    return true;
  }
  bool Report(size_t set) {
    const int32_t ready = pods_[set].ready;
    return std::exchange(rollout_.sets[set].available, ready) != ready;
  }
  bool IsSettled() const {
    for (size_t i = 0; i < pods_.size(); ++i) {
      const RolloutSet& set = rollout_.sets[i];
      if (pods_[i].all != set.size || pods_[i].ready != set.size || set.available != set.size ||
          !set.observed) {
        return false;
      }
    }
    return RollingSizes(rollout_) == SizesNow();
  }
  Sizes SizesNow() const {
    Sizes sizes;
    for (const RolloutSet& set : rollout_.sets) sizes.push_back(set.size);
    return sizes;
  }

  SeededRandom random_;
  Rollout rollout_;
  std::vector<SetPods> pods_;
};

TEST(RolloutTest, StaysWithinItsLimitsAndCompletes) {
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    SeededRandom random(seed);
    const auto replicas = static_cast<int32_t>(random.Below(12));
    const RolloutLimits limits = LimitsOf(SpecOf(replicas, static_cast<int32_t>(random.Below(5)),
                                                 static_cast<int32_t>(random.Below(5))));
    Cluster cluster(limits, seed);
    ASSERT_EQ(cluster.OfCurrent(), replicas) << "seed " << seed;
    const uint64_t changes = 1 + random.Below(3);
    int steps = 0;
    for (uint64_t change = 0; change < changes; ++change) {
      cluster.ChangeTemplate();
      // The last change is rolled out completely, the others are superseded.
      for (uint64_t left = change + 1 == changes ? 100'000 : random.Below(200);
           left > 0 && cluster.Advance(); --left, ++steps) {
        ASSERT_LE(cluster.Pods(), limits.replicas + limits.max_surge) << "seed " << seed;
        ASSERT_GE(cluster.Available(), limits.MinAvailable()) << "seed " << seed;
      }
    }
    EXPECT_EQ(cluster.OfCurrent(), replicas) << "seed " << seed << " after " << steps;
    EXPECT_EQ(cluster.Pods(), replicas) << "seed " << seed << " after " << steps;
  }
}

}  // namespace
}  // namespace kubexms
