#include "kubexms/net/worker_pool.h"

namespace kubexms {

WorkerPool::~WorkerPool() {
  std::vector<std::thread> threads;
  {
    MutexLock lock(mutex_);
    closing_ = true;
    threads.swap(threads_);
  }
  changed_.NotifyAll();
  for (std::thread& thread : threads) thread.join();
}

void WorkerPool::Add(std::function<void()> task) {
  {
    MutexLock lock(mutex_);
    tasks_.push_back(std::move(task));
    if (tasks_.size() > waiting_ && threads_.size() < max_workers_) {
      threads_.emplace_back([this] { Work(); });
    }
  }
  changed_.NotifyOne();
}

void WorkerPool::Work() {
  for (;;) {
    std::function<void()> task;
    {
      MutexLock lock(mutex_);
      ++waiting_;
      while (tasks_.empty() && !closing_) changed_.Wait(mutex_);
      --waiting_;
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

}  // namespace kubexms
