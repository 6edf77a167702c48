#include "kubexms/builtin/workloads/stateful_set/stateful_set_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "kubexms/builtin/namespaces/active_namespace.h"
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
using std::chrono::nanoseconds;

constexpr const char* kHashLabel = "controller.kubernetes.io/hash";
constexpr int32_t kDefaultHistoryLimit = 10;

struct Member {
  StatefulPod state;
  PodPointer pod;
};

std::string RevisionOf(const Pod& pod) {
  const auto label = pod.metadata.labels.find(kRevisionLabel);
  return label == pod.metadata.labels.end() ? "" : label->second;
}

Result<Selector> SelectorOfSet(const StatefulSet& set) { return Selector::From(set.spec.selector); }

// How an event says what was done: "create Pod db-0 in StatefulSet db successful".
struct Deed {
  std::string_view verb;
  std::string_view reason;  // after "Successful" or "Failed"
};
constexpr Deed kCreate{"create", "Create"};
constexpr Deed kUpdate{"update", "Update"};
constexpr Deed kDelete{"delete", "Delete"};

// One reconcile.
class StatefulSetSync {
 public:
  StatefulSetSync(ReconcileContext& context, const StatefulSet& set, ParallelWrites& writes)
      : context_(context), set_(set), writes_(writes) {}

  Result<Outcome> Run() {
    ASSIGN_OR_RETURN(const Selector selector, SelectorOfSet(set_));
    ASSIGN_OR_RETURN(const auto pods,
                     ClaimDependents<Pod, StatefulSet>(
                         context_, set_, selector, [&](const Pod& pod) { return IsMember(pod); }));
    if (!set_.metadata.deletion_timestamp.IsZero()) {
      goal_ = GoalOf(set_, set_.status.current_revision, set_.status.update_revision);
      history_.collision_count = set_.status.collision_count.value_or(0);
      RETURN_IF_ERROR(ReportStatus(MembersAmong(pods)));
      return Outcome::Done();
    }
    const Result<void> found = FindRevisions(selector);
    if (!found.ok()) {
      RETURN_IF_ERROR(IgnoreTerminating(found.error()));
      return Outcome::Done();
    }
    return Sync(MembersAmong(pods));
  }

 private:
  Result<Outcome> Sync(const std::vector<Member>& members) {
    std::vector<StatefulPod> states;
    for (const Member& member : members) states.push_back(member.state);
    const Result<void> done = Execute(PlanStatefulSet(goal_, states), members);
    // The caches know what was written.
    const std::vector<Member> now =
        MembersAmong(context_.Cached<Pod>().ByIndex(kControllerIndex, set_.metadata.uid));
    const Result<void> written = ReportStatus(now);
    if (!done.ok()) return done.error();
    if (!written.ok()) return written.error();
    RETURN_IF_ERROR(TrimHistory(context_, history_, LiveRevisions(now),
                                set_.spec.revision_history_limit.value_or(kDefaultHistoryLimit)));
    return NextLook(now);
  }

  // ---- What there is.

  bool IsMember(const Pod& pod) const { return OrdinalOf(set_, pod.metadata.name).has_value(); }

  std::vector<Member> MembersAmong(const std::vector<PodPointer>& pods) const {
    std::vector<Member> members;
    for (const PodPointer& pod : pods) {
      const std::optional<int32_t> ordinal = OrdinalOf(set_, pod->metadata.name);
      if (ordinal) members.push_back({StateOf(*pod, *ordinal), pod});
    }
    std::sort(members.begin(), members.end(),
              [](const Member& a, const Member& b) { return a.state.ordinal < b.state.ordinal; });
    return members;
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
    ASSIGN_OR_RETURN(auto revisions,
                     (ClaimDependents<ControllerRevision, StatefulSet>(context_, set_, selector)));
    ASSIGN_OR_RETURN(history_,
                     RecordRevision(context_,
                                    {.kind = StatefulSet::kKind,
                                     .metadata = set_.metadata,
                                     .pod_template = set_.spec.template_,
                                     .hash_label = kHashLabel,
                                     .collision_count = set_.status.collision_count.value_or(0)},
                                    std::move(revisions)));
    const std::string& present = history_.present().metadata.name;
    const bool known = history_.Find(set_.status.current_revision) != nullptr;
    goal_ = GoalOf(set_, known ? set_.status.current_revision : present, present);
    return {};
  }

