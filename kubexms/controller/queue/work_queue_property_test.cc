// The queue against the simplest model of it, in random sequences of calls.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "kubexms/controller/queue/work_queue.h"

namespace kubexms {
namespace {

using std::chrono::milliseconds;
using std::chrono_literals::operator""h;

constexpr milliseconds kAging(10);

// All keys in one map, and every question answered by looking at all of them.
class Model {
 public:
  void Add(int key, int priority, milliseconds after) {
    Promote();
    Entry& entry = entries_[key];
    entry.priority = entry.scheduled() ? std::max(entry.priority, priority) : priority;
    if (entry.ready) {
      Raise(entry);
    } else if (after > milliseconds(0)) {
      entry.delayed_since =
          entry.delayed && entry.due <= now_ + after ? entry.delayed_since : ++turn_;
      entry.due = entry.delayed ? std::min(entry.due, now_ + after) : now_ + after;
      entry.delayed = true;
    } else {
      MakeReady(entry, now_);
    }
  }

  // The key that is to be handed out, or -1.
  int Get() {
    Promote();
    int next = -1;
    for (const auto& [key, entry] : entries_) {
      if (!entry.ready || entry.running) continue;
      if (next < 0 || Order(entry) < Order(entries_[next])) next = key;
    }
    if (next >= 0) {
      entries_[next].ready = false;
      entries_[next].running = true;
    }
    return next;
  }

  void Done(int key) {
    Promote();
    Entry& entry = entries_[key];
    entry.running = false;
    if (entry.ready) Place(entry, now_);
  }

  void Advance(milliseconds time) { now_ += time; }

  int RunningKey(size_t which) const {
    std::vector<int> running;
    for (const auto& [key, entry] : entries_) {
      if (entry.running) running.push_back(key);
    }
    return running.empty() ? -1 : running[which % running.size()];
  }

  template <class Predicate>
  size_t Count(Predicate predicate) {
    Promote();
    return std::ranges::count_if(entries_, [&](const auto& e) { return predicate(e.second); });
  }
  size_t waiting() {
    return Count([](const auto& e) { return e.ready; });
  }
  size_t delayed() {
    return Count([](const auto& e) { return e.delayed; });
  }
  size_t running() {
    return Count([](const auto& e) { return e.running; });
  }

 private:
  struct Entry {
    bool scheduled() const { return ready || delayed; }

    bool running = false, ready = false, delayed = false;
    int priority = 0, level = 0;
    milliseconds due{0}, rank{0};
    int turn = 0, delayed_since = 0;
  };

  static std::tuple<milliseconds, int, int> Order(const Entry& entry) {
    return {entry.rank, -entry.level, entry.turn};
  }

  void Place(Entry& entry, milliseconds since) {
    entry.level = entry.priority;
    entry.rank = since - entry.level * kAging;
    entry.turn = ++turn_;
  }

  void MakeReady(Entry& entry, milliseconds since) {
    entry.ready = true;
    entry.delayed = false;
    if (!entry.running) Place(entry, since);
  }

  void Raise(Entry& entry) {
    if (!entry.running && entry.priority > entry.level &&
        now_ - entry.priority * kAging < entry.rank) {
      Place(entry, now_);
    }
  }

  void Promote() {
    while (true) {
      Entry* first = nullptr;
      for (auto& [key, entry] : entries_) {
        if (!entry.delayed || entry.due > now_) continue;
        if (first == nullptr ||
            std::tie(entry.due, entry.delayed_since) < std::tie(first->due, first->delayed_since)) {
          first = &entry;
        }
      }
      if (first == nullptr) return;
      MakeReady(*first, first->due);
    }
  }

  milliseconds now_{0};
  int turn_ = 0;
  std::map<int, Entry> entries_;
};

class Comparison {
 public:
  void Add(int key, int priority, milliseconds after) {
    model_.Add(key, priority, after);
    RC_ASSERT(queue_.Add(key, {.priority = priority, .after = after}));
  }

  bool Get() {
    const int expected = model_.Get();
    const auto item = queue_.TryGet();
    RC_ASSERT((item ? item->key : -1) == expected);
    return item.has_value();
  }

  bool Done(size_t which) {
    const int key = model_.RunningKey(which);
    if (key < 0) return false;
    model_.Done(key);
    queue_.Done(key);
    return true;
  }

  void Advance(milliseconds time) {
    model_.Advance(time);
    clock_.Advance(time);
  }

  // After a call that looked at the clock.
  void CompareSizes() {
    RC_ASSERT(queue_.size() == model_.waiting());
    RC_ASSERT(queue_.delayed() == model_.delayed());
    RC_ASSERT(queue_.processing() == model_.running());
  }

  // Works off everything that is left.
  void Finish() {
    Advance(1h);
    while (Get() || Done(0)) CompareSizes();
    RC_ASSERT(queue_.Drain(clock_.MonotonicNow()) == 0u);
  }

 private:
  ManualClock clock_;
  WorkQueue<int> queue_{{.aging = kAging}, &clock_};
  Model model_;
};

RC_GTEST_PROP(WorkQueuePropertyTest, DoesWhatTheModelDoes, ()) {
  Comparison comparison;
  const auto step = rc::gen::tuple(rc::gen::inRange(0, 10), rc::gen::inRange(0, 8),
                                   rc::gen::inRange(-3, 4), rc::gen::inRange(-5, 30));
  using Steps = std::vector<std::tuple<int, int, int, int>>;
  const auto steps = *rc::gen::scale(5, rc::gen::container<Steps>(step));
  for (const auto& [call, key, priority, time] : steps) {
    if (call < 4) {
      comparison.Add(key, priority, milliseconds(time));
      comparison.CompareSizes();
    } else if (call < 7) {
      comparison.Get();
      comparison.CompareSizes();
    } else if (call < 9) {
      comparison.Done(static_cast<size_t>(key));
    } else {
      comparison.Advance(milliseconds(std::abs(time)));
    }
  }
  comparison.Finish();
}

}  // namespace
}  // namespace kubexms
