#include "kubexms/automation/event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kubexms::automation {
namespace {

using ::testing::HasSubstr;

Event Sample(Event::Type type) {
  return {.type = type,
          .time = ManualClock().Now(),
          .run = "r",
          .module = "web",
          .task = "install",
          .host = "node1",
          .step = "package",
          .text = "install web",
          .duration = std::chrono::milliseconds(1500)};
}

TEST(EventTest, IsJsonForPrograms) {
  std::string out;
  JsonEventSink sink([&](std::string_view text) { out += text; });
  sink.OnEvent(Sample(Event::Type::kStepChanged));
  EXPECT_EQ(out,
            "{\"host\":\"node1\",\"module\":\"web\",\"run\":\"r\",\"seconds\":1.5,"
            "\"step\":\"package\",\"task\":\"install\",\"text\":\"install web\","
            "\"time\":\"2024-01-01T00:00:00.000Z\",\"type\":\"StepChanged\"}\n");
}

TEST(EventTest, IsALineForLogs) {
  std::string out;
  PlainEventSink sink([&](std::string_view text) { out += text; });
  sink.OnEvent(Sample(Event::Type::kStepStarted));
  sink.OnEvent(Sample(Event::Type::kStepUnchanged));
  EXPECT_EQ(out, "");
  sink.OnEvent(Sample(Event::Type::kStepChanged));
  sink.OnEvent(Sample(Event::Type::kStepFailed));
  EXPECT_EQ(out,
            "node1 web/install: package: changed: install web (1.5s)\n"
            "node1 web/install: package: FAILED: install web\n");
}

TEST(EventTest, IsATreeOnATerminal) {
  std::string out;
  TreeEventSink sink([&](std::string_view text) { out = text; }, {.max_hosts = 1, .colors = false});
  sink.OnEvent(Sample(Event::Type::kStepStarted));
  EXPECT_EQ(out, "web\n  … install\n      node1: package\n");
  Event other = Sample(Event::Type::kStepStarted);
  other.host = "node2";
  sink.OnEvent(other);
  EXPECT_EQ(out, "\033[3A\033[Jweb\n  … install\n      node1: package\n      and 1 more\n");
  sink.OnEvent(Sample(Event::Type::kStepChanged));
  other.type = Event::Type::kStepFailed;
  sink.OnEvent(other);
  EXPECT_THAT(out, HasSubstr("  ✗ install  1 changed  1 failed\n"));
}

}  // namespace
}  // namespace kubexms::automation
