#include "kubexms/controller/events/event_broadcaster.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/base/utf8.h"
#include "kubexms/client/no_response.h"
#include "kubexms/controller/support/call_deadline.h"

namespace kubexms {
namespace {

EventBroadcasterOptions WithInstance(EventBroadcasterOptions options) {
  KUBEXMS_CHECK(options.client != nullptr && options.clock != nullptr && options.random != nullptr);
  char name[256] = {};
  if (options.instance.empty() && gethostname(name, sizeof(name) - 1) == 0) options.instance = name;
  return options;
}

MetricFamily<Counter> EventCounters(MetricsRegistry* metrics) {
  if (metrics == nullptr) return {};
  return metrics->AddCounter({.name = "controller_events_total",
                              .help = "Events by what became of them.",
                              .labels = {"component", "result"}});
}

Time Seconds(Clock::WallTime time) { return Time(std::chrono::floor<std::chrono::seconds>(time)); }

ObjectKey KeyOf(const CorrelatedEvent& event) {
  const std::string& namespace_name = event.occurrence.object.namespace_name;
  return {namespace_name.empty() ? "default" : namespace_name, event.name};
}

corev1::Event ToObject(const CorrelatedEvent& event, const std::string& instance) {
  const ObjectKey key = KeyOf(event);
  corev1::Event object;
  object.metadata.namespace_name = key.namespace_name;
  object.metadata.name = key.name;
  object.involved_object = event.occurrence.object;
  object.type = event.occurrence.type;
  object.reason = event.occurrence.reason;
  object.message = event.occurrence.message;
  object.count = event.count;
  object.first_timestamp = Seconds(event.first_time);
  object.last_timestamp = Seconds(event.occurrence.time);
  object.source.emplace().component = event.occurrence.component;
  object.reporting_component = event.occurrence.component;
  object.reporting_instance = instance;
  return object;
}

// What changes when the same happens again.
Patch ToPatch(const CorrelatedEvent& event) {
  return {.type = PatchType::kMerge,
          .body = fmt::format(R"({{"count":{},"lastTimestamp":{},"message":{}}})", event.count,
                              QuoteJson(Seconds(event.occurrence.time).ToString()),
                              QuoteJson(event.occurrence.message))};
}

}  // namespace

void EventRecorder::Event(corev1::ObjectReference object, EventType type, std::string_view reason,
                          std::string_view message) const {
  broadcaster_->Record(component_, std::move(object), type, reason, message);
}

EventBroadcaster::EventBroadcaster(EventBroadcasterOptions options)
    : options_(WithInstance(std::move(options))),
      logger_(options_.logger.Named("events")),
      counts_(EventCounters(options_.metrics)),
      queue_(options_.queue_capacity) {}

void EventBroadcaster::Record(const std::string& component, corev1::ObjectReference object,
                              EventType type, std::string_view reason, std::string_view message) {
  Occurrence occurrence{.component = component,
                        .object = std::move(object),
                        .type = type == EventType::kNormal ? "Normal" : "Warning",
                        .reason = std::string(reason),
                        .message = std::string(CutUtf8(ToValidUtf8(message), kMaxMessageBytes)),
                        .time = options_.clock->Now()};
  if (!queue_.TryPush(occurrence)) Count(occurrence, "dropped");
}

void EventBroadcaster::Count(const Occurrence& occurrence, std::string_view result) const {
  if (options_.metrics != nullptr) counts_.With({occurrence.component, result}).Increment();
}

void EventBroadcaster::Run(std::stop_token stop) {
  while (DeliverNext(queue_.Pop(stop), stop)) {
  }
  queue_.Close();
  Flush();
}

void EventBroadcaster::Flush() {
  const CallDeadline limit(*options_.clock, options_.clock->MonotonicNow() + options_.flush_timeout,
                           {});
  const std::stop_token stop = limit.token();
  if (interrupted_ && Deliver(*interrupted_, stop)) interrupted_.reset();
  while (!stop.stop_requested() && DeliverNext(queue_.TryPop(), stop)) {
  }
  size_t left = 0;
  const auto drop = [&](const Occurrence& occurrence) {
    Count(occurrence, "dropped");
    ++left;
  };
  if (interrupted_) drop(interrupted_->occurrence);
  while (const std::optional<Occurrence> occurrence = queue_.TryPop()) drop(*occurrence);
  if (left > 0) logger_.Warn("events were dropped at the end", {{"count", left}});
}

// False when there is nothing more to do: there was no occurrence, or it was interrupted.
bool EventBroadcaster::DeliverNext(std::optional<Occurrence> occurrence,
                                   const std::stop_token& stop) {
  if (!occurrence) return false;
  std::optional<CorrelatedEvent> event = correlator_.Correlate(*occurrence);
  if (!event) {
    Count(*occurrence, "filtered");
    return true;
  }
  if (Deliver(*event, stop)) return true;
  interrupted_ = std::move(event);
  return false;
}

bool EventBroadcaster::Deliver(const CorrelatedEvent& event, const std::stop_token& stop) {
  for (int attempt = 1;; ++attempt) {
    const Result<void> written = Write(event, stop);
    if (written.ok()) {
      Count(event.occurrence, "written");
      return true;
    }
    if (stop.stop_requested()) return false;
    // What a server says no to is over: the others wait behind it.
    if (!IsNoResponse(written.error()) || attempt == options_.max_attempts) {
      Count(event.occurrence, "failed");
      logger_.Warn("an event was not written", {{"reason", event.occurrence.reason},
                                                {"object", event.occurrence.object.name},
                                                {"error", written.error()}});
      return true;
    }
    // The first pause is a random part of a period: processes that lost the same server come back
    // one after the other.
    const double periods = attempt == 1 ? options_.random->Fraction() : 1;
    const auto pause =
        std::chrono::duration_cast<std::chrono::nanoseconds>(options_.retry_period * periods);
    if (!options_.clock->SleepFor(pause, stop)) return false;
  }
}

Result<void> EventBroadcaster::Write(const CorrelatedEvent& event, const std::stop_token& stop) {
  if (event.count == 1) return Create(event, stop);
  const auto patched =
      options_.client->Patch<corev1::Event>(KeyOf(event), ToPatch(event), {.stop = stop});
  if (patched.ok()) return {};
  // It has expired, or its first occurrences were filtered.
  if (patched.error().IsNotFound()) return Create(event, stop);
  return patched.error();
}

Result<void> EventBroadcaster::Create(const CorrelatedEvent& event, const std::stop_token& stop) {
  const auto created = options_.client->Create(ToObject(event, options_.instance), {.stop = stop});
  // An attempt whose answer was lost has written it.
  if (created.ok() || created.error().IsAlreadyExists()) return {};
  return created.error();
}

}  // namespace kubexms
