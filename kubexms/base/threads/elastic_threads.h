#pragma once

// Threads for work that comes and goes, shared by all who have some now and then. A thread costs
// memory of its own for as long as it lives (its stack, its part of the allocator's heap), so there
// should be as many as are busy, not as many as could be.

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
  // How long a thread waits for another task before it ends.
  std::chrono::nanoseconds patience = std::chrono::seconds(5);
};

// Safe for use from any thread.
class ElasticThreads {
 public:
  explicit ElasticThreads(ElasticThreadsOptions options = {}) : options_(options) {}
  // Waits for the tasks. None may be started any more.
  ~ElasticThreads();
  ElasticThreads(const ElasticThreads&) = delete;
  ElasticThreads& operator=(const ElasticThreads&) = delete;

  // Runs `task` at once, on a thread that has nothing to do or on a new one, which is called `name`
  // meanwhile. It must not throw. Whoever starts tasks bounds how many run at a time.
  void Start(std::string_view name, std::function<void()> task) EXCLUDES(mutex_);

  // Threads that live: those at work, and those that wait.
  size_t size() const EXCLUDES(mutex_);

 private:
  struct Member {
    std::thread thread;
    CondVar called;
    std::string name;
    std::function<void()> task;  // what is to be done next
  };
  using Members = std::list<Member>;

  void Live(Members::iterator self) EXCLUDES(mutex_);
  // Null when it is time to end.
  std::function<void()> NextTask(Members::iterator self) EXCLUDES(mutex_);
  // They have left the lock for the last time, so this takes no time.
  static void Join(Members& ended);

  const ElasticThreadsOptions options_;

  mutable Mutex mutex_;
  Members members_ GUARDED_BY(mutex_);
  Members ended_ GUARDED_BY(mutex_);  // to be joined
  // Those that wait. The last one is called first, so that the others come to their end.
  std::vector<Member*> waiting_ GUARDED_BY(mutex_);
  CondVar all_ended_;
  bool closing_ GUARDED_BY(mutex_) = false;
};

}  // namespace kubexms
