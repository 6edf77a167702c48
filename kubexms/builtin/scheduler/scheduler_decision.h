#pragma once

// Where a Pod goes: nodes that can take it are looked for, and the best of them is chosen.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kubexms/base/random.h"
#include "kubexms/builtin/scheduler/scheduler_filters.h"
#include "kubexms/builtin/scheduler/scheduler_pod.h"
#include "kubexms/builtin/scheduler/scheduler_snapshot.h"

namespace kubexms {

// Why no node can take a Pod.
struct Diagnosis {
  // The Pod itself says that it can be nowhere; the nodes were not looked at.
  std::string pod_reason;
  // By node, of those that were looked at.
  std::vector<std::pair<NodeSlot, Rejection>> nodes;
  // How many nodes there are, and how many were not looked at since the Pod names others.
  size_t all_nodes = 0;
  size_t unnamed_nodes = 0;
  FilterSet filters = 0;  // that refused a node

  // "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable."
  std::string Message() const;
};

struct Decision {
  std::optional<NodeSlot> node;
  Diagnosis diagnosis;  // where there is none
  size_t looked_at = 0;
  size_t feasible = 0;
};

// What is asked about a Pod besides the snapshot.
struct DecisionInput {
  const SchedulerPod& pod;
  // Selects the Pods that belong together with it, see WorkloadSelectors.
  const std::optional<Selector>& workload;
  const VolumeRules& volumes;
};

// How many nodes that can take a Pod are enough, of so many.
size_t FeasibleNodesToFind(size_t nodes);

// For one thread at a time.
class NodeChooser {
 public:
  // `random` chooses between nodes that are equally good; it must outlive this.
  explicit NodeChooser(Random& random) : random_(random) {}

  Decision Decide(const DecisionInput& input, SchedulerSnapshot& snapshot);

 private:
  std::vector<NodeSlot> FindFeasible(const SchedulerPod& pod, const PodFilter& filter,
                                     SchedulerSnapshot& snapshot, Decision& decision);
  NodeSlot Best(const std::vector<NodeSlot>& nodes, const std::vector<int64_t>& scores);

  Random& random_;
  // Where the search begins, so that all nodes have their turn.
  size_t next_start_ = 0;
};

}  // namespace kubexms
