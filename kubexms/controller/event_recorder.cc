#include "kubexms/controller/event_recorder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "kubexms/api/kinds/core_v1_config.h"
#include "kubexms/base/utf8.h"
#include "kubexms/controller/call_deadline.h"

namespace kubexms {
namespace {

EventRecorderOptions WithHost(EventRecorderOptions options) {
  KUBEXMS_CHECK(options.client != nullptr && options.clock != nullptr && options.random != nullptr);
  char name[256] = {};
  if (options.host.empty() && gethostname(name, sizeof(name) - 1) == 0) options.host = name;
  return options;
}

Counter EventsCounter(MetricsRegistry* metrics, const std::string& component,
                      std::string_view result) {
  if (metrics == nullptr) return {};
  return metrics
      ->AddCounter({.name = "controller_events_total",
                    .help = "Events by what became of them.",
                    .labels = {"component", "result"}})
      .With({component, result});
}

Time Seconds(Clock::WallTime time) { return Time(std::chrono::floor<std::chrono::seconds>(time)); }

ObjectKey KeyOf(const CorrelatedEvent& event) {
  const std::string& name_space = event.occurrence.object.namespace_;
  return {name_space.empty() ? "default" : name_space, event.name};
}

corev1::Event ToObject(const CorrelatedEvent& event, const EventRecorderOptions& options) {
  const ObjectKey key = KeyOf(event);
  corev1::Event object;
  object.metadata.namespace_ = key.name_space;
  object.metadata.name = key.name;
  object.involved_object = event.occurrence.object;
  object.type = event.occurrence.type;
  object.reason = event.occurrence.reason;
  object.message = event.occurrence.message;
  object.count = event.count;
  object.first_timestamp = Seconds(event.first_time);
  object.last_timestamp = Seconds(event.occurrence.time);
  corev1::EventSource& source = object.source.emplace();
  source.component = options.component;
  source.host = options.host;
  object.reporting_component = options.component;
  object.reporting_instance = options.host;
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

EventRecorder::EventRecorder(EventRecorderOptions options)
    : options_(WithHost(std::move(options))),
      logger_(options_.logger.Named("events")),
      written_(EventsCounter(options_.metrics, options_.component, "written")),
      filtered_(EventsCounter(options_.metrics, options_.component, "filtered")),
      dropped_(EventsCounter(options_.metrics, options_.component, "dropped")),
      failed_(EventsCounter(options_.metrics, options_.component, "failed")),
      queue_(options_.queue_capacity) {}

void EventRecorder::Event(corev1::ObjectReference object, EventType type, std::string_view reason,
                          std::string_view message) {
  Occurrence occurrence{.object = std::move(object),
                        .type = type == EventType::kNormal ? "Normal" : "Warning",
                        .reason = std::string(reason),
                        .message = std::string(CutUtf8(ToValidUtf8(message), kMaxMessageBytes)),
                        .time = options_.clock->Now()};
  if (!queue_.TryPush(occurrence)) dropped_.Increment();
}

void EventRecorder::Run(std::stop_token stop) {
  while (DeliverNext(queue_.Pop(stop), stop)) {
  }
  queue_.Close();
  Flush();
}

void EventRecorder::Flush() {
  const CallDeadline limit(*options_.clock, options_.clock->MonotonicNow() + options_.flush_timeout,
                           {});
  const std::stop_token stop = limit.token();
  if (interrupted_ && !Deliver(*std::exchange(interrupted_, std::nullopt), stop)) {
    dropped_.Increment();
  }
  while (!stop.stop_requested() && DeliverNext(queue_.TryPop(), stop)) {
  }
  const size_t left = queue_.size() + (interrupted_ ? 1 : 0);
  if (left == 0) return;
  dropped_.Increment(static_cast<double>(left));
  logger_.Warn("events were dropped at the end", {{"count", left}});
}

// False when there is nothing more to do: there was no occurrence, or it was interrupted.
bool EventRecorder::DeliverNext(std::optional<Occurrence> occurrence, const std::stop_token& stop) {
  if (!occurrence) return false;
  std::optional<CorrelatedEvent> event = correlator_.Correlate(std::move(*occurrence));
  if (!event) {
    filtered_.Increment();
    return true;
  }
  if (Deliver(*event, stop)) return true;
  interrupted_ = std::move(event);
  return false;
}

bool EventRecorder::Deliver(const CorrelatedEvent& event, const std::stop_token& stop) {
  for (int attempt = 1;; ++attempt) {
    const Result<void> written = Write(event, stop);
    if (written.ok()) {
      written_.Increment();
      return true;
    }
    if (stop.stop_requested()) return false;
    if (!written.error().IsTransient() || attempt == options_.max_attempts) {
      failed_.Increment();
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

Result<void> EventRecorder::Write(const CorrelatedEvent& event, const std::stop_token& stop) {
  if (event.count == 1) return Create(event, stop);
  const auto patched =
      options_.client->Patch<corev1::Event>(KeyOf(event), ToPatch(event), {.stop = stop});
  if (patched.ok()) return {};
  // It has expired, or its first occurrences were filtered.
  if (patched.error().IsNotFound()) return Create(event, stop);
  return patched.error();
}

Result<void> EventRecorder::Create(const CorrelatedEvent& event, const std::stop_token& stop) {
  const auto created = options_.client->Create(ToObject(event, options_), {.stop = stop});
  // An attempt whose answer was lost has written it.
  if (created.ok() || created.error().IsAlreadyExists()) return {};
  return created.error();
}

}  // namespace kubexms
