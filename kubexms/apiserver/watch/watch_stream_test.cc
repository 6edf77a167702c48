#include "kubexms/apiserver/watch/watch_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexms/apiserver/write/written_objects_test.h"

namespace kubexms {
namespace {

using testing::ElementsAre;

class WatchStreamTest : public WrittenObjects {
 protected:
  std::unique_ptr<ResponseStream> Open(ListQuery query) {
    auto events = WatchEvents::Open({.store = *store_,
                                     .reader = reader_,
                                     .open = watches_,
                                     .random = random_,
                                     .resource = *resources_.Find("", "v1", "configmaps"),
                                     .namespace_name = "default",
                                     .query = std::move(query),
                                     .format = nullptr});
    EXPECT_TRUE(events.ok()) << events.error().message();
    auto stream = MakeWatchStream(std::move(*events), timer_);
    stream->Start({});
    return stream;
  }

  // "ADDED a" for each event available so far.
  static std::vector<std::string> Events(ResponseStream& stream) {
    Body body;
    while (stream.Pull(1024, body) == ResponseStream::Next::kMore) {
    }
    std::vector<std::string> events;
    const std::string text = Flatten(body);
    for (size_t start = 0; start < text.size();) {
      const size_t end = text.find('\n', start);
      const Json event = ParseJson(text.substr(start, end - start)).value();
      const Json& object = *FindMember(event, "object");
      std::string line(FindString(event, "type"));
      if (const std::string_view name = NameOf(object); !name.empty())
        line.append(" ").append(name);
      events.push_back(std::move(line));
      start = end + 1;
    }
    return events;
  }

  void Make(const std::string& name, const std::string& label = "x") {
    ASSERT_TRUE(
        Create("", "configmaps",
               R"({"metadata":{"name":")" + name + R"(","labels":{"l":")" + label + R"("}}})")
            .ok());
  }
  void Label(const std::string& name, const std::string& label) {
    ASSERT_TRUE(Update("", "configmaps", name, [&](Json& document) {
                  MetadataOf(document)["labels"] = JsonObject{{"l", label}};
                }).ok());
  }

  ObjectReader reader_{*store_};
  OpenWatches watches_;
  WakeTimer timer_;
};

TEST_F(WatchStreamTest, SendsExistingObjectsThenChanges) {
  Make("a");
  const auto stream = Open({});
  EXPECT_THAT(Events(*stream), ElementsAre("ADDED a"));
  Make("b");
  Label("a", "y");
  ASSERT_TRUE(Delete("", "configmaps", "b").ok());
  EXPECT_THAT(Events(*stream), ElementsAre("ADDED b", "MODIFIED a", "DELETED b"));
  EXPECT_THAT(Events(*stream), ElementsAre());
}

TEST_F(WatchStreamTest, ResumesFromAResourceVersion) {
  Make("a");
  const uint64_t version = store_->CurrentRevision().value();
  Make("b");
  ListQuery query;
  query.version = ResourceVersion(version);
  EXPECT_THAT(Events(*Open(query)), ElementsAre("ADDED b"));
}

TEST_F(WatchStreamTest, ReportsObjectsThatStartAndStopMatchingTheSelector) {
  ListQuery query;
  query.labels = Selector::Parse("l=x").value();
  Make("a", "y");
  const auto stream = Open(query);
  EXPECT_THAT(Events(*stream), ElementsAre());
  Label("a", "x");
  Label("a", "y");
  Label("a", "z");
  EXPECT_THAT(Events(*stream), ElementsAre("ADDED a", "DELETED a"));
}

TEST_F(WatchStreamTest, InitialEventsEndWithABookmark) {
  Make("a");
  ListQuery query;
  query.send_initial_events = true;
  query.match = VersionMatch::kNotOlderThan;
  query.bookmarks = true;
  EXPECT_THAT(Events(*Open(query)), ElementsAre("ADDED a", "BOOKMARK"));
}

TEST_F(WatchStreamTest, SendsAnErrorForAnExpiredResourceVersion) {
  Make("a");
  const uint64_t version = store_->CurrentRevision().value();
  Make("b");
  Make("c");
  ASSERT_TRUE(store_->Compact(store_->CurrentRevision().value()).ok());
  ListQuery query;
  query.version = ResourceVersion(version);
  const auto stream = Open(query);
  Body body;
  EXPECT_EQ(stream->Pull(1024, body), ResponseStream::Next::kEnd);
  const Json event = ParseJson(Flatten(body)).value();
  EXPECT_EQ(FindString(event, "type"), "ERROR");
  EXPECT_EQ(FindMember(event, "object")->at("code").get_int64(), 410);
}

TEST_F(WatchStreamTest, ADeletionHasItsOwnResourceVersion) {
  Make("a");
  const auto stream = Open({});
  (void)Events(*stream);
  ASSERT_TRUE(Delete("", "configmaps", "a").ok());
  Body body;
  (void)stream->Pull(1024, body);
  const Json event = ParseJson(Flatten(body)).value();
  EXPECT_EQ(ResourceVersionOf(*FindMember(event, "object")),
            std::to_string(store_->CurrentRevision().value()));
}

TEST_F(WatchStreamTest, AbortsWhenWatchesAreDropped) {
  const auto stream = Open({});
  Body body;
  EXPECT_EQ(stream->Pull(1024, body), ResponseStream::Next::kWait);
  watches_.DropAll();
  EXPECT_EQ(stream->Pull(1024, body), ResponseStream::Next::kAbort);
  EXPECT_EQ(Open({})->Pull(1024, body), ResponseStream::Next::kWait);
}

TEST_F(WatchStreamTest, EndsAtItsTimeout) {
  ListQuery query;
  query.timeout_seconds = 0;
  Body body;
  EXPECT_EQ(Open(query)->Pull(1024, body), ResponseStream::Next::kEnd);
}

}  // namespace
}  // namespace kubexms
