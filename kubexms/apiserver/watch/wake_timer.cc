#include "kubexms/apiserver/watch/wake_timer.h"

namespace kubexms {

void WakeTimer::Schedule(Clock::MonotonicTime time, StreamWaker waker) {
  MutexLock lock(mutex_);
  entries_.push({time, std::move(waker)});
  if (entries_.top().time == time) changed_.NotifyAll();
}

void WakeTimer::Run(std::stop_token stop) {
  const std::stop_callback on_stop(stop, [this] {
    MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  });
  MutexLock lock(mutex_);
  while (!stopping_) {
    if (entries_.empty()) {
      changed_.Wait(mutex_);
    } else if (entries_.top().time > std::chrono::steady_clock::now()) {
      changed_.WaitUntil(mutex_, entries_.top().time);
    } else {
      // Wake() never calls the timer, so the lock may be held.
      entries_.top().waker.Wake();
      entries_.pop();
    }
  }
}

}  // namespace kubexms
