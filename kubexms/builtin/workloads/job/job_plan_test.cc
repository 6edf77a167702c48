#include "kubexms/builtin/workloads/job/job_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "kubexms/builtin/workloads/job/job_state.h"
#include "kubexms/builtin/workloads/job/pod_failure_policy.h"

namespace kubexms {
namespace {

using batchv1::Job;
using corev1::Pod;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using std::chrono::sys_seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const sys_seconds kNow{seconds(1'800'000'000)};

TEST(CompletionIndexesTest, AreWrittenAsRanges) {
  struct Case {
    const char* text;
    int32_t completions;
    std::vector<int32_t> added;
    const char* result;
    int64_t size;
  };
  for (const Case& c : {
           Case{"", 10, {}, "", 0},
           Case{"", 10, {1, 0}, "0,1", 2},
           Case{"", 10, {2, 0, 1}, "0-2", 3},
           Case{"1,3-5,7", 10, {}, "1,3-5,7", 5},
           Case{"1,3-5,7", 10, {6, 2}, "1-7", 7},
           Case{"0,1,4", 10, {4, 4}, "0,1,4", 3},
           Case{"0-9", 4, {}, "0-3", 4},
           Case{"7-9", 4, {}, "", 0},
           Case{"x,2,-1,5-", 10, {}, "2", 1},
       }) {
    CompletionIndexes indexes(c.text, c.completions);
    for (const int32_t index : c.added) indexes.Add(index);
    EXPECT_EQ(indexes.ToString(), c.result) << c.text;
    EXPECT_EQ(indexes.size(), c.size) << c.text;
  }
  const CompletionIndexes some("1,3-5", 10);
  for (int32_t index = 0; index < 8; ++index) {
    EXPECT_EQ(some.Contains(index), index == 1 || (index >= 3 && index <= 5)) << index;
  }
  EXPECT_EQ(some.CountIn(CompletionIndexes("0-3,5,7", 10)), 3);
}

// ---- Notation of Jobs and Pods.

struct PodOptions {
  int32_t index = -1;
  bool tracked = true;
  bool deleted = false;
  int32_t failures = 0;
  int32_t exit_code = 1;
  seconds age{1000};  // since it finished
  int32_t restarts = 0;
};

PodPointer MakePod(const std::string& name, const std::string& phase, const PodOptions& o = {}) {
  auto pod = std::make_shared<Pod>();
  pod->metadata.namespace_name = "default";
  pod->metadata.name = pod->metadata.uid = name;
  pod->metadata.creation_timestamp = Time(kNow - seconds(5000));
  if (o.tracked) pod->metadata.finalizers = {kJobTrackingFinalizer};
  if (o.index >= 0) pod->metadata.annotations[kCompletionIndex] = std::to_string(o.index);
  if (o.deleted) pod->metadata.deletion_timestamp = Time(kNow - o.age);
  SetFailuresBefore({.counted = o.failures}, *pod);
  pod->status.phase = phase;
  corev1::ContainerStatus container;
  container.name = "main";
  container.restart_count = o.restarts;
  if (phase == "Failed" || phase == "Succeeded") {
    auto& terminated = container.state.terminated.emplace();
    terminated.exit_code = phase == "Failed" ? o.exit_code : 0;
    terminated.finished_at = Time(kNow - o.age);
  }
  pod->status.container_statuses = {container};
  return pod;
}

Job MakeJob(const std::function<void(Job&)>& change = {}) {
  Job job;
  job.metadata.namespace_name = "default";
  job.metadata.name = "sum";
  job.metadata.uid = "uid-of-sum";
  job.spec.completions = 3;
  job.spec.parallelism = 2;
  job.spec.backoff_limit = 6;
  job.spec.completion_mode = "NonIndexed";
  job.spec.pod_replacement_policy = "TerminatingOrFailed";
  job.spec.template_.spec.restart_policy = "Never";
  job.spec.template_.spec.containers.resize(1);
  job.status.start_time = Time(kNow - seconds(100));
  job.status.uncounted_terminated_pods.emplace();
  if (change) change(job);
  return job;
}

void Indexed(Job& job) { job.spec.completion_mode = "Indexed"; }
void PerIndex(Job& job) {
  Indexed(job);
  job.spec.backoff_limit = 1000;
  job.spec.backoff_limit_per_index = 1;
}
void AddRule(Job& job, const std::string& action, const std::vector<int32_t>& codes) {
  if (!job.spec.pod_failure_policy) job.spec.pod_failure_policy.emplace();
  job.spec.pod_replacement_policy = "Failed";
  batchv1::PodFailurePolicyRule rule;
  rule.action = action;
  auto& on_codes = rule.on_exit_codes.emplace();
  on_codes.operator_ = "In";
  on_codes.values = codes;
  job.spec.pod_failure_policy->rules.push_back(rule);
}

std::vector<std::string> Names(const std::vector<PodPointer>& pods) {
  std::vector<std::string> names;
  for (const PodPointer& pod : pods) names.push_back(pod->metadata.name);
  return names;
}

// "complete: Reason" or "fail: Reason"; "-a" for each Pod to delete, "+" or "+index" for each to
// create, "?seconds" for a requeue.
std::string Summary(const JobPlan& plan) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : " ") + part; };
  if (plan.finished)
    add((plan.finished->success ? "complete: " : "fail: ") + plan.finished->reason);
  for (const std::string& name : Names(plan.to_delete)) add("-" + name);
  for (const PodToCreate& pod : plan.to_create) {
    add("+" + (pod.index ? std::to_string(*pod.index) : ""));
    if (pod.failures.total() > 0) text += "!" + std::to_string(pod.failures.total());
  }
  if (plan.requeue_after) {
    add("?" + std::to_string(std::chrono::duration_cast<seconds>(*plan.requeue_after).count()));
  }
  return text;
}

struct PlanCase {
  const char* what;
  Job job;
  std::vector<PodPointer> pods;
  const char* plan;
};

void ExpectPlans(const std::vector<PlanCase>& cases) {
  for (const PlanCase& c : cases) {
    EXPECT_EQ(Summary(PlanJob(c.job, c.pods, kNow)), c.plan) << c.what;
  }
}

TEST(JobPlanTest, CreatesAndDeletesPodsForParallelism) {
  const auto a = MakePod("a", "Running");
  const auto b = MakePod("b", "Running");
  const auto c = MakePod("c", "Pending");
  const auto done = MakePod("done", "Succeeded");
  ExpectPlans({
      {"the first", MakeJob(), {}, "+ +"},
      {"one exists", MakeJob(), {a}, "+"},
      {"all exist", MakeJob(), {a, b}, ""},
      {"no more than completions", MakeJob([](Job& job) { job.status.succeeded = 2; }), {}, "+"},
      {"too many", MakeJob(), {a, b, c}, "-c"},
      {"one has succeeded", MakeJob(), {a, done}, "+"},
      {"suspended", MakeJob([](Job& job) { job.spec.suspend = true; }), {a, b}, "-a -b"},
      {"being deleted",
       MakeJob([](Job& job) { job.metadata.deletion_timestamp = Time(kNow); }),
       {},
       ""},
      {"terminating Pods are replaced",
       MakeJob(),
       {a, MakePod("x", "Running", {.deleted = true})},
       "+"},
      {"or after they have failed",
       MakeJob([](Job& job) { job.spec.pod_replacement_policy = "Failed"; }),
       {a, MakePod("x", "Running", {.deleted = true})},
       ""},
      {"a work queue", MakeJob([](Job& job) { job.spec.completions.reset(); }), {a}, "+"},
      {"a work queue with a success",
       MakeJob([](Job& job) { job.spec.completions.reset(); }),
       {a, done},
       ""},
      {"a bounded number",
       MakeJob([](Job& job) { job.spec.parallelism = job.spec.completions = 100'000; }),
       std::vector<PodPointer>(99'998, a), "+ +"},
  });
  EXPECT_EQ(PlanJob(MakeJob([](Job& job) { job.spec.parallelism = job.spec.completions = 9999; }),
                    {}, kNow)
                .to_create.size(),
            kMaxPodsAtATime);
}

TEST(JobPlanTest, CreatesPodsForIndexes) {
  const auto zero = MakePod("zero", "Running", {.index = 0});
  const auto twin = MakePod("twin", "Pending", {.index = 0});
  const auto two = MakePod("two", "Running", {.index = 2});
  const auto nine = MakePod("nine", "Running", {.index = 9});
  ExpectPlans({
      {"the first", MakeJob(Indexed), {}, "+0 +1"},
      {"the next", MakeJob(Indexed), {MakePod("done", "Succeeded", {.index = 0}), two}, "+1"},
      {"counted indexes",
       MakeJob([](Job& job) {
         Indexed(job);
         job.status.completed_indexes = "0,1";
       }),
       {},
       "+2"},
      {"a duplicate index", MakeJob(Indexed), {zero, twin}, "-twin"},
      {"an index beyond completions", MakeJob(Indexed), {zero, nine}, "-nine"},
      {"complete",
       MakeJob([](Job& job) {
         Indexed(job);
         job.status.completed_indexes = "0-2";
       }),
       {},
       "complete: CompletionsReached"},
  });
}

TEST(JobPlanTest, WaitsLongerAfterEachFailure) {
  EXPECT_EQ(PodBackoff(1), seconds(10));
  EXPECT_EQ(PodBackoff(2), seconds(20));
  EXPECT_EQ(PodBackoff(6), seconds(320));
  EXPECT_EQ(PodBackoff(7), minutes(10));
  EXPECT_EQ(PodBackoff(2'000'000'000), minutes(10));
  const auto now = MakePod("now", "Failed", {.age = seconds(3)});
  const auto counted = MakePod("counted", "Failed", {.tracked = false, .age = seconds(50)});
  const auto success = MakePod("success", "Succeeded", {.tracked = false, .age = seconds(20)});
  const auto gone =
      MakePod("gone", "Failed", {.tracked = false, .deleted = true, .age = seconds(1)});
  ExpectPlans({
      {"one failure", MakeJob(), {now}, "?7"},
      {"long ago", MakeJob(), {counted}, "+ +"},
      {"two failures", MakeJob(), {now, counted}, "?17"},
      {"only those since a success count", MakeJob(), {now, counted, success}, "?7"},
      {"released Pods do not count", MakeJob(), {gone}, "+ +"},
  });
}

TEST(JobPlanTest, FailsAtItsLimits) {
  const auto a = MakePod("a", "Running");
  ExpectPlans({
      {"failures",
       MakeJob([](Job& job) { job.status.failed = 7; }),
       {a},
       "fail: BackoffLimitExceeded -a"},
      {"as many as allowed", MakeJob([](Job& job) { job.status.failed = 6; }), {a}, "+"},
      {"failures not yet counted",
       MakeJob([](Job& job) { job.status.failed = 6; }),
       {a, MakePod("b", "Failed")},
       "fail: BackoffLimitExceeded -a"},
      {"restarts",
       MakeJob([](Job& job) { job.spec.template_.spec.restart_policy = "OnFailure"; }),
       {MakePod("b", "Running", {.restarts = 6})},
       "fail: BackoffLimitExceeded -b"},
      {"the deadline",
       MakeJob([](Job& job) { job.spec.active_deadline_seconds = 100; }),
       {a},
       "fail: DeadlineExceeded -a"},
      {"before the deadline",
       MakeJob([](Job& job) { job.spec.active_deadline_seconds = 130; }),
       {a},
       "+ ?30"},
      {"a huge deadline",
       MakeJob([](Job& job) { job.spec.active_deadline_seconds = INT64_MAX; }),
       {a},
       "+ ?3155695100"},
      {"an earlier decision is final",
       MakeJob([](Job& job) {
         batchv1::JobCondition condition;
         condition.type = "FailureTarget";
         condition.status = "True";
         condition.reason = "Because";
         job.status.conditions = {condition};
         job.status.succeeded = 3;
       }),
       {a},
       "fail: Because -a"},
  });
}

TEST(JobPlanTest, CompletesWhenEnoughHaveSucceeded) {
  const auto a = MakePod("a", "Running");
  const auto done = MakePod("done", "Succeeded");
  ExpectPlans({
      {"enough",
       MakeJob([](Job& job) { job.status.succeeded = 3; }),
       {},
       "complete: CompletionsReached"},
      {"enough, of which one is not yet counted",
       MakeJob([](Job& job) { job.status.succeeded = 2; }),
       {done, a},
       "complete: CompletionsReached -a"},
      {"listed Pods count once",
       MakeJob([](Job& job) {
         job.status.succeeded = 1;
         job.status.uncounted_terminated_pods->succeeded = {"done"};
       }),
       {done},
       "+"},
      {"a work queue",
       MakeJob([](Job& job) { job.spec.completions.reset(); }),
       {done},
       "complete: CompletionsReached"},
      {"zero completions",
       MakeJob([](Job& job) { job.spec.completions = 0; }),
       {},
       "complete: CompletionsReached"},
  });
}

TEST(JobPlanTest, FollowsItsSuccessPolicy) {
  const auto policy = [](const char* indexes, std::optional<int32_t> count) {
    return MakeJob([&](Job& job) {
      Indexed(job);
      job.spec.completions = 10;
      job.status.completed_indexes = "0,3-5";
      auto& rules = job.spec.success_policy.emplace().rules;
      rules.resize(2);
      rules[0].succeeded_indexes = "9";
      rules[1].succeeded_indexes = indexes;
      rules[1].succeeded_count = count;
    });
  };
  const auto four = MakePod("four", "Running", {.index = 7});
  ExpectPlans({
      {"all of them", policy("3-5", {}), {four}, "complete: SuccessPolicy -four"},
      {"not all of them", policy("2-5", {}), {four}, "+1"},
      {"enough of them", policy("2-5", 3), {four}, "complete: SuccessPolicy -four"},
      {"not enough of them", policy("2-4", 3), {four}, "+1"},
      {"enough of any", policy("", 4), {four}, "complete: SuccessPolicy -four"},
  });
  EXPECT_EQ(PlanJob(policy("", 4), {}, kNow).finished->message, "Matched rules at index 1");
}

TEST(JobPlanTest, FollowsItsFailurePolicy) {
  const Job job = MakeJob([](Job& changed) {
    AddRule(changed, "Ignore", {1, 2});
    AddRule(changed, "FailJob", {3});
    AddRule(changed, "Count", {3, 4});
  });
  const auto failed = [](int32_t code) { return MakePod("x", "Failed", {.exit_code = code}); };
  EXPECT_EQ(MatchPodFailure(job.spec, *failed(2)).action, PodFailureAction::kIgnore);
  EXPECT_EQ(MatchPodFailure(job.spec, *failed(3)).message,
            "Container main for pod default/x failed with exit code 3 matching FailJob rule at "
            "index 1");
  EXPECT_EQ(MatchPodFailure(job.spec, *failed(4)).action, PodFailureAction::kCount);
  EXPECT_EQ(MatchPodFailure(job.spec, *failed(5)).action, PodFailureAction::kCount);
  ExpectPlans({{"it fails the job", job, {failed(3)}, "fail: PodFailurePolicy"}});
  EXPECT_EQ(CountPods(job, {failed(2), failed(4)}).failed, 1);

  Job conditions = MakeJob();
  auto& rules = conditions.spec.pod_failure_policy.emplace().rules;
  rules.resize(1);
  rules[0].action = "FailJob";
  rules[0].on_pod_conditions.resize(1);
  rules[0].on_pod_conditions[0].type = "DisruptionTarget";
  rules[0].on_pod_conditions[0].status = "True";
  Pod disrupted = *failed(9);
  disrupted.status.conditions.resize(1);
  disrupted.status.conditions[0].type = "DisruptionTarget";
  disrupted.status.conditions[0].status = "True";
  EXPECT_EQ(MatchPodFailure(conditions.spec, disrupted).message,
            "Pod default/x has condition DisruptionTarget matching FailJob rule at index 0");
}

TEST(JobPlanTest, CountsFailuresOfEachIndex) {
  const auto fresh = MakePod("fresh", "Failed", {.index = 0, .age = seconds(4)});
  const auto old = MakePod("old", "Failed", {.index = 0, .age = seconds(11)});
  const auto last = MakePod("last", "Failed", {.index = 0, .failures = 1});
  const auto done = MakePod("done", "Succeeded", {.index = 1});
  const auto done_too = MakePod("done-too", "Succeeded", {.index = 2});
  ExpectPlans({
      {"other indexes continue during a backoff", MakeJob(PerIndex), {fresh}, "+1 +2 ?6"},
      {"the index is retried", MakeJob(PerIndex), {old}, "+0!1 +1"},
      {"until its limit", MakeJob(PerIndex), {last, old}, "+1 +2"},
      {"all indexes finished", MakeJob(PerIndex), {last, done, done_too}, "fail: FailedIndexes"},
      {"too many",
       MakeJob([](Job& job) {
         PerIndex(job);
         job.spec.max_failed_indexes = 0;
       }),
       {last},
       "fail: MaxFailedIndexesExceeded"},
      {"an index that a rule fails",
       MakeJob([](Job& job) {
         PerIndex(job);
         AddRule(job, "FailIndex", {1});
       }),
       {old},
       "+1 +2"},
  });
  // The last failed Pod is retained until a replacement has its failure count.
  Job job = MakeJob(PerIndex);
  EXPECT_THAT(TrackPods({fresh}, {}, kNow, job).to_release, IsEmpty());
  const auto again = MakePod("again", "Running", {.index = 0, .failures = 1});
  EXPECT_THAT(Names(TrackPods({fresh, again}, {}, kNow, job).to_release), ElementsAre("fresh"));
  job = MakeJob(PerIndex);
  EXPECT_THAT(Names(TrackPods({last}, {}, kNow, job).to_release), ElementsAre("last"));
  EXPECT_EQ(job.status.failed_indexes, "0");
}

// ---- Counting.

TEST(JobPlanTest, CountsEachPodOnce) {
  Job job = MakeJob();
  const auto running = MakePod("running", "Running");
  const std::vector<PodPointer> before = {running, MakePod("s", "Succeeded"),
                                          MakePod("f", "Failed")};
  EXPECT_THAT(Names(TrackPods(before, {}, kNow, job).to_release), ElementsAre("s", "f"));
  EXPECT_THAT(job.status.uncounted_terminated_pods->succeeded, ElementsAre("s"));
  EXPECT_THAT(job.status.uncounted_terminated_pods->failed, ElementsAre("f"));
  EXPECT_EQ(job.status.succeeded, 0);
  // The sums are the same with finalizers, without finalizers, and without the Pods.
  const std::vector<PodPointer> after = {running, MakePod("s", "Succeeded", {.tracked = false})};
  const std::vector<std::vector<PodPointer>> views = {before, after, {running}};
  for (const std::vector<PodPointer>& pods : views) {
    Job next = job;
    EXPECT_EQ(CountPods(next, pods).succeeded, 1);
    EXPECT_EQ(CountPods(next, pods).failed, 1);
    TrackPods(pods, {}, kNow, next);
    UpdateJobStatus(after, {}, false, kNow, next);
    EXPECT_EQ(next.status.succeeded, 1);
    EXPECT_EQ(next.status.failed, 1);
    EXPECT_EQ(next.status.active, 1);
    EXPECT_THAT(next.status.uncounted_terminated_pods->succeeded, IsEmpty());
    EXPECT_THAT(next.status.uncounted_terminated_pods->failed, IsEmpty());
    // The next reconcile counts nothing more.
    EXPECT_THAT(TrackPods(after, {}, kNow, next).to_release, IsEmpty());
    EXPECT_EQ(next.status.succeeded, 1);
  }
}

TEST(JobPlanTest, CountsIndexesOnce) {
  Job job = MakeJob(Indexed);
  const auto first = MakePod("first", "Succeeded", {.index = 1});
  const auto second = MakePod("second", "Succeeded", {.index = 1});
  EXPECT_EQ(TrackPods({first, second}, {}, kNow, job).to_release.size(), 2U);
  EXPECT_EQ(job.status.completed_indexes, "1");
  EXPECT_EQ(job.status.succeeded, 1);
  TrackPods({first, second}, {}, kNow, job);
  UpdateJobStatus({}, {}, false, kNow, job);
  EXPECT_EQ(job.status.succeeded, 1);
}

TEST(JobPlanTest, UnfinishedPodsCountAsFailedOnlyIfTheJobFails) {
  const auto stopped = MakePod("stopped", "Running", {.deleted = true});
  const auto failed = MakePod("failed", "Failed");
  Job job = MakeJob();
  TrackPods({stopped, failed}, FinishedCondition{.reason = "X"}, kNow, job);
  EXPECT_THAT(job.status.uncounted_terminated_pods->failed, ElementsAre("stopped", "failed"));
  job = MakeJob();
  TrackPods({stopped, failed}, FinishedCondition{.success = true}, kNow, job);
  EXPECT_THAT(job.status.uncounted_terminated_pods->failed, ElementsAre("failed"));
}

TEST(JobPlanTest, FinishesAfterAllPodsHaveTerminated) {
  const FinishedCondition finished{.success = true, .reason = "CompletionsReached", .message = "M"};
  Job job = MakeJob();
  TrackPods({}, finished, kNow, job);
  EXPECT_NE(FindTrueCondition(job, "SuccessCriteriaMet"), nullptr);
  EXPECT_THAT(
      UpdateJobStatus({MakePod("a", "Running", {.deleted = true})}, finished, false, kNow, job),
      IsEmpty());
  EXPECT_FALSE(IsFinished(job));
  EXPECT_THAT(UpdateJobStatus({}, finished, true, kNow, job), IsEmpty());
  EXPECT_THAT(UpdateJobStatus({}, finished, false, kNow, job),
              ElementsAre(PlannedEvent{EventType::kNormal, "Completed", "Job completed"}));
  EXPECT_EQ(FinishedConditionType(job), "Complete");
  EXPECT_EQ(job.status.completion_time, Time(kNow));
  job = MakeJob();
  const FinishedCondition failure{.reason = "DeadlineExceeded", .message = "late"};
  EXPECT_THAT(UpdateJobStatus({}, failure, false, kNow, job),
              ElementsAre(PlannedEvent{EventType::kWarning, "DeadlineExceeded", "late"}));
  EXPECT_EQ(FinishedConditionType(job), "Failed");
  EXPECT_TRUE(job.status.completion_time.IsZero());
}

TEST(JobPlanTest, ResumedJobHasANewStartTime) {
  Job job = MakeJob([](Job& changed) { changed.status = {}; });
  EXPECT_THAT(BeginJob(job, kNow), IsEmpty());
  EXPECT_EQ(job.status.start_time, Time(kNow));
  EXPECT_THAT(job.status.conditions, IsEmpty());
  job.spec.suspend = true;
  EXPECT_THAT(BeginJob(job, kNow + seconds(5)),
              ElementsAre(PlannedEvent{EventType::kNormal, "Suspended", "Job suspended"}));
  EXPECT_THAT(BeginJob(job, kNow + seconds(6)), IsEmpty());
  job.spec.suspend = false;
  EXPECT_THAT(BeginJob(job, kNow + seconds(9)),
              ElementsAre(PlannedEvent{EventType::kNormal, "Resumed", "Job resumed"}));
  EXPECT_EQ(job.status.start_time, Time(kNow + seconds(9)));
  EXPECT_EQ(job.status.conditions[0].reason, "JobResumed");
  EXPECT_EQ(job.status.conditions[0].status, "False");
}

TEST(JobPlanTest, PodsHaveTheirIndex) {
  Job job = MakeJob(PerIndex);
  const Pod pod = PodOfJob(job, {.index = 7, .failures = {.counted = 2, .ignored = 1}});
  EXPECT_EQ(pod.metadata.generate_name, "sum-7-");
  EXPECT_EQ(pod.metadata.labels.at(kCompletionIndex), "7");
  EXPECT_EQ(pod.spec.hostname, "sum-7");
  EXPECT_EQ(FailuresBefore(pod).counted, 2);
  EXPECT_EQ(FailuresBefore(pod).ignored, 1);
  EXPECT_TRUE(IsTracked(pod));
  ASSERT_EQ(pod.spec.containers[0].env.size(), 1U);
  EXPECT_EQ(pod.spec.containers[0].env[0].value_from->field_ref->field_path,
            "metadata.labels['batch.kubernetes.io/job-completion-index']");
  job.metadata.name = std::string(63, 'a');
  EXPECT_EQ(PodOfJob(job, {.index = 12}).metadata.generate_name, std::string(54, 'a') + "-12-");
}

}  // namespace
}  // namespace kubexms
