#include "kubexms/controller/informers/handler_buffer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "kubexms/base/threads/bounded_queue.h"
#include "kubexms/controller/informers/cached_config_map_test.h"
#include "kubexms/controller/testing/eventually_test.h"

namespace kubexms {
namespace {

using ::testing::ElementsAre;
using Type = CacheEvent::Type;

CacheEvent Added(const std::string& name, uint64_t version) {
  return {.type = Type::kAdd, .object = CachedConfigMap({.name = name, .version = version})};
}
CacheEvent Updated(const std::string& name, uint64_t from, uint64_t to) {
  return {.type = Type::kUpdate,
          .object = CachedConfigMap({.name = name, .version = to}),
          .old = CachedConfigMap({.name = name, .version = from})};
}
CacheEvent Deleted(const std::string& name, uint64_t version) {
  return {.type = Type::kDelete, .object = CachedConfigMap({.name = name, .version = version})};
}

std::string Text(const CacheEvent& event) {
  const std::string object = event.object.metadata->name + std::to_string(event.object.version);
  if (event.type == Type::kAdd) return "+" + object;
  if (event.type == Type::kDelete) return "-" + object;
  return "~" + std::to_string(event.old.version) + object;
}

// What a handler gets of these events when all of them wait before it begins.
std::vector<std::string> Handled(const std::vector<CacheEvent>& events) {
  HandlerBuffer buffer(100);
  for (const CacheEvent& event : events) buffer.Push(event, {});
  buffer.EndFirstList();
  std::vector<std::string> handled;
  std::stop_source stop;
  buffer.Push(Added("end", 1), {});
  buffer.Run(
      [&](const CacheEvent& event) {
        if (event.object.metadata->name == "end") {
          stop.request_stop();
        } else {
          handled.push_back(Text(event));
        }
      },
      stop.get_token());
  EXPECT_TRUE(buffer.caught_up());
  return handled;
}

TEST(HandlerBufferTest, KeepsTheOrderOfDifferentObjects) {
  EXPECT_THAT(Handled({Added("a", 1), Added("b", 2), Added("c", 3)}),
              ElementsAre("+a1", "+b2", "+c3"));
}

TEST(HandlerBufferTest, MergesWhatWaitsOfOneObject) {
  EXPECT_THAT(Handled({Added("a", 1), Added("b", 2), Updated("a", 1, 3), Updated("a", 3, 4)}),
              ElementsAre("+a4", "+b2"));
  EXPECT_THAT(Handled({Updated("a", 1, 2), Updated("a", 2, 3)}), ElementsAre("~1a3"));
  EXPECT_THAT(Handled({Updated("a", 1, 2), Deleted("a", 3)}), ElementsAre("-a3"));
}

TEST(HandlerBufferTest, KeepsAnAdditionAndItsDeletionAndWhatFollows) {
  EXPECT_THAT(Handled({Added("a", 1), Deleted("a", 2), Added("a", 3), Updated("a", 3, 4)}),
              ElementsAre("+a1", "-a2", "+a4"));
}

TEST(HandlerBufferTest, MakesTheInformerWaitWhenItIsFullAndLetsItGoWhenItStops) {
  HandlerBuffer buffer(1);
  buffer.Push(Added("a", 1), {});
  std::stop_source stop;
  std::jthread informer([&] { buffer.Push(Added("b", 2), stop.get_token()); });
  buffer.Push(Updated("a", 1, 3), {});  // merged: needs no room
  BoundedQueue<std::string> handled(10);
  std::jthread handler([&](std::stop_token end) {
    buffer.Run([&](const CacheEvent& event) { handled.Push(Text(event)); }, end);
  });
  EXPECT_EQ(handled.Pop(), "+a3");
  EXPECT_EQ(handled.Pop(), "+b2");
  handler.request_stop();
  handler.join();
  buffer.Push(Added("c", 4), {});
  std::jthread blocked([&] { buffer.Push(Added("d", 5), stop.get_token()); });
  stop.request_stop();
}

TEST(HandlerBufferTest, HasRoomWhileTheHandlerWorks) {
  HandlerBuffer buffer(1);
  buffer.Push(Added("a", 1), {});
  std::atomic<bool> pushed = false;
  std::jthread informer([&](std::stop_token stop) {
    buffer.Push(Added("b", 2), std::move(stop));
    pushed = true;
  });
  std::stop_source stop;
  bool had_room = false;
  buffer.Run(
      [&](const CacheEvent&) {
        had_room = Eventually([&] { return pushed.load(); });
        stop.request_stop();
      },
      stop.get_token());
  EXPECT_TRUE(had_room);
}

TEST(HandlerBufferTest, AClosedOneMakesNobodyWait) {
  HandlerBuffer buffer(1);
  buffer.Push(Added("a", 1), {});
  std::jthread informer([&] { buffer.Push(Added("b", 2), {}); });
  buffer.Close();
  informer.join();
  buffer.Push(Added("c", 3), {});
}

TEST(HandlerBufferTest, HasCaughtUpOnceTheFirstListIsHandled) {
  HandlerBuffer buffer(10);
  EXPECT_FALSE(buffer.caught_up());
  buffer.Push(Added("a", 1), {});
  buffer.EndFirstList();
  EXPECT_FALSE(buffer.caught_up());
}

}  // namespace
}  // namespace kubexms
