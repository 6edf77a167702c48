#include "kubexms/builtin/scheduler/scheduler_inbox.h"

#include <utility>

namespace kubexms {

void SchedulerInbox::Push(ObjectChange change) {
  ObjectKey key = change.object.key();
  MutexLock lock(mutex_);
  if (change.source >= indexes_.size()) indexes_.resize(change.source + 1);
  const auto [index, is_new] =
      indexes_[change.source].try_emplace(std::move(key), contents_.changes.size());
  if (is_new) {
    contents_.changes.push_back(std::move(change));
  } else {
    contents_.changes[index->second] = std::move(change);
  }
  changed_.NotifyOne();
}

void SchedulerInbox::Push(WriteOutcome outcome) {
  MutexLock lock(mutex_);
  contents_.outcomes.push_back(std::move(outcome));
  changed_.NotifyOne();
}

SchedulerInbox::Contents SchedulerInbox::Drain() {
  MutexLock lock(mutex_);
  if (!contents_.changes.empty()) indexes_.clear();
  return std::exchange(contents_, {});
}

void SchedulerInbox::Wait(Clock& clock, Clock::MonotonicTime deadline,
                          const std::stop_token& stop) {
  const std::stop_callback wake(stop, [this] {
    MutexLock lock(mutex_);
    changed_.NotifyAll();
  });
  MutexLock lock(mutex_);
  while (contents_.changes.empty() && contents_.outcomes.empty() && !stop.stop_requested() &&
         clock.MonotonicNow() < deadline) {
    clock.WaitUntil(changed_, mutex_, deadline);
  }
}

}  // namespace kubexms
