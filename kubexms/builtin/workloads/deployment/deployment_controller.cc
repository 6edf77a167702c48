#include "kubexms/builtin/workloads/deployment/deployment_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kubexms/api/kinds/apps_v1.h"
#include "kubexms/base/json/json.h"
#include "kubexms/builtin/namespaces/active_namespace.h"
#include "kubexms/builtin/shared/delete_by_uid.h"
#include "kubexms/builtin/shared/pod_state.h"
#include "kubexms/builtin/shared/write_status.h"
#include "kubexms/builtin/workloads/dependents.h"
#include "kubexms/builtin/workloads/deployment/deployment_annotations.h"
#include "kubexms/builtin/workloads/deployment/deployment_status.h"
#include "kubexms/builtin/workloads/deployment/rollout.h"
#include "kubexms/builtin/workloads/pod_template.h"
#include "kubexms/controller/events/event_recorder.h"
#include "kubexms/controller/events/object_reference.h"

namespace kubexms {
namespace {

using appsv1::Deployment;
using appsv1::ReplicaSet;
using corev1::Pod;

constexpr int kWorkers = 4;
constexpr const char* kHashLabel = "pod-template-hash";

Result<Selector> SelectorFor(const Deployment& deployment) {
  return Selector::From(deployment.spec.selector);
}

bool IsBeingDeleted(const ObjectMeta& metadata) { return !metadata.deletion_timestamp.IsZero(); }

std::optional<int32_t> SmallNumber(const ReplicaSet& set, std::string_view annotation) {
  const std::optional<int64_t> number = NumberAnnotation(set.metadata.annotations, annotation);
  if (!number.has_value()) return std::nullopt;
  return static_cast<int32_t>(std::clamp<int64_t>(*number, 0, INT32_MAX));
}

std::string TemplateText(corev1::PodTemplateSpec pods) {
  pods.metadata.labels.erase(kHashLabel);
  return Encode(pods);
}

// Whether the Pod was deleted or is finished.
bool IsDeletedOrFinished(const CacheEvent& event) {
  if (event.type == CacheEvent::Type::kDelete) return true;
  return event.type == CacheEvent::Type::kUpdate && IsFinished(*event.object.As<Pod>());
}

// The Deployment of a Pod if its strategy is Recreate: it waits until its old Pods have terminated.
std::vector<ObjectKey> RecreateDeploymentOf(const DeclaredCaches& caches, const Pod& pod) {
  const auto owner_of = [&pod](const ObjectMeta& owned) {
    const OwnerReference* owner = ControllerOf(owned);
    return ObjectKey{pod.metadata.namespace_name, owner == nullptr ? "" : owner->name};
  };
  const auto set = caches.Cached<ReplicaSet>().Get(owner_of(pod.metadata));
  if (set == nullptr) return {};
  const ObjectKey key = owner_of(set->metadata);
  const auto deployment = caches.Cached<Deployment>().Get(key);
  if (deployment == nullptr || deployment->spec.strategy.type != "Recreate") return {};
  return {key};
}

// A merge patch from `before` to `after` with the UID as a precondition; empty if they are equal.
std::string PatchOf(const ReplicaSet& before, const ReplicaSet& after) {
  JsonObject annotations;
  for (const auto& [name, value] : after.metadata.annotations) {
    const auto old = before.metadata.annotations.find(name);
    if (old == before.metadata.annotations.end() || old->second != value) annotations[name] = value;
  }
  JsonObject spec;
  if (before.spec.replicas != after.spec.replicas) spec["replicas"] = *after.spec.replicas;
  if (before.spec.min_ready_seconds != after.spec.min_ready_seconds) {
    spec["minReadySeconds"] = after.spec.min_ready_seconds.value_or(0);
  }
  if (annotations.empty() && spec.empty()) return "";
  return WriteJson(JsonObject{{"metadata", JsonObject{{"uid", after.metadata.uid},
                                                      {"annotations", std::move(annotations)}}},
                              {"spec", std::move(spec)}});
}

// One reconcile of a Deployment.
class DeploymentSync {
 public:
  DeploymentSync(ReconcileContext& context, const Deployment& deployment)
      : context_(context),
        deployment_(deployment),
        changed_(deployment),
        limits_(LimitsOf(deployment.spec)),
        now_(Time::Now(context.clock)) {}

