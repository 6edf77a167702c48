#pragma once

// The order in which work is handed out: at once or later, by priority and by age. It knows neither
// keys nor threads nor clocks; WorkQueue adds those.

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

// Why a key was added, for the log of the run that follows: "changed", "owned Pod changed",
// "retry". A literal, or a text that outlives the queue; so that it costs nothing to keep.
class WorkReason {
 public:
  constexpr WorkReason() = default;  // none
  // NOLINTNEXTLINE(google-explicit-constructor): literals are meant to be given as they are
  consteval WorkReason(const char* literal) : text_(literal) {}
  // For texts made at run time that outlive the queue.
  static constexpr WorkReason Lasting(std::string_view text) {
    WorkReason reason;
    reason.text_ = text;
    return reason;
  }

  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

// The distinct reasons of all additions that became one run, the first few of them, in order.
class WorkReasons {
 public:
  static constexpr size_t kMax = 4;

  void Add(WorkReason reason);
  std::span<const std::string_view> texts() const { return {texts_.data(), size_}; }

 private:
  std::array<std::string_view, kMax> texts_;
  uint8_t size_ = 0;
};

// A priority is a head start: each step up counts as if the work had been waiting for one interval
// of ageing longer. Values beyond the ends are taken as the ends.
inline constexpr int kLowPriority = -10;  // what nobody waits for: first lists, resyncs
inline constexpr int kNormalPriority = 0;
inline constexpr int kHighPriority = 10;

struct WorkAddOptions {
  int priority = kNormalPriority;
  std::chrono::nanoseconds after{0};  // not before this has passed
  WorkReason reason;
};

// One piece of work. Belongs to the owner of the schedule, who keeps it where it is while it is
// scheduled or running; only the schedule changes it.
//
// It runs at most once at a time, and is scheduled at most once beside that: `state` and what
// follows it are about the next run.
struct WorkEntry {
  enum class State : uint8_t { kNone, kDelayed, kReady };

  bool idle() const { return !running && state == State::kNone; }

  bool running = false;
  State state = State::kNone;
  int8_t priority = 0;
  int8_t level = 0;  // the priority whose line it stands in
  WorkReasons reasons;
  Clock::MonotonicTime ready_since;
  Clock::MonotonicTime rank;  // smaller is sooner
  Clock::MonotonicTime started;
  // Its place among those that run, or else among those that are ready; and among the delayed ones.
  WorkEntry* previous = nullptr;
  WorkEntry* next = nullptr;
  std::multimap<Clock::MonotonicTime, WorkEntry*>::iterator delayed;
};

// Not safe for use from several threads. Times must not go back from one call to the next; every
// call is O(1), or O(log n) in the number of delayed entries that it touches.
class WorkSchedule {
 public:
  using Time = Clock::MonotonicTime;

  static constexpr Time kNever = Time::max();

  explicit WorkSchedule(std::chrono::nanoseconds ageing);

  // Schedules the next run of `entry`. If it is scheduled already the two become one, at the
  // earlier time and with the higher priority, and it never moves back; so an addition without a
  // delay takes over the delayed one. While `entry` runs its next run waits for Finish().
  void Add(WorkEntry& entry, const WorkAddOptions& options, Time now);

  // Makes what is due ready.
  void Promote(Time now);

  // The ready entry that is to run now, or nothing. It counts as running until Finish(), and its
  // priority, reasons and ready_since are those of this run until Begin().
  WorkEntry* Next();
  void Begin(WorkEntry& entry, Time now);
  // The run is over. If the next one is not scheduled `now` may be any time.
  void Finish(WorkEntry& entry, Time now);

  // Forgets what is delayed, and says what that was.
  std::vector<WorkEntry*> DropDelayed();

  // When the first delayed entry is due; kNever if there is none.
  Time next_due() const { return delayed_.empty() ? kNever : delayed_.begin()->first; }
  bool has_ready() const { return occupied_ != 0; }
  // Scheduled without a delay; those that wait for their own Finish() included.
  size_t waiting() const { return waiting_; }
  size_t delayed() const { return delayed_.size(); }
  size_t running() const { return running_count_; }
  uint64_t added() const { return added_; }  // times that an entry became ready

  struct RunningTimes {
    std::chrono::nanoseconds sum{0};
    std::chrono::nanoseconds longest{0};
  };
  // How long what runs has been running. O(running()).
  RunningTimes Running(Time now) const;

 private:
  static constexpr int kLevels = kHighPriority - kLowPriority + 1;

  // Entries linked to each other, in the order of their arrival.
  class Line {
   public:
    WorkEntry* first() const { return first_; }
    void Append(WorkEntry& entry);
    void Remove(WorkEntry& entry);

   private:
    WorkEntry* first_ = nullptr;
    WorkEntry* last_ = nullptr;
  };

  Time RankOf(int level, Time since) const { return since - level * ageing_; }
  Line& LineOf(const WorkEntry& entry) { return lines_[entry.level - kLowPriority]; }
  void MakeReady(WorkEntry& entry, Time since);
  void Enqueue(WorkEntry& entry, Time now);
  void Dequeue(WorkEntry& entry);
  void Delay(WorkEntry& entry, Time due);
  void Advance(WorkEntry& entry, Time now);

  const std::chrono::nanoseconds ageing_;
  std::array<Line, kLevels> lines_;  // each sorted by rank, since all times only grow
  uint32_t occupied_ = 0;            // one bit for each line with entries
  std::multimap<Time, WorkEntry*> delayed_;
  Line running_;
  size_t waiting_ = 0;
  size_t running_count_ = 0;
  uint64_t added_ = 0;
};

}  // namespace kubexms
