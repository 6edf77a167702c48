// The work queue compared to a minimal queue without duplicates: a mutex, a deque and a set. Each
// round adds a key, takes one and finishes it; `keys` keys are always waiting. Goal: at most twice
// the time of the minimal queue, a ratio of at least 0.5.

#include <fmt/format.h>

#include <deque>
#include <memory>
#include <unordered_set>

#include "bench/ratio.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/mutex.h"
#include "kubexms/controller/queue/work_queue.h"

namespace kubexms {
namespace {

class BareQueue {
 public:
  void Add(const ObjectKey& key) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (known_.insert(key).second) keys_.push_back(key);
  }

  ObjectKey Get() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    ObjectKey key = std::move(keys_.front());
    keys_.pop_front();
    return key;
  }

  void Done(const ObjectKey& key) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    known_.erase(key);
  }

 private:
  Mutex mutex_;
  std::deque<ObjectKey> keys_ GUARDED_BY(mutex_);
  std::unordered_set<ObjectKey> known_ GUARDED_BY(mutex_);
};

template <bool kMeasured>
class OurQueue {
 public:
  void Add(const ObjectKey& key) { queue_.Add(key, {.reason = "changed"}); }
  ObjectKey Get() { return std::move(queue_.Get(stop_)->key); }
  void Done(const ObjectKey& key) { queue_.Done(key); }

 private:
  SystemClock clock_;
  MetricsRegistry metrics_;
  const std::stop_token stop_ = std::stop_source().get_token();  // each worker has one
  WorkQueue<ObjectKey> queue_{{.name = "bench", .metrics = kMeasured ? &metrics_ : nullptr},
                              &clock_};
};

using PlainQueue = OurQueue<false>;
using MeasuredQueue = OurQueue<true>;

// Names longer than the small-string buffer of std::string, as real objects have.
const std::vector<ObjectKey>& Keys() {
  static const auto* keys = [] {
    auto* generated = new std::vector<ObjectKey>();
    for (int i = 0; i < 1 << 20; ++i) {
      generated->push_back(
          {fmt::format("team-{:03}", i % 100), fmt::format("frontend-web-{:07x}", i)});
    }
    return generated;
  }();
  return *keys;
}

// The key to add is the one taken last, so no key is a duplicate and the length is constant.
template <class Queue>
void BM_Round(benchmark::State& state) {
  static std::unique_ptr<Queue> queue;
  const auto waiting = static_cast<size_t>(state.range(0));
  const std::vector<ObjectKey>& keys = Keys();
  if (state.thread_index() == 0) {
    queue = std::make_unique<Queue>();
    for (size_t i = 0; i < waiting; ++i) queue->Add(keys[i * 7919 % keys.size()]);
  }
  ObjectKey key = keys[(waiting + static_cast<size_t>(state.thread_index())) * 7919 % keys.size()];
  for (auto _ : state) {
    queue->Add(key);
    key = queue->Get();
    queue->Done(key);
  }
  if (state.thread_index() == 0) queue.reset();
}

#define KUBEXMS_QUEUE_BENCHMARK(queue) \
  BENCHMARK(BM_Round<queue>)           \
      ->Name(#queue)                   \
      ->ArgName("keys")                \
      ->Arg(100)                       \
      ->Arg(1'000'000)                 \
      ->Threads(1)                     \
      ->Threads(4)                     \
      ->Iterations(200'000)            \
      ->UseRealTime()

KUBEXMS_QUEUE_BENCHMARK(BareQueue);
KUBEXMS_QUEUE_BENCHMARK(PlainQueue);
KUBEXMS_QUEUE_BENCHMARK(MeasuredQueue);

}  // namespace
}  // namespace kubexms

KUBEXMS_RATIO_MAIN("BareQueue")
