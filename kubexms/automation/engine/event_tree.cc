#include "kubexms/automation/engine/event_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace kubexms::automation {
namespace {

constexpr std::chrono::milliseconds kRedrawInterval(100);

enum class Mark { kWaiting, kWorking, kDone, kFailed };

constexpr std::string_view kSigns[] = {"·", "…", "✓", "✗"};
constexpr std::string_view kColors[] = {"\033[2m", "\033[33m", "\033[32m", "\033[31m"};
constexpr std::string_view kPlain = "\033[0m";

// The first columns of a text, as one line; control characters become spaces.
std::string Clip(std::string_view text, size_t columns) {
  std::string clipped;
  size_t used = 0;
  for (const char c : text) {
    const bool begins = (static_cast<unsigned char>(c) & 0xC0) != 0x80;  // a character in UTF-8
    if (begins && used++ == columns) break;
    clipped += static_cast<unsigned char>(c) < ' ' || c == '\177' ? ' ' : c;
  }
  return clipped;
}

}  // namespace

struct EventTree::Line {
  size_t indent = 0;
  std::optional<Mark> mark;
  std::string text;

  std::string Render(const View& view) const {
    const size_t taken = indent + (mark ? 2 : 0);
    const std::string shown = Clip(text, view.width > taken ? view.width - taken : 0);
    std::string line(std::min(indent, view.width), ' ');
    if (!mark) return line + shown;
    const size_t at = static_cast<size_t>(*mark);
    if (!view.colors) return fmt::format("{}{} {}", line, kSigns[at], shown);
    return fmt::format("{}{}{}{} {}", line, kColors[at], kSigns[at], kPlain, shown);
  }
};

EventTree::TaskState& EventTree::TaskOf(const Event& event) {
  auto module = std::ranges::find(modules_, event.module, &ModuleState::name);
  if (module == modules_.end()) {
    module = modules_.insert(module, ModuleState{.name = event.module, .tasks = {}});
  }
  auto task = std::ranges::find(module->tasks, event.task, &TaskState::name);
  if (task == module->tasks.end()) {
    task = module->tasks.insert(task, TaskState{.name = event.task, .start = {}, .working = {}});
  }
  return *task;
}

void EventTree::ApplyToTask(const Event& event) {
  TaskState& task = TaskOf(event);
  switch (event.type) {
    case Event::Type::kTaskPlanned: task.hosts = event.hosts; break;
    case Event::Type::kTaskStarted:
      if (!task.started) task.start = event.time;
      task.started = true;
      break;
    case Event::Type::kStepStarted: task.working[event.host] = {event.step, event.time}; break;
    case Event::Type::kStepRetried:
      task.working[event.host].step = fmt::format("{} (retrying: {})", event.step, event.text);
      break;
    case Event::Type::kStepChanged: ++task.changed; break;
    case Event::Type::kStepFailed:
      ++task.failed;
      task.working.erase(event.host);
      break;
    case Event::Type::kHostFinished:
      ++task.finished_hosts;
      task.working.erase(event.host);
      break;
    case Event::Type::kTaskFinished:
      task.finished = true;
      task.duration = event.duration;
      break;
    default: break;
  }
}

void EventTree::ApplyToPlan(const Event& event) {
  switch (event.type) {
    case Event::Type::kPlanStarted:
      title_ = fmt::format("planning: {}", event.text);
      phase_ = "gathering facts";
      start_ = event.time;
      break;
    case Event::Type::kHostChecked:
      phase_ = fmt::format("gathering facts: {}/{} hosts", ++checked_, event.hosts);
      break;
    default: ending_ = PlainLine(event); finished_ = true;
  }
}

void EventTree::Apply(const Event& event) {
  switch (event.type) {
    case Event::Type::kPlanStarted:
    case Event::Type::kHostChecked:
    case Event::Type::kPlanFinished: ApplyToPlan(event); break;
    case Event::Type::kRunStarted:
      title_ = fmt::format("{} (run {})", event.text, event.run);
      phase_ = "gathering facts";
      start_ = event.time;
      break;
    case Event::Type::kPlanned: phase_ = event.text; break;
    case Event::Type::kRunFinished:
      ending_ = PlainLine(event);
      finished_ = true;
      break;
    default:
      if (!event.task.empty()) ApplyToTask(event);
  }
}

EventTree::Line EventTree::ModuleLine(const ModuleState& module) {
  size_t finished = 0, failed = 0;
  bool started = false;
  std::chrono::nanoseconds duration{0};
  for (const TaskState& task : module.tasks) {
    finished += task.finished;
    failed += task.failed;
    started |= task.started;
    duration += task.duration;
  }
  const size_t tasks = module.tasks.size();
  if (failed) return {0, Mark::kFailed, module.name};
  if (finished == tasks) {
    return {0, Mark::kDone, fmt::format("{}  {}", module.name, FormatDuration(duration))};
  }
  return {0, started ? Mark::kWorking : Mark::kWaiting,
          fmt::format("{}  {}/{} tasks", module.name, finished, tasks)};
}

