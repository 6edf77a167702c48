#pragma once

// What the scheduler must not count anew for every Pod: the values of node labels as numbers, and
// how many Pods of some sort are on each node. Both are made when they are first asked for and then
// follow what changes. Nodes are known by their slots, small numbers.

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "kubexms/api/labels.h"
#include "kubexms/builtin/scheduler/scheduler_pod.h"

namespace kubexms {

using NodeSlot = uint32_t;

// The values that nodes have for one label.
class TopologyColumn {
 public:
  static constexpr int32_t kNone = -1;

  // kNone where the node does not have the label.
  int32_t operator[](NodeSlot slot) const { return values_[slot]; }
  // Every value is below this.
  size_t size() const { return ids_.size(); }

 private:
  friend class TopologyTable;
  std::vector<int32_t> values_;
  std::unordered_map<std::string, int32_t> ids_;
};

class TopologyTable {
 public:
  // So many labels at most are remembered.
  static constexpr size_t kMaxColumns = 64;

  // The labels of the node in this slot; null: there is none. They must outlive the table, or the
  // next call for that slot.
  void SetLabels(NodeSlot slot, const StringMap* labels);
  // Valid until SetLabels() or Trim().
  const TopologyColumn& Of(std::string_view key);
  // Forgets what is too much.
  void Trim();

 private:
  void Fill(TopologyColumn& column, const std::string& key, NodeSlot slot) const;

  std::vector<const StringMap*> labels_;
  std::map<std::string, TopologyColumn, std::less<>> columns_;
};

// Which Pods are counted: those that are in one of the namespaces and match the selector.
struct PodSet {
  bool all_namespaces = false;
  std::vector<std::string> namespaces;  // sorted, none twice
  Selector selector;

  bool Has(const ObjectMeta& pod) const;
  std::string Identity() const;
};

// How many of the Pods that are in every one of these sets are on each node.
struct PodTally {
  std::vector<PodSet> sets;
  bool count_terminating = true;
  std::vector<int32_t> counts;  // by slot
  uint64_t last_used = 0;

  bool Counts(const SchedulerPod& pod) const;
};

class PodTallies {
 public:
  // So many are remembered; those that were not used for longest go.
  static constexpr size_t kMaxTallies = 1024;

  void Add(const SchedulerPod& pod, NodeSlot slot) { Change(pod, slot, 1); }
  void Remove(const SchedulerPod& pod, NodeSlot slot) { Change(pod, slot, -1); }
  void Resize(size_t slots);

  // Null when nobody asked for it, or not for long.
  const PodTally* Find(const std::string& identity);
  // The caller counts the Pods that are there already. Valid until Trim().
  PodTally& Make(const std::string& identity, std::vector<PodSet> sets, bool count_terminating);
  // Forgets what is too much.
  void Trim();
  static std::string IdentityOf(const std::vector<PodSet>& sets, bool count_terminating);

 private:
  void Change(const SchedulerPod& pod, NodeSlot slot, int32_t by);
  // The lists of those that may count Pods of this tally's namespaces.
  std::vector<std::vector<PodTally*>*> ListsOf(const PodTally& tally);

  std::unordered_map<std::string, PodTally> tallies_;  // by identity; does not move its elements
  std::unordered_map<std::string, std::vector<PodTally*>> by_namespace_;
  std::vector<PodTally*> of_all_namespaces_;
  size_t slots_ = 0;
  uint64_t uses_ = 0;
};

// The terms of Pods that are on nodes, equal ones together: for each node the sum of what its Pods
// say, which is their number or their weights.
class PlacedTerms {
 public:
  struct Group {
    PodTerm term;
    std::vector<int64_t> sums;  // by slot
    size_t users = 0;
  };

  void Add(const PodTerm& term, NodeSlot slot, int64_t value);
  void Remove(const PodTerm& term, NodeSlot slot, int64_t value);
  const std::unordered_map<std::string, Group>& groups() const { return groups_; }

 private:
  std::unordered_map<std::string, Group> groups_;
};

}  // namespace kubexms
