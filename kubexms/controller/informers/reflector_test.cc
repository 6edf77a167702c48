#include "kubexms/controller/informers/reflector.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <thread>

#include "kubexms/client/no_response.h"
#include "kubexms/controller/informers/cached_config_map_test.h"
#include "kubexms/controller/testing/eventually_test.h"

namespace kubexms {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;

std::string BookmarkJson(uint64_t version, bool ends_initial = false) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"resourceVersion":"{}"{}}}}})",
      version, ends_initial ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : "");
}

ObjectEvent Added(const std::string& name, uint64_t version) {
  return {ObjectEventType::kAdded, ConfigMapJson({.name = name, .version = version})};
}
ObjectEvent Modified(const std::string& name, uint64_t version, const std::string& labels) {
  return {ObjectEventType::kModified,
          ConfigMapJson({.name = name, .version = version, .labels = labels})};
}
ObjectEvent Deleted(const std::string& name, uint64_t version) {
  return {ObjectEventType::kDeleted, ConfigMapJson({.name = name, .version = version})};
}
ObjectEvent Bookmark(uint64_t version, bool ends_initial = false) {
  return {ObjectEventType::kBookmark, BookmarkJson(version, ends_initial)};
}

// What a server answers with, one after the other; what a real one can hardly be made to do. When
// the script is over, everything waits for the end of the test.
class ScriptedServer final : public Client {
 public:
  struct WatchScript {
    std::vector<ObjectEvent> events;
    std::optional<Error> then;  // otherwise the server ends the watch
  };

  void Lists(Result<ObjectPage> page) { lists_.push_back(std::move(page)); }
  void Watches(Result<WatchScript> watch) { watches_.push_back(std::move(watch)); }

  // "list 0", "watch 5": each request and the version it names.
  std::vector<std::string> asked() const {
    MutexLock lock(mutex_);
    return asked_;
  }

  Result<ObjectPage> ListPage(const ClientRequest& request) override {
    Note("list", request);
    MutexLock lock(mutex_);
    if (lists_.empty()) return WaitForEnd(request);
    Result<ObjectPage> page = std::move(lists_.front());
    lists_.pop_front();
    return page;
  }

  Result<std::unique_ptr<ObjectWatch>> OpenWatch(const ClientRequest& request) override {
    Note(request.send_initial_events ? "stream" : "watch", request);
    MutexLock lock(mutex_);
    if (watches_.empty()) return WaitForEnd(request);
    Result<WatchScript> script = std::move(watches_.front());
    watches_.pop_front();
    if (!script.ok()) return script.error();
    return std::unique_ptr<ObjectWatch>(std::make_unique<ScriptedWatch>(std::move(*script)));
  }

  Result<SharedBytes> Do(const ClientRequest&) override { return Error::Internal("not scripted"); }
  Result<SharedBytes> GetPath(std::string_view, std::stop_token) override {
    return Error::Internal("not scripted");
  }

 private:
  class ScriptedWatch final : public ObjectWatch {
   public:
    explicit ScriptedWatch(WatchScript script) : script_(std::move(script)) {}
    Result<std::optional<ObjectEvent>> Next() override {
      if (next_ < script_.events.size()) return std::optional(script_.events[next_++]);
      if (script_.then) return *script_.then;
      return std::optional<ObjectEvent>();
    }

   private:
    const WatchScript script_;
    size_t next_ = 0;
  };

  void Note(std::string_view what, const ClientRequest& request) {
    MutexLock lock(mutex_);
    asked_.push_back(fmt::format(
        "{} {}", what, request.resource_version.empty() ? "newest" : request.resource_version));
  }

  Error WaitForEnd(const ClientRequest& request) REQUIRES(mutex_) {
    const std::stop_callback wake(request.stop, [this] { changed_.NotifyAll(); });
    while (!request.stop.stop_requested()) {
      changed_.WaitUntil(mutex_, std::chrono::steady_clock::now() + milliseconds(50));
    }
    return Error::ServiceUnavailable("the test is over");
  }