  std::set<std::string, std::less<>> LiveRevisions(const std::vector<Member>& members) const {
    std::set<std::string, std::less<>> live = {goal_.current_revision, goal_.update_revision};
    for (const Member& member : members) live.insert(member.state.revision);
    return live;
  }

  Outcome NextLook(const std::vector<Member>& members) const {
    Outcome outcome = Outcome::Done();
    for (const Member& member : members) {
      const std::optional<nanoseconds> wait =
          TimeUntilAvailable(*member.pod, MinReadySeconds(), context_.clock.Now());
      if (wait) outcome = outcome.And(Outcome::RequeueAfter(*wait));
    }
    return outcome;
  }

  // ---- What is done.

  Result<void> Execute(const StatefulSetPlan& plan, const std::vector<Member>& members) {
    for (const Member& member : members) RETURN_IF_ERROR(Keep(member));
    RETURN_IF_ERROR(Remove(plan.remove, members));
    return Create(plan.create);
  }

  // What belongs to a Pod that is there: its labels, its claims and their owners.
  Result<void> Keep(const Member& member) {
    if (member.state.terminating) return {};
    RETURN_IF_ERROR(KeepIdentity(member));
    const bool pending = member.pod->status.phase == "Pending";
    for (const PersistentVolumeClaim& wanted : ClaimsOf(set_, member.state.ordinal)) {
      const auto claim =
          context_.Cached<PersistentVolumeClaim>().Get(ObjectKey::Of(wanted.metadata));
      if (claim != nullptr) {
        RETURN_IF_ERROR(KeepOwners(*claim, member));
      } else if (pending) {
        RETURN_IF_ERROR(CreateClaim(wanted, member.pod->metadata.name));
      }
    }
    return {};
  }

  Result<void> KeepIdentity(const Member& member) {
    Pod pod = *member.pod;
    if (!SetIdentityLabels(member.state.ordinal, pod)) return {};
    const auto updated = context_.client.Update(pod, {.stop = context_.stop});
    if (!updated.ok() && updated.error().IsNotFound()) return {};
    const Result<void> result = updated.ok() ? Result<void>() : Result<void>(updated.error());
    Tell(kUpdate, pod.metadata.name, result);
    return result;
  }

  Result<void> KeepOwners(const PersistentVolumeClaim& cached, const Member& member) {
    PersistentVolumeClaim claim = cached;
    const bool scaled_down = !Wants(goal_, member.state.ordinal);
    if (!SetClaimOwners(set_, *member.pod, scaled_down, claim)) return {};
    return IgnoreNotFound(context_.client.Update(claim, {.stop = context_.stop}));
  }

  Result<void> Remove(const std::vector<int32_t>& ordinals, const std::vector<Member>& members) {
    const auto remove = [&](size_t index) { return RemoveOne(ordinals[index], members); };
    if (goal_.parallel) return writes_.All(ordinals.size(), remove).result;
    for (size_t i = 0; i < ordinals.size(); ++i) RETURN_IF_ERROR(remove(i));
    return {};
  }

  Result<void> RemoveOne(int32_t ordinal, const std::vector<Member>& members) {
    const auto member = std::find_if(members.begin(), members.end(), [&](const Member& other) {
      return other.state.ordinal == ordinal;
    });
    const ObjectMeta& metadata = member->pod->metadata;
    DeleteOptions only_this;
    only_this.preconditions.emplace().uid = metadata.uid;
    Result<void> deleted = context_.client.Delete<Pod>(ObjectKey::Of(metadata), only_this);
    // Conflict: another Pod has its name now.
    if (!deleted.ok() && (deleted.error().IsNotFound() || deleted.error().IsConflict())) return {};
    Tell(kDelete, metadata.name, deleted);
    return deleted;
  }

