#pragma once

// The annotations by which the Deployment controller records, on ReplicaSets and on the Deployment,
// the revision, earlier revisions of a ReplicaSet that was rolled back to, and the number of
// replicas for which the sizes were chosen.

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

// The integer value of an annotation; nothing if it is missing or not an integer.
std::optional<int64_t> NumberAnnotation(const StringMap& annotations, std::string_view name);
// Zero if the object has no revision.
int64_t RevisionOf(const ObjectMeta& metadata);

// Copies the annotations of the Deployment to a ReplicaSet, except those above and that of `kubectl
// apply`. Other annotations of the ReplicaSet are retained.
void CopyAnnotations(const StringMap& deployment, StringMap& set);
// Sets the revision unless it has a higher one, and appends its former revision to the history.
void SetRevision(int64_t revision, StringMap& set);
// Records the numbers of replicas for which the size was chosen.
void SetReplicasAnnotations(const RolloutLimits& limits, StringMap& set);

}  // namespace kubexms
