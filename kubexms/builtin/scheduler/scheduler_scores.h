#pragma once

// Scores feasible nodes with the plugins and weights of Kubernetes' scheduler. Each score is from 0
// to 100.
//
//   least allocated, balanced allocation  1 each   more free resources, evenly used
//   image locality                        1        images are present
//   node affinity                         2        preferred terms of the Pod
//   pod affinity                          2        preferred terms of it and of existing Pods
//   spreading                             2        fewer Pods of the workload
//   taints                                3        fewer untolerated PreferNoSchedule taints

#include <optional>
#include <vector>

#include "kubexms/api/labels.h"
#include "kubexms/builtin/scheduler/scheduler_pod.h"
#include "kubexms/builtin/scheduler/scheduler_snapshot.h"

namespace kubexms {

inline constexpr int64_t kMaxScore = 100;

// The sums of the weighted scores, in the order of `nodes`. `workload` selects the Pods of the
// Pod's workload, if it is known.
std::vector<int64_t> ScoreNodes(const SchedulerPod& pod, const std::vector<NodeSlot>& nodes,
                                const std::optional<Selector>& workload,
                                SchedulerSnapshot& snapshot);

// ---- The individual scores.

int64_t LeastAllocatedScore(const SchedulerPod& pod, const SchedulerSnapshot::NodeState& node);
int64_t BalancedAllocationScore(const SchedulerPod& pod, const SchedulerSnapshot::NodeState& node);
// In the order of `nodes`. Empty: all nodes have the same score.
std::vector<int64_t> ImageLocalityScores(const SchedulerPod& pod,
                                         const std::vector<NodeSlot>& nodes,
                                         const SchedulerSnapshot& snapshot);
std::vector<int64_t> TaintScores(const SchedulerPod& pod, const std::vector<NodeSlot>& nodes,
                                 const SchedulerSnapshot& snapshot);
std::vector<int64_t> NodeAffinityScores(const SchedulerPod& pod, const std::vector<NodeSlot>& nodes,
                                        const SchedulerSnapshot& snapshot);
std::vector<int64_t> PodAffinityScores(const SchedulerPod& pod, const std::vector<NodeSlot>& nodes,
                                       SchedulerSnapshot& snapshot);
std::vector<int64_t> SpreadScores(const SchedulerPod& pod, const std::vector<NodeSlot>& nodes,
                                  const std::optional<Selector>& workload,
                                  SchedulerSnapshot& snapshot);

}  // namespace kubexms
