#pragma once

// The history of a run from its journal alone: its state and its timeline. Available however the
// run ended.

#include <string>
#include <string_view>
#include <vector>

#include "kubexms/automation/journal/journal.h"
#include "kubexms/base/json/json.h"

namespace kubexms::automation {

enum class RunState { kSucceeded, kFailed, kInterrupted, kRolledBack };
// "succeeded", "failed", "interrupted", "rolled back".
std::string_view RunStateName(RunState state);

struct RunSummary {
  std::string run;
  std::string pipeline;
  std::string started;
  RunState state = RunState::kInterrupted;
  std::string message;
  size_t steps = 0;  // changes in effect: applied and not undone

  // Whether the run can be resumed.
  bool IsUnfinished() const {
    return state == RunState::kFailed || state == RunState::kInterrupted;
  }
};
RunSummary Summarize(const std::string& run, const std::vector<JournalRecord>& records);

struct TimelineEntry {
  enum class Type {
    kRunStarted,
    kRunResumed,
    kRunSucceeded,
    kRunFailed,
    kStepChanged,
    kStepFailed,
    kStepInterrupted,  // started, and neither finished nor failed
    kStepUndone,
  };

  std::string time;    // of the start
  double seconds = 0;  // the duration; 0 when it has none
  Type type = Type::kRunStarted;
  std::string host;
  std::string task;  // "module/task"
  std::string step;
  std::string text;  // the change, or the error
};
// "changed", "failed", "undone" and so on.
std::string_view TimelineTypeName(TimelineEntry::Type type);
// In the order of their start.
std::vector<TimelineEntry> TimelineOf(const std::vector<JournalRecord>& records);

// For programs; with the cause and the remedy of known errors.
Json ToJson(const RunSummary& summary);
Json ToJson(const RunSummary& summary, const std::vector<TimelineEntry>& timeline);
// The timeline as a table.
std::string ToText(const std::vector<TimelineEntry>& timeline);

}  // namespace kubexms::automation