  Result<Outcome> Reconcile() {
    ASSIGN_OR_RETURN(const Selector selector, SelectorFor(deployment_));
    ASSIGN_OR_RETURN(replica_sets_.sets,
                     ClaimDependents<ReplicaSet>(context_, deployment_, selector));
    FindCurrent();
    if (IsBeingDeleted(deployment_.metadata)) return WriteStatusAndCleanUp(false);
    UpdatePauseCondition();
    const bool rolls = !deployment_.spec.paused && !WasRescaled(RolloutNow());
    const Result<void> done = rolls ? RollOut() : Resize(RescaledSizes(RolloutNow(), IsRolling()));
    ASSIGN_OR_RETURN(const Outcome outcome, WriteStatusAndCleanUp(rolls));
    if (!done.ok() && !done.error().IsNotFound()) return done.error();
    return outcome;
  }

 private:
  bool IsRolling() const { return deployment_.spec.strategy.type != "Recreate"; }

  // Finds the oldest ReplicaSet with the Deployment's template.
  void FindCurrent() {
    std::ranges::sort(replica_sets_.sets,
                      [](const ReplicaSetPointer& a, const ReplicaSetPointer& b) {
                        return std::tie(a->metadata.creation_timestamp, a->metadata.name) <
                               std::tie(b->metadata.creation_timestamp, b->metadata.name);
                      });
    const std::string text = TemplateText(deployment_.spec.template_);
    const auto found = std::ranges::find_if(replica_sets_.sets, [&](const ReplicaSetPointer& set) {
      return TemplateText(set->spec.template_) == text;
    });
    replica_sets_.current = found == replica_sets_.sets.end() ? nullptr : *found;
  }

  Rollout RolloutNow() const {
    Rollout rollout{.limits = limits_};
    for (const ReplicaSetPointer& set : replica_sets_.sets) {
      if (set == replica_sets_.current) rollout.current = rollout.sets.size();
      rollout.sets.push_back(
          {.size = set->spec.replicas.value_or(1),
           .available = set->status.available_replicas,
           .replicas_before = SmallNumber(*set, kDesiredReplicas),
           .total_before = SmallNumber(*set, kMaxReplicas),
           .pods = set->status.replicas,
           .observed = set->status.observed_generation >= set->metadata.generation.value_or(0)});
    }
    return rollout;
  }

  // Reports pause and resume in the condition Progressing, unless the deadline was exceeded before.
  void UpdatePauseCondition() {
    const auto* progress = FindCondition(deployment_.status, "Progressing");
    const std::string reason = progress == nullptr ? "" : progress->reason;
    if (reason == "ProgressDeadlineExceeded") return;
    if (deployment_.spec.paused) {
      Progressing("Unknown", "DeploymentPaused", "Deployment is paused");
    } else if (reason == "DeploymentPaused") {
      Progressing("Unknown", "DeploymentResumed", "Deployment is resumed");
    }
  }

  void Progressing(std::string_view status, std::string_view reason, std::string_view message) {
    SetProgressing(deployment_.spec, status, reason, message, now_, changed_.status);
  }

  // Whether Pods of the set may still run. Terminating Pods are counted from the cache: servers of
  // Kubernetes v1.34 do not set status.terminatingReplicas by default.
  bool MayHavePods(const ReplicaSet& set) const {
    if (set.spec.replicas.value_or(1) > 0 || set.status.replicas > 0 ||
        set.status.observed_generation < set.metadata.generation.value_or(0)) {
      return true;
    }
    const auto pods = context_.Cached<Pod>().ByIndex(kControllerIndex, set.metadata.uid);
    return std::ranges::any_of(pods, [](const auto& pod) { return !IsFinished(*pod); });
  }

  Result<void> RollOut() {
    const bool old_pods_left = std::ranges::any_of(replica_sets_.sets, [&](const auto& set) {
      return set != replica_sets_.current && MayHavePods(*set);
    });
    if (replica_sets_.current == nullptr && (IsRolling() || !old_pods_left)) {
      RETURN_IF_ERROR(CreateCurrent());
      if (replica_sets_.current == nullptr) return {};
    }
    const Rollout rollout = RolloutNow();
    return Resize(IsRolling() ? RollingSizes(rollout) : RecreateSizes(rollout, old_pods_left));
  }

  int64_t NextRevision() const {
    int64_t last = 0;
    for (const ReplicaSetPointer& set : replica_sets_.sets) {
      if (set != replica_sets_.current) last = std::max(last, RevisionOf(set->metadata));
    }
    return last + 1;
  }

