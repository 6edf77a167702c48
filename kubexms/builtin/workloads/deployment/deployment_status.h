#pragma once

// The status of a Deployment: counts of its ReplicaSets, and conditions that say whether enough
// Pods are available and whether its rollout gets on.

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "kubexms/api/kinds/apps_v1.h"
#include "kubexms/builtin/workloads/deployment/rollout.h"

namespace kubexms {

using ReplicaSetPointer = std::shared_ptr<const appsv1::ReplicaSet>;

// What there is of a Deployment.
struct DeploymentParts {
  std::vector<ReplicaSetPointer> sets;  // the oldest first
  // The one with its template; null: none.
  ReplicaSetPointer current;
};

// The condition of that type, or null.
const appsv1::DeploymentCondition* FindCondition(const appsv1::DeploymentStatus& status,
                                                 std::string_view type);

// Sets the condition Progressing, if the Deployment has a deadline for its progress and the
// condition does not have this status and reason already.
void SetProgressing(const appsv1::DeploymentSpec& spec, std::string_view status,
                    std::string_view reason, std::string_view message, Time now,
                    appsv1::DeploymentStatus& changed);

// Everything wanted is there, available, and of the current template.
bool IsComplete(const appsv1::Deployment& deployment, const appsv1::DeploymentStatus& status);

// The status that follows from the sets. `status` is the Deployment's, with what the same run has
// already changed in its conditions. While it is paused or rescaled its progress is not judged.
appsv1::DeploymentStatus NextStatus(const appsv1::Deployment& deployment,
                                    const DeploymentParts& parts, appsv1::DeploymentStatus status,
                                    bool judge_progress, Time now);

// Until the progress of a rollout must be judged again without a change; nothing when it need not.
std::optional<std::chrono::seconds> UntilDeadline(const appsv1::Deployment& deployment,
                                                  const appsv1::DeploymentStatus& status, Time now);

}  // namespace kubexms
