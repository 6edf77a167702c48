#include "kubexms/base/thread_pool.h"

#include <fmt/format.h>

#include <atomic>
#include <exception>
#include <thread>
#include <vector>

#include "kubexms/base/stop.h"
#include "kubexms/base/threads.h"

namespace kubexms {
ThreadPool::ThreadPool(ThreadPoolOptions options, Clock* clock)
    : options_(std::move(options)), clock_(clock), queue_(options_.queue_capacity) {
  KUBEXMS_CHECK(options_.threads > 0 && options_.on_exception != nullptr && clock_ != nullptr);
}

Result<void> ThreadPool::Run(std::stop_token stop) {
  KUBEXMS_CHECK(!queue_.closed());
  std::stop_source abandon;
  std::stop_source drained;
  std::atomic<int> running = options_.threads;
  std::vector<std::jthread> threads;
  for (int i = 0; i < options_.threads; ++i) {
    threads.emplace_back([&] {
      NameThisThread(options_.name);
      Work(abandon.get_token());
      if (--running == 0) drained.request_stop();
    });
  }
  WaitForStop(stop);
  queue_.Close();
  const bool out_of_time = clock_->SleepFor(options_.drain_timeout, drained.get_token());
  if (out_of_time) abandon.request_stop();
  threads.clear();  // joins

  size_t dropped = 0;
  while (queue_.TryPop()) ++dropped;
  if (dropped == 0) return {};
  return Error::Timeout(
      fmt::format("thread pool {} stopped with {} tasks not run", options_.name, dropped));
}

void ThreadPool::Work(std::stop_token abandon) {
  while (const std::optional<Task> task = queue_.Pop(abandon)) RunTask(*task, abandon);
}

void ThreadPool::RunTask(const Task& task, std::stop_token abandon) {
  try {
    task(std::move(abandon));
  } catch (const std::exception& exception) {
    options_.on_exception(exception.what());
  } catch (...) {
    options_.on_exception("an exception of unknown type");
  }
}

bool ThreadPool::Submit(Task task, std::stop_token stop) {
  return queue_.Push(std::move(task), std::move(stop));
}

bool ThreadPool::TrySubmit(Task task) { return queue_.TryPush(task); }

}  // namespace kubexms
