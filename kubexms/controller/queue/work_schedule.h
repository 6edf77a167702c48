#pragma once

// The order in which a WorkQueue dequeues: ready or delayed, by priority and by age. It has no
// keys, threads or clocks; WorkQueue adds those.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "kubexms/base/clock.h"

namespace kubexms {

// Why a key was enqueued, for the log of the reconcile that follows: "changed", "retry". A literal,
// or a text that outlives the queue, so that it is never copied.
class WorkReason {
 public:
  constexpr WorkReason() = default;  // none
  // NOLINTNEXTLINE(google-explicit-constructor): so that a literal can be passed as a reason
  consteval WorkReason(const char* literal) : text_(literal) {}
  // For texts created at run time that outlive the queue.
  static constexpr WorkReason Lasting(std::string_view text) {
    WorkReason reason;
    reason.text_ = text;
    return reason;
  }

  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

// The first few distinct reasons for which one key was enqueued, in order.
class WorkReasons {
 public:
  static constexpr size_t kMax = 4;

  void Add(WorkReason reason);
  std::span<const std::string_view> texts() const { return {texts_.data(), size_}; }

 private:
  std::array<std::string_view, kMax> texts_;
  uint8_t size_ = 0;
};

// Each level of priority counts as if the key had been waiting for one interval of aging longer.
// Values outside of the range are clamped.
inline constexpr int kLowPriority = -10;  // initial lists and resyncs
inline constexpr int kNormalPriority = 0;
inline constexpr int kHighPriority = 10;

struct WorkAddOptions {
  int priority = kNormalPriority;
  std::chrono::nanoseconds after{0};  // delay
  WorkReason reason;
};

// One key in the schedule. Its owner must not move it while it is scheduled or running; only the
// schedule changes it.
//
// It is processed at most once at a time, and scheduled at most once besides: `state` and the
// members after it describe the next run.
struct WorkEntry {
  enum class State : uint8_t { kNone, kDelayed, kReady };

  bool idle() const { return !running && state == State::kNone; }

  bool running = false;
  State state = State::kNone;
  int8_t priority = 0;
  int8_t level = 0;  // the priority whose list it is linked in
  WorkReasons reasons;
  Clock::MonotonicTime ready_since;
  Clock::MonotonicTime rank;  // smaller is sooner
  Clock::MonotonicTime started;
  // Links in the list of running or of ready entries; position among the delayed ones.
  WorkEntry* previous = nullptr;
  WorkEntry* next = nullptr;
  std::multimap<Clock::MonotonicTime, WorkEntry*>::iterator delayed;
};

// For one thread at a time. Times must not decrease from one call to the next. Every call is O(1),
// or O(log n) for each delayed entry that it changes.
class WorkSchedule {
 public:
  using Time = Clock::MonotonicTime;

  static constexpr Time kNever = Time::max();

  explicit WorkSchedule(std::chrono::nanoseconds aging);

  // Schedules the next run of `entry`. If it is already scheduled, the two are merged: the earlier
  // time and the higher priority win. While `entry` runs, its next run waits for Finish().
  void Add(WorkEntry& entry, const WorkAddOptions& options, Time now);

  // Makes the delayed entries that are due ready.
  void Promote(Time now);

  // The ready entry to process next, or null. Its priority, reasons and ready_since describe this
  // run until Begin(), after which it counts as running until Finish().
  WorkEntry* Next();
  void Begin(WorkEntry& entry, Time now);
  // If the next run is not scheduled, `now` is ignored.
  void Finish(WorkEntry& entry, Time now);

  // Unschedules all delayed entries and returns them.
  std::vector<WorkEntry*> DropDelayed();

  // When the first delayed entry is due; kNever if there is none.
  Time next_due() const { return delayed_.empty() ? kNever : delayed_.begin()->first; }
  bool has_ready() const { return occupied_ != 0; }
  // Scheduled without a delay, including running entries that are scheduled again.
  size_t waiting() const { return waiting_; }
  size_t delayed() const { return delayed_.size(); }
  size_t running() const { return running_count_; }
  uint64_t added() const { return added_; }  // how often an entry became ready

  struct RunningTimes {
    std::chrono::nanoseconds sum{0};
    std::chrono::nanoseconds longest{0};
  };
  // The processing times of the running entries so far. O(running()).
  RunningTimes Running(Time now) const;

 private:
  static constexpr int kLevels = kHighPriority - kLowPriority + 1;

  // An intrusive first-in first-out list.
  class EntryList {
   public:
    WorkEntry* first() const { return first_; }
    void Append(WorkEntry& entry);
    void Remove(WorkEntry& entry);

   private:
    WorkEntry* first_ = nullptr;
    WorkEntry* last_ = nullptr;
  };

  Time RankOf(int level, Time since) const { return since - level * aging_; }
  EntryList& ListOf(const WorkEntry& entry) { return lists_[entry.level - kLowPriority]; }
  void MakeReady(WorkEntry& entry, Time since);
  void Enqueue(WorkEntry& entry, Time now);
  void Dequeue(WorkEntry& entry);
  void Delay(WorkEntry& entry, Time due);
  void Advance(WorkEntry& entry, Time now);

  const std::chrono::nanoseconds aging_;
  // The ready entries of each priority, sorted by rank because times never decrease.
  std::array<EntryList, kLevels> lists_;
  uint32_t occupied_ = 0;  // one bit for each list that is not empty
  std::multimap<Time, WorkEntry*> delayed_;
  EntryList running_;
  size_t waiting_ = 0;
  size_t running_count_ = 0;
  uint64_t added_ = 0;
};

}  // namespace kubexms
