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

void WorkerPool::Add(std::function<void()> task) { Give(task, /*wait=*/true); }

bool WorkerPool::TryAdd(std::function<void()>& task) { return Give(task, /*wait=*/false); }

bool WorkerPool::Give(std::function<void()>& task, bool wait) {
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

// Those that have ended have left the lock for the last time, so that takes no time.
void WorkerPool::Join(const Workers& workers) {
  for (const auto& worker : workers) worker->thread.join();
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
  if (!WaitForCall(worker)) return {};
  return std::exchange(worker.task, {});
}

bool WorkerPool::WaitForCall(Worker& worker) {
  if (worker.woken.WaitFor(options_.patience)) return true;
  Workers ended;
  bool called = false;
  {
    MutexLock lock(mutex_);
    called = std::erase(idle_, &worker) == 0;
    ended.swap(ended_);
    if (!called) End(worker);
  }
  Join(ended);
  if (called) worker.woken.Wait();  // the call is on its way
  return called;
}

void WorkerPool::End(Worker& worker) {
  const auto self = std::ranges::find(workers_, &worker, &std::unique_ptr<Worker>::get);
  ended_.push_back(std::move(*self));
  workers_.erase(self);
}

}  // namespace kubexms
