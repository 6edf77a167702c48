#pragma once

// The threads on which the HTTP server runs handlers that may block.

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "kubexms/base/mutex.h"

namespace kubexms {

// Threads that run tasks in the order in which they came. They are started as tasks need them, who
// has worked last works next, and who has nothing to do for a while ends: a thread costs a quarter
// of a megabyte of the allocator's memory. The one who adds tasks bounds them.
class WorkerPool {
 public:
  struct Options {
    size_t max_workers = 1;
    std::chrono::nanoseconds patience = std::chrono::seconds(1);
  };
  explicit WorkerPool(Options options);
  // Waits for the tasks that have been added.
  ~WorkerPool();

  void Add(std::function<void()> task);
  // Adds the task unless it would have to wait for a worker: then it stays with the caller.
  bool TryAdd(std::function<void()>& task);

  // Threads that live now.
  size_t size() const;

 private:
  struct Worker;
  using Workers = std::vector<std::unique_ptr<Worker>>;

  // Gives the task to a worker, or lets it wait; false when all are busy and it may not wait.
  bool Give(std::function<void()>& task, bool wait) EXCLUDES(mutex_);
  void Start(std::function<void()> task) REQUIRES(mutex_);
  void Work(Worker& worker);
  // What the worker does next; empty when there is nothing more to do.
  std::function<void()> NextTask(Worker& worker);
  // Waits to be called. False when nobody has done so for too long: the worker has ended.
  bool WaitForCall(Worker& worker);
  // Takes the worker, which nobody can call any more, out of the pool.
  void End(Worker& worker) REQUIRES(mutex_);
  static void Join(const Workers& workers);

  const Options options_;

  mutable Mutex mutex_;
  std::deque<std::function<void()>> tasks_ GUARDED_BY(mutex_);  // that no worker was free for
  std::vector<Worker*> idle_ GUARDED_BY(mutex_);                // the last one first
  bool closing_ GUARDED_BY(mutex_) = false;
  Workers workers_ GUARDED_BY(mutex_);
  Workers ended_ GUARDED_BY(mutex_);  // to be joined
};

}  // namespace kubexms
