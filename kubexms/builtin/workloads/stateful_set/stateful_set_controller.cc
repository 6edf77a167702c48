#include "kubexms/builtin/workloads/stateful_set/stateful_set_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "kubexms/builtin/namespaces/active_namespace.h"
#include "kubexms/builtin/shared/delete_by_uid.h"
#include "kubexms/builtin/shared/pod_state.h"
#include "kubexms/builtin/shared/write_status.h"
#include "kubexms/builtin/workloads/dependents.h"
#include "kubexms/builtin/workloads/revision_history.h"
#include "kubexms/builtin/workloads/stateful_set/stateful_set_plan.h"
#include "kubexms/builtin/workloads/stateful_set/stateful_set_pod.h"
#include "kubexms/controller/events/event_recorder.h"

namespace kubexms {
namespace {

using appsv1::ControllerRevision;
using appsv1::StatefulSet;
using corev1::PersistentVolumeClaim;
using corev1::Pod;

constexpr const char* kHashLabel = "controller.kubernetes.io/hash";

struct Replica {
  StatefulPod state;
  PodPointer pod;
};

std::string RevisionOf(const Pod& pod) {
  const auto label = pod.metadata.labels.find(kRevisionLabel);
  return label == pod.metadata.labels.end() ? "" : label->second;
}

Result<Selector> SelectorOfSet(const StatefulSet& set) { return Selector::From(set.spec.selector); }

// The words of an event: "create Pod db-0 in StatefulSet db successful".
struct PodAction {
  std::string_view verb;
  std::string_view reason;  // after "Successful" or "Failed"
};
constexpr PodAction kCreate{"create", "Create"};
constexpr PodAction kUpdate{"update", "Update"};
constexpr PodAction kDelete{"delete", "Delete"};

// One reconcile of a StatefulSet.
class StatefulSetSync {
 public:
  StatefulSetSync(ReconcileContext& context, const StatefulSet& set, ParallelWrites& writes)
      : context_(context), set_(set), writes_(writes) {}

  Result<Outcome> Run() {
    ASSIGN_OR_RETURN(const Selector selector, SelectorOfSet(set_));
    ASSIGN_OR_RETURN(const auto pods,
                     ClaimDependents<Pod, StatefulSet>(
                         context_, set_, selector, [&](const Pod& pod) { return IsReplica(pod); }));
    if (!set_.metadata.deletion_timestamp.IsZero()) {
      goal_ = GoalOf(set_, set_.status.current_revision, set_.status.update_revision);
      history_.collision_count = set_.status.collision_count.value_or(0);
      RETURN_IF_ERROR(ReportStatus(ReplicasAmong(pods)));
      return Outcome::Done();
    }
    const Result<void> found = FindRevisions(selector);
    if (!found.ok()) {
      RETURN_IF_ERROR(IgnoreTerminating(found.error()));
      return Outcome::Done();
    }
    return Sync(ReplicasAmong(pods));
  }

 private:
  Result<Outcome> Sync(const std::vector<Replica>& replicas) {
    std::vector<StatefulPod> states;
    for (const Replica& replica : replicas) states.push_back(replica.state);
    const Result<void> done = Execute(PlanStatefulSet(goal_, states), replicas);
    // The caches contain this reconcile's own writes.
    const std::vector<Replica> now =
        ReplicasAmong(context_.Cached<Pod>().ByIndex(kControllerIndex, set_.metadata.uid));
    const Result<void> written = ReportStatus(now);
    if (!done.ok()) return done.error();
    if (!written.ok()) return written.error();
    RETURN_IF_ERROR(
        TruncateHistory(context_, history_, LiveRevisions(now), set_.spec.revision_history_limit));
    return RequeueWhenAvailable(context_.Cached<Pod>().ByIndex(kControllerIndex, set_.metadata.uid),
                                MinReadySeconds(), context_.clock.Now());
  }

  // ---- Observed state.

  bool IsReplica(const Pod& pod) const { return OrdinalOf(set_, pod.metadata.name).has_value(); }

  std::vector<Replica> ReplicasAmong(const std::vector<PodPointer>& pods) const {
    std::vector<Replica> replicas;
    for (const PodPointer& pod : pods) {
      const std::optional<int32_t> ordinal = OrdinalOf(set_, pod->metadata.name);
      if (ordinal) replicas.push_back({StateOf(*pod, *ordinal), pod});
    }
    std::sort(replicas.begin(), replicas.end(),
              [](const Replica& a, const Replica& b) { return a.state.ordinal < b.state.ordinal; });
    return replicas;
  }

  StatefulPod StateOf(const Pod& pod, int32_t ordinal) const {
    const bool running = pod.status.phase == "Running";
    return {.ordinal = ordinal,
            .finished = IsFinished(pod),
            .terminating = IsBeingDeleted(pod),
            .ready = running && IsReady(pod),
            .available = running && IsAvailable(pod, MinReadySeconds(), context_.clock.Now()),
            .revision = RevisionOf(pod)};
  }

