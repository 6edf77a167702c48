#pragma once

// Changes from the informers and outcomes of writes that the scheduling thread applies before its
// next decision. Pending changes of one object are merged, so that the inbox holds at most one per
// object.

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

// The latest state of an object.
struct ObjectChange {
  size_t source = 0;  // which informer
  CachedObject object;
  bool deleted = false;
};

// The result of a write.
struct WriteOutcome {
  ObjectKey pod;
  std::string uid;
  bool was_binding = false;
  std::optional<Error> error;
  Clock::MonotonicTime begun;  // start of the scheduling attempt
};

// Safe for use from any thread.
class SchedulerInbox {
 public:
  struct Contents {
    std::vector<ObjectChange> changes;  // in the order of the first change per object
    std::vector<WriteOutcome> outcomes;
  };

  void Push(ObjectChange change) EXCLUDES(mutex_);
  void Push(WriteOutcome outcome) EXCLUDES(mutex_);
  Contents Drain() EXCLUDES(mutex_);
  // Returns when the inbox is not empty, at the `deadline`, or when `stop` is requested.
  void Wait(Clock& clock, Clock::MonotonicTime deadline, const std::stop_token& stop)
      EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  CondVar changed_;
  Contents contents_ GUARDED_BY(mutex_);
  // By source: the index in contents_.changes by object.
  std::vector<std::unordered_map<ObjectKey, size_t>> indexes_ GUARDED_BY(mutex_);
};

}  // namespace kubexms
