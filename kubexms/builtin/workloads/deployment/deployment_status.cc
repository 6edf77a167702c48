#include "kubexms/builtin/workloads/deployment/deployment_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace kubexms {
namespace {

using appsv1::Deployment;
using appsv1::DeploymentCondition;
using appsv1::DeploymentSpec;
using appsv1::DeploymentStatus;
using appsv1::ReplicaSet;

constexpr std::string_view kAvailable = "Available";
constexpr std::string_view kProgressing = "Progressing";
constexpr std::string_view kReplicaFailure = "ReplicaFailure";
constexpr std::string_view kDone = "NewReplicaSetAvailable";
constexpr std::string_view kTimedOut = "ProgressDeadlineExceeded";

bool HasDeadline(const DeploymentSpec& spec) {
  return spec.progress_deadline_seconds.has_value() &&
         *spec.progress_deadline_seconds != std::numeric_limits<int32_t>::max();
}

void Remove(DeploymentStatus& status, std::string_view type) {
  std::erase_if(status.conditions,
                [&](const DeploymentCondition& condition) { return condition.type == type; });
}

DeploymentCondition ConditionOf(std::string_view type, std::string_view status,
                                std::string_view reason, std::string_view message, Time now) {
  DeploymentCondition condition;
  condition.type = type;
  condition.status = status;
  condition.reason = reason;
  condition.message = message;
  condition.last_update_time = now;
  condition.last_transition_time = now;
  return condition;
}

// Appends the condition in place of the one of its type, and retains lastTransitionTime if the
// status is the same.
void Replace(DeploymentCondition condition, DeploymentStatus& status) {
  const DeploymentCondition* old = FindCondition(status, condition.type);
  if (old != nullptr && old->status == condition.status) {
    condition.last_transition_time = old->last_transition_time;
  }
  Remove(status, condition.type);
  status.conditions.push_back(std::move(condition));
}

void Set(DeploymentCondition condition, DeploymentStatus& status) {
  const DeploymentCondition* old = FindCondition(status, condition.type);
  const bool same =
      old != nullptr && old->status == condition.status && old->reason == condition.reason;
  if (!same) Replace(std::move(condition), status);
}

void Count(const Deployment& deployment, const DeploymentReplicaSets& replica_sets,
           DeploymentStatus& status) {
  status.observed_generation = deployment.metadata.generation.value_or(0);
  status.replicas = status.ready_replicas = status.available_replicas = 0;
  int32_t wanted = 0;
  int32_t terminating = 0;
  for (const ReplicaSetPointer& set : replica_sets.sets) {
    wanted += set->spec.replicas.value_or(1);
    status.replicas += set->status.replicas;
    status.ready_replicas += set->status.ready_replicas;
    status.available_replicas += set->status.available_replicas;
    terminating += set->status.terminating_replicas.value_or(0);
  }
  status.terminating_replicas = terminating;
  status.unavailable_replicas = std::max(wanted - status.available_replicas, 0);
  status.updated_replicas =
      replica_sets.current == nullptr ? 0 : replica_sets.current->status.replicas;
}

void SetAvailable(const Deployment& deployment, Time now, DeploymentStatus& status) {
  const bool enough = status.available_replicas >= LimitsOf(deployment.spec).MinAvailable();
  Set(enough ? ConditionOf(kAvailable, "True", "MinimumReplicasAvailable",
                           "Deployment has minimum availability.", now)
             : ConditionOf(kAvailable, "False", "MinimumReplicasUnavailable",
                           "Deployment does not have minimum availability.", now),
      status);
}

bool HasProgressed(const DeploymentStatus& before, const DeploymentStatus& status) {
  return status.updated_replicas > before.updated_replicas ||
         status.replicas - status.updated_replicas < before.replicas - before.updated_replicas ||
         status.ready_replicas > before.ready_replicas ||
         status.available_replicas > before.available_replicas;
}

bool IsOverdue(const Deployment& deployment, const DeploymentStatus& status, Time now) {
  const DeploymentCondition* progress = FindCondition(status, kProgressing);
  if (progress == nullptr || progress->reason == kDone) return false;
  if (progress->reason == kTimedOut) return true;
  const std::chrono::seconds deadline(*deployment.spec.progress_deadline_seconds);
  return progress->last_update_time.value() + deadline < now.value();
}

void UpdateProgressing(const Deployment& deployment, const DeploymentReplicaSets& replica_sets,
                       Time now, DeploymentStatus& status) {
  if (!HasDeadline(deployment.spec)) return Remove(status, kProgressing);
  const DeploymentCondition* progress = FindCondition(status, kProgressing);
  const bool was_done = progress != nullptr && progress->reason == kDone;
  if (was_done && status.replicas == status.updated_replicas) return;
  const std::string subject =
      replica_sets.current == nullptr
          ? fmt::format("Deployment \"{}\"", deployment.metadata.name)
          : fmt::format("ReplicaSet \"{}\"", replica_sets.current->metadata.name);
  if (IsComplete(deployment, status)) {
    Set(ConditionOf(kProgressing, "True", kDone, subject + " has successfully progressed.", now),
        status);
  } else if (HasProgressed(deployment.status, status)) {
    // Replaces an equal condition, too: the deadline counts from its lastUpdateTime.
    Replace(
        ConditionOf(kProgressing, "True", "ReplicaSetUpdated", subject + " is progressing.", now),
        status);
  } else if (IsOverdue(deployment, status, now)) {
    Set(ConditionOf(kProgressing, "False", kTimedOut, subject + " has timed out progressing.", now),
        status);
  }
}

const appsv1::ReplicaSetCondition* FailureOf(const ReplicaSet& set) {
  const auto& conditions = set.status.conditions;
  const auto found =
      std::ranges::find(conditions, kReplicaFailure, &appsv1::ReplicaSetCondition::type);
  return found == conditions.end() ? nullptr : &*found;
}

// The failure of the current set takes precedence.
void CopyFailure(const DeploymentReplicaSets& replica_sets, DeploymentStatus& status) {
  const appsv1::ReplicaSetCondition* failure =
      replica_sets.current == nullptr ? nullptr : FailureOf(*replica_sets.current);
  for (size_t i = 0; failure == nullptr && i < replica_sets.sets.size(); ++i) {
    failure = FailureOf(*replica_sets.sets[i]);
  }
  if (failure == nullptr) return Remove(status, kReplicaFailure);
  Set(ConditionOf(kReplicaFailure, failure->status, failure->reason, failure->message,
                  failure->last_transition_time),
      status);
}

}  // namespace

