#pragma once

// What the CronJob controller decides, without doing it: which start of a schedule is due, what the
// status says of the Jobs that there are, and which finished Jobs are too many.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "kubexms/api/kinds/batch_v1.h"
#include "kubexms/api/values/cron_schedule.h"
#include "kubexms/builtin/shared/notice.h"
#include "kubexms/builtin/workloads/job/job_state.h"

namespace kubexms {

// The schedule and the clocks that it is about: those of spec.timeZone, or of this machine. What is
// wrong with it is worded for the event of which the error's reason() is the reason.
Result<CronSchedule> ScheduleOf(const batchv1::CronJobSpec& spec);

struct CronStarts {
  // The last start that has come and was not made, unless that is longer ago than
  // spec.startingDeadlineSeconds: then it is `missed`. Those before it are never made up for.
  std::optional<std::chrono::sys_seconds> due;
  std::optional<std::chrono::sys_seconds> missed;
  // More than 100 have come since the last one that was made and within the deadline.
  bool many = false;
  // The first one in the future; none in the next five years when the schedule has none.
  std::optional<std::chrono::sys_seconds> next;
};

CronStarts FindStarts(const batchv1::CronJob& cron_job, const CronSchedule& schedule,
                      std::chrono::sys_seconds now);

std::vector<Notice> NoticesOf(const CronStarts& starts, const batchv1::CronJobSpec& spec);

// The Job of a start. Its name follows from the time, so that no start is made twice.
std::string JobNameAt(const batchv1::CronJob& cron_job, std::chrono::sys_seconds time);
batchv1::Job JobAt(const batchv1::CronJob& cron_job, std::chrono::sys_seconds time);

// Brings status.active, status.lastSuccessfulTime and, for Jobs that were made without having been
// noted, status.lastScheduleTime in step with the Jobs that the CronJob controls.
std::vector<Notice> FollowJobs(const std::vector<JobPointer>& jobs, batchv1::CronJob& cron_job);

// Adds the Job to status.active and notes when it was due.
void NoteStart(const batchv1::Job& job, std::chrono::sys_seconds time,
               batchv1::CronJobStatus& status);

// The oldest finished Jobs beyond those that the limits of the spec keep.
std::vector<JobPointer> JobsBeyondLimits(const std::vector<JobPointer>& jobs,
                                         const batchv1::CronJobSpec& spec);

}  // namespace kubexms
