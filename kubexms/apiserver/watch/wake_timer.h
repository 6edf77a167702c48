#pragma once

// Wakes idle watch streams when their timeout or their next bookmark is due. One thread and one
// heap serve all streams.

#include <queue>
#include <stop_token>
#include <vector>

#include "kubexms/base/clock.h"
#include "kubexms/base/mutex.h"
#include "kubexms/net/http/response_stream.h"

namespace kubexms {

class WakeTimer {
 public:
  // Wakes `waker` at `time` or soon after. Does nothing if the stream has ended by then.
  void Schedule(Clock::MonotonicTime time, StreamWaker waker);

  // Wakes the streams until stopped.
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
