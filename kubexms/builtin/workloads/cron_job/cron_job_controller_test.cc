#include "kubexms/builtin/workloads/cron_job/cron_job_controller.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/builtin/builtin_fixture_test.h"
#include "kubexms/builtin/workloads/cron_job/cron_job_plan.h"

namespace kubexms {
namespace {

using batchv1::CronJob;
using batchv1::Job;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

sys_seconds At(std::string_view text) { return Time::Parse(text).value().value(); }

std::string Text(const std::optional<sys_seconds>& time) {
  return time ? Time(*time).ToString() : "none";
}

CronJob EveryMinute() {
  CronJob cron_job;
  cron_job.metadata.namespace_name = "default";
  cron_job.metadata.name = "tick";
  cron_job.metadata.uid = "uid-of-tick";
  cron_job.metadata.creation_timestamp = Time(At("2024-01-01T00:00:30Z"));
  cron_job.spec.schedule = "* * * * *";
  cron_job.spec.concurrency_policy = "Allow";
  return cron_job;
}

Job JobOf(const CronJob& cron_job, std::string_view due, std::string_view end = {}) {
  Job job = JobAt(cron_job, At(due));
  job.metadata.uid = "uid-of-" + job.metadata.name;
  job.status.start_time = Time(At(due));
  if (!end.empty()) {
    batchv1::JobCondition condition;
    condition.type = end;
    condition.status = "True";
    job.status.conditions.push_back(condition);
    job.status.completion_time = Time(At(due) + seconds(5));
  }
  return job;
}

std::vector<JobPointer> Pointers(const std::vector<Job>& jobs) {
  std::vector<JobPointer> pointers;
  for (const Job& job : jobs) pointers.push_back(std::make_shared<const Job>(job));
  return pointers;
}

std::vector<std::string> Reasons(const std::vector<PlannedEvent>& events) {
  std::vector<std::string> reasons;
  for (const PlannedEvent& event : events) reasons.push_back(event.reason + ": " + event.message);
  return reasons;
}

TEST(CronJobPlanTest, FindsDueStarts) {
  struct Case {
    const char* schedule;
    const char* last;  // lastScheduleTime; empty: none
    std::optional<int64_t> deadline;
    const char* now;
    const char* due;
    const char* missed;
    bool many;
    const char* next;
  };
  for (const Case& c : {
           Case{"* * * * *",
                "",
                {},
                "2024-01-01T00:00:59Z",
                "none",
                "none",
                false,
                "2024-01-01T00:01:00Z"},
           Case{"* * * * *",
                "",
                {},
                "2024-01-01T00:01:00Z",
                "2024-01-01T00:01:00Z",
                "none",
                false,
                "2024-01-01T00:02:00Z"},
           Case{"* * * * *",
                "2024-01-01T00:01:00Z",
                {},
                "2024-01-01T00:01:40Z",
                "none",
                "none",
                false,
                "2024-01-01T00:02:00Z"},
           // Only the last of several missed starts.
           Case{"* * * * *",
                "2024-01-01T00:01:00Z",
                {},
                "2024-01-01T00:05:40Z",
                "2024-01-01T00:05:00Z",
                "none",
                false,
                "2024-01-01T00:06:00Z"},
           Case{"* * * * *", "2024-01-01T00:01:00Z", 40, "2024-01-01T00:05:40Z",
                "2024-01-01T00:05:00Z", "none", false, "2024-01-01T00:06:00Z"},
           Case{"* * * * *", "2024-01-01T00:01:00Z", 39, "2024-01-01T00:05:40Z", "none",
                "2024-01-01T00:05:00Z", false, "2024-01-01T00:06:00Z"},
           // A hundred missed starts are tolerated, one more is too many.
           Case{"* * * * *",
                "2024-01-01T00:00:00Z",
                {},
                "2024-01-01T01:40:00Z",
                "2024-01-01T01:40:00Z",
                "none",
                false,
                "2024-01-01T01:41:00Z"},
           Case{"* * * * *",
                "2024-01-01T00:00:00Z",
                {},
                "2024-01-01T01:41:00Z",
                "2024-01-01T01:41:00Z",
                "none",
                true,
                "2024-01-01T01:42:00Z"},
           Case{"* * * * *", "2024-01-01T00:00:00Z", 600, "2024-01-01T01:41:00Z",
                "2024-01-01T01:41:00Z", "none", false, "2024-01-01T01:42:00Z"},
           Case{"@every 1h",
                "2024-01-01T00:00:07Z",
                {},
                "2024-01-01T02:30:00Z",
                "2024-01-01T02:00:07Z",
                "none",
                false,
                "2024-01-01T03:00:07Z"},
           Case{"0 0 31 2 *", "", {}, "2024-01-01T00:01:00Z", "none", "none", false, "none"},
       }) {
    CronJob cron_job = EveryMinute();
    if (*c.last != 0) cron_job.status.last_schedule_time = Time(At(c.last));
    cron_job.spec.starting_deadline_seconds = c.deadline;
    const CronStarts starts =
        FindStarts(cron_job, CronSchedule::Parse(c.schedule).value(), At(c.now));
    EXPECT_EQ(Text(starts.due), c.due) << c.schedule << " at " << c.now;
    EXPECT_EQ(Text(starts.missed), c.missed) << c.schedule << " at " << c.now;
    EXPECT_EQ(starts.too_many_missed, c.many) << c.schedule << " at " << c.now;
    EXPECT_EQ(Text(starts.next), c.next) << c.schedule << " at " << c.now;
  }
}

TEST(CronJobPlanTest, ReportsMissedStarts) {
  const CronStarts starts{.missed = At("2024-01-01T00:05:00Z"), .too_many_missed = true};
  EXPECT_THAT(
      Reasons(MissedStartEvents(starts, EveryMinute().spec)),
      ElementsAre("MissSchedule: Missed scheduled time to start a job: Mon, 01 Jan 2024 00:05:00 "
                  "+0000",
                  "TooManyMissedTimes: too many missed start times. Set or decrease "
                  ".spec.startingDeadlineSeconds or check clock skew",
                  "InvalidSchedule: invalid schedule: * * * * * : it has no time in the next five "
                  "years"));
}

TEST(CronJobPlanTest, ReportsInvalidSchedules) {
  batchv1::CronJobSpec spec = EveryMinute().spec;
  EXPECT_TRUE(ScheduleOf(spec).ok());
  spec.schedule = "at noon";
  EXPECT_EQ(ScheduleOf(spec).error().reason(), "UnparseableSchedule");
  EXPECT_EQ(ScheduleOf(spec).error().message(),
            "unparseable schedule: \"at noon\" : expected exactly 5 fields, found 2: [at noon]");
  spec.time_zone = "Mars/Olympus";
  EXPECT_EQ(ScheduleOf(spec).error().reason(), "UnknownTimeZone");
  EXPECT_EQ(ScheduleOf(spec).error().message(),
            "invalid timeZone: \"Mars/Olympus\": unknown time zone Mars/Olympus");
}

TEST(CronJobPlanTest, BuildsTheJobOfAStart) {
  CronJob cron_job = EveryMinute();
  cron_job.spec.job_template.metadata.labels["app"] = "tick";
  cron_job.spec.job_template.metadata.annotations["note"] = "x";
  cron_job.spec.job_template.spec.parallelism = 3;
  const Job job = JobAt(cron_job, At("2026-11-15T08:23:00Z"));
  EXPECT_EQ(job.metadata.name, "tick-29912183");
  EXPECT_EQ(job.metadata.labels.at("app"), "tick");
  EXPECT_EQ(job.metadata.annotations.at("note"), "x");
  EXPECT_EQ(job.spec.parallelism, 3);
  EXPECT_TRUE(IsControlledBy(job.metadata, "uid-of-tick"));
  const auto annotation = [&](const char* zone) {
    cron_job.spec.time_zone = zone;
    return JobAt(cron_job, At("2026-11-15T08:23:00Z"))
        .metadata.annotations.at("batch.kubernetes.io/cronjob-scheduled-timestamp");
  };
  EXPECT_EQ(annotation(""), "2026-11-15T08:23:00Z");
  EXPECT_EQ(annotation("Asia/Kathmandu"), "2026-11-15T14:08:00+05:45");
  EXPECT_EQ(annotation("America/St_Johns"), "2026-11-15T04:53:00-03:30");
}

TEST(CronJobPlanTest, SyncsStatusWithJobs) {
  CronJob cron_job = EveryMinute();
  const Job running = JobOf(cron_job, "2024-01-01T00:01:00Z");
  const Job done = JobOf(cron_job, "2024-01-01T00:02:00Z", "Complete");
  const Job failed = JobOf(cron_job, "2024-01-01T00:03:00Z", "Failed");
  const Job lost = JobOf(cron_job, "2024-01-01T00:04:00Z");
  for (const Job* job : {&running, &done, &failed, &lost}) {
    RecordStart(*job, At("2024-01-01T00:04:00Z"), cron_job.status);
  }
  Job by_hand = running;
  by_hand.metadata.name = by_hand.metadata.uid = "by-hand";
  EXPECT_THAT(
      Reasons(SyncStatusWithJobs(Pointers({running, done, failed, by_hand}), cron_job)),
      ElementsAre(
          "SawCompletedJob: Saw completed job: " + done.metadata.name + ", condition: Complete",
          "SawCompletedJob: Saw completed job: " + failed.metadata.name + ", condition: Failed",
          "UnexpectedJob: Saw a job that the controller did not create or forgot: "
          "by-hand",
          "MissingJob: Active job went missing: " + lost.metadata.name));
  ASSERT_EQ(cron_job.status.active.size(), 1U);
  EXPECT_EQ(cron_job.status.active[0].uid, running.metadata.uid);
  EXPECT_EQ(cron_job.status.active[0].api_version, "batch/v1");
  EXPECT_EQ(cron_job.status.last_successful_time.ToString(), "2024-01-01T00:02:05Z");
  // A second sync records no Events.
  EXPECT_THAT(SyncStatusWithJobs(Pointers({running, done, failed}), cron_job), IsEmpty());
}

TEST(CronJobPlanTest, RecordsAStartThatACrashLeftUnrecorded) {
  CronJob cron_job = EveryMinute();
  const Job running = JobOf(cron_job, "2024-01-01T00:02:00Z");
  EXPECT_THAT(SyncStatusWithJobs(Pointers({running}), cron_job), IsEmpty());
  EXPECT_EQ(cron_job.status.active.size(), 1U);
  EXPECT_EQ(cron_job.status.last_schedule_time.ToString(), "2024-01-01T00:02:00Z");
  cron_job.status = {};
  const Job done = JobOf(cron_job, "2024-01-01T00:02:00Z", "Complete");
  EXPECT_EQ(SyncStatusWithJobs(Pointers({done}), cron_job).size(), 1U);
  EXPECT_THAT(cron_job.status.active, IsEmpty());
  EXPECT_EQ(cron_job.status.last_schedule_time.ToString(), "2024-01-01T00:02:00Z");
}

TEST(CronJobPlanTest, RetainsTheYoungestFinishedJobs) {
  CronJob cron_job = EveryMinute();
  std::vector<Job> jobs;
  for (int minute = 1; minute <= 5; ++minute) {
    jobs.push_back(JobOf(cron_job, fmt::format("2024-01-01T00:0{}:00Z", minute), "Complete"));
    jobs.push_back(JobOf(cron_job, fmt::format("2024-01-01T01:0{}:00Z", minute), "Failed"));
    jobs.push_back(JobOf(cron_job, fmt::format("2024-01-01T02:0{}:00Z", minute)));
  }
  std::reverse(jobs.begin(), jobs.end());
  EXPECT_THAT(JobsOverHistoryLimit(Pointers(jobs), cron_job.spec), IsEmpty());
  cron_job.spec.successful_jobs_history_limit = 3;
  cron_job.spec.failed_jobs_history_limit = 1;
  std::vector<std::string> names;
  for (const JobPointer& job : JobsOverHistoryLimit(Pointers(jobs), cron_job.spec)) {
    names.push_back(job->status.start_time.ToString().substr(11, 5));
  }
  EXPECT_THAT(names, ElementsAre("00:01", "00:02", "01:01", "01:02", "01:03", "01:04"));
}

// The controller with a manual clock.
class CronJobTest : protected ManualTime, public BuiltinTest {
 protected:
  CronJobTest() : BuiltinTest(&manual_clock_) {}

