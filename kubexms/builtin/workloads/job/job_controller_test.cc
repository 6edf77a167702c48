#include "kubexms/builtin/workloads/job/job_controller.h"

#include <fmt/format.h>

#include <functional>

#include "kubexms/api/kinds/batch_v1.h"
#include "kubexms/builtin/builtin_fixture_test.h"
#include "kubexms/builtin/workloads/job/job_pods.h"
#include "kubexms/builtin/workloads/job/job_state.h"

namespace kubexms {
namespace {

using batchv1::Job;
using corev1::Pod;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kController = "job-controller";

// The Job controllers; the test acts as the kubelet. The clock starts at 2024-01-01T00:00:00Z.
class JobTest : protected ManualTime, public BuiltinTest {
 protected:
  JobTest() : BuiltinTest(&manual_clock_) {}

  void Make(const std::string& name, const std::function<void(Job&)>& change = {}) {
    Job job;
    job.metadata.namespace_name = "default";
    job.metadata.name = name;
    job.spec.template_.spec.restart_policy = "Never";
    job.spec.template_.spec.containers.resize(1);
    job.spec.template_.spec.containers[0].name = "main";
    job.spec.template_.spec.containers[0].image = "busybox";
    if (change) change(job);
    const auto made = client().Create(job);
    ASSERT_TRUE(made.ok()) << made.error().message();
  }
  Job Current(const std::string& name) { return client().Get<Job>({"default", name}).value(); }
  batchv1::JobStatus StatusOf(const std::string& name) { return Current(name).status; }
  bool EventuallyActive(const std::string& name, int32_t active) {
    return Eventually([&] { return StatusOf(name).active == active; });
  }
  // Advances the clock repeatedly: a reconcile that ran during an advance waits from then on.
  bool EventuallyActiveAgain(const std::string& name, int32_t active) {
    return Eventually([&] { return StatusOf(name).active == active || Pass(); });
  }
  bool EventuallyEnded(const std::string& name, const std::string& end) {
    return Eventually([&] { return FinishedConditionType(Current(name)) == end; });
  }
  bool EventuallyEndedInTime(const std::string& name, const std::string& end) {
    return Eventually([&] { return FinishedConditionType(Current(name)) == end || Pass(); });
  }
  bool Pass() {
    manual_clock_.Advance(seconds(1));
    return false;
  }
  void MoveTime(std::chrono::nanoseconds time) {
    AwaitIdle();
    manual_clock_.Advance(time);
  }
  std::vector<Pod> PodsOf(const std::string& job) {
    return client()
        .List<Pod>({.namespace_name = "default",
                    .label_selector = Selector::Parse("job-name=" + job).value()})
        .value()
        .items;
  }

  // As a kubelet does.
  void SetPhase(Pod pod, const std::string& phase, int32_t exit_code = 0) {
    pod.status.phase = phase;
    pod.status.container_statuses.resize(1);
    corev1::ContainerStatus& container = pod.status.container_statuses[0];
    container.name = "main";
    container.image = "busybox";
    auto& terminated = container.state.terminated.emplace();
    terminated.exit_code = exit_code;
    terminated.finished_at = Time::Now(manual_clock_);
    pod.metadata.resource_version.clear();
    const auto written = client().UpdateStatus(pod);
    EXPECT_TRUE(written.ok() || written.error().IsNotFound()) << written.error().message();
  }
  void Succeed(const Pod& pod) { SetPhase(pod, "Succeeded"); }
  void Fail(const Pod& pod, int32_t exit_code = 1) { SetPhase(pod, "Failed", exit_code); }

