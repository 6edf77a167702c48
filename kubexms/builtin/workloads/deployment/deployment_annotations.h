#pragma once

// What a Deployment notes in the annotations of its ReplicaSets, and in its own: the number of the
// revision, those that a set had before a rollback, and for which number of replicas sizes were
// chosen.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kubexms/api/meta_v1.h"
#include "kubexms/builtin/workloads/deployment/rollout.h"

namespace kubexms {

inline constexpr const char* kRevision = "deployment.kubernetes.io/revision";
inline constexpr const char* kRevisionHistory = "deployment.kubernetes.io/revision-history";
inline constexpr const char* kDesiredReplicas = "deployment.kubernetes.io/desired-replicas";
inline constexpr const char* kMaxReplicas = "deployment.kubernetes.io/max-replicas";

// The number that an annotation has; nothing when it is not there or not a number.
std::optional<int64_t> NumberAnnotation(const StringMap& annotations, std::string_view name);
// Zero: none.
int64_t RevisionOf(const ObjectMeta& metadata);

// Gives a set the annotations of its Deployment, but for those above and what `kubectl apply` keeps
// for itself. What the set has of its own stays.
void CopyAnnotations(const StringMap& deployment, StringMap& set);
// Makes it a revision, unless it is a later one. The one that it was becomes part of its history.
void SetRevision(int64_t revision, StringMap& set);
// Notes what its size was chosen for.
void SetReplicasAnnotations(const RolloutLimits& limits, StringMap& set);

}  // namespace kubexms
