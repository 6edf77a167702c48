#pragma once

// Which of the nodes that can take a Pod is best for it: the scores of Kubernetes' scheduler with
// its weights. Each is from 0 to 100.
//
//   least allocated, balanced allocation  1 each   where there is most room, in proportion
//   image locality                        1        where its images are
//   node affinity                         2        what the Pod prefers
//   Pods near and far                     2        what it and the Pods there prefer
//   spreading                             2        where there are fewest of its kind
//   taints                                3        where none is that should keep it away

#include <optional>
#include <vector>

#include "kubexms/api/labels.h"
#include "kubexms/builtin/scheduler/scheduler_pod.h"
#include "kubexms/builtin/scheduler/scheduler_snapshot.h"

namespace kubexms {

inline constexpr int64_t kMaxScore = 100;

// The sums of the weighted scores, in the order of the nodes. `workload` selects the Pods that
// belong together with this one, if it is known which those are.
std::vector<int64_t> ScoreNodes(const SchedulerPod& pod, const std::vector<NodeSlot>& nodes,
                                const std::optional<Selector>& workload,
                                SchedulerSnapshot& snapshot);

// ---- The scores one by one.

int64_t LeastAllocatedScore(const SchedulerPod& pod, const SchedulerSnapshot::NodeState& node);
int64_t BalancedAllocationScore(const SchedulerPod& pod, const SchedulerSnapshot::NodeState& node);
// In the order of the nodes. Empty: all nodes are equal.
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
