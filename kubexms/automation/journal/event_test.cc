#include "kubexms/automation/journal/event.h"

#include <gtest/gtest.h>

namespace kubexms::automation {
namespace {

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

TEST(EventTest, JsonSinkWritesOneObjectPerLine) {
  std::string out;
  JsonEventSink sink([&](std::string_view text) { out += text; });
  sink.OnEvent(Sample(Event::Type::kStepChanged));
  EXPECT_EQ(out,
            "{\"host\":\"node1\",\"module\":\"web\",\"run\":\"r\",\"seconds\":1.5,"
            "\"step\":\"package\",\"task\":\"install\",\"text\":\"install web\","
            "\"time\":\"2024-01-01T00:00:00.000Z\",\"type\":\"StepChanged\"}\n");
}

TEST(EventTest, PlainSinkWritesOneLine) {
  std::string out;
  PlainEventSink sink([&](std::string_view text) { out += text; });
  sink.OnEvent(Sample(Event::Type::kStepStarted));
  sink.OnEvent(Sample(Event::Type::kStepUnchanged));
  EXPECT_EQ(out, "");
  sink.OnEvent(Sample(Event::Type::kStepChanged));
  sink.OnEvent(Sample(Event::Type::kStepFailed));
  EXPECT_EQ(out,
            "node1 web/install: package: changed: install web (1.5s)\n"
            "node1 web/install: package: FAILED\n");
}

}  // namespace
}  // namespace kubexms::automation