  mutable Mutex mutex_;
  CondVar changed_;
  std::deque<Result<ObjectPage>> lists_;     // filled before the reflector runs
  std::deque<Result<WatchScript>> watches_;  // the same
  std::vector<std::string> asked_ GUARDED_BY(mutex_);
};

// Records its calls: "=a,b{label},@5", "+a", "-a", "@7".
class Target final : public ReflectorTarget {
 public:
  Result<void> Replace(std::vector<SharedBytes> objects, const std::string& version) override {
    std::string names;
    for (const SharedBytes& object : objects) names += NameOf(object) + ",";
    Tell("=" + names + "@" + version);
    return {};
  }
  Result<std::string> Apply(const ObjectEvent& event) override {
    const auto object = DynamicObject::Decode(event.object.view());
    const std::string& version = object->metadata.resource_version;
    if (event.type == ObjectEventType::kBookmark) {
      Tell("@" + version);
    } else {
      Tell((event.type == ObjectEventType::kDeleted ? "-" : "+") + object->metadata.name);
    }
    return version;
  }
  std::vector<std::string> told() const {
    MutexLock lock(mutex_);
    return told_;
  }

 private:
  static std::string NameOf(const SharedBytes& object) {
    const ObjectMeta metadata = DynamicObject::Decode(object.view())->metadata;
    std::string name = metadata.name;
    for (const auto& [label, value] : metadata.labels) name += "{" + label + "}";
    return name;
  }
  void Tell(std::string text) {
    MutexLock lock(mutex_);
    told_.push_back(std::move(text));
  }

  mutable Mutex mutex_;
  std::vector<std::string> told_ GUARDED_BY(mutex_);
};

ObjectPage PageOf(const std::vector<std::string>& names, uint64_t version) {
  ObjectPage page{.resource_version = std::to_string(version)};
  for (const std::string& name : names) {
    page.items.emplace_back(ConfigMapJson({.name = name, .version = version}));
  }
  return page;
}

const Error kGone = Error::Expired("too old resource version");
const Error kLost = Error::ServiceUnavailable("connection lost");

class ReflectorTest : public ::testing::Test {
 protected:
  void Start(bool streaming = false) {
    reflector_ = std::make_unique<Reflector>(
        ReflectorScope{.resource = ResourceType::Of<corev1::ConfigMap>()},
        ReflectorOptions{.streaming_list = streaming, .backoff = {.jitter = 0}}, target_,
        Reflector::Environment{server_, clock_, random_, {}});
    thread_ = std::jthread([this](std::stop_token stop) { reflector_->Run(stop); });
  }
  // Runs the script until so many requests were made, moving time on whenever it is waited for.
  std::vector<std::string> AskedAfter(size_t count, std::chrono::nanoseconds each_wait) {
    EXPECT_TRUE(Eventually([&] {
      if (server_.asked().size() >= count) return true;
      clock_.Advance(each_wait);
      return false;
    }));
    return server_.asked();
  }

  ScriptedServer server_;
  ManualClock clock_;
  SeededRandom random_{7};
  Target target_;
  std::unique_ptr<Reflector> reflector_;
  std::jthread thread_;
};

TEST_F(ReflectorTest, ListsAnyVersionFirstAndWatchesFromWhatItGot) {
  server_.Lists(PageOf({"a", "b"}, 5));
  server_.Watches(ScriptedServer::WatchScript{{Added("c", 6), Deleted("a", 7), Bookmark(9)}, {}});
  Start();
  EXPECT_THAT(AskedAfter(3, seconds(0)), ElementsAre("list 0", "watch 5", "watch 9"));
  EXPECT_THAT(target_.told(), ElementsAre("=a,b,@5", "+c", "-a", "@9"));
}

TEST_F(ReflectorTest, RelistsAfter410) {
  server_.Lists(PageOf({"a"}, 5));
  server_.Watches(ScriptedServer::WatchScript{{Added("b", 6)}, kGone});
  server_.Lists(PageOf({"a", "b"}, 9));
  Start();
  EXPECT_THAT(AskedAfter(4, seconds(0)), ElementsAre("list 0", "watch 5", "list 6", "watch 9"));
}

