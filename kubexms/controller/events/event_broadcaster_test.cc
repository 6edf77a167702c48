#include "kubexms/controller/events/event_broadcaster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/apiserver/test_server.h"
#include "kubexms/client/no_response.h"
#include "kubexms/controller/testing/intercepted_client_test.h"

namespace kubexms {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class EventBroadcasterTest : public testing::Test {
 protected:
  EventBroadcasterTest() : client_(server_.client()), broadcaster_(Options()) {}

  EventBroadcasterOptions Options() {
    return {.instance = "here",
            .client = &client_,
            .clock = &clock_,
            .random = &random_,
            .metrics = &metrics_};
  }

  // Records about a config map, which need not exist.
  void Record(const std::string& message, const std::string& namespace_name = "default") {
    ObjectMeta metadata;
    metadata.name = "settings";
    metadata.namespace_name = namespace_name;
    metadata.uid = "0b6c2b5e-1f0c-4bb5-9df5-5a7c6d8f1e11";
    metadata.resource_version = "7";
    recorder_.Event(ReferenceTo("v1", "ConfigMap", metadata), EventType::kWarning, "Tested",
                    message);
  }

  // Writes what is in the queue.
  void Flush() {
    std::stop_source stopped;
    stopped.request_stop();
    broadcaster_.Run(stopped.get_token());
  }

  std::vector<corev1::Event> Stored() {
    return server_.client().List<corev1::Event>().value().items;
  }

  double Count(const std::string& result) {
    return metrics_
        .AddCounter({.name = "controller_events_total",
                     .help = "Events by what became of them.",
                     .labels = {"component", "result"}})
        .With({"tester", result})
        .Value();
  }