const DeploymentCondition* FindCondition(const DeploymentStatus& status, std::string_view type) {
  const auto found = std::ranges::find(status.conditions, type, &DeploymentCondition::type);
  return found == status.conditions.end() ? nullptr : &*found;
}

void SetProgressing(const DeploymentSpec& spec, std::string_view status, std::string_view reason,
                    std::string_view message, Time now, DeploymentStatus& changed) {
  if (HasDeadline(spec)) Set(ConditionOf(kProgressing, status, reason, message, now), changed);
}

bool IsComplete(const Deployment& deployment, const DeploymentStatus& status) {
  const int32_t replicas = deployment.spec.replicas.value_or(1);
  return status.updated_replicas == replicas && status.replicas == replicas &&
         status.available_replicas == replicas &&
         status.observed_generation >= deployment.metadata.generation.value_or(0);
}

DeploymentStatus CalculateStatus(const Deployment& deployment,
                                 const DeploymentReplicaSets& replica_sets, DeploymentStatus status,
                                 bool check_progress, Time now) {
  Count(deployment, replica_sets, status);
  SetAvailable(deployment, now, status);
  if (check_progress) {
    UpdateProgressing(deployment, replica_sets, now, status);
    CopyFailure(replica_sets, status);
  }
  return status;
}

std::optional<std::chrono::seconds> TimeUntilProgressDeadline(const Deployment& deployment,
                                                              const DeploymentStatus& status,
                                                              Time now) {
  const DeploymentCondition* progress = FindCondition(status, kProgressing);
  if (!HasDeadline(deployment.spec) || progress == nullptr) return std::nullopt;
  if (progress->reason == kTimedOut || progress->reason == kDone) return std::nullopt;
  const std::chrono::seconds deadline(*deployment.spec.progress_deadline_seconds);
  // IsOverdue() needs more than the deadline, hence one second more.
  const auto left = progress->last_update_time.value() + deadline - now.value();
  return std::max(left, std::chrono::seconds(0)) + std::chrono::seconds(1);
}

}  // namespace kubexms
