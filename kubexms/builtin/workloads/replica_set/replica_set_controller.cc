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
#include "kubexms/builtin/workloads/status_pace.h"
#include "kubexms/controller/events/object_reference.h"

namespace kubexms {
namespace {

using appsv1::ReplicaSet;
using corev1::Pod;
using corev1::ReplicationController;

constexpr int kWorkers = 4;
// Between two statuses of a set that differ in how many Pods have come or gone so far.
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

// The reconcile of one Set: a ReplicaSet or a ReplicationController.
template <Kind Set>
class Replicas {
 public:
  Replicas(ReconcileContext& context, const Set& set, ParallelWrites& writes, StatusPace& pace)
      : context_(context), set_(set), writes_(writes), pace_(pace) {}

  Result<Outcome> Reconcile() {
    ASSIGN_OR_RETURN(selector_, SelectorFor(set_));
    ASSIGN_OR_RETURN(std::vector<PodPointer> pods,
                     ClaimDependents<Pod>(context_, set_, selector_, IsUnfinished));
    const std::vector<PodPointer> active = ActiveOf(pods);
    const ReplicaPlan plan =
        IsEnding() ? ReplicaPlan() : PlanReplicas(active.size(), set_.spec.replicas.value_or(1));
    const Result<void> done = CarryOut(plan, active);
    // What was just done counts: the caches know of it.
    if (plan != ReplicaPlan()) pods = OwnPods(set_.metadata);
    const ReplicaCounts counts = CountReplicas(pods, set_.spec.template_.metadata.labels,
                                               MinReadySeconds(), context_.clock.Now());
    Set counted = set_;
    SetStatus(counts, plan, done, counted);
    const bool moves = plan == ReplicaPlan() && !IsSettled(counts);
    ASSIGN_OR_RETURN(const Outcome told, Tell(counted, moves));
    if (!done.ok()) return done.error();
    if (!counts.until_available) return told;
    return told.And(Outcome::RequeueAfter(*counts.until_available));
  }

 private:
  bool IsEnding() const { return !set_.metadata.deletion_timestamp.IsZero(); }
  int32_t MinReadySeconds() const { return set_.spec.min_ready_seconds.value_or(0); }

  // Nothing is to come or to go any more, so that the next status is not about to follow.
  bool IsSettled(const ReplicaCounts& counts) const {
    const int32_t wanted = IsEnding() ? 0 : set_.spec.replicas.value_or(1);
    return counts.terminating == 0 && counts.active == wanted && counts.available == wanted;
  }

  // Writes the status, but not for every Pod while these are on the move.
  Result<Outcome> Tell(const Set& counted, bool moves) {
    if (SemanticEqual(set_.status, counted.status)) return Outcome::Done();
    const auto wait = moves ? pace_.Wait(set_.metadata.uid, context_.clock.MonotonicNow())
                            : std::chrono::nanoseconds(0);
    if (wait.count() > 0) return Outcome::RequeueAfter(wait);
    RETURN_IF_ERROR(WriteStatus(context_, set_, counted));
    return Outcome::Done();
  }

  Result<void> CarryOut(const ReplicaPlan& plan, std::vector<PodPointer> active) {
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

  // The Pods of all sets that have the same owner: the old and the new ones of a Deployment.
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

  // The first failure stays told until there is none: the next may differ in the name of a Pod
  // alone, and is no news.
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
  StatusPace& pace_;
  Selector selector_;
};

template <Kind Set>
Controller Make(std::string name, std::string event_source,
                std::shared_ptr<ParallelWrites> writes) {
  ControllerFor<Set> controller(
      {.name = std::move(name), .event_source = std::move(event_source), .workers = kWorkers});
  WatchDependents<Pod, Set>(controller, &SelectorFor);
  controller.template Index<Set>(
      kControllerIndex, [](const Set& set) { return ControllerIndexValues(set.metadata); });
  const auto pace = std::make_shared<StatusPace>(kStatusPeriod);
  controller.Reconciles(
      [writes = std::move(writes), pace](ReconcileContext& context, const Set& set) {
        return Replicas<Set>(context, set, *writes, *pace).Reconcile();
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