  ReplicaSet NewSet() const {
    const std::string hash =
        TemplateHash(deployment_.spec.template_, deployment_.status.collision_count);
    ReplicaSet set;
    set.metadata.namespace_name = deployment_.metadata.namespace_name;
    set.metadata.name = deployment_.metadata.name + "-" + hash;
    set.spec.min_ready_seconds = deployment_.spec.min_ready_seconds;
    set.spec.selector = deployment_.spec.selector;
    set.spec.selector.match_labels[kHashLabel] = hash;
    set.spec.template_ = deployment_.spec.template_;
    set.spec.template_.metadata.labels[kHashLabel] = hash;
    set.spec.replicas = InitialSize(RolloutNow());
    set.metadata.labels = set.spec.template_.metadata.labels;
    CopyAnnotations(deployment_.metadata.annotations, set.metadata.annotations);
    SetRevision(NextRevision(), set.metadata.annotations);
    SetReplicasAnnotations(limits_, set.metadata.annotations);
    return set;
  }

  Result<void> CreateCurrent() {
    ReplicaSet set = NewSet();
    RETURN_IF_ERROR(SetControllerReference(set.metadata, deployment_));
    const Result<ReplicaSet> created = context_.client.Create(set, {.stop = context_.stop});
    if (!created.ok()) return HandleCreateError(set, created.error());
    replica_sets_.sets.push_back(std::make_shared<const ReplicaSet>(*created));
    replica_sets_.current = replica_sets_.sets.back();
    RecordScaling(set.metadata.name, 0, *set.spec.replicas);
    Progressing("True", "NewReplicaSetCreated",
                fmt::format("Created new replica set \"{}\"", set.metadata.name));
    return {};
  }

  Result<void> HandleCreateError(const ReplicaSet& set, const Error& error) {
    if (error.IsAlreadyExists()) return ResolveCollision(set);
    if (IgnoreTerminating(error).ok()) return {};
    const std::string message = fmt::format("Failed to create new replica set \"{}\": {}",
                                            set.metadata.name, error.message());
    Progressing("False", "ReplicaSetCreateError", message);
    context_.events.Event(ReferenceTo(deployment_), EventType::kWarning, "ReplicaSetCreateError",
                          message);
    return error;
  }

  // Another object has the name. If it is the wanted set, the cache will soon receive it; else the
  // next reconcile tries another name.
  Result<void> ResolveCollision(const ReplicaSet& set) {
    ASSIGN_OR_RETURN(const ReplicaSet other,
                     context_.client.Get<ReplicaSet>(ObjectKey::Of(set.metadata)));
    const OwnerReference* owner = ControllerOf(other.metadata);
    const bool ours = owner != nullptr && owner->uid == deployment_.metadata.uid &&
                      TemplateText(other.spec.template_) == TemplateText(set.spec.template_);
    if (!ours) {
      changed_.status.collision_count = deployment_.status.collision_count.value_or(0) + 1;
    }
    return {};
  }

  // Scales every set, and copies the Deployment's annotations and settings to the current one.
  Result<void> Resize(const std::vector<int32_t>& sizes) {
    for (size_t i = 0; i < sizes.size(); ++i) {
      ReplicaSet set = *replica_sets_.sets[i];
      const int32_t before = set.spec.replicas.value_or(1);
      const bool rescaled = SmallNumber(set, kDesiredReplicas) != limits_.replicas;
      if (sizes[i] != before || (rescaled && before > 0)) {
        set.spec.replicas = sizes[i];
        SetReplicasAnnotations(limits_, set.metadata.annotations);
      }
      if (replica_sets_.sets[i] == replica_sets_.current) SyncCurrent(set);
      RETURN_IF_ERROR(Write(*replica_sets_.sets[i], set));
      if (sizes[i] != before) RecordScaling(set.metadata.name, before, sizes[i]);
    }
    return {};
  }

  void SyncCurrent(ReplicaSet& set) const {
    CopyAnnotations(deployment_.metadata.annotations, set.metadata.annotations);
    SetRevision(NextRevision(), set.metadata.annotations);
    set.spec.min_ready_seconds = deployment_.spec.min_ready_seconds;
  }

  Result<void> Write(const ReplicaSet& before, const ReplicaSet& after) {
    std::string patch = PatchOf(before, after);
    if (patch.empty()) return {};
    const auto written = context_.client.Do(Client::PatchRequest(
        ResourceType::Of<ReplicaSet>(), ObjectKey::Of(after.metadata),
        {.type = PatchType::kMerge, .body = std::move(patch)}, {.stop = context_.stop}));
    if (!written.ok()) return written.error();
    return {};
  }

