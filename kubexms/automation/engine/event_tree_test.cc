#include "kubexms/automation/engine/event_tree.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace kubexms::automation {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

class EventTreeTest : public ::testing::Test {
 protected:
  EventTreeTest() { Emit({.type = Event::Type::kRunStarted, .text = "create cluster"}); }

  void Emit(Event event) {
    event.time = clock_.Now();
    event.run = "r1";
    tree_.Apply(event);
  }
  void TellTask(Event::Type type, const std::string& task, const std::string& host = "",
                const std::string& step = "", const std::string& text = "") {
    Emit({.type = type,
          .module = "web",
          .task = task,
          .host = host,
          .step = step,
          .text = text,
          .hosts = 2,
          .duration = 1500ms});
  }
  std::vector<std::string> Draw(size_t width = 80, size_t height = 24, bool colors = false) {
    return tree_.Draw({.width = width, .height = height, .colors = colors, .now = clock_.Now()});
  }

  ManualClock clock_;
  EventTree tree_;
};

TEST_F(EventTreeTest, ShowsModulesTasksAndHostsWithDurations) {
  clock_.Advance(200ms);
  EXPECT_THAT(Draw(), ElementsAre("create cluster (run r1)  0.2s  gathering facts"));
  Emit({.type = Event::Type::kPlanned, .text = "4 of 9 steps to apply on 2 hosts"});
  TellTask(Event::Type::kTaskPlanned, "install");
  TellTask(Event::Type::kTaskPlanned, "start");
  TellTask(Event::Type::kTaskStarted, "install", "node1");
  TellTask(Event::Type::kStepStarted, "install", "node1", "package");
  clock_.Advance(2s);
  EXPECT_THAT(Draw(), ElementsAre("create cluster (run r1)  2.2s  4 of 9 steps to apply on 2 hosts",
                                  "… web  0/2 tasks", "  … install  0/2 hosts  2.0s",
                                  "      node1  2.0s  package", "  · start  0/2 hosts"));
  TellTask(Event::Type::kStepChanged, "install", "node1", "package");
  TellTask(Event::Type::kHostFinished, "install", "node1");
  TellTask(Event::Type::kHostFinished, "install", "node2");
  TellTask(Event::Type::kTaskFinished, "install");
  TellTask(Event::Type::kTaskStarted, "start", "node2");
  TellTask(Event::Type::kStepStarted, "start", "node2", "service");
  TellTask(Event::Type::kStepRetried, "start", "node2", "service", "lost\nthe connection");
  const std::vector<std::string> later = Draw();
  EXPECT_EQ(later[2], "  ✓ install  2/2 hosts  1 changed  1.5s");
  EXPECT_EQ(later[4], "      node2  0.0s  service (retrying: lost the connection)");
  TellTask(Event::Type::kStepFailed, "start", "node2", "service");
  Emit({.type = Event::Type::kRunFinished, .text = "it is\nbroken", .duration = 125s});
  EXPECT_THAT(Draw(), ElementsAre("create cluster (run r1)", "✗ web",
                                  "  ✓ install  2/2 hosts  1 changed  1.5s",
                                  "  ✗ start  0/2 hosts  1 failed", "run r1 failed after 2m05s"));
}

TEST(PlanningTreeTest, ShowsTheNumberOfHostsThatAnswered) {
  ManualClock clock;
  EventTree tree;
  const auto draw = [&] {
    return tree.Draw({.width = 80, .height = 24, .colors = false, .now = clock.Now()});
  };
  const auto tell = [&](Event event) {
    event.time = clock.Now();
    tree.Apply(event);
  };
  tell({.type = Event::Type::kPlanStarted, .text = "create cluster"});
  clock.Advance(200ms);
  EXPECT_THAT(draw(), ElementsAre("planning: create cluster  0.2s  gathering facts"));
  tell({.type = Event::Type::kHostChecked, .host = "node2", .hosts = 3});
  tell({.type = Event::Type::kHostChecked, .host = "node1", .hosts = 3});
  EXPECT_THAT(draw(), ElementsAre("planning: create cluster  0.2s  gathering facts: 2/3 hosts"));
}

