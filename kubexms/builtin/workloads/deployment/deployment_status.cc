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

// The new one comes last. It has been true since the old one was, if they agree in that.
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

void Count(const Deployment& deployment, const DeploymentParts& parts, DeploymentStatus& status) {
  status.observed_generation = deployment.metadata.generation.value_or(0);
  status.replicas = status.ready_replicas = status.available_replicas = 0;
  int32_t wanted = 0;
  int32_t terminating = 0;
  for (const ReplicaSetPointer& set : parts.sets) {
    wanted += set->spec.replicas.value_or(1);
    status.replicas += set->status.replicas;
    status.ready_replicas += set->status.ready_replicas;
    status.available_replicas += set->status.available_replicas;
    terminating += set->status.terminating_replicas.value_or(0);
  }
  status.terminating_replicas = terminating;
  status.unavailable_replicas = std::max(wanted - status.available_replicas, 0);
  status.updated_replicas = parts.current == nullptr ? 0 : parts.current->status.replicas;
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

void JudgeProgress(const Deployment& deployment, const DeploymentParts& parts, Time now,
                   DeploymentStatus& status) {
  if (!HasDeadline(deployment.spec)) return Remove(status, kProgressing);
  const DeploymentCondition* progress = FindCondition(status, kProgressing);
  const bool was_done = progress != nullptr && progress->reason == kDone;
  if (was_done && status.replicas == status.updated_replicas) return;
  const std::string who = parts.current == nullptr
                              ? fmt::format("Deployment \"{}\"", deployment.metadata.name)
                              : fmt::format("ReplicaSet \"{}\"", parts.current->metadata.name);
  if (IsComplete(deployment, status)) {
    Set(ConditionOf(kProgressing, "True", kDone, who + " has successfully progressed.", now),
        status);
  } else if (HasProgressed(deployment.status, status)) {
    // Also when it is in progress already: the time of the last progress is what the deadline
    // counts from.
    Replace(ConditionOf(kProgressing, "True", "ReplicaSetUpdated", who + " is progressing.", now),
            status);
  } else if (IsOverdue(deployment, status, now)) {
    Set(ConditionOf(kProgressing, "False", kTimedOut, who + " has timed out progressing.", now),
        status);
  }
}

const appsv1::ReplicaSetCondition* FailureOf(const ReplicaSet& set) {
  const auto& conditions = set.status.conditions;
  const auto found =
      std::ranges::find(conditions, kReplicaFailure, &appsv1::ReplicaSetCondition::type);
  return found == conditions.end() ? nullptr : &*found;
}

// That of the current set comes before those of others.
void CopyFailure(const DeploymentParts& parts, DeploymentStatus& status) {
  const appsv1::ReplicaSetCondition* failure =
      parts.current == nullptr ? nullptr : FailureOf(*parts.current);
  for (size_t i = 0; failure == nullptr && i < parts.sets.size(); ++i) {
    failure = FailureOf(*parts.sets[i]);
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

DeploymentStatus NextStatus(const Deployment& deployment, const DeploymentParts& parts,
                            DeploymentStatus status, bool judge_progress, Time now) {
  Count(deployment, parts, status);
  SetAvailable(deployment, now, status);
  if (judge_progress) {
    JudgeProgress(deployment, parts, now, status);
    CopyFailure(parts, status);
  }
  return status;
}

std::optional<std::chrono::seconds> UntilDeadline(const Deployment& deployment,
                                                  const DeploymentStatus& status, Time now) {
  const DeploymentCondition* progress = FindCondition(status, kProgressing);
  if (!HasDeadline(deployment.spec) || progress == nullptr) return std::nullopt;
  if (progress->reason == kTimedOut || progress->reason == kDone) return std::nullopt;
  const std::chrono::seconds deadline(*deployment.spec.progress_deadline_seconds);
  // Overdue is what lasts longer than the deadline, so a second more.
  const auto left = progress->last_update_time.value() + deadline - now.value();
  return std::max(left, std::chrono::seconds(0)) + std::chrono::seconds(1);
}

}  // namespace kubexms
