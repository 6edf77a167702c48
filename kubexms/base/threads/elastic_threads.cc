#include "kubexms/base/threads/elastic_threads.h"

#include <iterator>
#include <utility>

#include "kubexms/base/check.h"
#include "kubexms/base/threads/threads.h"

namespace kubexms {

ElasticThreads::~ElasticThreads() {
  MutexLock lock(mutex_);
  closing_ = true;
  for (Worker* worker : idle_) worker->assigned.NotifyOne();
  while (!workers_.empty()) all_ended_.Wait(mutex_);
  Join(ended_);
}

void ElasticThreads::Start(std::string_view name, std::function<void()> task) {
  MutexLock lock(mutex_);
  KUBEXMS_CHECK(!closing_ && task != nullptr);
  const bool found = !idle_.empty();
  Worker& worker = found ? *idle_.back() : workers_.emplace_back();
  worker.name = name;
  worker.task = std::move(task);
  if (found) {
    idle_.pop_back();
    worker.assigned.NotifyOne();
  } else {
    worker.thread = std::thread([this, self = std::prev(workers_.end())] { RunTasks(self); });
    Join(ended_);
  }
}

size_t ElasticThreads::size() const {
  MutexLock lock(mutex_);
  return workers_.size();
}

void ElasticThreads::RunTasks(Workers::iterator self) {
  while (const std::function<void()> task = NextTask(self)) task();
}

std::function<void()> ElasticThreads::NextTask(Workers::iterator self) {
  const auto deadline = std::chrono::steady_clock::now() + options_.idle_timeout;
  MutexLock lock(mutex_);
  if (self->task == nullptr) idle_.push_back(&*self);
  while (self->task == nullptr && !closing_) {
    if (!self->assigned.WaitUntil(mutex_, deadline)) break;
  }
  if (self->task == nullptr) {
    std::erase(idle_, &*self);
    ended_.splice(ended_.end(), workers_, self);
    if (workers_.empty()) all_ended_.NotifyAll();
    return nullptr;
  }
  NameThisThread(self->name);
  return std::exchange(self->task, nullptr);
}

void ElasticThreads::Join(Workers& ended) {
  for (Worker& worker : ended) worker.thread.join();
  ended.clear();
}

}  // namespace kubexms
