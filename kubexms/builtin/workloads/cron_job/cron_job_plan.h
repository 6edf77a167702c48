#pragma once

// The decisions of the CronJob controller: which start of the schedule is due, the status that
// follows from the Jobs, and which finished Jobs to delete.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "kubexms/api/kinds/batch_v1.h"
#include "kubexms/api/values/cron_schedule.h"
#include "kubexms/builtin/shared/planned_event.h"
#include "kubexms/builtin/workloads/job/job_state.h"

namespace kubexms {

// The schedule in spec.timeZone, or in the time zone of this machine. The error is to be recorded
// as an Event with error.reason() and error.message().
Result<CronSchedule> ScheduleOf(const batchv1::CronJobSpec& spec);

struct CronStarts {
  // The most recent start without a Job, unless it is older than spec.startingDeadlineSeconds: then
  // it is `missed`. Earlier ones are skipped.
  std::optional<std::chrono::sys_seconds> due;
  std::optional<std::chrono::sys_seconds> missed;
  // More than 100 starts were missed since the last one and within the deadline.
  bool too_many_missed = false;
  // The next start; nothing if the schedule has none in the next five years.
  std::optional<std::chrono::sys_seconds> next;
};

CronStarts FindStarts(const batchv1::CronJob& cron_job, const CronSchedule& schedule,
                      std::chrono::sys_seconds now);

std::vector<PlannedEvent> MissedStartEvents(const CronStarts& starts,
                                            const batchv1::CronJobSpec& spec);

// The Job to create for a start. Its name is derived from the time, so that no start has two Jobs.
std::string JobNameAt(const batchv1::CronJob& cron_job, std::chrono::sys_seconds time);
batchv1::Job JobAt(const batchv1::CronJob& cron_job, std::chrono::sys_seconds time);

// Updates status.active and status.lastSuccessfulTime from the Jobs that the CronJob controls, and
// status.lastScheduleTime for Jobs whose creation was not recorded because the process crashed.
std::vector<PlannedEvent> SyncStatusWithJobs(const std::vector<JobPointer>& jobs,
                                             batchv1::CronJob& cron_job);

// Adds the Job to status.active and sets status.lastScheduleTime.
void RecordStart(const batchv1::Job& job, std::chrono::sys_seconds time,
                 batchv1::CronJobStatus& status);

// The oldest finished Jobs beyond the history limits of the spec.
std::vector<JobPointer> JobsOverHistoryLimit(const std::vector<JobPointer>& jobs,
                                             const batchv1::CronJobSpec& spec);

}  // namespace kubexms
