#pragma once

// Wakes hanging streams at given times: the ends of watches and their bookmarks. One thread and one
// heap for all of them.

#include <queue>
#include <stop_token>
#include <vector>

#include "kubexms/base/clock.h"
#include "kubexms/base/mutex.h"
#include "kubexms/net/http/response_stream.h"

namespace kubexms {

class WakeTimer {
 public:
  // Wakes `waker` at `time` or soon after. A stream that is gone by then costs nothing.
  void Schedule(Clock::MonotonicTime time, StreamWaker waker);

  // Does the waking until stopped.
  void Run(std::stop_token stop);

 private:
  struct Entry {
    Clock::MonotonicTime time;
    StreamWaker waker;

    bool operator>(const Entry& other) const { return time > other.time; }
  };

  Mutex mutex_;
  CondVar changed_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> entries_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
};

}  // namespace kubexms
