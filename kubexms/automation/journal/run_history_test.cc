#include "kubexms/automation/journal/run_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexms/automation/journal/timestamp.h"

namespace kubexms::automation {
namespace {

using ::testing::HasSubstr;
using Type = JournalRecord::Type;

JournalRecord Of(Type type, const char* second, const char* step = "", const char* message = "") {
  JournalRecord record{.type = type,
                       .run = "r1",
                       .time = std::string("2024-01-01T00:00:") + second + "Z",
                       .step = step,
                       .message = message};
  if (type == Type::kRun) record.pipeline = "create cluster";
  if (type == Type::kBegin) record.summary = {"write /etc/x", "restart x"};
  if (*step) {
    record.task = "web/install";
    record.host = "node1";
  }
  return record;
}

TEST(RunHistoryTest, MergesStartAndEndOfSteps) {
  const std::vector<JournalRecord> records = {
      Of(Type::kRun, "00.000"),
      Of(Type::kBegin, "01.000", "one"),
      Of(Type::kBegin, "02.000", "two"),
      Of(Type::kDone, "03.500", "one"),
      Of(Type::kRun, "10.000"),
      Of(Type::kBegin, "11.000", "two"),
      Of(Type::kFailed, "13.000", "two", "No space left on device"),
      Of(Type::kFailed, "14.000", "three", "refused"),
      Of(Type::kFinished, "15.000", "", "node1: No space left on device"),
      Of(Type::kUndone, "20.000", "one")};
  const std::vector<TimelineEntry> timeline = TimelineOf(records);
  std::string seen;
  for (const TimelineEntry& entry : timeline) {
    seen += std::string(TimelineTypeName(entry.type)) + " " + entry.step + " " +
            std::to_string(entry.seconds) + ": " + entry.text + "\n";
  }
  EXPECT_EQ(seen,
            "started  0.000000: create cluster\n"
            "changed one 2.500000: write /etc/x, restart x\n"
            "interrupted two 0.000000: write /etc/x, restart x\n"
            "resumed  0.000000: create cluster\n"
            "failed two 2.000000: No space left on device\n"
            "failed three 0.000000: refused\n"
            "failed  0.000000: node1: No space left on device\n"
            "undone one 0.000000: \n");
  EXPECT_THAT(ToText(timeline),
              HasSubstr("2024-01-01T00:00:01.000Z    2.5s node1 changed      web/install: one: "
                        "write /etc/x, restart x\n"));
  const RunSummary summary = Summarize("r1", records);
  EXPECT_EQ(summary.state, RunState::kRolledBack);
  EXPECT_FALSE(summary.IsUnfinished());
  const Json json = ToJson(summary, timeline);
  EXPECT_EQ(FindString(json, "cause"), "a file system of the host is full");
  EXPECT_EQ(FindMember(json, "timeline")->as_array().size(), timeline.size());
}

TEST(RunHistoryTest, RunIsInterruptedUntilItIsFinished) {
  std::vector<JournalRecord> records = {Of(Type::kRun, "00.000"), Of(Type::kBegin, "01.000", "a")};
  EXPECT_EQ(Summarize("r1", records).state, RunState::kInterrupted);
  records.push_back(Of(Type::kFinished, "02.000", "", "the run: canceled"));
  EXPECT_EQ(Summarize("r1", records).state, RunState::kFailed);
  records.push_back(Of(Type::kRun, "03.000"));
  EXPECT_EQ(Summarize("r1", records).state, RunState::kInterrupted);
  EXPECT_EQ(Summarize("r1", records).message, "");
  records.push_back(Of(Type::kFinished, "04.000"));
  EXPECT_EQ(Summarize("r1", records).state, RunState::kSucceeded);
}

TEST(TimestampTest, ParsesWhatItFormats) {
  const Clock::WallTime time = Clock::WallTime() + std::chrono::milliseconds(1'704'067'261'007);
  EXPECT_EQ(FormatTimestamp(time), "2024-01-01T00:01:01.007Z");
  EXPECT_EQ(ParseTimestamp("2024-01-01T00:01:01.007Z"), time);
  for (const char* wrong : {"", "2024-01-01", "2024-01-01T00:01:01.7Z", "2024-01-01T00:01:01.007"})
    EXPECT_FALSE(ParseTimestamp(wrong)) << wrong;
}

}  // namespace
}  // namespace kubexms::automation
