#pragma once

// What the thread that decides has to know before its next decision: what informers told, and what
// became of its writes. Several changes of one object that wait become one, so that it holds at
// most every object once.

#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "kubexms/base/clock.h"
#include "kubexms/base/error.h"
#include "kubexms/base/mutex.h"
#include "kubexms/controller/informers/object_cache.h"

namespace kubexms {

// An object as it is now.
struct ObjectChange {
  size_t source = 0;  // which informer
  CachedObject object;
  bool gone = false;
};

// What became of a write.
struct WriteOutcome {
  ObjectKey pod;
  std::string uid;
  bool was_binding = false;
  std::optional<Error> error;
  Clock::MonotonicTime begun;  // the attempt to schedule it
};

// Safe for use from any thread.
class SchedulerInbox {
 public:
  struct Contents {
    std::vector<ObjectChange> changes;  // in the order of the first of each object
    std::vector<WriteOutcome> outcomes;
  };

  void Push(ObjectChange change) EXCLUDES(mutex_);
  void Push(WriteOutcome outcome) EXCLUDES(mutex_);
  Contents Take() EXCLUDES(mutex_);
  // Until there is something, or until `deadline`, or `stop` is requested.
  void Wait(Clock& clock, Clock::MonotonicTime deadline, const std::stop_token& stop)
      EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  CondVar changed_;
  Contents contents_ GUARDED_BY(mutex_);
  // Where the change of an object is, by source.
  std::vector<std::unordered_map<ObjectKey, size_t>> places_ GUARDED_BY(mutex_);
};

}  // namespace kubexms
