#pragma once

// What the journal of a run tells afterwards, to people and programs: how it went, and when it did
// what. The journal is enough for it, so it is there however the run ended.

#include <string>
#include <vector>

#include "kubexms/automation/journal/journal.h"
#include "kubexms/base/json/json.h"

namespace kubexms::automation {

struct RunSummary {
  std::string run;
  std::string pipeline;
  std::string started;
  std::string state;  // "done", "failed", "interrupted" or "rolled back"
  std::string message;
  size_t steps = 0;  // that changed something and are not taken back
};
RunSummary Summarize(const std::string& run, const std::vector<JournalRecord>& records);

// One thing that happened.
struct TimelineEntry {
  std::string time;    // when it began
  double seconds = 0;  // how long it took; 0 for what took no time, or has no end
  // "run", "resume", "changed", "failed", "interrupted", "taken back", "done"; the first two and
  // the last are about the run as a whole, which then failed when there is a text.
  std::string what;
  std::string host;
  std::string task;  // "module/task"
  std::string step;
  std::string text;  // what was changed, or why it failed
};
// In the order in which things began.
std::vector<TimelineEntry> TimelineOf(const std::vector<JournalRecord>& records);

// Both, for programs; with the cause and the advice where the failure is a known one.
Json ToJson(const RunSummary& summary);
Json ToJson(const RunSummary& summary, const std::vector<TimelineEntry>& timeline);
// The timeline as a table with a line for each thing.
std::string ToText(const std::vector<TimelineEntry>& timeline);

}  // namespace kubexms::automation
