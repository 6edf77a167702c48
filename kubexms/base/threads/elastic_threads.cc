#include "kubexms/base/threads/elastic_threads.h"

#include <iterator>
#include <utility>

#include "kubexms/base/check.h"
#include "kubexms/base/threads/threads.h"

namespace kubexms {

ElasticThreads::~ElasticThreads() {
  MutexLock lock(mutex_);
  closing_ = true;
  for (Member* member : waiting_) member->called.NotifyOne();
  while (!members_.empty()) all_ended_.Wait(mutex_);
  Join(ended_);
}

void ElasticThreads::Start(std::string_view name, std::function<void()> task) {
  MutexLock lock(mutex_);
  KUBEXMS_CHECK(!closing_ && task != nullptr);
  const bool found = !waiting_.empty();
  Member& member = found ? *waiting_.back() : members_.emplace_back();
  member.name = name;
  member.task = std::move(task);
  if (found) {
    waiting_.pop_back();
    member.called.NotifyOne();
  } else {
    member.thread = std::thread([this, self = std::prev(members_.end())] { Live(self); });
    Join(ended_);
  }
}

size_t ElasticThreads::size() const {
  MutexLock lock(mutex_);
  return members_.size();
}

void ElasticThreads::Live(Members::iterator self) {
  while (const std::function<void()> task = NextTask(self)) task();
}

std::function<void()> ElasticThreads::NextTask(Members::iterator self) {
  const auto deadline = std::chrono::steady_clock::now() + options_.patience;
  MutexLock lock(mutex_);
  if (self->task == nullptr) waiting_.push_back(&*self);
  while (self->task == nullptr && !closing_) {
    if (!self->called.WaitUntil(mutex_, deadline)) break;
  }
  if (self->task == nullptr) {
    std::erase(waiting_, &*self);
    ended_.splice(ended_.end(), members_, self);
    if (members_.empty()) all_ended_.NotifyAll();
    return nullptr;
  }
  NameThisThread(self->name);
  return std::exchange(self->task, nullptr);
}

void ElasticThreads::Join(Members& ended) {
  for (Member& member : ended) member.thread.join();
  ended.clear();
}

}  // namespace kubexms
