#include "kubexms/net/worker_pool.h"

namespace kubexms {

WorkerPool::WorkerPool(size_t workers) {
  for (size_t i = 0; i < workers; ++i) threads_.emplace_back([this] { Work(); });
}

WorkerPool::~WorkerPool() {
  {
    MutexLock lock(mutex_);
    closing_ = true;
  }
  changed_.NotifyAll();
  threads_.clear();
}

void WorkerPool::Add(std::function<void()> task) {
  {
    MutexLock lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  changed_.NotifyOne();
}

void WorkerPool::Work() {
  for (;;) {
    std::function<void()> task;
    {
      MutexLock lock(mutex_);
      while (tasks_.empty() && !closing_) changed_.Wait(mutex_);
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

}  // namespace kubexms
