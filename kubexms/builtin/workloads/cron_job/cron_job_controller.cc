#include "kubexms/builtin/workloads/cron_job/cron_job_controller.h"

#include <algorithm>
#include <utility>

#include "kubexms/builtin/namespaces/active_namespace.h"
#include "kubexms/builtin/workloads/cron_job/cron_job_plan.h"
#include "kubexms/builtin/workloads/dependents.h"
#include "kubexms/controller/events/object_reference.h"

namespace kubexms {
namespace {

using batchv1::CronJob;
using batchv1::Job;
using std::chrono::floor;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using std::chrono::sys_seconds;

// Timers do not know of clocks that are set and of machines that slept.
constexpr nanoseconds kLongestWait = std::chrono::minutes(10);

DeleteOptions WithItsPods(const ObjectMeta& job) {
  DeleteOptions options;
  options.propagation_policy = "Background";
  options.preconditions.emplace().uid = job.uid;
  return options;
}

class CronJobRun {
 public:
  CronJobRun(ReconcileContext& context, const CronJob& cached)
      : context_(context), cached_(cached), cron_job_(cached) {}

  Result<Outcome> Run() {
    ASSIGN_OR_RETURN(const std::vector<JobPointer> jobs, Jobs());
    const std::vector<Notice> notices = FollowJobs(jobs, cron_job_);
    Result<Outcome> started = Start();
    const Result<void> tidied = DeleteOldest(jobs);
    RETURN_IF_ERROR(WriteStatus());
    for (const Notice& notice : notices) Tell(notice);
    if (!tidied.ok()) return tidied.error();
    return started;
  }

 private:
  // Those that the CronJob controls. An active one that the cache does not have is asked for: the
  // cache may not know it yet.
  Result<std::vector<JobPointer>> Jobs() {
    std::vector<JobPointer> jobs =
        context_.Cached<Job>().ByIndex(kControllerIndex, cached_.metadata.uid);
    for (const corev1::ObjectReference& active : cached_.status.active) {
      const bool cached = std::any_of(jobs.begin(), jobs.end(), [&](const JobPointer& job) {
        return job->metadata.uid == active.uid;
      });
      if (cached) continue;
      Result<Job> job =
          context_.client.Get<Job>({active.namespace_name, active.name}, {.stop = context_.stop});
      if (job.ok() && job->metadata.uid == active.uid) {
        jobs.push_back(std::make_shared<const Job>(*std::move(job)));
      } else if (!job.ok() && !job.error().IsNotFound()) {
        return job.error();
      }
    }
    return jobs;
  }

  Result<Outcome> Start() {
    if (!cached_.metadata.deletion_timestamp.IsZero()) return Outcome::Done();
    if (cached_.spec.suspend.value_or(false)) return Outcome::Done();
    const Result<CronSchedule> schedule = ScheduleOf(cached_.spec);
    if (!schedule.ok()) {
      Warn(schedule.error().reason(), schedule.error().message());
      return Outcome::Done();
    }
    const sys_seconds now = floor<seconds>(context_.clock.Now());
    const CronStarts starts = FindStarts(cron_job_, *schedule, now);
    for (const Notice& notice : NoticesOf(starts, cached_.spec)) Tell(notice);
    if (starts.due) RETURN_IF_ERROR(StartJob(*starts.due));
    return WaitFor(starts.next);
  }

  Outcome WaitFor(const std::optional<sys_seconds>& next) {
    if (!next) return Outcome::Done();
    const nanoseconds wait = *next - context_.clock.Now();
    return Outcome::RequeueAfter(std::clamp(wait, nanoseconds(0), kLongestWait));
  }

  Result<void> StartJob(sys_seconds time) {
    const std::string& policy = cached_.spec.concurrency_policy;
    if (policy == "Forbid" && !cron_job_.status.active.empty()) {
      Tell({EventType::kNormal, "JobAlreadyActive",
            "Not starting job because prior execution is running and concurrency policy is "
            "Forbid"});
      return {};
    }
    if (policy == "Replace") RETURN_IF_ERROR(DeleteActive());
    return CreateJob(time);
  }

  Result<void> CreateJob(sys_seconds time) {
    const Job job = JobAt(cached_, time);
    Result<Job> created = context_.client.Create(job, {.stop = context_.stop});
    if (created.ok()) {
      Tell({EventType::kNormal, "SuccessfulCreate", "Created job " + created->metadata.name});
    } else if (created.error().IsAlreadyExists()) {
      created = context_.client.Get<Job>(ObjectKey::Of(job.metadata), {.stop = context_.stop});
      // Somebody else's Job has the name; there is none for this start.
      if (created.ok() && !IsControlledBy(created->metadata, cached_.metadata.uid)) return {};
      if (!created.ok()) return created.error();
    } else {
      const Result<void> failed = IgnoreTerminating(created.error());
      if (!failed.ok()) Warn("FailedCreate", "Error creating job: " + failed.error().message());
      return failed;
    }
    NoteStart(*created, time, cron_job_.status);
    return {};
  }

  Result<void> DeleteActive() {
    for (const corev1::ObjectReference& active : std::vector(cron_job_.status.active)) {
      ObjectMeta job;
      job.namespace_name = active.namespace_name;
      job.name = active.name;
      job.uid = active.uid;
      RETURN_IF_ERROR(DeleteJob(job));
    }
    return {};
  }

  Result<void> DeleteOldest(const std::vector<JobPointer>& jobs) {
    for (const JobPointer& job : JobsBeyondLimits(jobs, cached_.spec)) {
      RETURN_IF_ERROR(DeleteJob(job->metadata));
    }
    return {};
  }

  Result<void> DeleteJob(const ObjectMeta& job) {
    Result<void> deleted = context_.client.Delete<Job>(ObjectKey::Of(job), WithItsPods(job));
    const bool gone =
        !deleted.ok() && (deleted.error().IsNotFound() || deleted.error().IsConflict());
    if (!deleted.ok() && !gone) {
      Warn("FailedDelete", "Deleted job: " + deleted.error().message());
      return deleted;
    }
    std::erase_if(cron_job_.status.active,
                  [&](const auto& reference) { return reference.uid == job.uid; });
    if (!gone) Tell({EventType::kNormal, "SuccessfulDelete", "Deleted job " + job.name});
    return {};
  }

  Result<void> WriteStatus() {
    if (SemanticEqual(cron_job_.status, cached_.status)) return {};
    return IgnoreNotFound(context_.client.UpdateStatus(cron_job_, {.stop = context_.stop}));
  }

  void Warn(std::string reason, std::string message) {
    Tell({EventType::kWarning, std::move(reason), std::move(message)});
  }
  void Tell(const Notice& notice) {
    context_.events.Event(ReferenceTo(cached_), notice.type, notice.reason, notice.message);
  }

  ReconcileContext& context_;
  const CronJob& cached_;
  CronJob cron_job_;  // with the status that is to be written
};

}  // namespace

Controller CronJobController() {
  ControllerFor<CronJob> controller({.name = "cronjob-controller", .workers = 4});
  controller.Owns<Job>()
      .Index<Job>(kControllerIndex,
                  [](const Job& job) { return ControllerIndexValues(job.metadata); })
      .Reconciles([](ReconcileContext& context, const CronJob& cron_job) {
        return CronJobRun(context, cron_job).Run();
      });
  return controller;
}

}  // namespace kubexms
