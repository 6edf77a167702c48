#include "kubexms/builtin/scheduler/scheduling_queue.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace kubexms {

bool SchedulingQueue::ActiveOrder::operator<(const ActiveOrder& other) const {
  if (priority != other.priority) return priority > other.priority;
  if (added != other.added) return added < other.added;
  return number < other.number;
}

SchedulingQueue::ActiveOrder SchedulingQueue::OrderOf(const Entry& entry) {
  return {
      .priority = entry.item.pod->priority(), .added = entry.item.added, .number = entry.number};
}

std::chrono::nanoseconds SchedulingQueue::BackoffOf(const Entry& entry) const {
  std::chrono::nanoseconds backoff = options_.initial_backoff;
  for (int attempt = 1; attempt < entry.item.attempts; ++attempt) {
    if (backoff >= options_.max_backoff) break;
    backoff *= 2;
  }
  return std::min(backoff, options_.max_backoff);
}

void SchedulingQueue::Enter(Entry& entry, Place place) {
  entry.place = place;
  switch (place) {
    case Place::kActive: active_.emplace(OrderOf(entry), &entry); break;
    case Place::kBackoff: backoff_.emplace(TimeOrder(entry.until, entry.number), &entry); break;
    case Place::kUnschedulable:
      unschedulable_.emplace(TimeOrder(entry.until, entry.number), &entry);
      by_hint_[entry.hints].emplace(entry.number, &entry);
      break;
    case Place::kGated: ++gated_; break;
  }
}

void SchedulingQueue::Leave(const Entry& entry) {
  switch (entry.place) {
    case Place::kActive: active_.erase(OrderOf(entry)); break;
    case Place::kBackoff: backoff_.erase(TimeOrder(entry.until, entry.number)); break;
    case Place::kUnschedulable: {
      unschedulable_.erase(TimeOrder(entry.until, entry.number));
      const auto bucket = by_hint_.find(entry.hints);
      bucket->second.erase(entry.number);
      if (bucket->second.empty()) by_hint_.erase(bucket);
      break;
    }
    case Place::kGated: --gated_; break;
  }
}

SchedulingQueue::Entry& SchedulingQueue::Insert(Item item) {
  Remove(item.pod->key);
  Entry& entry = entries_[item.pod->key];
  entry.item = std::move(item);
  entry.number = next_number_++;
  return entry;
}

void SchedulingQueue::Add(std::shared_ptr<SchedulerPod> pod, TimePoint now) {
  const auto known = entries_.find(pod->key);
  const bool is_new = known == entries_.end() || known->second.item.pod->uid() != pod->uid();
  const bool is_gated = !pod->pod->spec.scheduling_gates.empty();
  if (is_new) {
    Enter(Insert({.pod = std::move(pod), .added = now}), is_gated ? Place::kGated : Place::kActive);
    return;
  }
  Entry& entry = known->second;
  Leave(entry);
  entry.item.pod = std::move(pod);
  if (is_gated) {
    Enter(entry, Place::kGated);
  } else if (entry.place == Place::kBackoff) {
    Enter(entry, Place::kBackoff);
  } else {
    Activate(entry, now);
  }
}

bool SchedulingQueue::Refresh(const std::shared_ptr<const corev1::Pod>& pod) {
  const auto known = entries_.find(ObjectKey::Of(pod->metadata));
  if (known == entries_.end()) return false;
  known->second.item.pod->pod = pod;
  return true;
}

void SchedulingQueue::Remove(const ObjectKey& key) {
  const auto known = entries_.find(key);
  if (known == entries_.end()) return;
  Leave(known->second);
  entries_.erase(known);
}

// Moves the Pod to the active queue, or to the backoff queue if its backoff has not passed.
void SchedulingQueue::Activate(Entry& entry, TimePoint now) {
  entry.until = entry.last_attempt + BackoffOf(entry);
  const bool must_wait = entry.item.attempts > 0 && entry.until > now;
  Enter(entry, must_wait ? Place::kBackoff : Place::kActive);
}

std::optional<SchedulingQueue::Item> SchedulingQueue::Pop(TimePoint now) {
  for (std::map<TimeOrder, Entry*>* waiting : {&backoff_, &unschedulable_}) {
    while (!waiting->empty() && waiting->begin()->first.first <= now) {
      Entry& entry = *waiting->begin()->second;
      Leave(entry);
      Enter(entry, Place::kActive);
    }
  }
  if (active_.empty()) return std::nullopt;
  const auto found = entries_.find(active_.begin()->second->item.pod->key);
  Leave(found->second);
  Item item = std::move(found->second.item);
  entries_.erase(found);
  ++item.attempts;
  return item;
}

void SchedulingQueue::AddUnschedulable(Item item, ClusterEvents hints, TimePoint now) {
  Entry& entry = Insert(std::move(item));
  entry.last_attempt = now;
  entry.until = now + options_.max_unschedulable;
  entry.hints = hints;
  Enter(entry, Place::kUnschedulable);
}

void SchedulingQueue::AddBackoff(Item item, TimePoint now) {
  Entry& entry = Insert(std::move(item));
  entry.last_attempt = now;
  entry.until = now + BackoffOf(entry);
  Enter(entry, Place::kBackoff);
}

bool SchedulingQueue::MoveOnEvents(ClusterEvents events, TimePoint now) {
  if (events == kNoEvents) return false;
  std::vector<Entry*> moved;
  for (const auto& [hints, entries] : by_hint_) {
    if ((hints & events) == 0) continue;
    for (const auto& [number, entry] : entries) moved.push_back(entry);
  }
  for (Entry* entry : moved) {
    Leave(*entry);
    Activate(*entry, now);
  }
  return !moved.empty();
}

SchedulingQueue::TimePoint SchedulingQueue::NextChange() const {
  if (!active_.empty()) return TimePoint::min();
  TimePoint next = TimePoint::max();
  for (const auto* waiting : {&backoff_, &unschedulable_}) {
    if (!waiting->empty()) next = std::min(next, waiting->begin()->first.first);
  }
  return next;
}

const SchedulerPod* SchedulingQueue::Find(const ObjectKey& key) const {
  const auto entry = entries_.find(key);
  return entry == entries_.end() ? nullptr : entry->second.item.pod.get();
}

SchedulingQueue::Sizes SchedulingQueue::sizes() const {
  return {.active = active_.size(),
          .backoff = backoff_.size(),
          .unschedulable = unschedulable_.size(),
          .gated = gated_};
}

}  // namespace kubexms
