#pragma once

// What a run tells while it goes on, as data, and those who tell it to people and programs.

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
    kHostChecked,    // a host has answered for the plan, or failed to; hosts: how many are asked
    kPlanFinished,   // of kPlanStarted
    kRunStarted,     // text: the pipeline
    kPlanned,        // text: how much is to be changed
    kTaskPlanned,    // hosts: on how many; one for each task, before the first begins
    kTaskStarted,    // on a host
    kStepStarted,    //
    kStepUnchanged,  // it is true already
    kStepChanged,    // text: what was changed; diff
    kStepRetried,    // text: why
    kStepFailed,     // text: why
    kHostFinished,   // a host is through with the task
    kTaskFinished,   // and all of its hosts are
    kRunFinished,    // text: the error, empty when there is none
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
  std::chrono::nanoseconds duration{0};  // of what has ended
};

// "StepChanged" and so on.
std::string_view EventTypeName(Event::Type type);
JsonObject ToJson(const Event& event);
// What a log says about it; empty: nothing.
std::string PlainLine(const Event& event);
// "1.5s", "2m05s".
std::string FormatDuration(std::chrono::nanoseconds duration);

// Called from any thread, several at a time.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void OnEvent(const Event& event) = 0;
};

// Where renderers write to: called with whole lines, one thread at a time.
using TextOutput = std::function<void(std::string_view)>;

// One JSON object a line, for programs.
class JsonEventSink final : public EventSink {
 public:
  explicit JsonEventSink(TextOutput output) : output_(std::move(output)) {}
  void OnEvent(const Event& event) override EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  const TextOutput output_ GUARDED_BY(mutex_);
};

// A line for each thing that happened, for logs and pipes. Steps that change nothing are not
// mentioned; why one failed is in the report of the run.
class PlainEventSink final : public EventSink {
 public:
  explicit PlainEventSink(TextOutput output) : output_(std::move(output)) {}
  void OnEvent(const Event& event) override EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  const TextOutput output_ GUARDED_BY(mutex_);
};

}  // namespace kubexms::automation