  CronJob Make(const std::string& policy, const std::function<void(CronJob&)>& change = {}) {
    CronJob cron_job;
    cron_job.metadata.namespace_name = "default";
    cron_job.metadata.name = "tick";
    cron_job.spec.schedule = "* * * * *";
    cron_job.spec.concurrency_policy = policy;
    cron_job.spec.time_zone = "Etc/UTC";
    corev1::PodSpec& pod = cron_job.spec.job_template.spec.template_.spec;
    pod.restart_policy = "Never";
    pod.containers.resize(1);
    pod.containers[0].name = "main";
    pod.containers[0].image = "busybox";
    if (change) change(cron_job);
    const auto made = client().Create(cron_job);
    EXPECT_TRUE(made.ok()) << made.error().message();
    return made.ok() ? *made : cron_job;
  }
  CronJob Current() { return client().Get<CronJob>(kKey).value(); }
  std::vector<std::string> JobNames() {
    std::vector<std::string> names;
    const auto jobs = client().List<Job>({.namespace_name = "default"}).value();
    for (const Job& job : jobs.items) names.push_back(job.metadata.name);
    return names;
  }
  // As the Job controller does.
  void Finish(const std::string& name, const std::string& end) {
    Job job = client().Get<Job>({"default", name}).value();
    const Time now = Time::Now(manual_clock_);
    for (const std::string& type :
         {std::string(end == "Complete" ? "SuccessCriteriaMet" : "FailureTarget"), end}) {
      batchv1::JobCondition condition;
      condition.type = type;
      condition.status = "True";
      condition.last_transition_time = now;
      job.status.conditions.push_back(condition);
    }
    job.status.start_time = now;
    if (end == "Complete") job.status.completion_time = now;
    const auto written = client().UpdateStatus(job);
    ASSERT_TRUE(written.ok()) << written.error().message();
  }
  void NextMinute() {
    AwaitIdle();
    manual_clock_.Advance(minutes(1));
  }
  bool EventuallyJobs(const std::vector<std::string>& names) {
    return Eventually([&] { return JobNames() == names; });
  }
  bool EventuallyActive(const std::vector<std::string>& names) {
    return Eventually([&] {
      std::vector<std::string> active;
      const CronJob cron_job = Current();
      for (const auto& reference : cron_job.status.active) active.push_back(reference.name);
      return active == names;
    });
  }

