#include "kubexms/builtin/workloads/job/job_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "kubexms/builtin/shared/delete_by_uid.h"
#include "kubexms/builtin/workloads/dependents.h"
#include "kubexms/builtin/workloads/job/job_plan.h"
#include "kubexms/builtin/workloads/job/job_state.h"
#include "kubexms/builtin/workloads/pod_writer.h"
#include "kubexms/controller/events/object_reference.h"

namespace kubexms {
namespace {

using batchv1::Job;
using corev1::Pod;

constexpr const char* kJobNameLabel = "batch.kubernetes.io/job-name";
constexpr std::string_view kThisController = "kubernetes.io/job-controller";
// Pods with the finalizer by the Job that they belong to, or belonged to before it was deleted.
constexpr const char* kTrackedIndex = "tracked by job";

std::string IndexValue(const ObjectKey& key) { return key.namespace_name + "/" + key.name; }

// The Job of a Pod by its controller reference or, without one, by the label.
std::optional<ObjectKey> JobOf(const Pod& pod) {
  const OwnerReference* owner = ControllerOf(pod.metadata);
  if (owner != nullptr) {
    if (owner->kind != Job::kKind.kind) return std::nullopt;
    return ObjectKey{pod.metadata.namespace_name, owner->name};
  }
  const auto label = pod.metadata.labels.find(kJobNameLabel);
  if (label == pod.metadata.labels.end()) return std::nullopt;
  return ObjectKey{pod.metadata.namespace_name, label->second};
}

bool IsManagedByOthers(const Job& job) {
  return !job.spec.managed_by.empty() && job.spec.managed_by != kThisController;
}

Result<Selector> SelectorOfJob(const Job& job) {
  if (!job.spec.selector || IsManagedByOthers(job)) return Selector::Nothing();
  return Selector::From(*job.spec.selector);
}

// Removes the finalizer of a Pod. A Pod that no longer exists is not an error.
Result<void> RemoveTracking(ReconcileContext& context, const Pod& pod) {
  if (!IsTracked(pod)) return {};
  kubexms::Patch patch{
      .type = PatchType::kStrategicMerge,
      .body = fmt::format(
          R"({{"metadata":{{"uid":"{}","$deleteFromPrimitiveList/finalizers":["{}"]}}}})",
          pod.metadata.uid, kJobTrackingFinalizer)};
  const auto removed = context.client.Do(Client::PatchRequest(
      ResourceType::Of<Pod>(), ObjectKey::Of(pod.metadata), patch, {.stop = context.stop}));
  if (removed.ok() || NoLongerExists(removed.error())) return {};
  return removed.error();
}

// Removes the finalizers of Pods that no Job counts: the Job was deleted, is finished, or has
// released them.
Result<void> ReleaseOrphans(ReconcileContext& context, const Job* job, ParallelWrites& writes) {
  std::vector<PodPointer> orphans =
      context.Cached<Pod>().ByIndex(kTrackedIndex, IndexValue(context.key));
  if (job != nullptr && !IsFinished(*job)) {
    const Selector selector = SelectorOfJob(*job).value_or(Selector::Nothing());
    std::erase_if(orphans, [&](const PodPointer& pod) {
      const OwnerReference* owner = ControllerOf(pod->metadata);
      return owner != nullptr ? owner->uid == job->metadata.uid
                              : selector.Matches(pod->metadata.labels);
    });
  }
  if (orphans.empty()) return {};
  if (job == nullptr) {
    // The cache of Jobs may be behind that of Pods.
    const auto fresh = context.client.Get<Job>(context.key, {.stop = context.stop});
    if (fresh.ok())
      return Error::Conflict("jobs.batch", context.key.name,
                             "the cache has not received the Job yet");
    if (!fresh.error().IsNotFound()) return fresh.error();
  }
  return writes
      .RunAll(orphans.size(), [&](size_t i) { return RemoveTracking(context, *orphans[i]); })
      .result;
}

class JobSync {
 public:
  JobSync(ReconcileContext& context, const Job& cached, ParallelWrites& writes)
      : context_(context),
        writes_(writes),
        now_(context.clock.Now()),
        pod_writer_(context, ReferenceTo(cached), writes),
        written_(cached),
        job_(cached) {}