  int32_t MinReadySeconds() const { return set_.spec.min_ready_seconds.value_or(0); }

  Result<void> FindRevisions(const Selector& selector) {
    ASSIGN_OR_RETURN(history_, ConstructHistory(context_, set_, selector, kHashLabel));
    const std::string& newest = history_.newest().metadata.name;
    const bool known = history_.Find(set_.status.current_revision) != nullptr;
    goal_ = GoalOf(set_, known ? set_.status.current_revision : newest, newest);
    return {};
  }

  std::set<std::string, std::less<>> LiveRevisions(const std::vector<Replica>& replicas) const {
    std::set<std::string, std::less<>> live = {goal_.current_revision, goal_.update_revision};
    for (const Replica& replica : replicas) live.insert(replica.state.revision);
    return live;
  }

  // ---- Writes.

  Result<void> Execute(const StatefulSetPlan& plan, const std::vector<Replica>& replicas) {
    for (const Replica& replica : replicas) RETURN_IF_ERROR(UpdateReplica(replica));
    RETURN_IF_ERROR(Remove(plan.remove, replicas));
    return Create(plan.create);
  }

  // Restores the labels of a Pod, its missing claims and their owners.
  Result<void> UpdateReplica(const Replica& replica) {
    if (replica.state.terminating) return {};
    RETURN_IF_ERROR(UpdateIdentity(replica));
    const bool pending = replica.pod->status.phase == "Pending";
    for (const PersistentVolumeClaim& wanted : ClaimsOf(set_, replica.state.ordinal)) {
      const auto claim =
          context_.Cached<PersistentVolumeClaim>().Get(ObjectKey::Of(wanted.metadata));
      if (claim != nullptr) {
        RETURN_IF_ERROR(UpdateClaimOwners(*claim, replica));
      } else if (pending) {
        RETURN_IF_ERROR(CreateClaim(wanted, replica.pod->metadata.name));
      }
    }
    return {};
  }

  Result<void> UpdateIdentity(const Replica& replica) {
    Pod pod = *replica.pod;
    if (!SetIdentityLabels(replica.state.ordinal, pod)) return {};
    const auto updated = context_.client.Update(pod, {.stop = context_.stop});
    if (!updated.ok() && updated.error().IsNotFound()) return {};
    const Result<void> result = updated.ok() ? Result<void>() : Result<void>(updated.error());
    RecordEvent(kUpdate, pod.metadata.name, result);
    return result;
  }

  Result<void> UpdateClaimOwners(const PersistentVolumeClaim& cached, const Replica& replica) {
    PersistentVolumeClaim claim = cached;
    const bool scaled_down = !InOrdinalRange(goal_, replica.state.ordinal);
    if (!SetClaimOwners(set_, *replica.pod, scaled_down, claim)) return {};
    return IgnoreNotFound(context_.client.Update(claim, {.stop = context_.stop}));
  }

  Result<void> Remove(const std::vector<int32_t>& ordinals, const std::vector<Replica>& replicas) {
    const auto remove = [&](size_t index) { return RemoveOne(ordinals[index], replicas); };
    if (goal_.parallel) return writes_.RunAll(ordinals.size(), remove).result;
    for (size_t i = 0; i < ordinals.size(); ++i) RETURN_IF_ERROR(remove(i));
    return {};
  }

  Result<void> RemoveOne(int32_t ordinal, const std::vector<Replica>& replicas) {
    const auto replica = std::find_if(replicas.begin(), replicas.end(), [&](const Replica& other) {
      return other.state.ordinal == ordinal;
    });
    const ObjectMeta& metadata = replica->pod->metadata;
    Result<void> deleted =
        context_.client.Delete<Pod>(ObjectKey::Of(metadata), UidPrecondition(metadata));
    if (!deleted.ok() && NoLongerExists(deleted.error())) return {};
    RecordEvent(kDelete, metadata.name, deleted);
    return deleted;
  }

  Result<void> Create(const std::vector<int32_t>& ordinals) {
    corev1::PodTemplateSpec current_template;
    if (std::any_of(ordinals.begin(), ordinals.end(),
                    [&](int32_t ordinal) { return UsesCurrentRevision(ordinal); })) {
      ASSIGN_OR_RETURN(current_template, TemplateOf(*history_.Find(goal_.current_revision)));
    }
    return writes_
        .SlowStart(ordinals.size(),
                   [&](size_t index) {
                     const int32_t ordinal = ordinals[index];
                     return CreateOne(ordinal, UsesCurrentRevision(ordinal) ? current_template
                                                                            : set_.spec.template_);
                   })
        .result;
  }

