#include "kubexms/controller/events/event_correlator.h"

#include <gtest/gtest.h>

#include <set>

namespace kubexms {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class EventCorrelatorTest : public testing::Test {
 protected:
  static Occurrence Make(const std::string& message, const std::string& object = "web-0") {
    Occurrence occurrence;
    occurrence.object.api_version = "v1";
    occurrence.object.kind = "Pod";
    occurrence.object.namespace_name = "default";
    occurrence.object.name = object;
    occurrence.type = "Warning";
    occurrence.reason = "BackOff";
    occurrence.message = message;
    return occurrence;
  }

  std::optional<CorrelatedEvent> Correlate(Occurrence occurrence) {
    occurrence.time = now_;
    return correlator_.Correlate(std::move(occurrence));
  }

  // Correlates so many occurrences with different messages.
  void Flood(int count, const std::string& object = "web-0") {
    for (int i = 0; i < count; ++i) Correlate(Make("message " + std::to_string(i), object));
  }

  Clock::WallTime now_ = std::chrono::sys_days{std::chrono::year{2024} / 1 / 1};
  EventCorrelator correlator_;
};

TEST_F(EventCorrelatorTest, NamesAnEventAfterItsObjectAndTheMoment) {
  const CorrelatedEvent event = *Correlate(Make("failed"));
  EXPECT_EQ(event.name, "web-0.17a6101701650000");
  EXPECT_EQ(event.count, 1);
  EXPECT_EQ(event.first_time, now_);
}

TEST_F(EventCorrelatorTest, EventsOfOneMomentHaveDifferentNames) {
  std::set<std::string> names;
  for (int i = 0; i < 5; ++i) names.insert(Correlate(Make(std::to_string(i)))->name);
  EXPECT_EQ(names.size(), 5u);
}

TEST_F(EventCorrelatorTest, NamesThatEventsMayNotHaveAreReplaced) {
  Occurrence occurrence = Make("bound", "system:admins");
  occurrence.object.kind = "ClusterRole";
  EXPECT_TRUE(Correlate(occurrence)->name.starts_with("clusterrole-"));
  EXPECT_TRUE(Correlate(Make("long", std::string(253, 'x')))->name.starts_with("pod-"));
}

TEST_F(EventCorrelatorTest, CountsTheSameEvent) {
  const CorrelatedEvent first = *Correlate(Make("failed"));
  now_ += minutes(5);
  const CorrelatedEvent second = *Correlate(Make("failed"));
  EXPECT_EQ(second.name, first.name);
  EXPECT_EQ(second.count, 2);
  EXPECT_EQ(second.first_time, first.first_time);
  EXPECT_EQ(second.occurrence.time, now_);
}

TEST_F(EventCorrelatorTest, CountsDifferentEventsSeparately) {
  Correlate(Make("failed"));
  EXPECT_EQ(Correlate(Make("another message"))->count, 1);
  EXPECT_EQ(Correlate(Make("failed", "web-1"))->count, 1);
  Occurrence occurrence = Make("failed");
  occurrence.type = "Normal";
  EXPECT_EQ(Correlate(occurrence)->count, 1);
  occurrence = Make("failed");
  occurrence.object.uid = "other";
  EXPECT_EQ(Correlate(occurrence)->count, 1);
  occurrence = Make("failed");
  occurrence.object.field_path = "spec.containers{a}";
  EXPECT_EQ(Correlate(occurrence)->count, 1);
}

TEST_F(EventCorrelatorTest, CombinesFromTheTenthDifferentMessageOn) {
  for (int i = 1; i <= 9; ++i) {
    EXPECT_EQ(Correlate(Make("m" + std::to_string(i)))->occurrence.message,
              "m" + std::to_string(i));
  }
  const CorrelatedEvent tenth = *Correlate(Make("m10"));
  EXPECT_EQ(tenth.occurrence.message, "(combined from similar events): m10");
  EXPECT_EQ(tenth.count, 1);
  const CorrelatedEvent eleventh = *Correlate(Make("m11"));
  EXPECT_EQ(eleventh.occurrence.message, "(combined from similar events): m11");
  EXPECT_EQ(eleventh.name, tenth.name);
  EXPECT_EQ(eleventh.count, 2);
}

TEST_F(EventCorrelatorTest, CombinesNoMoreAfterAQuietWhile) {
  Flood(12);
  now_ += minutes(10);
  EXPECT_TRUE(Correlate(Make("still"))->occurrence.message.starts_with("(combined"));
  now_ += minutes(10) + seconds(1);
  EXPECT_EQ(Correlate(Make("again"))->occurrence.message, "again");
}

TEST_F(EventCorrelatorTest, LetsTwentyFivePassAndThenOneInFiveMinutes) {
  for (int i = 0; i < 25; ++i) EXPECT_TRUE(Correlate(Make("failed"))) << i;
  EXPECT_FALSE(Correlate(Make("failed")));
  now_ += seconds(299);
  EXPECT_FALSE(Correlate(Make("failed")));
  now_ += seconds(1);
  const std::optional<CorrelatedEvent> event = Correlate(Make("failed"));
  ASSERT_TRUE(event);
  EXPECT_EQ(event->count, 28);  // what was filtered was counted
  EXPECT_FALSE(Correlate(Make("failed")));
}

TEST_F(EventCorrelatorTest, FiltersEachSourceObjectAndTypeByItself) {
  Flood(30);
  EXPECT_FALSE(Correlate(Make("failed")));
  Occurrence elsewhere = Make("failed");
  elsewhere.component = "another";
  EXPECT_EQ(Correlate(elsewhere)->count, 1);
  EXPECT_TRUE(Correlate(Make("failed", "web-1")));
  Occurrence normal = Make("fine");
  normal.type = "Normal";
  EXPECT_TRUE(Correlate(normal));
}

TEST_F(EventCorrelatorTest, ForgetsTheOldest) {
  Correlate(Make("failed", "first"));
  for (int i = 0; i < 4096; ++i) Correlate(Make("failed", "pod-" + std::to_string(i)));
  EXPECT_EQ(Correlate(Make("failed", "pod-4095"))->count, 2);
  EXPECT_EQ(Correlate(Make("failed", "first"))->count, 1);
}

}  // namespace
}  // namespace kubexms