  TestServer server_;
  InterceptedClient client_;
  ManualClock clock_;
  SeededRandom random_{1};
  MetricsRegistry metrics_;
  EventBroadcaster broadcaster_;
  const EventRecorder recorder_{broadcaster_, "tester"};
};

TEST_F(EventBroadcasterTest, WritesTheEventAsOthersReadIt) {
  Record("it works");
  Flush();
  ASSERT_EQ(Stored().size(), 1u);
  corev1::Event event = Stored()[0];
  EXPECT_EQ(event.metadata.name, "settings.17a6101701650000");
  EXPECT_EQ(event.metadata.namespace_name, "default");
  event.metadata = {};
  EXPECT_EQ(Encode(event),
            R"({"apiVersion":"v1","count":1,)"
            R"("firstTimestamp":"2024-01-01T00:00:00Z","involvedObject":{"apiVersion":"v1",)"
            R"("kind":"ConfigMap","name":"settings","namespace":"default","resourceVersion":"7",)"
            R"("uid":"0b6c2b5e-1f0c-4bb5-9df5-5a7c6d8f1e11"},"kind":"Event",)"
            R"("lastTimestamp":"2024-01-01T00:00:00Z","message":"it works","metadata":{},)"
            R"("reason":"Tested","reportingComponent":"tester","reportingInstance":"here",)"
            R"("source":{"component":"tester"},"type":"Warning"})");
  EXPECT_EQ(Count("written"), 1);
}

TEST_F(EventBroadcasterTest, CountsOnTheSameObject) {
  for (int i = 0; i < 3; ++i) {
    Record("again");
    clock_.Advance(std::chrono::minutes(1));
  }
  Flush();
  ASSERT_EQ(Stored().size(), 1u);
  EXPECT_EQ(Stored()[0].count, 3);
  EXPECT_EQ(Stored()[0].first_timestamp.ToString(), "2024-01-01T00:00:00Z");
  EXPECT_EQ(Stored()[0].last_timestamp.ToString(), "2024-01-01T00:02:00Z");
  EXPECT_THAT(client_.TakeVerbs(), ElementsAre("create", "patch", "patch"));
}

TEST_F(EventBroadcasterTest, CombinesSimilarEvents) {
  for (int i = 1; i <= 12; ++i) Record("message " + std::to_string(i));
  Flush();
  std::vector<std::string> messages;
  for (const corev1::Event& event : Stored()) messages.push_back(event.message);
  EXPECT_EQ(messages.size(), 10u);
  EXPECT_THAT(messages, testing::Contains("(combined from similar events): message 12"));
}

TEST_F(EventBroadcasterTest, FiltersAFlood) {
  for (int i = 0; i < 30; ++i) Record("again");
  Flush();
  EXPECT_EQ(Stored()[0].count, 25);
  EXPECT_EQ(Count("filtered"), 5);
}

TEST_F(EventBroadcasterTest, RecreatesADeletedEventWithItsCount) {
  Record("again");
  Record("again");
  client_.Set([](Client& server, const ClientRequest& request) {
    if (request.verb == Verb::kPatch) {
      const Result<void> deleted = server.Delete<corev1::Event>({"default", request.name});
      EXPECT_TRUE(deleted.ok());
    }
    return server.Do(request);
  });
  Flush();
  ASSERT_EQ(Stored().size(), 1u);
  EXPECT_EQ(Stored()[0].count, 2);
}

TEST_F(EventBroadcasterTest, EventsOfTheClusterAreInTheDefaultNamespace) {
  Record("about the cluster", "");
  Flush();
  ASSERT_EQ(Stored().size(), 1u);
  EXPECT_EQ(Stored()[0].metadata.namespace_name, "default");
  EXPECT_EQ(Stored()[0].involved_object.namespace_name, "");
}

TEST_F(EventBroadcasterTest, DropsEventsWhenTheQueueIsFull) {
  for (int i = 0; i < 1003; ++i) Record("again");
  EXPECT_EQ(Count("dropped"), 3);
  Flush();
  Record("after the end");
  EXPECT_EQ(Count("dropped"), 4);
}

TEST_F(EventBroadcasterTest, CutsLongMessagesBetweenCharacters) {
  std::string message(1023, 'x');
  message += "é";
  Record(message + " and more");
  Record("not UTF-8: \xff");
  Flush();
  std::vector<std::string> messages;
  for (const corev1::Event& event : Stored()) messages.push_back(event.message);
  EXPECT_THAT(messages, testing::UnorderedElementsAre(std::string(1023, 'x'), "not UTF-8: \uFFFD"));
}

TEST_F(EventBroadcasterTest, RetriesWhileTheServerIsUnreachable) {
  std::atomic<int> attempts = 0;
  client_.Set([&](Client& server, const ClientRequest& request) -> Result<SharedBytes> {
    if (++attempts <= 3) return NoResponse(Error::ServiceUnavailable("no route to host"));
    return server.Do(request);
  });
  std::jthread running([this](std::stop_token stop) { broadcaster_.Run(stop); });
  Record("late");
  while (Count("written") == 0) {
    clock_.Advance(std::chrono::seconds(1));
    std::this_thread::yield();
  }
  EXPECT_EQ(attempts, 4);
  EXPECT_EQ(Stored().size(), 1u);
}

TEST_F(EventBroadcasterTest, ARefusedEventDoesNotDelayOthers) {
  std::atomic<int> attempts = 0;
  client_.Set([&](Client& server, const ClientRequest& request) -> Result<SharedBytes> {
    if (++attempts == 1) return Error::Internal("the webhook failed");
    return server.Do(request);
  });
  Record("refused");
  Record("other");
  Flush();
  EXPECT_EQ(Count("failed"), 1);
  EXPECT_EQ(Count("written"), 1);
  EXPECT_EQ(attempts, 2);
}

TEST_F(EventBroadcasterTest, GivesUpAfterTwelveAttempts) {
  std::atomic<int> attempts = 0;
  client_.Set([&](Client&, const ClientRequest&) -> Result<SharedBytes> {
    ++attempts;
    return NoResponse(Error::ServiceUnavailable("no route to host"));
  });
  std::jthread running([this](std::stop_token stop) { broadcaster_.Run(stop); });
  Record("never");
  while (Count("failed") == 0) {
    clock_.Advance(std::chrono::seconds(1));
    std::this_thread::yield();
  }
  EXPECT_EQ(attempts, 12);
}

TEST_F(EventBroadcasterTest, DoesNotRetryRefusedEvents) {
  Record("into nowhere", "no-such-namespace");
  Flush();
  EXPECT_EQ(Count("failed"), 1);
  EXPECT_THAT(client_.TakeVerbs(), ElementsAre("create"));
}

TEST_F(EventBroadcasterTest, AnInterruptedEventIsPartOfTheLastFlush) {
  std::stop_source stop;
  std::atomic<int> attempts = 0;
  client_.Set([&](Client& server, const ClientRequest& request) -> Result<SharedBytes> {
    if (++attempts > 1) return server.Do(request);
    stop.request_stop();
    return NoResponse(Error::ServiceUnavailable("no route to host"));
  });
  Record("first");
  Record("second");
  broadcaster_.Run(stop.get_token());
  EXPECT_EQ(Stored().size(), 2u);
  EXPECT_EQ(Count("dropped"), 0);
}

TEST_F(EventBroadcasterTest, TheLastFlushHasADeadline) {
  client_.Set([&](Client&, const ClientRequest& request) -> Result<SharedBytes> {
    while (!request.stop.stop_requested()) clock_.Advance(std::chrono::milliseconds(100));
    return Error::Timeout("ended by the caller");
  });
  Record("first");
  Record("second");
  Flush();
  EXPECT_EQ(Count("dropped"), 2);
  EXPECT_EQ(Count("written"), 0);
}

}  // namespace
}  // namespace kubexms
