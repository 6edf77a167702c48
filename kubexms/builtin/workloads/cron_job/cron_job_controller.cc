#include "kubexms/builtin/workloads/cron_job/cron_job_controller.h"

#include <algorithm>
#include <utility>

#include "kubexms/builtin/namespaces/active_namespace.h"
#include "kubexms/builtin/shared/delete_by_uid.h"
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

// Bounds one wait, because a timer does not notice that the wall clock was set or that the machine
// slept.
constexpr nanoseconds kLongestWait = std::chrono::minutes(10);

DeleteOptions DeletePodsInBackground(const ObjectMeta& job) {
  DeleteOptions options = UidPrecondition(job);
  options.propagation_policy = "Background";
  return options;
}

class CronJobSync {
 public:
  CronJobSync(ReconcileContext& context, const CronJob& cached)
      : context_(context), cached_(cached), cron_job_(cached) {}

  Result<Outcome> Run() {
    ASSIGN_OR_RETURN(const std::vector<JobPointer> jobs, Jobs());
    const std::vector<PlannedEvent> events = SyncStatusWithJobs(jobs, cron_job_);
    Result<Outcome> started = Start();
    const Result<void> cleaned_up = DeleteJobsOverLimit(jobs);
    RETURN_IF_ERROR(WriteStatus());
    for (const PlannedEvent& event : events) Record(event);
    if (!cleaned_up.ok()) return cleaned_up.error();
    return started;
  }

 private:
  // The Jobs that the CronJob controls. A Job of status.active that the cache does not have is read
  // from the server: the cache may not have received it yet.
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
    for (const PlannedEvent& event : MissedStartEvents(starts, cached_.spec)) Record(event);
    if (starts.due) RETURN_IF_ERROR(StartJob(*starts.due));
    return RequeueAt(starts.next);
  }

  Outcome RequeueAt(const std::optional<sys_seconds>& next) {
    if (!next) return Outcome::Done();
    const nanoseconds wait = *next - context_.clock.Now();
    return Outcome::RequeueAfter(std::clamp(wait, nanoseconds(0), kLongestWait));
  }

  Result<void> StartJob(sys_seconds time) {
    const std::string& policy = cached_.spec.concurrency_policy;
    if (policy == "Forbid" && !cron_job_.status.active.empty()) {
      Record({EventType::kNormal, "JobAlreadyActive",
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
      Record({EventType::kNormal, "SuccessfulCreate", "Created job " + created->metadata.name});
    } else if (created.error().IsAlreadyExists()) {
      created = context_.client.Get<Job>(ObjectKey::Of(job.metadata), {.stop = context_.stop});
      // A Job of another owner has the name, so this start is skipped.
      if (created.ok() && !IsControlledBy(created->metadata, cached_.metadata.uid)) return {};
      if (!created.ok()) return created.error();
    } else {
      const Result<void> failed = IgnoreTerminating(created.error());
      if (!failed.ok()) Warn("FailedCreate", "Error creating job: " + failed.error().message());
      return failed;
    }
    RecordStart(*created, time, cron_job_.status);
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

  Result<void> DeleteJobsOverLimit(const std::vector<JobPointer>& jobs) {
    for (const JobPointer& job : JobsOverHistoryLimit(jobs, cached_.spec)) {
      RETURN_IF_ERROR(DeleteJob(job->metadata));
    }
    return {};
  }

  Result<void> DeleteJob(const ObjectMeta& job) {
    Result<void> deleted =
        context_.client.Delete<Job>(ObjectKey::Of(job), DeletePodsInBackground(job));
    const bool gone = !deleted.ok() && NoLongerExists(deleted.error());
    if (!deleted.ok() && !gone) {
      Warn("FailedDelete", "Deleted job: " + deleted.error().message());
      return deleted;
    }
    std::erase_if(cron_job_.status.active,
                  [&](const auto& reference) { return reference.uid == job.uid; });
    if (!gone) Record({EventType::kNormal, "SuccessfulDelete", "Deleted job " + job.name});
    return {};
  }

  Result<void> WriteStatus() {
    if (SemanticEqual(cron_job_.status, cached_.status)) return {};
    return IgnoreNotFound(context_.client.UpdateStatus(cron_job_, {.stop = context_.stop}));
  }

  void Warn(std::string reason, std::string message) {
    Record({EventType::kWarning, std::move(reason), std::move(message)});
  }
  void Record(const PlannedEvent& event) {
    context_.events.Event(ReferenceTo(cached_), event.type, event.reason, event.message);
  }

  ReconcileContext& context_;
  const CronJob& cached_;
  CronJob cron_job_;  // with the new status
};

}  // namespace

Controller CronJobController() {
  ControllerFor<CronJob> controller({.name = "cronjob-controller", .max_concurrent_reconciles = 4});
  controller.Owns<Job>()
      .Index<Job>(kControllerIndex,
                  [](const Job& job) { return ControllerIndexValues(job.metadata); })
      .Reconciles([](ReconcileContext& context, const CronJob& cron_job) {
        return CronJobSync(context, cron_job).Run();
      });
  return controller;
}

}  // namespace kubexms
