#pragma once

// The progress of a run on a terminal: its modules, their tasks and the busy hosts, redrawn in
// place.

#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "kubexms/automation/journal/event.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/mutex.h"

namespace kubexms::automation {

// The state of a run by its events so far: events in, lines out.
class EventTree {
 public:
  struct View {
    size_t width = 80;
    size_t height = 24;
    bool colors = false;
    Clock::WallTime now;  // for the duration of unfinished tasks
  };

  void Apply(const Event& event);
  // At most `height` lines of at most `width` columns; less detail when there is less room.
  std::vector<std::string> Draw(const View& view) const;
  bool finished() const { return finished_; }

 private:
  struct Work {
    std::string step;
    Clock::WallTime since;
  };
  struct TaskState {
    std::string name;
    size_t hosts = 0;
    size_t finished_hosts = 0;
    size_t changed = 0;  // steps
    size_t failed = 0;   // hosts
    bool started = false;
    bool finished = false;
    Clock::WallTime start;
    std::chrono::nanoseconds duration{0};
    std::map<std::string, Work> working;  // by host
  };
  struct ModuleState {
    std::string name;
    std::vector<TaskState> tasks;
  };
  // How much of the tree is shown.
  struct Detail {
    bool finished_tasks;  // also of finished modules
    size_t hosts;         // below each task
  };
  struct Line;

  TaskState& TaskOf(const Event& event);
  void ApplyToTask(const Event& event);
  std::vector<Line> Lines(const View& view, const Detail& detail) const;
  static Line ModuleLine(const ModuleState& module);
  static Line TaskLine(const TaskState& task, const View& view);
  static void AddHosts(const TaskState& task, const View& view, size_t most,
                       std::vector<Line>& lines);

  void ApplyToPlan(const Event& event);

  std::string title_;
  std::string phase_;   // before the tasks start
  size_t checked_ = 0;  // hosts, for the plan
  Clock::WallTime start_;
  std::vector<ModuleState> modules_;
  std::string ending_;
  bool finished_ = false;
};

// Draws a tree of each run on a terminal, at most ten times a second. The cursor stays visible and
// below the tree, so the terminal needs no cleanup however the program ends.
class TreeEventSink final : public EventSink {
 public:
  struct Size {
    size_t width = 80;
    size_t height = 24;
  };
  struct Options {
    TextOutput output;           // called once for each redraw
    std::function<Size()> size;  // of the window, called for each redraw
    bool colors = true;
    Clock* clock = nullptr;  // borrowed
  };
  explicit TreeEventSink(Options options);
  void OnEvent(const Event& event) override EXCLUDES(mutex_);

 private:
  void Run(const std::stop_token& stop) EXCLUDES(mutex_);
  void Redraw() REQUIRES(mutex_);

  const Options options_;
  Mutex mutex_;
  EventTree tree_ GUARDED_BY(mutex_);
  bool drawing_ GUARDED_BY(mutex_) = false;  // between the start and the end of a run
  size_t drawn_lines_ GUARDED_BY(mutex_) = 0;
  std::jthread thread_;  // the last: it uses what is above
};

}  // namespace kubexms::automation
