#pragma once

// The threads on which the HTTP server runs handlers that may block.

#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "kubexms/base/mutex.h"

namespace kubexms {

// Threads that run tasks in the order in which they came. The one who adds tasks bounds them.
class WorkerPool {
 public:
  explicit WorkerPool(size_t workers);
  // Waits for the tasks that have been added.
  ~WorkerPool();

  void Add(std::function<void()> task);

 private:
  void Work();

  Mutex mutex_;
  CondVar changed_;
  std::deque<std::function<void()>> tasks_ GUARDED_BY(mutex_);
  bool closing_ GUARDED_BY(mutex_) = false;
  std::vector<std::jthread> threads_;
};

}  // namespace kubexms
