#include "kubexms/client/rest/wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexms/client/rest/json_slices.h"

namespace kubexms {
namespace {

using testing::ElementsAre;

std::vector<std::string> Items(const std::string& body) {
  const ObjectPage page = ParseObjectPage(body).value();
  std::vector<std::string> items;
  for (const SharedBytes& item : page.items) items.emplace_back(item.view());
  return items;
}

TEST(ObjectPageTest, CutsTheListIntoItsObjects) {
  EXPECT_THAT(Items(R"({"kind":"PodList","items":[{"a":"]}\"{"},{"b":[{}]} , {}]})"),
              ElementsAre(R"({"a":"]}\"{"})", R"({"b":[{}]})", "{}"));
  EXPECT_THAT(Items(R"({"items":[]})"), ElementsAre());
  EXPECT_THAT(Items(R"({"items":null})"), ElementsAre());
  EXPECT_THAT(Items("{}"), ElementsAre());
}

TEST(ObjectPageTest, ReadsTheMetadata) {
  const ObjectPage page =
      ParseObjectPage(
          R"({"metadata":{"resourceVersion":"7","continue":"c\u0041","remainingItemCount":3}})")
          .value();
  EXPECT_EQ(page.resource_version, "7");
  EXPECT_EQ(page.continue_token, "cA");
  EXPECT_EQ(page.remaining, 3);
  EXPECT_EQ(ParseObjectPage(R"({"metadata":{}})")->remaining, std::nullopt);
}

TEST(ObjectPageTest, RefusesMalformedLists) {
  for (const char* text : {"", "[]", "{", R"({"items":[{})", R"({"items":[{]})", R"({"items":{}})",
                           R"({"items":[1,]})", R"({"items":["a)",
                           R"({"metadata":{"resourceVersion":1}})", R"({}x)", R"({"a" 1})"}) {
    const auto page = ParseObjectPage(text);
    ASSERT_FALSE(page.ok()) << text;
    EXPECT_TRUE(page.error().IsTransient());
  }
}

TEST(JsonSlicesTest, PlainStringsHaveNoEscapes) {
  EXPECT_EQ(PlainString(R"("abc")"), "abc");
  EXPECT_EQ(PlainString(R"("a\"c")"), "");
  EXPECT_EQ(PlainString("12"), "");
}

// The events in a text, as "TYPE object", when it arrives in pieces of `size` bytes.
std::vector<std::string> Events(const std::string& text, size_t size) {
  WatchFrames frames(1000);
  std::vector<std::string> events;
  for (size_t at = 0; at < text.size(); at += size) {
    EXPECT_TRUE(frames.Add(text.substr(at, size)).ok());
    for (;;) {
      const auto event = frames.Next();
      if (!event.ok()) {
        events.push_back(event.error().message());
        continue;
      }
      if (!event->has_value()) break;
      events.push_back(std::string(ObjectEventTypeName((*event)->type)) + " " +
                       std::string((*event)->object.view()));
    }
  }
  EXPECT_TRUE(frames.AtBoundary());
  return events;
}

TEST(WatchFramesTest, FindsEventsInPiecesOfAnySize) {
  const std::string text =
      "{\"type\":\"ADDED\",\"object\":{\"a\":1}}\n"
      "\n"
      "{ \"object\" : {\"b\":\"}\\n\"} , \"type\" : \"MODIFIED\" }\r\n"
      "{\"type\":\"DELETED\",\"object\":{}}\n"
      "{\"type\":\"BOOKMARK\",\"object\":{\"c\":[]}}\n";
  for (size_t size = 1; size <= text.size(); ++size) {
    EXPECT_THAT(Events(text, size), ElementsAre("ADDED {\"a\":1}", "MODIFIED {\"b\":\"}\\n\"}",
                                                "DELETED {}", "BOOKMARK {\"c\":[]}"));
  }
}

TEST(WatchFramesTest, KeepsUnreadEventsWhenMoreArrive) {
  WatchFrames frames(1000);
  ASSERT_TRUE(frames.Add("{\"type\":\"ADDED\",\"object\":{\"a\":1}}\n{\"type\"").ok());
  ASSERT_TRUE(frames.Add(":\"ADDED\",\"object\":{\"a\":2}}\n").ok());
  const SharedBytes first = frames.Next().value()->object;
  EXPECT_EQ(frames.Next().value()->object.view(), "{\"a\":2}");
  EXPECT_FALSE(frames.Next().value().has_value());
  EXPECT_EQ(first.view(), "{\"a\":1}") << "it owns its memory";
}

TEST(WatchFramesTest, AnErrorEventIsItsError) {
  WatchFrames frames(1000);
  ASSERT_TRUE(frames
                  .Add(R"({"type":"ERROR","object":{"kind":"Status","code":410,)"
                       R"("reason":"Expired","message":"too old"}})"
                       "\n")
                  .ok());
  EXPECT_EQ(frames.Next().error(), Error::Expired("too old"));
}

TEST(WatchFramesTest, RefusesMalformedEvents) {
  for (const char* line :
       {"x", "{}", R"({"type":"ADDED"})", R"({"type":"ADDED","object":{})", R"({"object":{}})"}) {
    WatchFrames frames(1000);
    ASSERT_TRUE(frames.Add(std::string(line) + "\n").ok());
    ASSERT_FALSE(frames.Next().ok()) << line;
  }
}

TEST(WatchFramesTest, SkipsUnknownEventTypes) {
  const std::string unknown = "{\"type\":\"NEW\",\"object\":{}}\n";
  EXPECT_THAT(Events(unknown + "{\"type\":\"ADDED\",\"object\":{}}\n" + unknown, 1000),
              ElementsAre("ADDED {}"));
}

TEST(WatchFramesTest, BoundsTheSizeOfAnEvent) {
  WatchFrames frames(100);
  ASSERT_TRUE(frames.Add(std::string(60, ' ')).ok());
  EXPECT_FALSE(frames.AtBoundary() && frames.Next()->has_value());
  EXPECT_TRUE(frames.Add(std::string(40, 'x')).ok());
  EXPECT_FALSE(frames.AtBoundary());
  const auto added = frames.Add("x");
  ASSERT_FALSE(added.ok());
  EXPECT_EQ(added.error().code(), 413);
}

}  // namespace
}  // namespace kubexms
