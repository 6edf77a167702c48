#include "kubexms/builtin/workloads/replica_set/replica_set_controller.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kubexms/api/kinds/apps_v1.h"
#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/builtin/shared/write_status.h"
#include "kubexms/builtin/workloads/dependents.h"
#include "kubexms/builtin/workloads/pod_template.h"
#include "kubexms/builtin/workloads/pod_writer.h"
#include "kubexms/builtin/workloads/replica_set/replica_plan.h"
#include "kubexms/builtin/workloads/status_rate_limiter.h"
#include "kubexms/controller/events/object_reference.h"

namespace kubexms {
namespace {

using appsv1::ReplicaSet;
using corev1::Pod;
using corev1::ReplicationController;

constexpr int kWorkers = 4;
// Between two status writes of a set while its Pods start or terminate.
constexpr auto kStatusPeriod = std::chrono::milliseconds(50);
constexpr const char* kReplicaFailure = "ReplicaFailure";

Result<Selector> SelectorFor(const ReplicaSet& set) { return Selector::From(set.spec.selector); }
Result<Selector> SelectorFor(const ReplicationController& controller) {
  return Selector::FromLabels(controller.spec.selector);
}

bool IsUnfinished(const Pod& pod) { return !IsFinished(pod); }

std::vector<PodPointer> ActiveOf(const std::vector<PodPointer>& pods) {
  std::vector<PodPointer> active;
  active.reserve(pods.size());
  std::copy_if(pods.begin(), pods.end(), std::back_inserter(active),
               [](const PodPointer& pod) { return IsActive(*pod); });
  return active;
}

// One reconcile of a ReplicaSet or ReplicationController.
template <Kind Set>
class ReplicaSync {
 public:
  ReplicaSync(ReconcileContext& context, const Set& set, ParallelWrites& writes,
              StatusRateLimiter& limiter)
      : context_(context), set_(set), writes_(writes), status_limiter_(limiter) {}

  Result<Outcome> Reconcile() {
    ASSIGN_OR_RETURN(selector_, SelectorFor(set_));
    ASSIGN_OR_RETURN(std::vector<PodPointer> pods,
                     ClaimDependents<Pod>(context_, set_, selector_, IsUnfinished));
    const std::vector<PodPointer> active = ActiveOf(pods);
    const ReplicaPlan plan = IsBeingDeleted()
                                 ? ReplicaPlan()
                                 : PlanReplicas(active.size(), set_.spec.replicas.value_or(1));
    const Result<void> done = Execute(plan, active);
    // The caches contain this reconcile's own writes.
    if (plan != ReplicaPlan()) pods = OwnPods(set_.metadata);
    const ReplicaCounts counts = CountReplicas(pods, set_.spec.template_.metadata.labels,
                                               MinReadySeconds(), context_.clock.Now());
    Set counted = set_;
    SetStatus(counts, plan, done, counted);
    const bool changing = plan == ReplicaPlan() && !IsStable(counts);
    ASSIGN_OR_RETURN(const Outcome outcome, ReportStatus(counted, changing));
    if (!done.ok()) return done.error();
    if (!counts.until_available) return outcome;
    return outcome.And(Outcome::RequeueAfter(*counts.until_available));
  }

 private:
  bool IsBeingDeleted() const { return !set_.metadata.deletion_timestamp.IsZero(); }
  int32_t MinReadySeconds() const { return set_.spec.min_ready_seconds.value_or(0); }

  // Whether no further status change is expected.
  bool IsStable(const ReplicaCounts& counts) const {
    const int32_t wanted = IsBeingDeleted() ? 0 : set_.spec.replicas.value_or(1);
    return counts.terminating == 0 && counts.active == wanted && counts.available == wanted;
  }

  // Writes the status, rate-limited while the counts are `changing`.
  Result<Outcome> ReportStatus(const Set& counted, bool changing) {
    if (SemanticEqual(set_.status, counted.status)) return Outcome::Done();
    const auto wait =
        changing ? status_limiter_.Reserve(set_.metadata.uid, context_.clock.MonotonicNow())
                 : std::chrono::nanoseconds(0);
    if (wait.count() > 0) return Outcome::RequeueAfter(wait);
    RETURN_IF_ERROR(WriteStatus(context_, set_, counted));
    return Outcome::Done();
  }