EventTree::Line EventTree::TaskLine(const TaskState& task, const View& view) {
  const Mark mark = task.failed     ? Mark::kFailed
                    : task.finished ? Mark::kDone
                    : task.started  ? Mark::kWorking
                                    : Mark::kWaiting;
  std::string text = task.name;
  if (task.hosts > 0) text += fmt::format("  {}/{} hosts", task.finished_hosts, task.hosts);
  if (task.changed) text += fmt::format("  {} changed", task.changed);
  if (task.failed) text += fmt::format("  {} failed", task.failed);
  if (task.finished || mark == Mark::kWorking) {
    text += "  " + FormatDuration(task.finished ? task.duration : view.now - task.start);
  }
  return {2, mark, std::move(text)};
}

void EventTree::AddHosts(const TaskState& task, const View& view, size_t most,
                         std::vector<Line>& lines) {
  size_t shown = 0;
  for (const auto& [host, work] : task.working) {
    if (shown == most) break;
    ++shown;
    lines.push_back(
        {6, {}, fmt::format("{}  {}  {}", host, FormatDuration(view.now - work.since), work.step)});
  }
  if (task.working.size() > shown && shown > 0) {
    lines.push_back({6, {}, fmt::format("and {} more", task.working.size() - shown)});
  }
}

std::vector<EventTree::Line> EventTree::Lines(const View& view, const Detail& detail) const {
  std::vector<Line> lines = {{0, {}, title_}};
  if (!finished_) {
    lines[0].text += fmt::format("  {}  {}", FormatDuration(view.now - start_), phase_);
  }
  for (const ModuleState& module : modules_) {
    lines.push_back(ModuleLine(module));
    const Mark mark = *lines.back().mark;
    const bool inactive = mark == Mark::kDone || mark == Mark::kWaiting;
    if (inactive && !detail.finished_tasks) continue;
    for (const TaskState& task : module.tasks) {
      lines.push_back(TaskLine(task, view));
      AddHosts(task, view, detail.hosts, lines);
    }
  }
  if (finished_) lines.push_back({0, {}, ending_});
  return lines;
}

std::vector<std::string> EventTree::Draw(const View& view) const {
  constexpr Detail kDetails[] = {{true, 8}, {false, 8}, {false, 3}, {false, 1}, {false, 0}};
  std::vector<Line> lines;
  for (const Detail& detail : kDetails) {
    lines = Lines(view, detail);
    if (lines.size() <= view.height) break;
  }
  // The running tasks are at the end.
  if (lines.size() > view.height) {
    lines.erase(lines.begin(), lines.end() - static_cast<ptrdiff_t>(view.height));
  }
  std::vector<std::string> text;
  for (const Line& line : lines) text.push_back(line.Render(view));
  return text;
}

TreeEventSink::TreeEventSink(Options options)
    : options_(std::move(options)), thread_([this](const std::stop_token& stop) { Run(stop); }) {}

void TreeEventSink::OnEvent(const Event& event) {
  MutexLock lock(mutex_);
  const bool starts =
      event.type == Event::Type::kRunStarted || event.type == Event::Type::kPlanStarted;
  if (starts) {
    tree_ = EventTree();
    drawing_ = true;
  }
  tree_.Apply(event);
  if (starts || tree_.finished()) Redraw();
  if (!tree_.finished()) return;
  drawing_ = false;
  drawn_lines_ = 0;
}

void TreeEventSink::Run(const std::stop_token& stop) {
  while (options_.clock->SleepFor(kRedrawInterval, stop)) {
    MutexLock lock(mutex_);
    if (drawing_) Redraw();
  }
}

// Overwrites line by line, which avoids flicker, and erases the rest below. The last line of the
// window is reserved for the cursor: text in it would scroll all others. Only the final drawing may
// scroll.
void TreeEventSink::Redraw() {
  const Size size = options_.size();
  const size_t room = std::max<size_t>(size.height, 3) - 1;
  const std::vector<std::string> lines =
      tree_.Draw({.width = std::max<size_t>(size.width, 2) - 1,
                  .height = tree_.finished() ? std::numeric_limits<size_t>::max() : room,
                  .colors = options_.colors,
                  .now = options_.clock->Now()});
  std::string text;
  if (drawn_lines_ > 0) text = fmt::format("\033[{}A\r", drawn_lines_);
  for (const std::string& line : lines) text += line + "\033[K\n";
  text += "\033[J";
  drawn_lines_ = lines.size();
  options_.output(text);
}

}  // namespace kubexms::automation
