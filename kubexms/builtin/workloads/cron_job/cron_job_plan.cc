#include "kubexms/builtin/workloads/cron_job/cron_job_plan.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kubexms/api/object.h"
#include "kubexms/api/values/quote.h"
#include "kubexms/base/check.h"
#include "kubexms/controller/events/object_reference.h"

namespace kubexms {
namespace {

using batchv1::CronJob;
using batchv1::CronJobSpec;
using batchv1::CronJobStatus;
using batchv1::Job;
using corev1::ObjectReference;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_seconds;

constexpr const char* kScheduledTime = "batch.kubernetes.io/cronjob-scheduled-timestamp";
constexpr int kMaxMissedStarts = 100;

Error Unusable(std::string_view reason, std::string message) {
  return {422, reason, std::move(message)};
}

Result<TimeZone> ZoneOf(const CronJobSpec& spec, const TimeZone& otherwise) {
  if (spec.time_zone.empty()) return otherwise;
  return TimeZone::Load(spec.time_zone);
}

sys_seconds LastScheduledTime(const CronJob& cron_job) {
  const Time& last = cron_job.status.last_schedule_time;
  return last.IsZero() ? cron_job.metadata.creation_timestamp.value() : last.value();
}

bool AreTooMany(const CronSchedule& schedule, sys_seconds after, sys_seconds until) {
  std::optional<sys_seconds> time = schedule.Next(after);
  int count = 0;
  while (time && *time <= until && ++count <= kMaxMissedStarts) time = schedule.Next(*time);
  return count > kMaxMissedStarts;
}

// The time with the offset of the zone: "2024-01-01T09:00:00+09:00".
std::string InZone(sys_seconds time, const TimeZone& zone) {
  const auto offset = std::chrono::duration_cast<minutes>(zone.OffsetAt(time));
  std::string text = Time(time + offset).ToString();
  if (offset == minutes(0)) return text;
  return fmt::format("{}{}{:02}:{:02}", text.substr(0, text.size() - 1),
                     offset.count() < 0 ? '-' : '+', std::abs(offset.count()) / 60,
                     std::abs(offset.count()) % 60);
}

auto FindActive(CronJobStatus& status, const std::string& uid) {
  return std::find_if(status.active.begin(), status.active.end(),
                      [&](const ObjectReference& reference) { return reference.uid == uid; });
}

// The scheduled time of a Job whose creation was not recorded because the process crashed.
std::optional<sys_seconds> UnrecordedStart(const Job& job, const CronJob& cron_job) {
  const auto annotation = job.metadata.annotations.find(kScheduledTime);
  if (annotation == job.metadata.annotations.end()) return std::nullopt;
  const Result<Time> time = Time::Parse(annotation->second);
  if (!time.ok() || job.metadata.name != JobNameAt(cron_job, time->value())) return std::nullopt;
  if (time->value() <= LastScheduledTime(cron_job)) return std::nullopt;
  return time->value();
}

void RecordSuccess(const Job& job, CronJobStatus& status) {
  if (FindTrueCondition(job, "Complete") == nullptr) return;
  if (job.status.completion_time > status.last_successful_time) {
    status.last_successful_time = job.status.completion_time;
  }
}

bool StartedEarlier(const JobPointer& a, const JobPointer& b) {
  const Time& start_a = a->status.start_time;
  const Time& start_b = b->status.start_time;
  if (start_a.IsZero() != start_b.IsZero()) return start_b.IsZero();
  return std::tie(start_a, a->metadata.name) < std::tie(start_b, b->metadata.name);
}

void AddOldest(std::vector<JobPointer> jobs, const Optional<int32_t>& limit,
               std::vector<JobPointer>& oldest) {
  if (!limit) return;
  const size_t kept = std::min(jobs.size(), static_cast<size_t>(std::max(*limit, 0)));
  std::sort(jobs.begin(), jobs.end(), StartedEarlier);
  oldest.insert(oldest.end(), jobs.begin(), jobs.end() - static_cast<ptrdiff_t>(kept));
}

}  // namespace

Result<CronSchedule> ScheduleOf(const CronJobSpec& spec) {
  const Result<TimeZone> zone = ZoneOf(spec, TimeZone::Local());
  if (!zone.ok()) {
    return Unusable("UnknownTimeZone", fmt::format("invalid timeZone: {}: {}",
                                                   Quoted(spec.time_zone), zone.error().message()));
  }
  Result<CronSchedule> schedule = CronSchedule::Parse(spec.schedule, *zone);
  if (!schedule.ok()) {
    return Unusable("UnparseableSchedule",
                    fmt::format("unparseable schedule: {} : {}", Quoted(spec.schedule),
                                schedule.error().message()));
  }
  return schedule;
}

CronStarts FindStarts(const CronJob& cron_job, const CronSchedule& schedule, sys_seconds now) {
  const sys_seconds made = LastScheduledTime(cron_job);
  CronStarts starts;
  const std::optional<sys_seconds> last = schedule.Last(made, now);
  starts.next = schedule.Next(last.value_or(made));
  if (!last) return starts;
  const Optional<int64_t>& deadline = cron_job.spec.starting_deadline_seconds;
  if (deadline && now - *last > seconds(*deadline)) {
    starts.missed = last;
    return starts;
  }
  starts.due = last;
  const sys_seconds oldest = deadline ? std::max(made, now - seconds(*deadline)) : made;
  starts.too_many_missed = AreTooMany(schedule, oldest, now);
  return starts;
}

std::vector<PlannedEvent> MissedStartEvents(const CronStarts& starts, const CronJobSpec& spec) {
  std::vector<PlannedEvent> events;
  const auto warn = [&](std::string reason, std::string message) {
    events.push_back({EventType::kWarning, std::move(reason), std::move(message)});
  };
  if (starts.missed) {
    warn("MissSchedule",
         fmt::format("Missed scheduled time to start a job: {:%a, %d %b %Y %H:%M:%S} +0000",
                     fmt::gmtime(starts.missed->time_since_epoch().count())));
  }
  if (starts.too_many_missed) {
    warn("TooManyMissedTimes",
         "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check "
         "clock skew");
  }
  if (!starts.next) {
    warn("InvalidSchedule", fmt::format("invalid schedule: {} : it has no time in the next five "
                                        "years",
                                        spec.schedule));
  }
  return events;
}

std::string JobNameAt(const CronJob& cron_job, sys_seconds time) {
  return fmt::format("{}-{}", cron_job.metadata.name,
                     std::chrono::floor<minutes>(time).time_since_epoch().count());
}

Job JobAt(const CronJob& cron_job, sys_seconds time) {
  const batchv1::JobTemplateSpec& job_template = cron_job.spec.job_template;
  Job job;
  job.metadata.namespace_name = cron_job.metadata.namespace_name;
  job.metadata.name = JobNameAt(cron_job, time);
  job.metadata.labels = job_template.metadata.labels;
  job.metadata.annotations = job_template.metadata.annotations;
  job.metadata.annotations[kScheduledTime] =
      InZone(time, ZoneOf(cron_job.spec, TimeZone::Utc()).value_or(TimeZone::Utc()));
  const Result<void> owned = SetControllerReference(job.metadata, cron_job);
  KUBEXMS_CHECK(owned.ok());  // a new Job has no other controller
  job.spec = job_template.spec;
  return job;
}

std::vector<PlannedEvent> SyncStatusWithJobs(const std::vector<JobPointer>& jobs,
                                             CronJob& cron_job) {
  std::vector<PlannedEvent> events;
  CronJobStatus& status = cron_job.status;
  std::vector<ObjectReference> missing = status.active;
  for (const JobPointer& job : jobs) {
    std::erase_if(missing,
                  [&](const auto& reference) { return reference.uid == job->metadata.uid; });
    if (const auto time = UnrecordedStart(*job, cron_job)) RecordStart(*job, *time, status);
    const auto active = FindActive(status, job->metadata.uid);
    if (IsFinished(*job) && active != status.active.end()) {
      status.active.erase(active);
      events.push_back({EventType::kNormal, "SawCompletedJob",
                        fmt::format("Saw completed job: {}, condition: {}", job->metadata.name,
                                    FinishedConditionType(*job))});
    } else if (!IsFinished(*job) && active == status.active.end()) {
      events.push_back(
          {EventType::kWarning, "UnexpectedJob",
           "Saw a job that the controller did not create or forgot: " + job->metadata.name});
    }
    RecordSuccess(*job, status);
  }
  for (const ObjectReference& reference : missing) {
    status.active.erase(FindActive(status, reference.uid));
    events.push_back(
        {EventType::kNormal, "MissingJob", "Active job went missing: " + reference.name});
  }
  return events;
}

void RecordStart(const Job& job, sys_seconds time, CronJobStatus& status) {
  if (FindActive(status, job.metadata.uid) == status.active.end()) {
    status.active.push_back(ReferenceTo(job));
  }
  status.last_schedule_time = Time(time);
}

std::vector<JobPointer> JobsOverHistoryLimit(const std::vector<JobPointer>& jobs,
                                             const CronJobSpec& spec) {
  std::vector<JobPointer> complete;
  std::vector<JobPointer> failed;
  for (const JobPointer& job : jobs) {
    if (!IsFinished(*job) || !job->metadata.deletion_timestamp.IsZero()) continue;
    (FinishedConditionType(*job) == "Complete" ? complete : failed).push_back(job);
  }
  std::vector<JobPointer> oldest;
  AddOldest(std::move(complete), spec.successful_jobs_history_limit, oldest);
  AddOldest(std::move(failed), spec.failed_jobs_history_limit, oldest);
  return oldest;
}

}  // namespace kubexms
