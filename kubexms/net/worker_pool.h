#pragma once

// The threads on which the HTTP server runs handlers that may block.

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "kubexms/base/mutex.h"

namespace kubexms {

// Threads that run tasks in the order in which they came. They are started as tasks need them, and
// who has worked last works next: a server with little to do has few of them, with their memory at
// hand. The one who adds tasks bounds them.
class WorkerPool {
 public:
  explicit WorkerPool(size_t workers);
  // Waits for the tasks that have been added.
  ~WorkerPool();

  void Add(std::function<void()> task);

 private:
  struct Worker;

  void Start(std::function<void()> task) REQUIRES(mutex_);
  void Work(Worker& worker);
  // What the worker does next; empty when there is nothing more to do.
  std::function<void()> NextTask(Worker& worker);

  const size_t max_workers_;

  Mutex mutex_;
  std::deque<std::function<void()>> tasks_ GUARDED_BY(mutex_);  // that no worker was free for
  std::vector<Worker*> idle_ GUARDED_BY(mutex_);                // the last one first
  bool closing_ GUARDED_BY(mutex_) = false;
  std::vector<std::unique_ptr<Worker>> workers_ GUARDED_BY(mutex_);
};

}  // namespace kubexms