  Result<Outcome> Run() {
    ASSIGN_OR_RETURN(const Selector selector, SelectorOfJob(job_));
    ASSIGN_OR_RETURN(const std::vector<PodPointer> claimed,
                     (ClaimDependents<Pod, Job>(context_, job_, selector)));
    const std::vector<PlannedEvent> begun = BeginJob(job_, now_);
    JobPlan plan = PlanJob(job_, claimed, now_);
    const Result<void> done = WritePods(plan);
    // The Job does not finish while Pods could not be deleted: they may still succeed.
    if (!done.ok()) plan.finished.reset();
    const JobTracking tracking = TrackPods(Pods(), plan.finished, now_, job_);
    if (!tracking.to_release.empty()) {
      RETURN_IF_ERROR(WriteStatus());
      RETURN_IF_ERROR(Release(tracking.to_release));
    }
    const auto finished = UpdateJobStatus(Pods(), plan.finished, tracking.more, now_, job_);
    RETURN_IF_ERROR(WriteStatus());
    Record(begun);
    Record(finished);
    if (!done.ok()) return done.error();
    if (tracking.more) return Outcome::RequeueAfter(std::chrono::milliseconds(1));
    return plan.requeue_after ? Outcome::RequeueAfter(*plan.requeue_after) : Outcome::Done();
  }

 private:
  // The Pods from the cache, which contains this reconcile's own writes.
  std::vector<PodPointer> Pods() const {
    return context_.Cached<Pod>().ByIndex(kControllerIndex, job_.metadata.uid);
  }

  Result<void> WritePods(const JobPlan& plan) {
    if (plan.release_deleted) RETURN_IF_ERROR(Release(plan.to_delete));
    RETURN_IF_ERROR(pod_writer_.DeleteEach(plan.to_delete));
    if (plan.to_create.empty()) return {};
    if (!IsIndexed(job_)) {
      return pod_writer_.CreateCopies(PodOfJob(job_, plan.to_create[0]), plan.to_create.size());
    }
    std::vector<Pod> pods;
    pods.reserve(plan.to_create.size());
    for (const PodToCreate& pod : plan.to_create) pods.push_back(PodOfJob(job_, pod));
    return pod_writer_.CreateEach(pods);
  }

  Result<void> Release(const std::vector<PodPointer>& pods) {
    return writes_.RunAll(pods.size(), [&](size_t i) { return RemoveTracking(context_, *pods[i]); })
        .result;
  }

  Result<void> WriteStatus() {
    if (SemanticEqual(job_.status, written_.status)) return {};
    ASSIGN_OR_RETURN(written_, context_.client.UpdateStatus(job_, {.stop = context_.stop}));
    job_.metadata.resource_version = written_.metadata.resource_version;
    return {};
  }

  void Record(const std::vector<PlannedEvent>& events) {
    for (const PlannedEvent& event : events) {
      context_.events.Event(ReferenceTo(written_), event.type, event.reason, event.message);
    }
  }

  ReconcileContext& context_;
  ParallelWrites& writes_;
  const WallTime now_;
  PodWriter pod_writer_;
  Job written_;  // as the server has it
  Job job_;      // with the new status
};

Result<Outcome> Reconcile(ReconcileContext& context, const Job& job, ParallelWrites& writes) {
  if (IsManagedByOthers(job)) return Outcome::Done();
  RETURN_IF_ERROR(ReleaseOrphans(context, &job, writes));
  if (IsFinished(job)) return Outcome::Done();
  Result<Outcome> outcome = JobSync(context, job, writes).Run();
  // The Job was deleted: OnDeleted() releases its Pods.
  if (!outcome.ok() && outcome.error().IsNotFound()) return Outcome::Done();
  return outcome;
}

}  // namespace

Controller JobController(std::shared_ptr<ParallelWrites> writes) {
  ControllerFor<Job> controller({.name = "job-controller", .max_concurrent_reconciles = 4});
  WatchDependents<Pod>(controller, SelectorOfJob);
  controller
      .Watches<Pod>([](const Pod& pod) -> std::vector<ObjectKey> {
        const auto key = IsTracked(pod) ? JobOf(pod) : std::nullopt;
        return key ? std::vector{*key} : std::vector<ObjectKey>();
      })
      .Index<Pod>(kTrackedIndex,
                  [](const Pod& pod) -> std::vector<std::string> {
                    const auto key = IsTracked(pod) ? JobOf(pod) : std::nullopt;
                    return key ? std::vector{IndexValue(*key)} : std::vector<std::string>();
                  })
      .Reconciles([writes](ReconcileContext& context, const Job& job) {
        return Reconcile(context, job, *writes);
      })
      .OnDeleted([writes](ReconcileContext& context) -> Result<Outcome> {
        RETURN_IF_ERROR(ReleaseOrphans(context, nullptr, *writes));
        return Outcome::Done();
      });
  return controller;
}

}  // namespace kubexms
