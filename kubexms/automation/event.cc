#include "kubexms/automation/event.h"

#include <fmt/format.h>

#include <algorithm>

#include "kubexms/automation/timestamp.h"

namespace kubexms::automation {
namespace {

constexpr std::string_view kNames[] = {"RunStarted",    "Planned",     "TaskStarted", "StepStarted",
                                       "StepUnchanged", "StepChanged", "StepRetried", "StepFailed",
                                       "TaskFinished",  "RunFinished"};

std::string Seconds(std::chrono::nanoseconds duration) {
  return fmt::format("{:.1f}s", std::chrono::duration<double>(duration).count());
}

std::string Where(const Event& event) {
  std::string where = event.host;
  if (!event.module.empty()) {
    where += fmt::format("{}{}/{}", where.empty() ? "" : " ", event.module, event.task);
  }
  return event.step.empty() ? where : fmt::format("{}: {}", where, event.step);
}

// What a log says about it; empty: nothing.
std::string PlainLine(const Event& event) {
  switch (event.type) {
    case Event::Type::kRunStarted: return fmt::format("run {}: {}", event.run, event.text);
    case Event::Type::kPlanned: return fmt::format("plan: {}", event.text);
    case Event::Type::kTaskFinished:
      return fmt::format("{}/{} finished after {}", event.module, event.task,
                         Seconds(event.duration));
    case Event::Type::kStepChanged:
      return fmt::format("{}: changed: {} ({})", Where(event), event.text, Seconds(event.duration));
    case Event::Type::kStepRetried:
      return fmt::format("{}: trying again: {}", Where(event), event.text);
    case Event::Type::kStepFailed: return fmt::format("{}: FAILED: {}", Where(event), event.text);
    case Event::Type::kRunFinished:
      return fmt::format("run {} {} after {}", event.run,
                         event.text.empty() ? "succeeded" : "failed: " + event.text,
                         Seconds(event.duration));
    default: return {};
  }
}

}  // namespace

std::string_view EventTypeName(Event::Type type) { return kNames[static_cast<size_t>(type)]; }

JsonObject ToJson(const Event& event) {
  JsonObject json;
  json["type"] = EventTypeName(event.type);
  json["time"] = FormatTimestamp(event.time);
  const auto text = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) json[name] = value;
  };
  text("run", event.run);
  text("module", event.module);
  text("task", event.task);
  text("host", event.host);
  text("step", event.step);
  text("text", event.text);
  text("diff", event.diff);
  if (event.duration.count() != 0) {
    json["seconds"] = std::chrono::duration<double>(event.duration).count();
  }
  return json;
}

void JsonEventSink::OnEvent(const Event& event) {
  const std::string line = WriteJson(ToJson(event)) + "\n";
  MutexLock lock(mutex_);
  output_(line);
}

void PlainEventSink::OnEvent(const Event& event) {
  const std::string line = PlainLine(event);
  if (line.empty()) return;
  MutexLock lock(mutex_);
  output_(line + "\n");
}

TreeEventSink::TaskLine& TreeEventSink::LineOf(const Event& event) {
  for (TaskLine& line : lines_) {
    if (line.module == event.module && line.task == event.task) return line;
  }
  return lines_.emplace_back(TaskLine{.module = event.module, .task = event.task});
}

void TreeEventSink::Apply(const Event& event) {
  switch (event.type) {
    case Event::Type::kTaskStarted: LineOf(event); break;
    case Event::Type::kStepStarted: LineOf(event).working[event.host] = event.step; break;
    case Event::Type::kStepRetried:
      LineOf(event).working[event.host] = fmt::format("{} (again: {})", event.step, event.text);
      break;
    case Event::Type::kStepUnchanged:
    case Event::Type::kStepChanged:
    case Event::Type::kStepFailed:
      LineOf(event).working.erase(event.host);
      LineOf(event).changed += event.type == Event::Type::kStepChanged;
      LineOf(event).failed += event.type == Event::Type::kStepFailed;
      break;
    case Event::Type::kTaskFinished:
      LineOf(event).finished = true;
      LineOf(event).duration = event.duration;
      break;
    case Event::Type::kRunFinished: ending_ = PlainLine(event) + "\n"; break;
    default: break;
  }
}

std::string TreeEventSink::DrawTask(const TaskLine& line) const {
  const char* color = line.failed ? "\033[31m" : line.finished ? "\033[32m" : "";
  const char* sign = line.failed ? "✗" : line.finished ? "✓" : "…";
  const bool colored = options_.colors && *color;
  std::string text =
      fmt::format("  {}{}{} {}", colored ? color : "", sign, colored ? "\033[0m" : "", line.task);
  if (line.changed) text += fmt::format("  {} changed", line.changed);
  if (line.failed) text += fmt::format("  {} failed", line.failed);
  if (line.finished) text += fmt::format("  {}", Seconds(line.duration));
  text += "\n";
  size_t shown = 0;
  for (const auto& [host, step] : line.working) {
    if (shown++ == options_.max_hosts) break;
    text += fmt::format("      {}: {}\n", host, step);
  }
  if (line.working.size() > options_.max_hosts) {
    text += fmt::format("      and {} more\n", line.working.size() - options_.max_hosts);
  }
  return text;
}

std::string TreeEventSink::Draw() const {
  std::string text;
  std::string_view module;
  for (const TaskLine& line : lines_) {
    if (line.module != module) text += fmt::format("{}\n", line.module);
    module = line.module;
    text += DrawTask(line);
  }
  return text + ending_;
}

void TreeEventSink::OnEvent(const Event& event) {
  MutexLock lock(mutex_);
  Apply(event);
  std::string text = Draw();
  const size_t lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  // Back to the first line, and away with what was there.
  if (drawn_lines_ > 0) text = fmt::format("\033[{}A\033[J{}", drawn_lines_, text);
  drawn_lines_ = lines;
  output_(text);
}

}  // namespace kubexms::automation
