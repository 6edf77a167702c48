#include "kubexms/net/worker_pool.h"

#include <semaphore>
#include <thread>
#include <utility>

namespace kubexms {

struct WorkerPool::Worker {
  std::function<void()> task;  // written before `woken` is released
  std::binary_semaphore woken{0};
  std::thread thread;
};

WorkerPool::WorkerPool(size_t workers) : max_workers_(workers) {}

WorkerPool::~WorkerPool() {
  std::vector<std::unique_ptr<Worker>> workers;
  {
    MutexLock lock(mutex_);
    closing_ = true;
    workers.swap(workers_);
    for (Worker* worker : idle_) worker->woken.release();
    idle_.clear();
  }
  for (const auto& worker : workers) worker->thread.join();
}

void WorkerPool::Add(std::function<void()> task) {
  Worker* idle = nullptr;
  {
    MutexLock lock(mutex_);
    if (idle_.empty() && workers_.size() < max_workers_) return Start(std::move(task));
    if (idle_.empty()) return tasks_.push_back(std::move(task));
    idle = idle_.back();
    idle_.pop_back();
  }
  idle->task = std::move(task);
  idle->woken.release();
}

void WorkerPool::Start(std::function<void()> task) {
  Worker& worker = *workers_.emplace_back(std::make_unique<Worker>());
  worker.task = std::move(task);
  worker.thread = std::thread([this, &worker] { Work(worker); });
}

void WorkerPool::Work(Worker& worker) {
  std::function<void()> task = std::exchange(worker.task, {});
  while (task) {
    task();
    task = nullptr;  // what it holds is not kept while the worker waits
    task = NextTask(worker);
  }
}

std::function<void()> WorkerPool::NextTask(Worker& worker) {
  {
    MutexLock lock(mutex_);
    if (!tasks_.empty()) {
      std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      return task;
    }
    if (closing_) return {};
    idle_.push_back(&worker);
  }
  worker.woken.acquire();
  return std::exchange(worker.task, {});
}

}  // namespace kubexms
