#pragma once

// Events are notes, not state: they go after a while. Their times of expiry are learnt from a
// watch, so the work grows with the events that are written, not with those that there are.

#include <deque>
#include <stop_token>
#include <string>

#include "kubexms/base/clock.h"
#include "kubexms/base/monitoring/log.h"
#include "kubexms/store/store.h"

namespace kubexms {

class EventExpiry {
 public:
  // All is borrowed.
  EventExpiry(store::Store& store, Clock& clock, std::chrono::seconds lifetime, Logger log)
      : store_(store), clock_(clock), lifetime_(lifetime), log_(std::move(log)) {}

  // Deletes events when their time has come, until stopped.
  void Run(std::stop_token stop);

  // Takes note of new events, then deletes those whose time has come.
  Result<void> RunOnce();

 private:
  // A version of an event; a later version of the same key has a later entry.
  struct Entry {
    Clock::MonotonicTime expires;
    std::string key;
    uint64_t revision;
  };

  Result<void> TakeNote();
  void Note(const store::Record& record);

  store::Store& store_;
  Clock& clock_;
  const std::chrono::seconds lifetime_;
  const Logger log_;
  std::unique_ptr<store::Watch> watch_;
  std::deque<Entry> entries_;  // by time
};

}  // namespace kubexms