  Result<void> Create(const std::vector<int32_t>& ordinals) {
    corev1::PodTemplateSpec current_template;
    if (std::any_of(ordinals.begin(), ordinals.end(),
                    [&](int32_t ordinal) { return IsOfCurrent(ordinal); })) {
      ASSIGN_OR_RETURN(current_template, TemplateOf(*history_.Find(goal_.current_revision)));
    }
    return writes_
        .SlowStart(ordinals.size(),
                   [&](size_t index) {
                     const int32_t ordinal = ordinals[index];
                     return CreateOne(
                         ordinal, IsOfCurrent(ordinal) ? current_template : set_.spec.template_);
                   })
        .result;
  }

  bool IsOfCurrent(int32_t ordinal) const {
    return goal_.current_revision != goal_.update_revision &&
           RevisionForNew(goal_, ordinal) == goal_.current_revision;
  }

  Result<void> CreateOne(int32_t ordinal, const corev1::PodTemplateSpec& pod_template) {
    const Pod pod = NewStatefulPod(set_, pod_template, ordinal, RevisionForNew(goal_, ordinal));
    const std::string& name = pod.metadata.name;
    Result<void> claims = CreateClaims(ordinal, name);
    if (!claims.ok()) {
      Tell(kCreate, name, claims);
      return claims;
    }
    const auto created = context_.client.Create(pod, {.stop = context_.stop});
    // Somebody else's Pod has the name: that is tried again until it is free.
    if (!created.ok() && created.error().IsAlreadyExists()) return created.error();
    const Result<void> result = created.ok() ? Result<void>() : IgnoreTerminating(created.error());
    if (created.ok() || !result.ok()) Tell(kCreate, name, result);
    return result;
  }

  Result<void> CreateClaims(int32_t ordinal, const std::string& pod_name) {
    for (const PersistentVolumeClaim& wanted : ClaimsOf(set_, ordinal)) {
      const auto claim =
          context_.Cached<PersistentVolumeClaim>().Get(ObjectKey::Of(wanted.metadata));
      if (claim == nullptr) {
        RETURN_IF_ERROR(CreateClaim(wanted, pod_name));
      } else if (IsStale(*claim, pod_name)) {
        return Error::Conflict("persistentvolumeclaims", claim->metadata.name,
                               "it is being deleted, and Pod " + pod_name + " waits for that");
      }
    }
    return {};
  }

  Result<void> CreateClaim(const PersistentVolumeClaim& claim, const std::string& pod_name) {
    const auto created = context_.client.Create(claim, {.stop = context_.stop});
    // One that the cache does not know yet will do.
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

  // What came of something that was done to a Pod.
  void Tell(const Deed& deed, const std::string& pod, const Result<void>& result) {
    const std::string outcome =
        result.ok() ? "successful" : "failed error: " + result.error().message();
    context_.events.Event(
        ReferenceTo(set_), result.ok() ? EventType::kNormal : EventType::kWarning,
        fmt::format("{}{}", result.ok() ? "Successful" : "Failed", deed.reason),
        fmt::format("{} Pod {} in StatefulSet {} {}", deed.verb, pod, set_.metadata.name, outcome));
  }

  Result<void> ReportStatus(const std::vector<Member>& members) {
    std::vector<StatefulPod> states;
    for (const Member& member : members) states.push_back(member.state);
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
  ControllerFor<StatefulSet> controller(
      {.name = "statefulset-controller", .workers = 4, .max_delay = std::chrono::minutes(1)});
  WatchDependents<Pod>(controller, &SelectorOfSet);
  WatchDependents<ControllerRevision>(controller, &SelectorOfSet);
  controller.Reads<PersistentVolumeClaim>()
      .Touches<PersistentVolumeClaim>({"create", "update"})
      .Reconciles([writes = std::move(writes)](ReconcileContext& context, const StatefulSet& set) {
        return StatefulSetSync(context, set, *writes).Run();
      });
  return controller;
}

}  // namespace kubexms
