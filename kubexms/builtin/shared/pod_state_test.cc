#include "kubexms/builtin/shared/pod_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "kubexms/base/clock.h"
#include "kubexms/builtin/shared/parallel_writes.h"
#include "kubexms/builtin/workloads/pod_template.h"

namespace kubexms {
namespace {

using corev1::Pod;
using std::chrono::seconds;
using std::chrono::sys_seconds;
using ::testing::ElementsAre;

const sys_seconds kNow{seconds(1'800'000'000)};

void SetReady(Pod& pod, sys_seconds since) {
  corev1::PodCondition ready;
  ready.type = "Ready";
  ready.status = "True";
  ready.last_transition_time = Time(since);
  pod.status.conditions = {ready};
}

// A ready Pod on a node.
Pod Running(const std::string& name) {
  Pod pod;
  pod.metadata.name = name;
  pod.metadata.uid = name;
  pod.metadata.creation_timestamp = Time(kNow - seconds(1000));
  pod.spec.node_name = "node-" + name;
  pod.status.phase = "Running";
  SetReady(pod, kNow - seconds(900));
  return pod;
}

PodPointer Changed(const std::string& name, const std::function<void(Pod&)>& change) {
  auto pod = std::make_shared<Pod>(Running(name));
  change(*pod);
  return pod;
}

std::vector<std::string> Names(const std::vector<PodPointer>& pods) {
  std::vector<std::string> names;
  names.reserve(pods.size());
  for (const PodPointer& pod : pods) names.push_back(pod->metadata.name);
  return names;
}

TEST(PodStateTest, SortsForDeletion) {
  std::vector<PodPointer> pods = {
      Changed("plain", [](Pod&) {}),
      Changed("restarted",
              [](Pod& pod) {
                pod.status.container_statuses.resize(1);
                pod.status.container_statuses[0].restart_count = 3;
              }),
      Changed("costly",
              [](Pod& pod) {
                pod.metadata.annotations["controller.kubernetes.io/pod-deletion-cost"] = "10";
              }),
      Changed("cheap",
              [](Pod& pod) {
                pod.metadata.annotations["controller.kubernetes.io/pod-deletion-cost"] = "-5";
              }),
      Changed("newly-ready", [](Pod& pod) { SetReady(pod, kNow - seconds(3)); }),
      Changed("unready", [](Pod& pod) { pod.status.conditions.clear(); }),
      Changed("pending",
              [](Pod& pod) {
                pod.status.phase = "Pending";
                pod.status.conditions.clear();
              }),
      Changed("unassigned", [](Pod& pod) { pod.spec.node_name.clear(); }),
      Changed("crowded", [](Pod& pod) { pod.spec.node_name = "busy"; }),
  };
  std::vector<PodPointer> related = pods;
  related.push_back(Changed("neighbor", [](Pod& pod) { pod.spec.node_name = "busy"; }));
  SortForDeletion(pods, related, kNow);
  EXPECT_THAT(Names(pods), ElementsAre("unassigned", "pending", "unready", "cheap", "crowded",
                                       "newly-ready", "restarted", "plain", "costly"));
}

TEST(PodStateTest, ComparesAgesLogarithmically) {
  std::vector<PodPointer> pods = {
      Changed("b-old", [](Pod&) {}),
      Changed("a-old",
              [](Pod& pod) { pod.metadata.creation_timestamp = Time(kNow - seconds(1001)); }),
      Changed("young", [](Pod& pod) { pod.metadata.creation_timestamp = Time(kNow - seconds(5)); }),
  };
  SortForDeletion(pods, pods, kNow);
  EXPECT_THAT(Names(pods), ElementsAre("young", "a-old", "b-old"));
}

TEST(PodStateTest, IsAvailableAfterMinReadySeconds) {
  Pod pod = Running("a");
  SetReady(pod, kNow - seconds(10));
  EXPECT_TRUE(IsAvailable(pod, 0, kNow));
  EXPECT_TRUE(IsAvailable(pod, 10, kNow));
  EXPECT_FALSE(IsAvailable(pod, 11, kNow));
  EXPECT_EQ(TimeUntilAvailable(pod, 15, kNow), seconds(5));
  EXPECT_EQ(TimeUntilAvailable(pod, 10, kNow), std::nullopt);
  pod.status.conditions.clear();
  EXPECT_FALSE(IsAvailable(pod, 0, kNow));
  EXPECT_EQ(TimeUntilAvailable(pod, 15, kNow), std::nullopt);
}

TEST(PodTemplateTest, HashesDistinguishTemplates) {
  corev1::PodTemplateSpec first;
  first.metadata.labels["app"] = "web";
  corev1::PodTemplateSpec second = first;
  EXPECT_EQ(TemplateHash(first, {}), TemplateHash(second, {}));
  EXPECT_NE(TemplateHash(first, {}), TemplateHash(first, 1));
  second.spec.host_network = true;
  EXPECT_NE(TemplateHash(first, {}), TemplateHash(second, {}));
  EXPECT_EQ(TemplateHash(first, {}).find_first_not_of("bcdfghjklmnpqrstvwxz2456789"),
            std::string::npos);
}

class ParallelWritesTest : public ::testing::Test {
 protected:
  ParallelWrites writes_{4};
};

TEST_F(ParallelWritesTest, RunsEachWriteOnce) {
  std::vector<std::atomic<int>> counts(1000);
  const auto result = writes_.RunAll(counts.size(), [&](size_t index) -> Result<void> {
    ++counts[index];
    return {};
  });
  EXPECT_TRUE(result.result.ok());
  EXPECT_EQ(result.succeeded, 1000U);
  for (const auto& count : counts) EXPECT_EQ(count, 1);
}

TEST_F(ParallelWritesTest, SlowStartStopsEarly) {
  std::atomic<int> calls = 0;
  const auto result = writes_.SlowStart(1000, [&](size_t) -> Result<void> {
    ++calls;
    return Error::Internal("no room");
  });
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(result.succeeded, 0U);
  EXPECT_EQ(result.result.error().message(), "no room");
}

TEST_F(ParallelWritesTest, SlowStartStopsAfterTheFailedBatch) {
  std::atomic<int> calls = 0;
  const auto result = writes_.SlowStart(1000, [&](size_t index) -> Result<void> {
    ++calls;
    if (index == 4) return Error::Internal("quota");
    return {};
  });
  EXPECT_EQ(calls, 1 + 2 + 4);
  EXPECT_EQ(result.succeeded, 6U);
  EXPECT_FALSE(result.result.ok());
}

TEST_F(ParallelWritesTest, AcceptsZeroWrites) {
  EXPECT_TRUE(writes_.RunAll(0, [](size_t) -> Result<void> { return {}; }).result.ok());
}

}  // namespace
}  // namespace kubexms