  Result<void> Execute(const ReplicaPlan& plan, std::vector<PodPointer> active) {
    PodWriter writer(context_, ReferenceTo(set_), writes_);
    if (plan.create > 0) {
      return writer.CreateCopies(PodFromTemplate(set_.spec.template_, set_), plan.create);
    }
    if (plan.remove == 0) return {};
    if (plan.remove < active.size()) SortForDeletion(active, Related(), context_.clock.Now());
    active.resize(plan.remove);
    return writer.DeleteEach(active);
  }

  std::vector<PodPointer> OwnPods(const ObjectMeta& owner) const {
    return context_.Cached<Pod>().ByIndex(kControllerIndex, owner.uid);
  }

  // The Pods of all sets with the same owner: of a Deployment's old and new ReplicaSets.
  std::vector<PodPointer> Related() const {
    const OwnerReference* owner = ControllerOf(set_.metadata);
    if (owner == nullptr) return OwnPods(set_.metadata);
    std::vector<PodPointer> related;
    for (const auto& sibling : context_.Cached<Set>().ByIndex(kControllerIndex, owner->uid)) {
      const std::vector<PodPointer> pods = OwnPods(sibling->metadata);
      related.insert(related.end(), pods.begin(), pods.end());
    }
    return related;
  }

  void SetStatus(const ReplicaCounts& counts, const ReplicaPlan& plan, const Result<void>& done,
                 Set& set) const {
    auto& status = set.status;
    status.replicas = counts.active;
    status.fully_labeled_replicas = counts.fully_labeled;
    status.ready_replicas = counts.ready;
    status.available_replicas = counts.available;
    if constexpr (requires { status.terminating_replicas; }) {
      status.terminating_replicas = counts.terminating;
    }
    status.observed_generation = set.metadata.generation.value_or(0);
    SetFailure(plan, done, status.conditions);
  }

  // Retains the first failure until a reconcile succeeds: a later one often differs in the name of
  // a Pod only, and would cause another status write.
  template <class Conditions>
  void SetFailure(const ReplicaPlan& plan, const Result<void>& done, Conditions& conditions) const {
    const auto is_failure = [](const auto& condition) { return condition.type == kReplicaFailure; };
    if (done.ok()) {
      std::erase_if(conditions, is_failure);
      return;
    }
    if (std::any_of(conditions.begin(), conditions.end(), is_failure)) return;
    auto& failure = conditions.emplace_back();
    failure.type = kReplicaFailure;
    failure.status = "True";
    failure.reason = plan.create > 0 ? "FailedCreate" : "FailedDelete";
    failure.message = done.error().message();
    failure.last_transition_time = Time::Now(context_.clock);
  }

  ReconcileContext& context_;
  const Set& set_;
  ParallelWrites& writes_;
  StatusRateLimiter& status_limiter_;
  Selector selector_;
};

template <Kind Set>
Controller Make(std::string name, std::string event_source,
                std::shared_ptr<ParallelWrites> writes) {
  ControllerFor<Set> controller({.name = std::move(name),
                                 .event_source = std::move(event_source),
                                 .max_concurrent_reconciles = kWorkers});
  WatchDependents<Pod, Set>(controller, &SelectorFor);
  controller.template Index<Set>(
      kControllerIndex, [](const Set& set) { return ControllerIndexValues(set.metadata); });
  const auto limiter = std::make_shared<StatusRateLimiter>(kStatusPeriod);
  controller.Reconciles(
      [writes = std::move(writes), limiter](ReconcileContext& context, const Set& set) {
        return ReplicaSync<Set>(context, set, *writes, *limiter).Reconcile();
      });
  return controller;
}

}  // namespace

Controller ReplicaSetController(std::shared_ptr<ParallelWrites> writes) {
  return Make<ReplicaSet>("replicaset-controller", "replicaset-controller", std::move(writes));
}

Controller ReplicationControllerController(std::shared_ptr<ParallelWrites> writes) {
  return Make<ReplicationController>("replicationcontroller-controller", "replication-controller",
                                     std::move(writes));
}

}  // namespace kubexms
