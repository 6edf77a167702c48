#pragma once

// Runs tasks on a fixed number of threads, from a queue of fixed size.

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "kubexms/base/bounded_queue.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/result.h"

namespace kubexms {

struct ThreadPoolOptions {
  std::string name = "pool";  // of the threads, as debuggers show it
  int threads = 4;
  size_t queue_capacity = 1024;
  // How long queued and running tasks may still take once Run() is told to stop.
  std::chrono::nanoseconds drain_timeout = std::chrono::seconds(30);
  // Called on the task's thread with what() when a task throws. Required: a task must not throw,
  // but libraries it calls may.
  std::function<void(std::string_view what)> on_exception;
};

class ThreadPool {
 public:
  // The token is requested when the time to drain is over: long tasks should watch it.
  using Task = std::function<void(std::stop_token)>;

  // `clock` must outlive the pool.
  ThreadPool(ThreadPoolOptions options, Clock* clock);

  // Runs tasks until `stop` is requested, then refuses new ones, finishes those accepted within
  // drain_timeout, and joins its threads. An error says how many tasks had to be dropped. To be
  // called once.
  Result<void> Run(std::stop_token stop);

  // Queues a task, also before Run(). Waits while the queue is full; a task that submits tasks
  // should therefore use TrySubmit(). False, and the task is dropped, when the pool is stopping or
  // `stop` is requested.
  bool Submit(Task task, std::stop_token stop = {});
  // False, and the task is dropped, also when the queue is full.
  bool TrySubmit(Task task);

  // Tasks that wait for a thread.
  size_t queued() const { return queue_.size(); }

 private:
  void Work(std::stop_token abandon);
  void RunTask(const Task& task, std::stop_token abandon);

  const ThreadPoolOptions options_;
  Clock* const clock_;
  BoundedQueue<Task> queue_;
};

}  // namespace kubexms
