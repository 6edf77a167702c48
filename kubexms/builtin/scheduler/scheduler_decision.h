#pragma once

// Chooses the node of a Pod: filters the nodes and takes the feasible one with the highest score.

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

// Why no node is feasible for a Pod.
struct Diagnosis {
  // Why the Pod cannot run on any node; the nodes were not evaluated.
  std::string pod_reason;
  // The rejections of the evaluated nodes.
  std::vector<std::pair<NodeSlot, Rejection>> nodes;
  // The number of nodes, and of those not evaluated because the Pod's node affinity names others.
  size_t all_nodes = 0;
  size_t excluded_nodes = 0;
  FilterSet filters = 0;  // that rejected a node

  // "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable."
  std::string Message() const;
};

struct Decision {
  std::optional<NodeSlot> node;
  Diagnosis diagnosis;  // if there is no node
  size_t evaluated = 0;
  size_t feasible = 0;
};

// The Pod and what the snapshot does not contain of it.
struct DecisionInput {
  const SchedulerPod& pod;
  // The selector of the Pod's workload, see WorkloadSelectors.
  const std::optional<Selector>& workload;
  const VolumeRules& volumes;
};

// How many feasible nodes are scored, out of `nodes` in total.
size_t FeasibleNodesToFind(size_t nodes);

// For one thread at a time.
class NodeChooser {
 public:
  // `random` chooses among nodes with the same score; it must outlive the chooser.
  explicit NodeChooser(Random& random) : random_(random) {}

  Decision Decide(const DecisionInput& input, SchedulerSnapshot& snapshot);

 private:
  std::vector<NodeSlot> FindFeasible(const SchedulerPod& pod, const PodFilter& filter,
                                     SchedulerSnapshot& snapshot, Decision& decision);
  NodeSlot Best(const std::vector<NodeSlot>& nodes, const std::vector<int64_t>& scores);

  Random& random_;
  // Where the next search starts, so that all nodes are evaluated over time.
  size_t next_start_ = 0;
};

}  // namespace kubexms