  bool Exists(const std::string& name) { return client().Get<Job>({"default", name}).ok(); }

  inline static const ObjectKey kKey{"default", "tick"};
};

// The clock begins at 2024-01-01T00:00:00Z, which is minute 28401120.
TEST_F(CronJobTest, CreatesAJobEveryMinuteAndDeletesOldOnes) {
  Start("cronjob-controller");
  Make("Allow", [](CronJob& cron_job) {
    cron_job.spec.successful_jobs_history_limit = 1;
    cron_job.spec.failed_jobs_history_limit = 0;
  });
  NextMinute();
  ASSERT_TRUE(EventuallyActive({"tick-28401121"}));
  EXPECT_EQ(Current().status.last_schedule_time.ToString(), "2024-01-01T00:01:00Z");
  EXPECT_TRUE(EventuallyRecorded("SuccessfulCreate", "Created job tick-28401121"));
  NextMinute();
  ASSERT_TRUE(EventuallyActive({"tick-28401121", "tick-28401122"}));
  Finish("tick-28401121", "Complete");
  ASSERT_TRUE(EventuallyActive({"tick-28401122"}));
  EXPECT_TRUE(EventuallyRecorded("SawCompletedJob",
                                 "Saw completed job: tick-28401121, condition: Complete"));
  EXPECT_EQ(Current().status.last_successful_time.ToString(), "2024-01-01T00:02:00Z");
  NextMinute();
  ASSERT_TRUE(EventuallyActive({"tick-28401122", "tick-28401123"}));
  Finish("tick-28401122", "Complete");
  ASSERT_TRUE(EventuallyJobs({"tick-28401122", "tick-28401123"}));
  EXPECT_TRUE(EventuallyRecorded("SuccessfulDelete", "Deleted job tick-28401121"));
  Finish("tick-28401123", "Failed");
  ASSERT_TRUE(EventuallyJobs({"tick-28401122"}));
  ASSERT_TRUE(EventuallyActive({}));
}

TEST_F(CronJobTest, ForbidWaitsForThePreviousJob) {
  Start("cronjob-controller");
  Make("Forbid");
  NextMinute();
  ASSERT_TRUE(EventuallyActive({"tick-28401121"}));
  NextMinute();
  ASSERT_TRUE(
      EventuallyRecorded("JobAlreadyActive",
                         "Not starting job because prior execution is running and concurrency "
                         "policy is Forbid"));
  EXPECT_THAT(JobNames(), ElementsAre("tick-28401121"));
  Finish("tick-28401121", "Complete");
  ASSERT_TRUE(EventuallyActive({"tick-28401122"}));
}

TEST_F(CronJobTest, ReplaceDeletesThePreviousJob) {
  Start("cronjob-controller");
  Make("Replace");
  NextMinute();
  ASSERT_TRUE(EventuallyActive({"tick-28401121"}));
  NextMinute();
  ASSERT_TRUE(EventuallyActive({"tick-28401122"}));
  EXPECT_THAT(JobNames(), ElementsAre("tick-28401122"));
  EXPECT_TRUE(EventuallyRecorded("SuccessfulDelete", "Deleted job tick-28401121"));
}

TEST_F(CronJobTest, SuspendedCronJobsCreateNoJobs) {
  Start("cronjob-controller");
  Make("Allow", [](CronJob& cron_job) { cron_job.spec.suspend = true; });
  manual_clock_.Advance(hours(3));
  ASSERT_TRUE(client().Patch<CronJob>(kKey, {.body = R"({"spec":{"suspend":false}})"}).ok());
  // One Job for all missed starts.
  ASSERT_TRUE(EventuallyActive({"tick-28401300"}));
  EXPECT_TRUE(EventuallyRecorded("TooManyMissedTimes",
                                 "too many missed start times. Set or decrease "
                                 ".spec.startingDeadlineSeconds or check clock skew"));
}

TEST_F(CronJobTest, ReportsStartsBeyondTheDeadline) {
  Make("Allow", [](CronJob& cron_job) {
    cron_job.spec.schedule = "@hourly";
    cron_job.spec.starting_deadline_seconds = 10;
  });
  manual_clock_.Advance(hours(1) + minutes(1));
  Start("cronjob-controller");
  EXPECT_TRUE(EventuallyRecorded(
      "MissSchedule", "Missed scheduled time to start a job: Mon, 01 Jan 2024 01:00:00 +0000"));
  EXPECT_THAT(JobNames(), IsEmpty());
}

// Whatever the write after which the process crashes, every start has exactly one Job.
TEST_F(CronJobTest, RecoversFromACrash) {
  Make("Forbid", [](CronJob& cron_job) { cron_job.spec.successful_jobs_history_limit = 1; });
  for (int survived = 0; survived < 4; ++survived) {
    const std::string name = fmt::format("tick-{}", 28401121 + survived);
    const auto crashed = CrashAfter(survived, "cronjob-controller");
    Start("cronjob-controller");
    NextMinute();
    ASSERT_TRUE(Eventually([&] { return *crashed || Exists(name); })) << survived;
    if (Exists(name)) Finish(name, "Complete");
    ASSERT_TRUE(Eventually([&] { return crashed->load(); })) << survived;
    Stop();
    ClientOf("cronjob-controller").Set({});
    Start("cronjob-controller");
    if (survived == 0) {
      ASSERT_TRUE(EventuallyActive({name}));
      Finish(name, "Complete");
    }
    ASSERT_TRUE(EventuallyActive({})) << survived;
    ASSERT_TRUE(EventuallyJobs({name})) << survived;
    ASSERT_TRUE(Eventually([&] {
      const batchv1::CronJobStatus status = Current().status;
      return status.last_schedule_time == Time::Now(manual_clock_) &&
             status.last_successful_time == Time::Now(manual_clock_);
    })) << survived;
    Stop();
  }
}

}  // namespace
}  // namespace kubexms
