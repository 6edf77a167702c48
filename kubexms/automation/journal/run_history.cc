#include "kubexms/automation/journal/run_history.h"

#include <fmt/format.h>

#include <algorithm>

#include "kubexms/automation/journal/event.h"
#include "kubexms/automation/journal/explanation.h"
#include "kubexms/automation/journal/timestamp.h"

namespace kubexms::automation {
namespace {

using Type = JournalRecord::Type;
using EntryType = TimelineEntry::Type;

constexpr std::string_view kStateNames[] = {"succeeded", "failed", "interrupted", "rolled back"};
constexpr std::string_view kTypeNames[] = {"started", "resumed", "succeeded",   "failed",
                                           "changed", "failed",  "interrupted", "undone"};

double SecondsBetween(const std::string& from, const std::string& to) {
  const auto begin = ParseTimestamp(from), end = ParseTimestamp(to);
  if (!begin || !end || *end < *begin) return 0;
  return std::chrono::duration<double>(*end - *begin).count();
}

// Merges the start and the end of a step into one entry.
class Timeline {
 public:
  void Add(const JournalRecord& record) {
    switch (record.type) {
      case Type::kRun:
        Push(record, entries_.empty() ? EntryType::kRunStarted : EntryType::kRunResumed,
             record.pipeline);
        break;
      case Type::kBegin:
        // Until the record of its end is found.
        Push(record, EntryType::kStepInterrupted,
             fmt::format("{}", fmt::join(record.summary, ", ")));
        break;
      case Type::kDone: End(record, EntryType::kStepChanged); break;
      case Type::kFailed: End(record, EntryType::kStepFailed); break;
      case Type::kUndone: Push(record, EntryType::kStepUndone, ""); break;
      case Type::kFinished:
        Push(record, record.message.empty() ? EntryType::kRunSucceeded : EntryType::kRunFailed,
             record.message);
        break;
    }
  }
  std::vector<TimelineEntry> Take() { return std::move(entries_); }

 private:
  void Push(const JournalRecord& record, EntryType type, std::string text) {
    entries_.push_back({.time = record.time,
                        .type = type,
                        .host = record.host,
                        .task = record.task,
                        .step = record.step,
                        .text = std::move(text)});
  }
  void End(const JournalRecord& record, EntryType type) {
    const auto begun = std::find_if(entries_.rbegin(), entries_.rend(), [&](const auto& entry) {
      return entry.type == EntryType::kStepInterrupted && entry.host == record.host &&
             entry.task == record.task && entry.step == record.step;
    });
    // A step that failed before it changed anything has no kBegin record.
    if (begun == entries_.rend()) return Push(record, type, record.message);
    begun->type = type;
    begun->seconds = SecondsBetween(begun->time, record.time);
    if (!record.message.empty()) begun->text = record.message;
  }

  std::vector<TimelineEntry> entries_;
};

JsonObject EntryToJson(const TimelineEntry& entry) {
  JsonObject json{{"time", entry.time}, {"event", TimelineTypeName(entry.type)}};
  const auto text = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) json[name] = value;
  };
  text("host", entry.host);
  text("task", entry.task);
  text("step", entry.step);
  text("text", entry.text);
  if (entry.seconds > 0) json["seconds"] = entry.seconds;
  return json;
}

std::string OneLine(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

}  // namespace

std::string_view RunStateName(RunState state) { return kStateNames[static_cast<size_t>(state)]; }

std::string_view TimelineTypeName(TimelineEntry::Type type) {
  return kTypeNames[static_cast<size_t>(type)];
}

RunSummary Summarize(const std::string& run, const std::vector<JournalRecord>& records) {
  RunSummary summary{.run = run};
  bool undone = false;
  for (const JournalRecord& record : records) {
    switch (record.type) {
      case Type::kRun:
        summary.pipeline = record.pipeline;
        if (summary.started.empty()) summary.started = record.time;
        summary.state = RunState::kInterrupted;  // until the kFinished record, also when resumed
        summary.message.clear();
        break;
      case Type::kDone: ++summary.steps; break;
      case Type::kUndone:
        undone = true;
        if (summary.steps > 0) --summary.steps;
        break;
      case Type::kFinished:
        summary.state = record.message.empty() ? RunState::kSucceeded : RunState::kFailed;
        summary.message = record.message;
        break;
      default: break;
    }
  }
  // A run with steps in effect is not rolled back: only its steps on removed hosts were undone.
  if (undone && summary.steps == 0) summary.state = RunState::kRolledBack;
  return summary;
}

std::vector<TimelineEntry> TimelineOf(const std::vector<JournalRecord>& records) {
  Timeline timeline;
  for (const JournalRecord& record : records) timeline.Add(record);
  return timeline.Take();
}

Json ToJson(const RunSummary& summary) {
  JsonObject json{{"run", summary.run},         {"pipeline", summary.pipeline},
                  {"started", summary.started}, {"state", RunStateName(summary.state)},
                  {"steps", summary.steps},     {"message", summary.message}};
  if (const auto known = Explain(summary.message)) {
    json["cause"] = known->cause;
    json["advice"] = known->advice;
  }
  return json;
}

Json ToJson(const RunSummary& summary, const std::vector<TimelineEntry>& timeline) {
  Json json = ToJson(summary);
  JsonArray& entries = json.as_object()["timeline"].emplace_array();
  for (const TimelineEntry& entry : timeline) entries.emplace_back(EntryToJson(entry));
  return json;
}

std::string ToText(const std::vector<TimelineEntry>& timeline) {
  size_t host_width = 4;
  for (const TimelineEntry& entry : timeline) host_width = std::max(host_width, entry.host.size());
  std::string text = fmt::format("{:<24} {:>7} {:<{}} {:<12} {}\n", "TIME", "TOOK", "HOST",
                                 host_width, "EVENT", "STEP");
  for (const TimelineEntry& entry : timeline) {
    const std::string took = entry.seconds > 0
                                 ? FormatDuration(std::chrono::nanoseconds(
                                       static_cast<int64_t>(entry.seconds * 1'000'000'000)))
                                 : "";
    std::string step = entry.task;
    if (!entry.step.empty()) step += ": " + entry.step;
    if (!entry.text.empty()) step += (step.empty() ? "" : ": ") + entry.text;
    text += fmt::format("{:<24} {:>7} {:<{}} {:<12} {}\n", entry.time, took, entry.host, host_width,
                        TimelineTypeName(entry.type), OneLine(std::move(step)));
  }
  return text;
}

}  // namespace kubexms::automation