TEST_F(ReflectorTest, ListsTheNewestVersionAtOnceAfter410) {
  server_.Lists(PageOf({"a"}, 5));
  server_.Watches(kGone);
  server_.Lists(kGone);
  server_.Lists(PageOf({"a"}, 20));
  Start();
  EXPECT_THAT(AskedAfter(5, seconds(60)),
              ElementsAre("list 0", "watch 5", "list 5", "list newest", "watch 20"));
}

TEST_F(ReflectorTest, ListsTheNewestVersionOfAServerThatIsBehind) {
  server_.Lists(PageOf({"a"}, 5));
  server_.Watches(kGone);
  server_.Lists(Error::Timeout("Too large resource version: 5, current: 3"));
  server_.Lists(PageOf({"a"}, 3));
  Start();
  EXPECT_THAT(AskedAfter(5, seconds(60)),
              ElementsAre("list 0", "watch 5", "list 5", "list newest", "watch 3"));
}

// As one that was restored from a backup.
TEST_F(ReflectorTest, RelistsWhenTheServerDoesNotHaveTheVersion) {
  server_.Lists(PageOf({"a"}, 100));
  server_.Watches(Error::Timeout("Too large resource version: 100, current: 60"));
  server_.Lists(PageOf({"b"}, 60));
  server_.Watches(ScriptedServer::WatchScript{{Added("c", 61)}, {}});
  Start();
  EXPECT_THAT(AskedAfter(5, seconds(60)),
              ElementsAre("list 0", "watch 100", "list newest", "watch 60", "watch 61"));
  EXPECT_THAT(target_.told(), ElementsAre("=a,@100", "=b,@60", "+c"));
}

TEST_F(ReflectorTest, StreamsAgainWhenTheServerDoesNotHaveTheVersion) {
  server_.Watches(
      ScriptedServer::WatchScript{{Added("a", 1), Bookmark(100, true)},
                                  Error::Timeout("Too large resource version: 100, current: 60")});
  server_.Watches(ScriptedServer::WatchScript{{Added("b", 1), Bookmark(60, true)}, {}});
  Start(true);
  EXPECT_THAT(AskedAfter(3, seconds(60)),
              ElementsAre("stream newest", "stream newest", "watch 60"));
  EXPECT_THAT(target_.told(), ElementsAre("=a,@100", "=b,@60"));
}

TEST_F(ReflectorTest, ResumesTheWatchAfterALostConnectionWithBackoff) {
  server_.Lists(PageOf({}, 5));
  server_.Watches(ScriptedServer::WatchScript{{Added("a", 6)}, kLost});
  server_.Watches(kLost);
  Start();
  clock_.WaitForSleepers(1);
  EXPECT_THAT(server_.asked(), ElementsAre("list 0", "watch 5"));
  clock_.Advance(milliseconds(799));
  EXPECT_THAT(server_.asked(), ElementsAre("list 0", "watch 5"));
  clock_.Advance(milliseconds(1));
  ASSERT_TRUE(Eventually([&] { return server_.asked().size() == 3; }));
  clock_.WaitForSleepers(1);
  clock_.Advance(milliseconds(1599));  // twice as long
  EXPECT_EQ(server_.asked().size(), 3u);
  clock_.Advance(milliseconds(1));
  ASSERT_TRUE(Eventually([&] { return server_.asked().size() == 4; }));
  EXPECT_THAT(server_.asked(), ElementsAre("list 0", "watch 5", "watch 6", "watch 6"));
}

TEST_F(ReflectorTest, DoesNotRelistAfter429) {
  server_.Lists(PageOf({}, 5));
  for (int i = 0; i < 40; ++i) {
    server_.Watches(ScriptedServer::WatchScript{{}, Error::TooManyRequests("later", seconds(1))});
  }
  Start();
  EXPECT_THAT(AskedAfter(41, seconds(60)).back(), "watch 5");
  EXPECT_EQ(reflector_->stats().lists, 1u);
  EXPECT_TRUE(reflector_->IsStale()) << "that watches are opened does not mean that they tell";
}

