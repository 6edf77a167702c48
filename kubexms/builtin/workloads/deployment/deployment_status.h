#pragma once

// Calculates the status of a Deployment: the counts of its ReplicaSets, and the conditions
// Available, Progressing and ReplicaFailure.

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "kubexms/api/kinds/apps_v1.h"
#include "kubexms/builtin/workloads/deployment/rollout.h"

namespace kubexms {

using ReplicaSetPointer = std::shared_ptr<const appsv1::ReplicaSet>;

// The ReplicaSets of a Deployment.
struct DeploymentReplicaSets {
  std::vector<ReplicaSetPointer> sets;  // the oldest first
  // The one with the Deployment's template; may be null.
  ReplicaSetPointer current;
};

// The condition of the type, or null.
const appsv1::DeploymentCondition* FindCondition(const appsv1::DeploymentStatus& status,
                                                 std::string_view type);

// Sets the condition Progressing if the Deployment has a progress deadline. A condition that
// already has this status and reason is not changed.
void SetProgressing(const appsv1::DeploymentSpec& spec, std::string_view status,
                    std::string_view reason, std::string_view message, Time now,
                    appsv1::DeploymentStatus& changed);

// All replicas exist, are available, and have the current template.
bool IsComplete(const appsv1::Deployment& deployment, const appsv1::DeploymentStatus& status);

// `status` is the Deployment's status with the conditions that the same reconcile has changed.
// `check_progress` is false while the Deployment is paused or rescaled.
appsv1::DeploymentStatus CalculateStatus(const appsv1::Deployment& deployment,
                                         const DeploymentReplicaSets& replica_sets,
                                         appsv1::DeploymentStatus status, bool check_progress,
                                         Time now);

// The time until the progress deadline may be exceeded; nothing if the rollout has no deadline or
// is complete.
std::optional<std::chrono::seconds> TimeUntilProgressDeadline(
    const appsv1::Deployment& deployment, const appsv1::DeploymentStatus& status, Time now);

}  // namespace kubexms