TEST_F(EventTreeTest, FitsIntoTheWindowWithManyHosts) {
  for (int module = 0; module < 10; ++module) {
    for (int task = 0; task < 10; ++task) {
      Event event{.type = Event::Type::kTaskPlanned,
                  .module = fmt::format("module {}", module),
                  .task = fmt::format("task {}", task),
                  .hosts = 1000};
      Emit(event);
      if (module != 3) continue;
      for (int host = 0; host < 1000; ++host) {
        event.host = fmt::format("host-{} with a name that is long", host);
        event.step = "ein Schritt, größer als das Fenster";
        event.type = Event::Type::kTaskStarted;
        Emit(event);
        event.type = Event::Type::kStepStarted;
        Emit(event);
      }
    }
  }
  for (const size_t height : {5, 24, 60}) {
    const std::vector<std::string> lines = Draw(40, height);
    EXPECT_LE(lines.size(), height);
    for (const std::string& line : lines) {
      const auto continued = std::count_if(line.begin(), line.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
      });
      EXPECT_LE(line.size() - static_cast<size_t>(continued), 40u) << line;
    }
  }
  const std::vector<std::string> roomy = Draw(60, 70);
  EXPECT_THAT(roomy, ::testing::Contains(HasSubstr("and 997 more")));
  EXPECT_THAT(Draw(60, 41), ::testing::Contains(HasSubstr("and 999 more")));
  // Little room: only the names of modules, and of the tasks of the one that is worked on.
  EXPECT_THAT(Draw(40, 24), Each(Not(HasSubstr("more"))));
  EXPECT_THAT(Draw(40, 5), SizeIs(5));
}

TEST_F(EventTreeTest, OnlySignsAreColored) {
  TellTask(Event::Type::kTaskPlanned, "install");
  TellTask(Event::Type::kTaskFinished, "install");
  EXPECT_EQ(Draw(80, 24, true)[2], "  \033[32m✓\033[0m install  0/2 hosts  1.5s");
}

TEST(TreeEventSinkTest, DrawsInPlaceAndLeavesTheCursorBelow) {
  ManualClock clock;
  Mutex mutex;
  std::vector<std::string> drawn;
  TreeEventSink sink({.output =
                          [&](std::string_view text) {
                            MutexLock lock(mutex);
                            drawn.emplace_back(text);
                          },
                      .size = [] { return TreeEventSink::Size{.width = 60, .height = 10}; },
                      .colors = false,
                      .clock = &clock});
  const auto emit = [&](Event::Type type, const std::string& text) {
    sink.OnEvent({.type = type, .time = clock.Now(), .run = "r1", .text = text});
  };
  emit(Event::Type::kRunStarted, "one");
  // Events alone draw nothing: there can be thousands a second.
  for (int i = 0; i < 1000; ++i) emit(Event::Type::kPlanned, "soon");
  clock.WaitForSleepers(1);
  const auto times = [&] {
    MutexLock lock(mutex);
    return drawn.size();
  };
  EXPECT_EQ(times(), 1u);
  clock.Advance(100ms);
  while (times() < 2) std::this_thread::yield();
  emit(Event::Type::kRunFinished, "");
  emit(Event::Type::kRunStarted, "two");
  MutexLock lock(mutex);
  EXPECT_THAT(drawn, ElementsAre("one (run r1)  0.0s  gathering facts\033[K\n\033[J",
                                 "\033[1A\rone (run r1)  0.1s  soon\033[K\n\033[J",
                                 "\033[1A\rone (run r1)\033[K\n"
                                 "run r1 succeeded after 0.0s\033[K\n\033[J",
                                 "two (run r1)  0.0s  gathering facts\033[K\n\033[J"));
}

}  // namespace
}  // namespace kubexms::automation
