#pragma once

// Writes the events of all recorders of a process, from a queue of fixed size. If there are too
// many, similar ones are aggregated and then filtered (event_correlator.h).

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "kubexms/base/clock.h"
#include "kubexms/base/monitoring/log.h"
#include "kubexms/base/monitoring/metrics.h"
#include "kubexms/base/random.h"
#include "kubexms/base/threads/bounded_queue.h"
#include "kubexms/client/client.h"
#include "kubexms/controller/events/event_correlator.h"
#include "kubexms/controller/events/event_recorder.h"

namespace kubexms {

struct EventBroadcasterOptions {
  std::string instance;  // reportingInstance; empty: the host name
  size_t queue_capacity = 1000;
  // Attempts for one event while the server cannot be reached. A refused event is not retried.
  int max_attempts = 12;
  std::chrono::nanoseconds retry_period = std::chrono::seconds(10);
  // Time to write the queued events after the stop of Run().
  std::chrono::nanoseconds flush_timeout = std::chrono::seconds(5);

  // Borrowed; metrics may be null.
  Client* client = nullptr;
  Clock* clock = nullptr;
  Random* random = nullptr;
  MetricsRegistry* metrics = nullptr;
  Logger logger;
};

class EventBroadcaster {
 public:
  // Longer messages are truncated.
  static constexpr size_t kMaxMessageBytes = 1024;

  explicit EventBroadcaster(EventBroadcasterOptions options);

  // Never blocks: if the queue is full, or Run() has ended, the event is dropped and counted. Safe
  // for use from any thread.
  void Record(const std::string& component, corev1::ObjectReference object, EventType type,
              std::string_view reason, std::string_view message);

  // Writes events until `stop` is requested, and then the queued ones within flush_timeout. Call it
  // once.
  void Run(std::stop_token stop);

 private:
  // False if it was stopped before the event was written or dropped.
  bool Deliver(const CorrelatedEvent& event, const std::stop_token& stop);
  bool DeliverNext(std::optional<Occurrence> occurrence, const std::stop_token& stop);
  Result<void> Write(const CorrelatedEvent& event, const std::stop_token& stop);
  Result<void> Create(const CorrelatedEvent& event, const std::stop_token& stop);
  void Flush();

  void Count(const Occurrence& occurrence, std::string_view result) const;

  const EventBroadcasterOptions options_;
  const Logger logger_;
  const MetricFamily<Counter> counts_;
  BoundedQueue<Occurrence> queue_;
  // Of the thread in Run().
  EventCorrelator correlator_;
  std::optional<CorrelatedEvent> interrupted_;
};

}  // namespace kubexms
