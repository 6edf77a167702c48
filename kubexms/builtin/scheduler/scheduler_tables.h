#pragma once

// Tables that would be too expensive to compute for every Pod: the values of node labels as
// integers, and the number of selected Pods per node. They are computed on first use and then
// updated with every change. Nodes are identified by slots, small integers.

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "kubexms/api/labels.h"
#include "kubexms/builtin/scheduler/scheduler_pod.h"

namespace kubexms {

using NodeSlot = uint32_t;

// The values of one node label.
class TopologyColumn {
 public:
  static constexpr int32_t kNone = -1;

  // kNone if the node does not have the label.
  int32_t operator[](NodeSlot slot) const { return values_[slot]; }
  // The upper bound of values.
  size_t size() const { return ids_.size(); }

 private:
  friend class TopologyTable;
  std::vector<int32_t> values_;
  std::unordered_map<std::string, int32_t> ids_;
};

class TopologyTable {
 public:
  // The bound on cached labels.
  static constexpr size_t kMaxColumns = 64;

  // Sets the labels of the node in the slot; null: the slot is free. They must outlive the table or
  // the next call for the slot.
  void SetLabels(NodeSlot slot, const StringMap* labels);
  // Valid until SetLabels() or Trim().
  const TopologyColumn& Of(std::string_view key);
  // Evicts entries beyond the bound.
  void Trim();

 private:
  void Fill(TopologyColumn& column, const std::string& key, NodeSlot slot) const;

  std::vector<const StringMap*> labels_;
  std::map<std::string, TopologyColumn, std::less<>> columns_;
};

// The Pods in one of the namespaces that the selector matches.
struct PodSet {
  bool all_namespaces = false;
  std::vector<std::string> namespaces;  // sorted, unique
  Selector selector;

  bool Has(const ObjectMeta& pod) const;
  std::string Identity() const;
};

// The number of Pods per node that are in every set.
struct PodTally {
  std::vector<PodSet> sets;
  bool count_terminating = true;
  std::vector<int32_t> counts;  // by slot
  uint64_t last_used = 0;

  bool Counts(const SchedulerPod& pod) const;
};

class PodTallies {
 public:
  // The bound on cached tallies; the least recently used ones are evicted.
  static constexpr size_t kMaxTallies = 1024;

  void Add(const SchedulerPod& pod, NodeSlot slot) { Change(pod, slot, 1); }
  void Remove(const SchedulerPod& pod, NodeSlot slot) { Change(pod, slot, -1); }
  void Resize(size_t slots);

  // Null if it is not cached.
  const PodTally* Find(const std::string& identity);
  // The caller counts the existing Pods. Valid until Trim().
  PodTally& Make(const std::string& identity, std::vector<PodSet> sets, bool count_terminating);
  // Evicts entries beyond the bound.
  void Trim();
  static std::string IdentityOf(const std::vector<PodSet>& sets, bool count_terminating);

 private:
  void Change(const SchedulerPod& pod, NodeSlot slot, int32_t by);
  // The lists of by_namespace_ and of_all_namespaces_ that the tally belongs to.
  std::vector<std::vector<PodTally*>*> ListsOf(const PodTally& tally);

  std::unordered_map<std::string, PodTally> tallies_;  // by identity; does not move its elements
  std::unordered_map<std::string, std::vector<PodTally*>> by_namespace_;
  std::vector<PodTally*> of_all_namespaces_;
  size_t slots_ = 0;
  uint64_t uses_ = 0;
};

// The affinity terms of Pods on nodes, grouped: per term and node the number or the sum of the
// weights.
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
