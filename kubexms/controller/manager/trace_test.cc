#include "kubexms/client/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/apiserver/test_server.h"
#include "kubexms/controller/manager/manager.h"
#include "kubexms/controller/testing/eventually_test.h"

namespace kubexms {
namespace {

using corev1::ConfigMap;
using corev1::Secret;

ConfigMap MapOf(const std::string& name, const std::string& text) {
  ConfigMap map;
  map.metadata.name = name;
  map.metadata.namespace_name = "traced";
  map.data["text"] = text;
  return map;
}

// Copies every map into a Secret, and remembers what it did.
class Copier {
 public:
  Controller Describe() {
    return ControllerFor<ConfigMap>({.name = "copier", .resync_period = std::chrono::seconds(0)},
                                    {.namespace_name = "traced"})
        .Owns<Secret>()
        .Reconciles([this](ReconcileContext& context, const ConfigMap& map) {
          return Reconcile(context, map);
        });
  }
  std::vector<std::string> done() const {
    MutexLock lock(mutex_);
    return done_;
  }

 private:
  Result<Outcome> Reconcile(ReconcileContext& context, const ConfigMap& map) {
    const std::string& text = map.data.at("text");
    const auto copy = context.Cached<Secret>().Get(context.key);
    if (copy != nullptr && copy->data.at("text").value == text) return Outcome::Done();
    Secret wanted;
    wanted.metadata.name = map.metadata.name;
    wanted.metadata.namespace_name = map.metadata.namespace_name;
    wanted.data["text"].value = text;
    RETURN_IF_ERROR(SetControllerReference(wanted.metadata, map));
    const Result<Secret> written =
        copy == nullptr ? context.client.Create(wanted) : context.client.Update(wanted);
    MutexLock lock(mutex_);
    done_.push_back(map.metadata.name + "=" + text + (written.ok() ? "" : " failed"));
    if (!written.ok()) return written.error();
    return Outcome::Done();
  }

  mutable Mutex mutex_;
  std::vector<std::string> done_ GUARDED_BY(mutex_);
};

// A manager with one copier, that runs as long as it lives.
class RunningCopier {
 public:
  RunningCopier(Client& client, Clock& clock)
      : manager_({.name = "copier", .client = &client, .clock = &clock, .random = &random_}) {
    manager_.Add(copier.Describe());
    thread_ = std::jthread([this](std::stop_token stop) { EXPECT_TRUE(manager_.Run(stop).ok()); });
  }

  Copier copier;