// When it is back everybody would list at once.
TEST_F(ReflectorTest, DoesNotRelistWhileTheServerIsUnreachable) {
  server_.Lists(PageOf({}, 5));
  for (int i = 0; i < 10; ++i) server_.Watches(NoResponse(kLost));
  Start();
  EXPECT_THAT(AskedAfter(12, seconds(60)).back(), "watch 5");
  EXPECT_EQ(reflector_->stats().lists, 1u);
}

TEST_F(ReflectorTest, RelistsAfterSeveralFailedWatchesWithoutEvents) {
  server_.Lists(PageOf({}, 5));
  for (int i = 0; i < 2; ++i) {
    server_.Watches(ScriptedServer::WatchScript{{}, Error::Internal("broken")});
    server_.Watches(ScriptedServer::WatchScript{{Bookmark(5)}, kLost});
  }
  server_.Watches(kLost);
  server_.Lists(PageOf({"a"}, 9));
  Start();
  EXPECT_THAT(AskedAfter(8, seconds(60)), ElementsAre("list 0", "watch 5", "watch 5", "watch 5",
                                                      "watch 5", "watch 5", "list 5", "watch 9"));
}

TEST_F(ReflectorTest, DoesNotRelistAfterFailedWatchesWithEvents) {
  server_.Lists(PageOf({}, 5));
  for (uint64_t version = 6; version < 20; ++version) {
    server_.Watches(ScriptedServer::WatchScript{{Added("a", version)}, kLost});
  }
  Start();
  EXPECT_THAT(AskedAfter(16, seconds(60)).back(), "watch 19");
  EXPECT_EQ(reflector_->stats().lists, 1u);
}

TEST_F(ReflectorTest, RelistsAfterSeveralEmptyWatches) {
  server_.Lists(PageOf({}, 5));
  for (int i = 0; i < 5; ++i) server_.Watches(ScriptedServer::WatchScript{});
  server_.Lists(PageOf({"a"}, 9));
  Start();
  EXPECT_TRUE(Eventually([&] {
    clock_.Advance(milliseconds(100));
    return server_.asked().size() == 8;
  }));
  EXPECT_THAT(server_.asked().back(), "watch 9");
  EXPECT_EQ(reflector_->stats().lists, 2u);
}

// Otherwise a server that keeps its history for less time than a list takes would do nothing else.
TEST_F(ReflectorTest, BacksOffAfterASecond410) {
  server_.Lists(PageOf({}, 5));
  server_.Watches(kGone);
  Start();
  clock_.WaitForSleepers(1);
  EXPECT_THAT(server_.asked(), ElementsAre("list 0", "watch 5"));
}

TEST_F(ReflectorTest, NeverWatchesFromAnOlderVersionThanItHas) {
  server_.Lists(PageOf({}, 5));
  server_.Watches(ScriptedServer::WatchScript{{Added("a", 6), Bookmark(4)}, {}});
  Start();
  EXPECT_THAT(AskedAfter(3, seconds(60)), ElementsAre("list 0", "watch 5", "watch 6"));
}

TEST_F(ReflectorTest, NeverWatchesFromAnyVersion) {
  server_.Lists(ObjectPage{});
  server_.Lists(PageOf({}, 5));
  server_.Watches(ScriptedServer::WatchScript{
      {ObjectEvent{ObjectEventType::kBookmark,
                   std::string(R"({"kind":"ConfigMap","metadata":{}})")}},
      {}});
  server_.Lists(PageOf({}, 6));
  Start();
  EXPECT_THAT(AskedAfter(5, seconds(60)),
              ElementsAre("list 0", "list 0", "watch 5", "list 5", "watch 6"));
}

