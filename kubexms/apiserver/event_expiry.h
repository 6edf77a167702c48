#pragma once

// Deletes Events when their lifetime is over. It learns of Events from a watch, so its work grows
// with the number of Events written, not with the number stored.

#include <deque>
#include <stop_token>
#include <string>

#include "kubexms/base/clock.h"
#include "kubexms/base/monitoring/log.h"
#include "kubexms/store/store.h"

namespace kubexms {

class EventExpiry {
 public:
  // Everything is borrowed.
  EventExpiry(store::Store& store, Clock& clock, std::chrono::seconds lifetime, Logger log)
      : store_(store), clock_(clock), lifetime_(lifetime), log_(std::move(log)) {}

  // Deletes expired Events until stopped.
  void Run(std::stop_token stop);

  // Records new Events, then deletes those that have expired.
  Result<void> RunOnce();

 private:
  // One version of an Event; a later version of the same key has its own, later entry.
  struct Entry {
    Clock::MonotonicTime expires;
    std::string key;
    uint64_t revision;
  };

  Result<void> ReadChanges();
  void Add(const store::Record& record);

  store::Store& store_;
  Clock& clock_;
  const std::chrono::seconds lifetime_;
  const Logger log_;
  std::unique_ptr<store::Watch> watch_;
  std::deque<Entry> entries_;  // in the order of expiry
};

}  // namespace kubexms