 private:
  SeededRandom random_{3};
  Manager manager_;
  std::jthread thread_;
};

std::string RecordedTrace(std::vector<std::string>& done) {
  TestServer server;
  SystemClock clock;
  std::string trace;
  TraceRecorder recorder(server.client(), clock,
                         [&](std::string_view line) { trace.append(line); });
  const ResourceType namespaces{
      .version = "v1", .kind = "Namespace", .plural = "namespaces", .namespaced = false};
  EXPECT_TRUE(
      server.client()
          .Create(namespaces, DynamicObject::Decode(R"({"apiVersion":"v1","kind":"Namespace",
                                          "metadata":{"name":"traced"}})")
                                  .value())
          .ok());
  EXPECT_TRUE(server.client().Create(MapOf("a", "one")).ok());
  {
    RunningCopier running(recorder, clock);
    const auto count = [&](size_t wanted) {
      return Eventually([&] { return running.copier.done().size() == wanted; });
    };
    EXPECT_TRUE(count(1));
    EXPECT_TRUE(server.client().Create(MapOf("b", "two")).ok());
    EXPECT_TRUE(count(2));
    EXPECT_TRUE(server.client().Update(MapOf("a", "three")).ok());
    EXPECT_TRUE(count(3));
    done = running.copier.done();
  }
  return trace;
}

TEST(TraceTest, ReplaysARecordedRunWithoutTheServer) {
  std::vector<std::string> recorded;
  const std::string trace = RecordedTrace(recorded);
  ASSERT_EQ(recorded.size(), 3u);
  ManualClock clock(TraceStartTime(trace).value());
  const auto replay = TraceReplay::Load(trace, clock);
  ASSERT_TRUE(replay.ok()) << replay.error().message();
  RunningCopier again(**replay, clock);
  EXPECT_TRUE(Eventually([&] {
    clock.Advance(std::chrono::milliseconds(5));
    return again.copier.done().size() == 3;
  }));
  EXPECT_EQ(again.copier.done(), recorded);
  EXPECT_THAT((*replay)->MissingCalls(), ::testing::IsEmpty());
}

TEST(TraceTest, ReportsUnexpectedCalls) {
  ManualClock clock;
  const auto replay = TraceReplay::Load("", clock);
  ASSERT_TRUE(replay.ok());
  const Error error = (*replay)->Get<ConfigMap>({"default", "a"}).error();
  EXPECT_TRUE(error.terminal());
  EXPECT_EQ(error.message(),
            "the trace has no answer to: get /api/v1/namespaces/default/configmaps/a ");
}

TEST(TraceTest, GivesErrorsBackAsTheyWere) {
  TestServer server;
  SystemClock clock;
  std::string trace;
  TraceRecorder recorder(server.client(), clock,
                         [&](std::string_view line) { trace.append(line); });
  EXPECT_TRUE(recorder.Get<ConfigMap>({"default", "a"}).error().IsNotFound());
  const auto replay = TraceReplay::Load(trace, clock);
  ASSERT_TRUE(replay.ok());
  EXPECT_EQ((*replay)->MissingCalls().size(), 1u);
  const Error error = (*replay)->Get<ConfigMap>({"default", "a"}).error();
  EXPECT_TRUE(error.IsNotFound());
  EXPECT_EQ(error.details().name, "a");
  EXPECT_TRUE((*replay)->MissingCalls().empty());
}

TEST(TraceTest, TimesThatAProgramWritesAreNotCompared) {
  TestServer server;
  SystemClock clock;
  std::string trace;
  TraceRecorder recorder(server.client(), clock,
                         [&](std::string_view line) { trace.append(line); });
  const auto map_at = [](const std::string& time) {
    ConfigMap map = MapOf("a", time);
    map.metadata.namespace_name = "default";
    return map;
  };
  ASSERT_TRUE(recorder.Create(map_at("2024-01-31T10:20:30Z")).ok());
  ASSERT_TRUE(recorder.Update(map_at("2024-01-31T10:20:30.123456Z")).ok());
  const auto replay = TraceReplay::Load(trace, clock);
  ASSERT_TRUE(replay.ok());
  EXPECT_FALSE((*replay)->Create(map_at("tomorrow")).ok());
  EXPECT_EQ((*replay)->UnexpectedCalls().size(), 1u);
  EXPECT_TRUE((*replay)->Create(map_at("2025-02-03T04:05:06.7Z")).ok());
  EXPECT_TRUE((*replay)->Update(map_at("2025-02-03T04:05:06Z")).ok());
  EXPECT_THAT((*replay)->MissingCalls(), ::testing::IsEmpty());
}

TEST(TraceTest, HasTheStartTime) {
  ManualClock clock;
  TestServer server;
  std::string trace;
  const TraceRecorder recorder(server.client(), clock,
                               [&](std::string_view line) { trace.append(line); });
  EXPECT_EQ(TraceStartTime(trace).value(), clock.Now());
  EXPECT_FALSE(TraceStartTime("").ok());
  EXPECT_FALSE(TraceStartTime("{}\n").ok());
}

// An object is as it was at that point, however often it is asked for.
TEST(TraceTest, AnObjectCanBeReadAsOftenAsOneLikes) {
  TestServer server;
  SystemClock clock;
  std::string trace;
  TraceRecorder recorder(server.client(), clock,
                         [&](std::string_view line) { trace.append(line); });
  ConfigMap map = MapOf("a", "one");
  map.metadata.namespace_name = "default";
  EXPECT_TRUE(recorder.Get<ConfigMap>({"default", "a"}).error().IsNotFound());
  ASSERT_TRUE(recorder.Create(map).ok());
  map.data["text"] = "two";
  ASSERT_TRUE(recorder.Update(map).ok());
  ASSERT_TRUE(recorder.Get<ConfigMap>({"default", "a"}).ok());
  const auto loaded = TraceReplay::Load(trace, clock);
  ASSERT_TRUE(loaded.ok());
  Client& replay = **loaded;
  const auto text = [&] { return replay.Get<ConfigMap>({"default", "a"}).value().data.at("text"); };
  EXPECT_TRUE(replay.Get<ConfigMap>({"default", "a"}).error().IsNotFound());
  EXPECT_TRUE(replay.Get<ConfigMap>({"default", "a"}).error().IsNotFound());
  map.data["text"] = "one";
  ASSERT_TRUE(replay.Create(map).ok());
  EXPECT_EQ(text(), "one");
  map.data["text"] = "two";
  ASSERT_TRUE(replay.Update(map).ok());
  EXPECT_EQ(text(), "two");
  EXPECT_EQ(text(), "two");
  EXPECT_THAT((*loaded)->MissingCalls(), ::testing::IsEmpty());
  EXPECT_THAT((*loaded)->UnexpectedCalls(), ::testing::IsEmpty());
}

TEST(TraceTest, RefusesTracesThatAreBroken) {
  ManualClock clock;
  EXPECT_THAT(TraceReplay::Load("{}\n{\n", clock).error().message(),
              ::testing::HasSubstr("line 2 of the trace"));
  EXPECT_THAT(TraceReplay::Load(R"({"of": 7})", clock).error().message(),
              ::testing::HasSubstr("unknown watch"));
}

}  // namespace
}  // namespace kubexms
