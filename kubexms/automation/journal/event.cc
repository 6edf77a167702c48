#include "kubexms/automation/journal/event.h"

#include <fmt/format.h>

#include "kubexms/automation/journal/timestamp.h"

namespace kubexms::automation {
namespace {

constexpr std::string_view kNames[] = {
    "PlanStarted", "HostChecked", "PlanFinished", "RunStarted",    "Planned",
    "TaskPlanned", "TaskStarted", "StepStarted",  "StepUnchanged", "StepChanged",
    "StepRetried", "StepFailed",  "HostFinished", "TaskFinished",  "RunFinished"};

std::string Where(const Event& event) {
  std::string where = event.host;
  if (!event.module.empty()) {
    where += fmt::format("{}{}/{}", where.empty() ? "" : " ", event.module, event.task);
  }
  return event.step.empty() ? where : fmt::format("{}: {}", where, event.step);
}

}  // namespace

std::string FormatDuration(std::chrono::nanoseconds duration) {
  const double seconds = std::chrono::duration<double>(duration).count();
  if (seconds < 100) return fmt::format("{:.1f}s", seconds);
  const auto whole = static_cast<int64_t>(seconds);
  return fmt::format("{}m{:02}s", whole / 60, whole % 60);
}

std::string PlainLine(const Event& event) {
  switch (event.type) {
    case Event::Type::kPlanStarted: return fmt::format("planning: {}", event.text);
    case Event::Type::kPlanFinished:
      return fmt::format("planned after {}", FormatDuration(event.duration));
    case Event::Type::kRunStarted: return fmt::format("run {}: {}", event.run, event.text);
    case Event::Type::kPlanned: return fmt::format("plan: {}", event.text);
    case Event::Type::kTaskFinished:
      return fmt::format("{}/{} finished after {}", event.module, event.task,
                         FormatDuration(event.duration));
    case Event::Type::kStepChanged:
      return fmt::format("{}: changed: {} ({})", Where(event), event.text,
                         FormatDuration(event.duration));
    case Event::Type::kStepRetried:
      return fmt::format("{}: retrying: {}", Where(event), event.text);
    // The error is in the report, which is printed at the end.
    case Event::Type::kStepFailed: return fmt::format("{}: FAILED", Where(event));
    case Event::Type::kRunFinished:
      return fmt::format("run {} {} after {}", event.run,
                         event.text.empty() ? "succeeded" : "failed",
                         FormatDuration(event.duration));
    default: return {};
  }
}

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
  if (event.hosts != 0) json["hosts"] = event.hosts;
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

}  // namespace kubexms::automation