  void RecordScaling(const std::string& set, int32_t before, int32_t after) const {
    if (before == after) return;
    context_.events.Event(ReferenceTo(deployment_), EventType::kNormal, "ScalingReplicaSet",
                          fmt::format("Scaled {} replica set {} from {} to {}",
                                      after > before ? "up" : "down", set, before, after));
  }

  // Writes the status and the revision in one update, and deletes old ReplicaSets of a complete
  // rollout.
  Result<Outcome> WriteStatusAndCleanUp(bool check_progress) {
    RefreshFromCache();
    if (replica_sets_.current != nullptr) RecordCurrentRevision();
    auto status = CalculateStatus(deployment_, replica_sets_, std::move(changed_.status),
                                  check_progress, now_);
    const bool complete = IsComplete(deployment_, status);
    const auto wait =
        check_progress ? TimeUntilProgressDeadline(deployment_, status, now_) : std::nullopt;
    changed_.status = std::move(status);
    RETURN_IF_ERROR(WriteStatus(context_, deployment_, changed_));
    if (!IsBeingDeleted(deployment_.metadata) && (complete || deployment_.spec.paused)) {
      RETURN_IF_ERROR(DeleteHistory());
    }
    return wait.has_value() ? Outcome::RequeueAfter(*wait) : Outcome::Done();
  }

  // The caches contain this reconcile's own writes.
  void RefreshFromCache() {
    const Lister<ReplicaSet> sets = context_.Cached<ReplicaSet>();
    const auto refresh = [&](ReplicaSetPointer& set) {
      if (auto fresh = sets.Get(ObjectKey::Of(set->metadata))) set = std::move(fresh);
    };
    for (ReplicaSetPointer& set : replica_sets_.sets) {
      const bool current = set == replica_sets_.current;
      refresh(set);
      if (current) replica_sets_.current = set;
    }
  }

  void RecordCurrentRevision() {
    const ObjectMeta& current = replica_sets_.current->metadata;
    const auto revision = current.annotations.find(kRevision);
    if (revision != current.annotations.end()) {
      changed_.metadata.annotations[kRevision] = revision->second;
    }
    if (FindCondition(changed_.status, "Progressing") == nullptr) {
      Progressing("True", "FoundNewReplicaSet",
                  fmt::format("Found new replica set \"{}\"", current.name));
    }
  }

  // Deletes the ReplicaSets without Pods of the oldest revisions beyond revisionHistoryLimit.
  Result<void> DeleteHistory() {
    if (!deployment_.spec.revision_history_limit.has_value()) return {};
    const auto limit = static_cast<size_t>(*deployment_.spec.revision_history_limit);
    std::vector<ReplicaSetPointer> old;
    std::ranges::copy_if(replica_sets_.sets, std::back_inserter(old),
                         [&](const ReplicaSetPointer& set) {
                           return set != replica_sets_.current && !IsBeingDeleted(set->metadata);
                         });
    if (old.size() <= limit) return {};
    std::ranges::stable_sort(
        old, {}, [](const ReplicaSetPointer& set) { return RevisionOf(set->metadata); });
    old.resize(old.size() - limit);
    for (const ReplicaSetPointer& set : old) {
      if (!MayHavePods(*set)) RETURN_IF_ERROR(Delete(*set));
    }
    return {};
  }

  Result<void> Delete(const ReplicaSet& set) {
    return IgnoreNoLongerExists(context_.client.Delete<ReplicaSet>(ObjectKey::Of(set.metadata),
                                                                   UidPrecondition(set.metadata)));
  }

  ReconcileContext& context_;
  const Deployment& deployment_;
  Deployment changed_;  // with the new annotations and status
  const RolloutLimits limits_;
  const Time now_;
  DeploymentReplicaSets replica_sets_;
};

}  // namespace

Controller DeploymentController() {
  ControllerFor<Deployment> controller(
      {.name = "deployment-controller", .max_concurrent_reconciles = kWorkers});
  WatchDependents<ReplicaSet, Deployment>(controller, &SelectorFor);
  controller.Watches<Pod>(&RecreateDeploymentOf, {.predicates = {&IsDeletedOrFinished}})
      .Index<Pod>(kControllerIndex,
                  [](const Pod& pod) { return ControllerIndexValues(pod.metadata); });
  controller.Reconciles([](ReconcileContext& context, const Deployment& deployment) {
    return DeploymentSync(context, deployment).Reconcile();
  });
  return controller;
}

}  // namespace kubexms
