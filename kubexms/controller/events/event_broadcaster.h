#pragma once

// Writes the events of all recorders of a process, from a queue of fixed size. They are news, not a
// log: when there are too many, similar ones are combined and then left out (event_correlator.h).

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
  std::string instance;  // which of several processes it is; empty: this host's name
  size_t queue_capacity = 1000;
  // Of one event, while the server cannot be reached. One that it refuses is not tried again.
  int max_attempts = 12;
  std::chrono::nanoseconds retry_period = std::chrono::seconds(10);
  // For what is still in the queue when Run() is told to stop.
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
  // Longer messages are cut: an event is a sentence.
  static constexpr size_t kMaxMessageBytes = 1024;

  explicit EventBroadcaster(EventBroadcasterOptions options);

  // What the recorders record. Never waits: when the queue is full, or Run() has ended, the event
  // is dropped and counted. Safe for use from any thread.
  void Record(const std::string& component, corev1::ObjectReference object, EventType type,
              std::string_view reason, std::string_view message);

  // Writes events until `stop` is requested, then what is left within flush_timeout. To be called
  // once.
  void Run(std::stop_token stop);

 private:
  // False when it was stopped before the event was written or given up.
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
