#pragma once

// The worker threads of the HTTP server for handlers that may block.

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "kubexms/base/mutex.h"

namespace kubexms {

// Runs tasks in order on up to `max_workers` threads. Threads are started on demand, the thread
// that became idle last gets the next task, and idle threads end: a thread costs a quarter of a
// megabyte of the allocator's memory. The caller limits the number of tasks.
class WorkerPool {
 public:
  struct Options {
    size_t max_workers = 1;
    // A thread without a task ends after this time.
    std::chrono::nanoseconds idle_timeout = std::chrono::seconds(1);
  };
  explicit WorkerPool(Options options);
  // Waits for all added tasks.
  ~WorkerPool();

  void Add(std::function<void()> task);
  // Adds the task if a worker is free; otherwise returns false and leaves `task` unchanged.
  bool TryAdd(std::function<void()>& task);

  // The number of threads.
  size_t size() const;

 private:
  struct Worker;
  using Workers = std::vector<std::unique_ptr<Worker>>;

  // Assigns the task to a worker or enqueues it; returns false if all workers are busy and `wait`
  // is false.
  bool Assign(std::function<void()>& task, bool wait) EXCLUDES(mutex_);
  void Start(std::function<void()> task) REQUIRES(mutex_);
  void RunTasks(Worker& worker);
  // The next task of the worker; empty when the worker is to end.
  std::function<void()> NextTask(Worker& worker);
  // Waits for a task. Returns false after the idle timeout: the worker was removed from the pool.
  bool WaitForTask(Worker& worker);
  // Removes the idle worker from the pool.
  void Remove(Worker& worker) REQUIRES(mutex_);
  static void Join(const Workers& workers);

  const Options options_;

  mutable Mutex mutex_;
  std::deque<std::function<void()>> tasks_ GUARDED_BY(mutex_);  // waiting for a worker
  std::vector<Worker*> idle_ GUARDED_BY(mutex_);                // the last one gets the next task
  bool closing_ GUARDED_BY(mutex_) = false;
  Workers workers_ GUARDED_BY(mutex_);
  Workers ended_ GUARDED_BY(mutex_);  // to be joined
};

}  // namespace kubexms
