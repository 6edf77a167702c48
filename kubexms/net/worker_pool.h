#pragma once

// The threads on which the HTTP server runs handlers that may block.

#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "kubexms/base/mutex.h"

namespace kubexms {

// Threads that run tasks in the order in which they came. They are started as tasks need them. The
// one who adds tasks bounds them.
class WorkerPool {
 public:
  explicit WorkerPool(size_t workers) : max_workers_(workers) {}
  // Waits for the tasks that have been added.
  ~WorkerPool();

  void Add(std::function<void()> task);

 private:
  void Work();

  const size_t max_workers_;

  Mutex mutex_;
  CondVar changed_;
  std::deque<std::function<void()>> tasks_ GUARDED_BY(mutex_);
  size_t waiting_ GUARDED_BY(mutex_) = 0;  // threads without a task
  bool closing_ GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_ GUARDED_BY(mutex_);
};

}  // namespace kubexms