TEST_F(ReflectorTest, AnUnknownFailureOfAWatchLeadsToAList) {
  server_.Lists(PageOf({}, 5));
  server_.Watches(Error::BadRequest("what is a watch?"));
  server_.Lists(PageOf({}, 6));
  Start();
  EXPECT_THAT(AskedAfter(4, seconds(60)), ElementsAre("list 0", "watch 5", "list 5", "watch 6"));
}

TEST_F(ReflectorTest, BacksOffAfterAnEmptyWatch) {
  server_.Lists(PageOf({}, 5));
  server_.Watches(ScriptedServer::WatchScript{});
  Start();
  clock_.WaitForSleepers(1);
  EXPECT_THAT(server_.asked(), ElementsAre("list 0", "watch 5"));
}

TEST_F(ReflectorTest, FailedListsAreRepeatedWithGrowingDelaysUpToALimit) {
  for (int i = 0; i < 10; ++i) server_.Lists(kLost);
  Start();
  milliseconds delay(800);
  for (size_t lists = 1; lists < 10; ++lists) {
    ASSERT_TRUE(Eventually([&] { return server_.asked().size() == lists; }));
    clock_.WaitForSleepers(1);
    clock_.Advance(delay - milliseconds(1));
    EXPECT_EQ(server_.asked().size(), lists);
    clock_.Advance(milliseconds(1));
    delay = std::min<milliseconds>(delay * 2, seconds(30));
  }
}

TEST_F(ReflectorTest, StreamsTheListAndWatchesOnTheSameStream) {
  server_.Watches(ScriptedServer::WatchScript{
      {Added("a", 1), Added("b", 2), Bookmark(3), Bookmark(5, true), Added("c", 6)}, {}});
  Start(true);
  EXPECT_THAT(AskedAfter(2, seconds(0)), ElementsAre("stream newest", "watch 6"));
  EXPECT_THAT(target_.told(), ElementsAre("=a,b,@5", "+c"));
}

TEST_F(ReflectorTest, AppliesChangesWhileTheListIsStreamed) {
  server_.Watches(ScriptedServer::WatchScript{
      {Added("a", 1), Added("b", 2), Added("c", 3), Modified("b", 4, R"({"new":"yes"})"),
       Deleted("a", 5), Deleted("c", 6), Added("c", 7), Bookmark(8, true)},
      {}});
  Start(true);
  EXPECT_THAT(AskedAfter(2, seconds(60)), ElementsAre("stream newest", "watch 8"));
  EXPECT_THAT(target_.told(), ElementsAre("=b{new},c,@8"));
}

TEST_F(ReflectorTest, ListsWhereTheServerCannotStreamAndRemembersThat) {
  server_.Watches(Error::BadRequest("sendInitialEvents is forbidden"));
  server_.Lists(PageOf({"a"}, 5));
  server_.Watches(kGone);
  server_.Lists(PageOf({"a"}, 7));
  Start(true);
  EXPECT_THAT(AskedAfter(5, seconds(60)),
              ElementsAre("stream newest", "list 0", "watch 5", "list 5", "watch 7"));
}

TEST_F(ReflectorTest, AStreamThatBreaksLeavesTheTargetAsItWas) {
  server_.Watches(ScriptedServer::WatchScript{{Added("a", 1)}, kLost});
  server_.Lists(PageOf({"a", "b"}, 5));
  Start(true);
  EXPECT_THAT(AskedAfter(3, seconds(60)), ElementsAre("stream newest", "list 0", "watch 5"));
  EXPECT_THAT(target_.told(), ElementsAre("=a,b,@5"));
}

TEST_F(ReflectorTest, NoticesThatAServerHasBeenSilentForTooLong) {
  server_.Lists(PageOf({}, 5));
  Start();
  ASSERT_TRUE(Eventually([&] { return server_.asked().size() == 2; }));
  clock_.Advance(minutes(10));
  EXPECT_FALSE(reflector_->IsStale());
  clock_.Advance(minutes(2));
  EXPECT_TRUE(reflector_->IsStale());
}

}  // namespace
}  // namespace kubexms
