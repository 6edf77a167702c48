#pragma once

// The events of a run, as data, and the sinks that print them for people and programs.

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "kubexms/base/clock.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/mutex.h"

namespace kubexms::automation {

struct Event {
  enum class Type {
    kPlanStarted,    // text: the pipeline; before a plan that is not part of a run
    kHostChecked,    // facts were gathered from a host, or it is unreachable; hosts: of how many
    kPlanFinished,   // of kPlanStarted
    kRunStarted,     // text: the pipeline
    kPlanned,        // text: the summary of the plan
    kTaskPlanned,    // hosts: on how many; one for each task, before the first starts
    kTaskStarted,    // on a host
    kStepStarted,    //
    kStepUnchanged,  // the host already had the desired state
    kStepChanged,    // text: the change; diff
    kStepRetried,    // text: the error
    kStepFailed,     // text: the error
    kHostFinished,   // the task has finished on a host
    kTaskFinished,   // the task has finished on all hosts
    kRunFinished,    // text: the error, empty on success
  };

  Type type = Type::kRunStarted;
  Clock::WallTime time;
  std::string run;
  std::string module;
  std::string task;
  std::string host;
  std::string step;
  std::string text;
  std::string diff;
  size_t hosts = 0;
  std::chrono::nanoseconds duration{0};  // for events that end something
};

// "StepChanged" and so on.
std::string_view EventTypeName(Event::Type type);
JsonObject ToJson(const Event& event);
// The line for a log; empty for events that are not logged.
std::string PlainLine(const Event& event);
// "1.5s", "2m05s".
std::string FormatDuration(std::chrono::nanoseconds duration);

// Called from any thread, several at a time.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void OnEvent(const Event& event) = 0;
};

// The output of sinks: called with whole lines, by one thread at a time.
using TextOutput = std::function<void(std::string_view)>;

// One JSON object per line, for programs.
class JsonEventSink final : public EventSink {
 public:
  explicit JsonEventSink(TextOutput output) : output_(std::move(output)) {}
  void OnEvent(const Event& event) override EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  const TextOutput output_ GUARDED_BY(mutex_);
};

// One line per event, for logs and pipes. Unchanged steps are not logged; the error of a failed
// step is in the report of the run.
class PlainEventSink final : public EventSink {
 public:
  explicit PlainEventSink(TextOutput output) : output_(std::move(output)) {}
  void OnEvent(const Event& event) override EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  const TextOutput output_ GUARDED_BY(mutex_);
};

}  // namespace kubexms::automation
