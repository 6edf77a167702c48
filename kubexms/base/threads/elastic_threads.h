#pragma once

// A thread pool that grows with its tasks and shrinks when threads are idle. Every thread costs
// memory (stack, caches of the allocator), so the pool has as many threads as are busy.

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "kubexms/base/mutex.h"

namespace kubexms {

struct ElasticThreadsOptions {
  // A thread without a task ends after this time.
  std::chrono::nanoseconds idle_timeout = std::chrono::seconds(5);
};

// Thread-safe.
class ElasticThreads {
 public:
  explicit ElasticThreads(ElasticThreadsOptions options = {}) : options_(options) {}
  // Waits for the running tasks. No task may be started meanwhile.
  ~ElasticThreads();
  ElasticThreads(const ElasticThreads&) = delete;
  ElasticThreads& operator=(const ElasticThreads&) = delete;

  // Runs `task` at once, on an idle or a new thread, which has the name `name` meanwhile. `task`
  // must not throw. The caller limits the number of concurrent tasks.
  void Start(std::string_view name, std::function<void()> task) EXCLUDES(mutex_);

  // The number of busy and idle threads.
  size_t size() const EXCLUDES(mutex_);

 private:
  struct Worker {
    std::thread thread;
    CondVar assigned;
    std::string name;
    std::function<void()> task;  // the next task
  };
  using Workers = std::list<Worker>;

  void RunTasks(Workers::iterator self) EXCLUDES(mutex_);
  // Null when the worker is to end.
  std::function<void()> NextTask(Workers::iterator self) EXCLUDES(mutex_);
  // Does not block: these threads have released the mutex for the last time.
  static void Join(Workers& ended);

  const ElasticThreadsOptions options_;

  mutable Mutex mutex_;
  Workers workers_ GUARDED_BY(mutex_);
  Workers ended_ GUARDED_BY(mutex_);  // to be joined
  // A task goes to the last one, so that the others reach their idle timeout.
  std::vector<Worker*> idle_ GUARDED_BY(mutex_);
  CondVar all_ended_;
  bool closing_ GUARDED_BY(mutex_) = false;
};

}  // namespace kubexms
