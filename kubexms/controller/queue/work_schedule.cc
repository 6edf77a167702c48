#include "kubexms/controller/queue/work_schedule.h"

#include <algorithm>
#include <bit>

#include "kubexms/base/check.h"

namespace kubexms {
namespace {

using std::chrono::nanoseconds;
using State = WorkEntry::State;

// Longer delays are cut here, so that adding them to a time cannot overflow.
constexpr nanoseconds kLongestDelay = std::chrono::years(50);
constexpr nanoseconds kLongestAging = std::chrono::years(1);

int8_t Clamped(int priority) {
  return static_cast<int8_t>(std::clamp(priority, kLowPriority, kHighPriority));
}

}  // namespace

void WorkReasons::Add(WorkReason reason) {
  const auto known = texts();
  if (reason.text().empty() || size_ == kMax || std::ranges::count(known, reason.text())) return;
  texts_[size_++] = reason.text();
}

void WorkSchedule::EntryList::Append(WorkEntry& entry) {
  entry.previous = last_;
  entry.next = nullptr;
  (last_ == nullptr ? first_ : last_->next) = &entry;
  last_ = &entry;
}

void WorkSchedule::EntryList::Remove(WorkEntry& entry) {
  (entry.previous == nullptr ? first_ : entry.previous->next) = entry.next;
  (entry.next == nullptr ? last_ : entry.next->previous) = entry.previous;
}

WorkSchedule::WorkSchedule(nanoseconds aging)
    : aging_(std::clamp(aging, nanoseconds(0), kLongestAging)) {}

void WorkSchedule::Add(WorkEntry& entry, const WorkAddOptions& options, Time now) {
  Promote(now);  // entries that were due before come first
  const int8_t priority = Clamped(options.priority);
  entry.priority = entry.state == State::kNone ? priority : std::max(entry.priority, priority);
  entry.reasons.Add(options.reason);
  if (entry.state == State::kReady) {
    Advance(entry, now);
  } else if (options.after > nanoseconds(0)) {
    Delay(entry, now + std::min(options.after, kLongestDelay));
  } else {
    if (entry.state == State::kDelayed) delayed_.erase(entry.delayed);
    MakeReady(entry, now);
  }
}

void WorkSchedule::Promote(Time now) {
  while (next_due() <= now) {
    const auto first = delayed_.begin();
    const auto [due, entry] = *first;
    delayed_.erase(first);
    MakeReady(*entry, due);
  }
}

WorkEntry* WorkSchedule::Next() {
  WorkEntry* next = nullptr;
  // Ascending priorities: of equal ranks the higher priority wins.
  for (uint32_t rest = occupied_; rest != 0; rest &= rest - 1) {
    WorkEntry* first = lists_[std::countr_zero(rest)].first();
    if (next == nullptr || first->rank <= next->rank) next = first;
  }
  return next;
}

void WorkSchedule::Begin(WorkEntry& entry, Time now) {
  Dequeue(entry);
  --waiting_;
  ++running_count_;
  running_.Append(entry);
  entry.running = true;
  entry.started = now;
  entry.state = State::kNone;
  entry.reasons = {};
}

void WorkSchedule::Finish(WorkEntry& entry, Time now) {
  KUBEXMS_CHECK(entry.running);
  if (entry.state != State::kNone) Promote(now);
  running_.Remove(entry);
  --running_count_;
  entry.running = false;
  if (entry.state == State::kReady) Enqueue(entry, now);
}

std::vector<WorkEntry*> WorkSchedule::DropDelayed() {
  std::vector<WorkEntry*> dropped;
  for (const auto& [due, entry] : delayed_) {
    entry->state = State::kNone;
    entry->reasons = {};
    dropped.push_back(entry);
  }
  delayed_.clear();
  return dropped;
}

WorkSchedule::RunningTimes WorkSchedule::Running(Time now) const {
  RunningTimes times;
  for (const WorkEntry* entry = running_.first(); entry != nullptr; entry = entry->next) {
    const nanoseconds time = now - entry->started;
    times.sum += time;
    times.longest = std::max(times.longest, time);
  }
  return times;
}

void WorkSchedule::MakeReady(WorkEntry& entry, Time since) {
  entry.state = State::kReady;
  entry.ready_since = since;
  ++waiting_;
  ++added_;
  if (!entry.running) Enqueue(entry, since);
}

void WorkSchedule::Enqueue(WorkEntry& entry, Time now) {
  entry.level = entry.priority;
  entry.rank = RankOf(entry.level, now);
  ListOf(entry).Append(entry);
  occupied_ |= 1u << (entry.level - kLowPriority);
}

void WorkSchedule::Dequeue(WorkEntry& entry) {
  EntryList& list = ListOf(entry);
  list.Remove(entry);
  if (list.first() == nullptr) occupied_ &= ~(1u << (entry.level - kLowPriority));
}

void WorkSchedule::Delay(WorkEntry& entry, Time due) {
  if (entry.state == State::kDelayed) {
    if (entry.delayed->first <= due) return;
    delayed_.erase(entry.delayed);
  }
  entry.state = State::kDelayed;
  entry.delayed = delayed_.emplace(due, &entry);
}

// Moves a ready entry to the list of its raised priority, if that makes it run earlier.
void WorkSchedule::Advance(WorkEntry& entry, Time now) {
  if (entry.running || entry.priority == entry.level) return;
  if (RankOf(entry.priority, now) >= entry.rank) return;
  Dequeue(entry);
  Enqueue(entry, now);
}

}  // namespace kubexms
