#include "kubexms/builtin/scheduler/scheduler_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kubexms {

// ---- Node labels.

void TopologyTable::SetLabels(NodeSlot slot, const StringMap* labels) {
  if (slot >= labels_.size()) labels_.resize(slot + 1, nullptr);
  labels_[slot] = labels;
  for (auto& [key, column] : columns_) Fill(column, key, slot);
}

void TopologyTable::Fill(TopologyColumn& column, const std::string& key, NodeSlot slot) const {
  if (slot >= column.values_.size()) column.values_.resize(slot + 1, TopologyColumn::kNone);
  int32_t& value = column.values_[slot];
  value = TopologyColumn::kNone;
  if (labels_[slot] == nullptr) return;
  const auto label = labels_[slot]->find(key);
  if (label == labels_[slot]->end()) return;
  value = column.ids_.try_emplace(label->second, static_cast<int32_t>(column.ids_.size()))
              .first->second;
}

const TopologyColumn& TopologyTable::Of(std::string_view key) {
  const auto known = columns_.find(key);
  if (known != columns_.end()) return known->second;
  const auto added = columns_.emplace(key, TopologyColumn()).first;
  for (NodeSlot slot = 0; slot < labels_.size(); ++slot) Fill(added->second, added->first, slot);
  return added->second;
}

void TopologyTable::Trim() {
  if (columns_.size() > kMaxColumns) columns_.clear();
  // Values that no node has any more accumulate, so the whole column is evicted and rebuilt on
  // demand.
  std::erase_if(columns_, [&](const auto& entry) {
    return entry.second.ids_.size() > 2 * labels_.size() + kMaxColumns;
  });
}

// ---- Pod counts.

bool PodSet::Has(const ObjectMeta& pod) const {
  return (all_namespaces || std::ranges::binary_search(namespaces, pod.namespace_name)) &&
         selector.Matches(pod.labels);
}

std::string PodSet::Identity() const {
  return fmt::format("{}|{}", all_namespaces ? "*" : fmt::format("{}", fmt::join(namespaces, ",")),
                     selector.IsNothing() ? "<nothing>" : selector.ToString());
}

bool PodTally::Counts(const SchedulerPod& pod) const {
  if (!count_terminating && pod.is_terminating()) return false;
  return std::ranges::all_of(sets, [&](const PodSet& set) { return set.Has(pod.pod->metadata); });
}

void PodTallies::Resize(size_t slots) {
  if (slots <= slots_) return;
  slots_ = slots;
  for (auto& [identity, tally] : tallies_) tally.counts.resize(slots);
}

const PodTally* PodTallies::Find(const std::string& identity) {
  const auto tally = tallies_.find(identity);
  if (tally == tallies_.end()) return nullptr;
  tally->second.last_used = ++uses_;
  return &tally->second;
}

PodTally& PodTallies::Make(const std::string& identity, std::vector<PodSet> sets,
                           bool count_terminating) {
  PodTally& tally = tallies_[identity];
  tally.sets = std::move(sets);
  tally.count_terminating = count_terminating;
  tally.counts.assign(slots_, 0);
  tally.last_used = ++uses_;
  for (std::vector<PodTally*>* list : ListsOf(tally)) list->push_back(&tally);
  return tally;
}

std::vector<std::vector<PodTally*>*> PodTallies::ListsOf(const PodTally& tally) {
  // A counted Pod is in every set, so the namespaces of the first one suffice.
  const PodSet& set = tally.sets.front();
  if (set.all_namespaces) return {&of_all_namespaces_};
  std::vector<std::vector<PodTally*>*> lists;
  for (const std::string& name : set.namespaces) lists.push_back(&by_namespace_[name]);
  return lists;
}

void PodTallies::Trim() {
  while (tallies_.size() > kMaxTallies) {
    const auto oldest = std::ranges::min_element(
        tallies_, {}, [](const auto& entry) { return entry.second.last_used; });
    for (std::vector<PodTally*>* list : ListsOf(oldest->second)) {
      std::erase(*list, &oldest->second);
    }
    std::erase_if(by_namespace_, [](const auto& entry) { return entry.second.empty(); });
    tallies_.erase(oldest);
  }
}

std::string PodTallies::IdentityOf(const std::vector<PodSet>& sets, bool count_terminating) {
  std::string identity = count_terminating ? "all" : "alive";
  for (const PodSet& set : sets) identity += ";" + set.Identity();
  return identity;
}

void PodTallies::Change(const SchedulerPod& pod, NodeSlot slot, int32_t by) {
  const auto change = [&](const std::vector<PodTally*>& tallies) {
    for (PodTally* tally : tallies) {
      if (tally->Counts(pod)) tally->counts[slot] += by;
    }
  };
  change(of_all_namespaces_);
  const auto own = by_namespace_.find(pod.key.namespace_name);
  if (own != by_namespace_.end()) change(own->second);
}

// ---- Terms.

void PlacedTerms::Add(const PodTerm& term, NodeSlot slot, int64_t value) {
  Group& group = groups_[term.identity];
  if (group.users++ == 0) group.term = term;
  if (slot >= group.sums.size()) group.sums.resize(slot + 1);
  group.sums[slot] += value;
}

void PlacedTerms::Remove(const PodTerm& term, NodeSlot slot, int64_t value) {
  const auto group = groups_.find(term.identity);
  group->second.sums[slot] -= value;
  if (--group->second.users == 0) groups_.erase(group);
}

}  // namespace kubexms