  static std::vector<std::string> Conditions(const batchv1::JobStatus& status) {
    std::vector<std::string> texts;
    for (const auto& condition : status.conditions) {
      texts.push_back(fmt::format("{}={} {}: {}", condition.type, condition.status,
                                  condition.reason, condition.message));
    }
    return texts;
  }
};

TEST_F(JobTest, CompletesWhenItsPodSucceeds) {
  Start(kController);
  Make("ok");
  ASSERT_TRUE(EventuallyActive("ok", 1));
  const std::vector<Pod> pods = PodsOf("ok");
  ASSERT_EQ(pods.size(), 1U);
  EXPECT_EQ(pods[0].metadata.generate_name, "ok-");
  EXPECT_THAT(pods[0].metadata.finalizers, ElementsAre(kJobTrackingFinalizer));
  EXPECT_TRUE(EventuallyRecorded("SuccessfulCreate", "Created pod: " + pods[0].metadata.name));
  Succeed(pods[0]);
  ASSERT_TRUE(EventuallyEnded("ok", "Complete"));
  const char* reason = "CompletionsReached: Reached expected number of succeeded pods";
  const batchv1::JobStatus status = StatusOf("ok");
  EXPECT_THAT(Conditions(status), ElementsAre(fmt::format("SuccessCriteriaMet=True {}", reason),
                                              fmt::format("Complete=True {}", reason)));
  batchv1::JobStatus counts = status;
  counts.conditions.clear();
  EXPECT_EQ(Encode(counts), R"({"completionTime":"2024-01-01T00:00:00Z","ready":0,)"
                            R"("startTime":"2024-01-01T00:00:00Z","succeeded":1,"terminating":0,)"
                            R"("uncountedTerminatedPods":{}})");
  EXPECT_THAT(PodsOf("ok")[0].metadata.finalizers, IsEmpty());
  EXPECT_TRUE(EventuallyRecorded("Completed", "Job completed"));
}

TEST_F(JobTest, CompletesEveryIndexOnce) {
  Start(kController);
  Make("idx", [](Job& job) {
    job.spec.completion_mode = "Indexed";
    job.spec.completions = 3;
    job.spec.parallelism = 2;
  });
  ASSERT_TRUE(EventuallyActive("idx", 2));
  std::vector<Pod> pods = PodsOf("idx");
  ASSERT_EQ(pods.size(), 2U);
  EXPECT_EQ(pods[0].metadata.generate_name, "idx-0-");
  EXPECT_EQ(pods[0].spec.hostname, "idx-0");
  EXPECT_EQ(pods[0].spec.containers[0].env[0].name, "JOB_COMPLETION_INDEX");
  Succeed(pods[1]);
  ASSERT_TRUE(Eventually([&] { return PodsOf("idx").size() == 3U; }));
  ASSERT_TRUE(Eventually([&] { return StatusOf("idx").completed_indexes == "1"; }));
  pods = PodsOf("idx");
  EXPECT_EQ(pods[2].metadata.labels.at(kCompletionIndex), "2");
  Succeed(pods[0]);
  Succeed(pods[2]);
  ASSERT_TRUE(EventuallyEnded("idx", "Complete"));
  EXPECT_EQ(StatusOf("idx").completed_indexes, "0-2");
  EXPECT_EQ(StatusOf("idx").succeeded, 3);
}

TEST_F(JobTest, FailsBeyondItsBackoffLimit) {
  Start(kController);
  Make("bad", [](Job& job) { job.spec.backoff_limit = 1; });
  ASSERT_TRUE(EventuallyActive("bad", 1));
  Fail(PodsOf("bad")[0]);
  ASSERT_TRUE(Eventually([&] { return StatusOf("bad").failed == 1; }));
  ASSERT_TRUE(EventuallyActive("bad", 0));
  // The next one waits for ten seconds.
  MoveTime(seconds(9));
  EXPECT_EQ(PodsOf("bad").size(), 1U);
  MoveTime(seconds(1));
  ASSERT_TRUE(EventuallyActiveAgain("bad", 1));
  for (const Pod& pod : std::vector<Pod>(PodsOf("bad"))) {
    if (pod.status.phase != "Failed") Fail(pod);
  }
  ASSERT_TRUE(EventuallyEnded("bad", "Failed"));
  const char* reason = "BackoffLimitExceeded: Job has reached the specified backoff limit";
  EXPECT_THAT(Conditions(StatusOf("bad")), ElementsAre(fmt::format("FailureTarget=True {}", reason),
                                                       fmt::format("Failed=True {}", reason)));
  EXPECT_EQ(StatusOf("bad").failed, 2);
  EXPECT_TRUE(
      EventuallyRecorded("BackoffLimitExceeded", "Job has reached the specified backoff limit"));
}

TEST_F(JobTest, FailsAtItsDeadline) {
  Start(kController);
  Make("late", [](Job& job) { job.spec.active_deadline_seconds = 30; });
  ASSERT_TRUE(EventuallyActive("late", 1));
  MoveTime(seconds(30));
  ASSERT_TRUE(EventuallyEndedInTime("late", "Failed"));
  EXPECT_TRUE(
      EventuallyRecorded("DeadlineExceeded", "Job was active longer than specified deadline"));
  EXPECT_EQ(StatusOf("late").failed, 1);
  EXPECT_THAT(PodsOf("late"), IsEmpty());
}

TEST_F(JobTest, IsSuspendedAndResumed) {
  Start(kController);
  Make("pause", [](Job& job) { job.spec.suspend = true; });
  EXPECT_TRUE(EventuallyRecorded("Suspended", "Job suspended"));
  EXPECT_THAT(PodsOf("pause"), IsEmpty());
  EXPECT_TRUE(StatusOf("pause").start_time.IsZero());
  const auto suspend = [&](const char* value) {
    return client()
        .Patch<Job>({"default", "pause"},
                    {.body = fmt::format(R"({{"spec":{{"suspend":{}}}}})", value)})
        .ok();
  };
  MoveTime(seconds(5));
  ASSERT_TRUE(suspend("false"));
  ASSERT_TRUE(EventuallyActive("pause", 1));
  EXPECT_EQ(StatusOf("pause").start_time.ToString(), "2024-01-01T00:00:05Z");
  EXPECT_TRUE(EventuallyRecorded("Resumed", "Job resumed"));
  ASSERT_TRUE(suspend("true"));
  ASSERT_TRUE(EventuallyActive("pause", 0));
  EXPECT_TRUE(Eventually([&] { return PodsOf("pause").empty(); }));
  EXPECT_EQ(StatusOf("pause").failed, 0);
  MoveTime(seconds(5));
  ASSERT_TRUE(suspend("false"));
  ASSERT_TRUE(EventuallyActive("pause", 1));
  EXPECT_EQ(StatusOf("pause").start_time.ToString(), "2024-01-01T00:00:10Z");
}

TEST_F(JobTest, FollowsItsParallelism) {
  Start(kController);
  Make("wide", [](Job& job) {
    job.spec.parallelism = 8;
    job.spec.completions = 100;
  });
  ASSERT_TRUE(EventuallyActive("wide", 8));
  ASSERT_TRUE(
      client().Patch<Job>({"default", "wide"}, {.body = R"({"spec":{"parallelism":3}})"}).ok());
  ASSERT_TRUE(EventuallyActive("wide", 3));
  EXPECT_EQ(PodsOf("wide").size(), 3U);
  EXPECT_EQ(StatusOf("wide").failed, 0);
}

TEST_F(JobTest, IgnoresJobsOfOtherManagers) {
  Start(kController);
  Make("theirs", [](Job& job) { job.spec.managed_by = "example.com/queue"; });
  Make("ours");
  ASSERT_TRUE(EventuallyActive("ours", 1));
  EXPECT_THAT(PodsOf("theirs"), IsEmpty());
  EXPECT_TRUE(StatusOf("theirs").start_time.IsZero());
}

TEST_F(JobTest, DeletesPodsWithTheirJob) {
  Start("job-controller,garbage-collector-controller");
  for (const char* policy : {"Background", "Foreground", "Orphan"}) {
    Make("gone", [](Job& job) { job.spec.completions = job.spec.parallelism = 3; });
    ASSERT_TRUE(EventuallyActive("gone", 3));
    DeleteOptions options;
    options.propagation_policy = policy;
    ASSERT_TRUE(client().Delete<Job>({"default", "gone"}, options).ok());
    ASSERT_TRUE(Eventually([&] { return !client().Get<Job>({"default", "gone"}).ok(); })) << policy;
    ASSERT_TRUE(Eventually([&] {
      const std::vector<Pod> pods = PodsOf("gone");
      return std::none_of(pods.begin(), pods.end(),
                          [](const Pod& pod) { return IsTracked(pod); }) &&
             pods.empty() == (std::string_view(policy) != "Orphan");
    })) << policy;
  }
}

TEST_F(JobTest, IsDeletedAfterItsTtl) {
  Start("job-controller,ttl-after-finished-controller,garbage-collector-controller");
  Make("brief", [](Job& job) { job.spec.ttl_seconds_after_finished = 60; });
  Make("kept");
  for (const char* name : {"brief", "kept"}) {
    ASSERT_TRUE(EventuallyActive(name, 1));
    Succeed(PodsOf(name)[0]);
    ASSERT_TRUE(EventuallyEnded(name, "Complete"));
  }
  MoveTime(seconds(59));
  EXPECT_TRUE(client().Get<Job>({"default", "brief"}).ok());
  MoveTime(seconds(1));
  EXPECT_TRUE(Eventually([&] { return !client().Get<Job>({"default", "brief"}).ok() || Pass(); }));
  EXPECT_TRUE(Eventually([&] { return PodsOf("brief").empty(); }));
  EXPECT_TRUE(client().Get<Job>({"default", "kept"}).ok());
}

// Whatever the write after which the process crashes, each Pod is counted once, and no surplus Pods
// are created.
TEST_F(JobTest, CountsEveryPodOnceAcrossCrashes) {
  for (const char* mode : {"NonIndexed", "Indexed"}) {
    bool crashed = true;
    for (int survived = 0; crashed; ++survived) {
      ASSERT_LT(survived, 100);
      const std::string name = fmt::format("crash-{}{}", mode[0] == 'I' ? "i" : "n", survived);
      const std::string what = fmt::format("{} after {} writes", mode, survived);
      Make(name, [&](Job& job) {
        job.spec.completion_mode = mode;
        job.spec.completions = 3;
        job.spec.parallelism = 2;
      });
      bool failed_one = false;
      // Finishes running Pods, and advances the clock beyond the backoff.
      const auto run_pods = [&] {
        for (const Pod& pod : std::vector<Pod>(PodsOf(name))) {
          if (pod.status.phase == "Succeeded" || pod.status.phase == "Failed") continue;
          std::exchange(failed_one, true) ? Succeed(pod) : Fail(pod);
        }
        manual_clock_.Advance(seconds(20));
      };
      const auto crash = CrashAfter(survived, kController);
      Start(kController);
      ASSERT_TRUE(Eventually([&] {
        run_pods();
        return *crash || IsFinished(Current(name));
      })) << what;
      crashed = *crash;
      Stop();
      ClientOf(kController).Set({});
      Start(kController);
      ASSERT_TRUE(Eventually([&] {
        run_pods();
        return IsFinished(Current(name));
      })) << what;
      const batchv1::JobStatus status = StatusOf(name);
      EXPECT_EQ(status.succeeded, 3) << what;
      EXPECT_EQ(status.failed, 1) << what;
      EXPECT_EQ(status.completed_indexes, mode[0] == 'I' ? "0-2" : "") << what;
      EXPECT_EQ(PodsOf(name).size(), 4U) << what;
      Stop();
    }
  }
}

}  // namespace
}  // namespace kubexms
