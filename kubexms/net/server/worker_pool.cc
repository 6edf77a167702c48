#include "kubexms/net/server/worker_pool.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "kubexms/base/threads/semaphore.h"

namespace kubexms {

struct WorkerPool::Worker {
  std::function<void()> task;  // written before `woken` is posted
  Semaphore woken;
  std::thread thread;
};

WorkerPool::WorkerPool(Options options) : options_(options) {}

WorkerPool::~WorkerPool() {
  Workers workers, ended;
  {
    MutexLock lock(mutex_);
    closing_ = true;
    workers.swap(workers_);
    ended.swap(ended_);
    for (Worker* worker : idle_) worker->woken.Post();
    idle_.clear();
  }
  Join(workers);
  Join(ended);
}

void WorkerPool::Add(std::function<void()> task) { Assign(task, /*wait=*/true); }

bool WorkerPool::TryAdd(std::function<void()>& task) { return Assign(task, /*wait=*/false); }

bool WorkerPool::Assign(std::function<void()>& task, bool wait) {
  Worker* idle = nullptr;
  Workers ended;
  {
    MutexLock lock(mutex_);
    if (!idle_.empty()) {
      idle = idle_.back();
      idle_.pop_back();
      idle->task = std::move(task);
    } else if (workers_.size() < options_.max_workers) {
      Start(std::move(task));
      ended.swap(ended_);
    } else if (wait) {
      tasks_.push_back(std::move(task));
    } else {
      return false;
    }
  }
  Join(ended);
  if (idle != nullptr) idle->woken.Post();
  return true;
}

size_t WorkerPool::size() const {
  MutexLock lock(mutex_);
  return workers_.size();
}

// Does not block on ended workers: they have released the mutex for the last time.
void WorkerPool::Join(const Workers& workers) {
  for (const auto& worker : workers) worker->thread.join();
}

void WorkerPool::Start(std::function<void()> task) {
  Worker& worker = *workers_.emplace_back(std::make_unique<Worker>());
  worker.task = std::move(task);
  worker.thread = std::thread([this, &worker] { RunTasks(worker); });
}

void WorkerPool::RunTasks(Worker& worker) {
  std::function<void()> task = std::exchange(worker.task, {});
  while (task) {
    task();
    task = nullptr;  // frees its captures while the worker is idle
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
  if (!WaitForTask(worker)) return {};
  return std::exchange(worker.task, {});
}

bool WorkerPool::WaitForTask(Worker& worker) {
  if (worker.woken.WaitFor(options_.idle_timeout)) return true;
  Workers ended;
  bool assigned = false;
  {
    MutexLock lock(mutex_);
    assigned = std::erase(idle_, &worker) == 0;
    ended.swap(ended_);
    if (!assigned) Remove(worker);
  }
  Join(ended);
  if (assigned) worker.woken.Wait();  // the task is being assigned
  return assigned;
}

void WorkerPool::Remove(Worker& worker) {
  const auto self = std::ranges::find(workers_, &worker, &std::unique_ptr<Worker>::get);
  ended_.push_back(std::move(*self));
  workers_.erase(self);
}

}  // namespace kubexms