  bool UsesCurrentRevision(int32_t ordinal) const {
    return goal_.current_revision != goal_.update_revision &&
           RevisionForNewPod(goal_, ordinal) == goal_.current_revision;
  }

  Result<void> CreateOne(int32_t ordinal, const corev1::PodTemplateSpec& pod_template) {
    const Pod pod = NewStatefulPod(set_, pod_template, ordinal, RevisionForNewPod(goal_, ordinal));
    const std::string& name = pod.metadata.name;
    Result<void> claims = CreateClaims(ordinal, name);
    if (!claims.ok()) {
      RecordEvent(kCreate, name, claims);
      return claims;
    }
    const auto created = context_.client.Create(pod, {.stop = context_.stop});
    // Another owner's Pod has the name: the reconcile is retried until the name is free.
    if (!created.ok() && created.error().IsAlreadyExists()) return created.error();
    const Result<void> result = created.ok() ? Result<void>() : IgnoreTerminating(created.error());
    if (created.ok() || !result.ok()) RecordEvent(kCreate, name, result);
    return result;
  }

  Result<void> CreateClaims(int32_t ordinal, const std::string& pod_name) {
    for (const PersistentVolumeClaim& wanted : ClaimsOf(set_, ordinal)) {
      const auto claim =
          context_.Cached<PersistentVolumeClaim>().Get(ObjectKey::Of(wanted.metadata));
      if (claim == nullptr) {
        RETURN_IF_ERROR(CreateClaim(wanted, pod_name));
      } else if (IsStale(*claim, pod_name)) {
        return Error::Conflict(
            "persistentvolumeclaims", claim->metadata.name,
            "the claim is being deleted; Pod " + pod_name + " is created once it no longer exists");
      }
    }
    return {};
  }

  Result<void> CreateClaim(const PersistentVolumeClaim& claim, const std::string& pod_name) {
    const auto created = context_.client.Create(claim, {.stop = context_.stop});
    // The claim exists and the cache has not received it yet.
    if (!created.ok() && created.error().IsAlreadyExists()) return {};
    const Result<void> result = created.ok() ? Result<void>() : IgnoreTerminating(created.error());
    if (created.ok()) {
      context_.events.Event(ReferenceTo(set_), EventType::kNormal, "SuccessfulCreate",
                            fmt::format("create Claim {} Pod {} in StatefulSet {} success",
                                        claim.metadata.name, pod_name, set_.metadata.name));
    } else if (!result.ok()) {
      context_.events.Event(
          ReferenceTo(set_), EventType::kWarning, "FailedCreate",
          fmt::format("create Claim {} for Pod {} in StatefulSet {} failed error: {}",
                      claim.metadata.name, pod_name, set_.metadata.name, result.error().message()));
    }
    return result;
  }

  void RecordEvent(const PodAction& action, const std::string& pod, const Result<void>& result) {
    const std::string outcome =
        result.ok() ? "successful" : "failed error: " + result.error().message();
    context_.events.Event(ReferenceTo(set_), result.ok() ? EventType::kNormal : EventType::kWarning,
                          fmt::format("{}{}", result.ok() ? "Successful" : "Failed", action.reason),
                          fmt::format("{} Pod {} in StatefulSet {} {}", action.verb, pod,
                                      set_.metadata.name, outcome));
  }

  Result<void> ReportStatus(const std::vector<Replica>& replicas) {
    std::vector<StatefulPod> states;
    for (const Replica& replica : replicas) states.push_back(replica.state);
    StatefulSet counted = set_;
    counted.status = StatusOf(goal_, states, set_.status);
    counted.status.observed_generation = set_.metadata.generation.value_or(0);
    counted.status.collision_count = history_.collision_count;
    return WriteStatus(context_, set_, counted);
  }

  ReconcileContext& context_;
  const StatefulSet& set_;
  ParallelWrites& writes_;
  RevisionHistory history_;
  StatefulSetGoal goal_;
};

}  // namespace

Controller StatefulSetController(std::shared_ptr<ParallelWrites> writes) {
  ControllerFor<StatefulSet> controller({.name = "statefulset-controller",
                                         .max_concurrent_reconciles = 4,
                                         .rate_limiter = {.max_delay = std::chrono::minutes(1)}});
  WatchDependents<Pod>(controller, &SelectorOfSet);
  WatchDependents<ControllerRevision>(controller, &SelectorOfSet);
  controller.Reads<PersistentVolumeClaim>()
      .RequiresAccess<PersistentVolumeClaim>({"create", "update"})
      .Reconciles([writes = std::move(writes)](ReconcileContext& context, const StatefulSet& set) {
        return StatefulSetSync(context, set, *writes).Run();
      });
  return controller;
}

}  // namespace kubexms
