#pragma once

// What a run tells while it goes on, as data, and those who tell it to people and programs.

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/base/clock.h"
#include "kubexms/base/json.h"
#include "kubexms/base/mutex.h"

namespace kubexms::automation {

struct Event {
  enum class Type {
    kRunStarted,     // text: the pipeline
    kPlanned,        // text: how much is to be changed
    kTaskStarted,    //
    kStepStarted,    //
    kStepUnchanged,  // it is true already
    kStepChanged,    // text: what was changed; diff
    kStepRetried,    // text: why
    kStepFailed,     // text: why
    kTaskFinished,   //
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
  std::chrono::nanoseconds duration{0};  // of what has ended
};

// "StepChanged" and so on.
std::string_view EventTypeName(Event::Type type);
JsonObject ToJson(const Event& event);

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
// mentioned.
class PlainEventSink final : public EventSink {
 public:
  explicit PlainEventSink(TextOutput output) : output_(std::move(output)) {}
  void OnEvent(const Event& event) override EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  const TextOutput output_ GUARDED_BY(mutex_);
};

// A tree of modules and tasks that is drawn anew in its place on a terminal, with the hosts that
// are being worked on below their task.
class TreeEventSink final : public EventSink {
 public:
  struct Options {
    size_t max_hosts = 8;  // shown below a task; of more it tells how many
    bool colors = true;
  };
  TreeEventSink(TextOutput output, Options options)
      : output_(std::move(output)), options_(options) {}
  void OnEvent(const Event& event) override EXCLUDES(mutex_);

 private:
  struct TaskLine {
    std::string module;
    std::string task;
    std::map<std::string, std::string> working;  // host → step
    size_t changed = 0;
    size_t failed = 0;
    bool finished = false;
    std::chrono::nanoseconds duration{0};
  };

  void Apply(const Event& event) REQUIRES(mutex_);
  TaskLine& LineOf(const Event& event) REQUIRES(mutex_);
  std::string Draw() const REQUIRES(mutex_);
  std::string DrawTask(const TaskLine& line) const REQUIRES(mutex_);

  Mutex mutex_;
  const TextOutput output_ GUARDED_BY(mutex_);
  const Options options_;
  std::vector<TaskLine> lines_ GUARDED_BY(mutex_);
  std::string ending_ GUARDED_BY(mutex_);
  size_t drawn_lines_ GUARDED_BY(mutex_) = 0;
};

}  // namespace kubexms::automation
