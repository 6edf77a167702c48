#include "kubexms/controller/manager/manager.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/api/kinds/events_v1.h"
#include "kubexms/api/values/quote.h"
#include "kubexms/apiserver/test_server.h"
#include "kubexms/base/threads/stop.h"
#include "kubexms/client/no_response.h"
#include "kubexms/client/testing/faulty_client.h"
#include "kubexms/controller/create_or_update.h"
#include "kubexms/controller/events/event_recorder.h"
#include "kubexms/controller/testing/eventually_test.h"
#include "kubexms/controller/testing/intercepted_client_test.h"
#include "kubexms/net/client/client.h"

namespace kubexms {
namespace {

using corev1::ConfigMap;
using corev1::Secret;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

ConfigMap MapOf(const std::string& name) {
  ConfigMap map;
  map.metadata.name = name;
  map.metadata.namespace_name = "default";
  return map;
}

// Runs a manager over a real server until the test is over.
class ManagerTest : public ::testing::Test {
 protected:
  ManagerOptions Options() {
    return {.name = "test-manager",
            .endpoints_address = "127.0.0.1:0",
            .client = &server_.client(),
            .clock = &clock_,
            .random = &random_,
            .log = Logger({.level = LogLevel::kDebug, .sink = &log_, .clock = &clock_})};
  }

  // A controller of ConfigMaps in "default", but not of the one that the server itself makes.
  ControllerFor<ConfigMap> Maps(ControllerOptions options = {.name = "maps"}) {
    return ControllerFor<ConfigMap>(std::move(options), {.namespace_name = "default"});
  }

  void Start() {
    thread_ = std::jthread([this](std::stop_token stop) {
      Result<void> ended = manager_.Run(stop);
      EXPECT_TRUE(ended.ok()) << ended.error().message();
      MutexLock lock(mutex_);
      ended_ = std::move(ended);
    });
  }
  Result<void> Stop() {
    thread_ = {};
    MutexLock lock(mutex_);
    return *ended_;
  }
  bool Create(const std::string& name) { return client().Create(MapOf(name)).ok(); }
  Client& client() { return server_.client(); }

  TestServer server_;
  SystemClock clock_;
  SeededRandom random_{1};
  CapturingLogSink log_;
  Mutex mutex_;
  std::optional<Result<void>> ended_ GUARDED_BY(mutex_);
  Manager manager_{Options()};
  std::jthread thread_;
};

// What a map wants: a Secret of the same name that belongs to it.
Result<Outcome> MakeSecret(ReconcileContext& context, const ConfigMap& map) {
  if (context.Cached<Secret>().Get(context.key) != nullptr) return Outcome::Done();
  Secret secret;
  secret.metadata.name = map.metadata.name;
  secret.metadata.namespace_name = map.metadata.namespace_name;
  RETURN_IF_ERROR(SetControllerReference(secret.metadata, map));
  RETURN_IF_ERROR(context.client.Create(secret));
  return Outcome::Done();
}

TEST_F(ManagerTest, ReconcilesExistingNewAndOwnedObjects) {
  ASSERT_TRUE(Create("before"));
  manager_.Add(Maps().Owns<Secret>().Reconciles(MakeSecret));
  Start();
  const auto exists = [&](const std::string& name) {
    return client().Get<Secret>({"default", name}).ok();
  };
  EXPECT_TRUE(Eventually([&] { return exists("before"); }));
  ASSERT_TRUE(Create("after"));
  EXPECT_TRUE(Eventually([&] { return exists("after"); }));
  ASSERT_TRUE(client().Delete<Secret>({"default", "after"}).ok());
  EXPECT_TRUE(Eventually([&] { return exists("after"); }));
  EXPECT_TRUE(Stop().ok());
}

TEST_F(ManagerTest, AControllerMayHaveItsOwnClient) {
  const std::unique_ptr<Client> nobody = server_.NewClient({.name = "nobody"});
  std::atomic<bool> forbidden = false;
  auto maps = Maps();
  maps.SetClient(nobody.get());
  manager_.Add(maps.Owns<Secret>().Reconciles(
      [&](ReconcileContext& context, const ConfigMap& map) -> Result<Outcome> {
        const Result<Outcome> made = MakeSecret(context, map);
        if (!made.ok() && made.error().IsForbidden()) forbidden = true;
        return Outcome::Done();
      }));
  Start();
  ASSERT_TRUE(Create("a"));
  EXPECT_TRUE(Eventually([&] { return forbidden.load(); }));
  EXPECT_TRUE(Stop().ok());
}

TEST_F(ManagerTest, EventsHaveTheSourceOfTheController) {
  const auto tell = [](ReconcileContext& context, const ConfigMap& map) -> Result<Outcome> {
    context.events.Event(ReferenceTo(map), EventType::kNormal, "Seen", "seen");
    return Outcome::Done();
  };
  manager_.Add(Maps().Reconciles(tell));
  manager_.Add(Maps({.name = "others", .event_source = "map-controller"}).Reconciles(tell));
  Start();
  ASSERT_TRUE(Create("one"));
  std::set<std::string> sources;
  EXPECT_TRUE(Eventually([&] {
    const auto events = client().List<corev1::Event>({.namespace_name = "default"}).value();
    for (const corev1::Event& event : events.items) {
      if (event.involved_object.name == "one") sources.insert(event.source->component);
    }
    return sources.size() == 2;
  }));
  EXPECT_THAT(sources, ::testing::ElementsAre("map-controller", "test-manager"));
}

TEST_F(ManagerTest, WatchedObjectsEnqueueMappedKeys) {
  Mutex mutex;
  std::vector<std::string> reasons;
  manager_.Add(Maps()
                   .Watches<Secret>([](const Secret& secret) {
                     return std::vector<ObjectKey>{{"default", secret.metadata.labels.at("for")}};
                   })
                   .Reconciles([&](ReconcileContext& context, const ConfigMap&) -> Result<Outcome> {
                     MutexLock lock(mutex);
                     for (const auto reason : context.reasons) {
                       reasons.push_back(context.key.name + ": " + std::string(reason));
                     }
                     return Outcome::Done();
                   }));
  ASSERT_TRUE(Create("a"));
  Start();
  const auto has = [&](const std::string& text) {
    MutexLock lock(mutex);
    return std::find(reasons.begin(), reasons.end(), text) != reasons.end();
  };
  ASSERT_TRUE(Eventually([&] { return has("a: initial list"); }));
  Secret secret;
  secret.metadata.name = "s";
  secret.metadata.namespace_name = "default";
  secret.metadata.labels["for"] = "a";
  ASSERT_TRUE(client().Create(secret).ok());
  EXPECT_TRUE(Eventually([&] { return has("a: Secret changed"); }));
}

TEST_F(ManagerTest, RetriesByKindOfError) {
  std::atomic<int> transient = 0;
  std::atomic<int> terminal = 0;
  std::atomic<int> unknown = 0;
  std::atomic<int> own = 0;
  FaultyClient faulty(server_.client(), {});
  faulty.AddRule({.verb = Verb::kGet,
                  .plural = "secrets",
                  .times = 8,
                  .fault = {.error = Error::ServiceUnavailable("not now")}});
  ManagerOptions options = Options();
  options.client = &faulty;
  Manager manager(options);
  manager.Add(
      Maps({.name = "maps",
            .max_retries = 3,
            .rate_limiter = {.base_delay = milliseconds(1), .qps = 0}})
          .Reconciles([&](ReconcileContext& context, const ConfigMap&) -> Result<Outcome> {
            if (context.key.name == "transient") {
              ++transient;
              RETURN_IF_ERROR(IgnoreNotFound(context.client.Get<Secret>({"default", "none"})));
            } else if (context.key.name == "terminal") {
              ++terminal;
              return Terminal(Error::BadRequest("this map can never work"));
            } else if (context.key.name == "unknown") {
              ++unknown;
              return Error::BadRequest("who knows");
            } else if (context.key.name == "own") {
              ++own;
              return Error::Internal("a bug, though it is called as a server's");
            }
            return Outcome::Done();
          }));
  const std::jthread run([&](std::stop_token stop) { EXPECT_TRUE(manager.Run(stop).ok()); });
  for (const char* name : {"transient", "terminal", "unknown", "own"}) ASSERT_TRUE(Create(name));
  EXPECT_TRUE(Eventually([&] { return transient == 9; })) << transient;
  EXPECT_TRUE(Eventually([&] { return unknown == 4 && own == 4; })) << unknown << " " << own;
  // A change makes it try again.
  ASSERT_EQ(terminal, 1);
  ASSERT_TRUE(
      client().Patch<ConfigMap>({"default", "terminal"}, {.body = R"({"data":{"x":"y"}})"}).ok());
  EXPECT_TRUE(Eventually([&] { return terminal == 2; })) << terminal;
  EXPECT_EQ(unknown, 4);
  EXPECT_EQ(own, 4);
  // The terminal error is recorded as an event of the object.
  EXPECT_TRUE(Eventually([&] {
    const auto events = client().List<eventsv1::Event>({.namespace_name = "default"});
    if (!events.ok()) return false;
    for (const auto& event : events->items) {
      if (event.reason == "ReconcileFailed" && event.note == "this map can never work") return true;
    }
    return false;
  }));
}

TEST_F(ManagerTest, RetriesReconcilersThatThrowUpToMaxRetries) {
  std::atomic<int> once = 0;
  std::atomic<int> always = 0;
  manager_.Add(Maps({.name = "maps",
                     .max_retries = 2,
                     .rate_limiter = {.base_delay = milliseconds(1), .qps = 0}})
                   .Reconciles([&](ReconcileContext& context, const ConfigMap&) -> Result<Outcome> {
                     if (context.key.name == "once" && ++once == 1)
                       throw std::runtime_error("oops");
                     if (context.key.name == "always") {
                       ++always;
                       throw 7;
                     }
                     return Outcome::Done();
                   }));
  Start();
  for (const char* name : {"once", "always"}) ASSERT_TRUE(Create(name));
  EXPECT_TRUE(Eventually([&] { return once == 2; }));
  const auto gave_up = [&] {
    for (const std::string& line : log_.Lines()) {
      if (line.find("not retrying until") != std::string::npos) return true;
    }
    return false;
  };
  EXPECT_TRUE(Eventually(gave_up));
  EXPECT_EQ(always, 3);
  EXPECT_THAT(manager_.metrics().Collect(),
              HasSubstr(R"(controller_runtime_reconcile_panics_total{controller="maps"} 4)"));
}

TEST_F(ManagerTest, OneBadObjectEndsNeitherTheProcessNorTheOthers) {
  std::atomic<int> good = 0;
  manager_.Add(
      Maps({.name = "maps", .max_retries = 0})
          .Index<ConfigMap>("bySize",
                            [](const ConfigMap& map) -> std::vector<std::string> {
                              if (!map.data.contains("size")) return {};
                              return {std::to_string(ParseInt64(map.data.at("size")).value())};
                            })
          .Watches<Secret>([](const Secret& secret) -> std::vector<ObjectKey> {
            return {{"default", secret.metadata.labels.at("for")}};
          })
          .Reconciles([&](ReconcileContext& context, const ConfigMap& map) -> Result<Outcome> {
            const std::string& name = context.key.name;
            if (name == "bad-number") (void)ParseInt64(map.data.at("size")).value();
            if (name == "no-cache") (void)context.Cached<corev1::Event>().List();
            if (name == "no-index") (void)context.Cached<ConfigMap>().ByIndex("byColor", "red");
            ++good;
            return Outcome::Done();
          }));
  Start();
  ConfigMap bad_number = MapOf("bad-number");
  bad_number.data["size"] = "large";
  ASSERT_TRUE(client().Create(bad_number).ok());
  for (const char* name : {"no-cache", "no-index"}) ASSERT_TRUE(Create(name));
  Secret unlabeled;
  unlabeled.metadata.name = "s";
  unlabeled.metadata.namespace_name = "default";
  ASSERT_TRUE(client().Create(unlabeled).ok());
  const auto logged = [&](const std::string& text) {
    for (const std::string& line : log_.Lines()) {
      if (line.find(text) != std::string::npos) return true;
    }
    return false;
  };
  EXPECT_TRUE(Eventually([&] { return logged("check failed: ok()"); }));
  EXPECT_TRUE(Eventually([&] { return logged("declares no cache of events"); }));
  EXPECT_TRUE(Eventually([&] { return logged("add .Reads<Event>()"); }));
  EXPECT_TRUE(Eventually([&] { return logged("has no index \\\"byColor\\\""); }));
  EXPECT_TRUE(Eventually([&] { return logged("index function failed"); }));
  EXPECT_TRUE(Eventually([&] { return logged("event handler failed"); }));
  const int before = good;
  ASSERT_TRUE(Create("good"));
  EXPECT_TRUE(Eventually([&] { return good > before; }));
  EXPECT_TRUE(Stop().ok());
}

TEST_F(ManagerTest, MapFunctionsMayReadCaches) {
  std::atomic<int> calls = 0;
  manager_.Add(Maps()
                   .WithPredicates(MatchesLabels(*Selector::Parse("me")))
                   .Index<ConfigMap>("bySecret",
                                     [](const ConfigMap& map) -> std::vector<std::string> {
                                       const auto secret = map.data.find("secret");
                                       if (secret == map.data.end()) return {};
                                       return {secret->second};
                                     })
                   .Watches<Secret>([](const DeclaredCaches& caches, const Secret& secret) {
                     std::vector<ObjectKey> keys;
                     for (const auto& map :
                          caches.Cached<ConfigMap>().ByIndex("bySecret", secret.metadata.name)) {
                       keys.push_back(ObjectKey::Of(map->metadata));
                     }
                     return keys;
                   })
                   .Reconciles([&](ReconcileContext& context, const ConfigMap&) -> Result<Outcome> {
                     for (const auto reason : context.reasons) {
                       if (context.key.name == "a" && reason == "Secret changed") ++calls;
                     }
                     return Outcome::Done();
                   }));
  ConfigMap map = MapOf("a");
  map.data["secret"] = "s";
  ASSERT_TRUE(client().Create(map).ok());
  Start();
  ASSERT_TRUE(Eventually([&] { return manager_.Readiness().ok(); }));
  Secret secret;
  secret.metadata.name = "s";
  secret.metadata.namespace_name = "default";
  ASSERT_TRUE(client().Create(secret).ok());
  EXPECT_TRUE(Eventually([&] { return calls >= 1; }));
}

TEST_F(ManagerTest, NoApiCallForObjectsInTheDesiredStateAfterARestart) {
  constexpr int kMaps = 50;
  const auto keep = [](ReconcileContext& context, const ConfigMap& map) -> Result<Outcome> {
    RETURN_IF_ERROR(CreateOrUpdate<Secret>(context.client, context.key, [&](Secret& secret) {
      secret.string_data = {};
      secret.type = "Opaque";
      secret.metadata.labels["color"] = "red";
      return SetControllerReference(secret.metadata, map);
    }));
    return Outcome::Done();
  };
  for (int i = 0; i < kMaps; ++i) ASSERT_TRUE(Create("map-" + std::to_string(i)));
  for (const bool restarted : {false, true}) {
    InterceptedClient counted(server_.client());
    ManagerOptions options = Options();
    options.client = &counted;
    MetricsRegistry metrics;
    options.metrics = &metrics;
    Manager manager(options);
    std::atomic<int> reconciled = 0;
    manager.Add(Maps().Owns<Secret>().Reconciles(
        [&](ReconcileContext& context, const ConfigMap& map) -> Result<Outcome> {
          const Result<Outcome> kept = keep(context, map);
          EXPECT_TRUE(kept.ok());
          ++reconciled;
          return kept;
        }));
    const std::jthread run([&](std::stop_token stop) { EXPECT_TRUE(manager.Run(stop).ok()); });
    ASSERT_TRUE(Eventually([&] { return reconciled >= kMaps; }));
    const std::vector<std::string> verbs = counted.TakeVerbs();
    EXPECT_EQ(std::count(verbs.begin(), verbs.end(), "get"), 0);
    const bool wrote = std::count(verbs.begin(), verbs.end(), "create") > 0;
    EXPECT_NE(wrote, restarted);
  }
}

TEST_F(ManagerTest, NeverReconcilesOneObjectTwiceAtATime) {
  Mutex mutex;
  std::set<std::string> busy;
  std::atomic<bool> clash = false;
  std::atomic<int> done = 0;
  manager_.Add(Maps({.name = "maps", .max_concurrent_reconciles = 4})
                   .Reconciles([&](ReconcileContext& context, const ConfigMap&) -> Result<Outcome> {
                     {
                       MutexLock lock(mutex);
                       if (!busy.insert(context.key.name).second) clash = true;
                     }
                     std::this_thread::yield();
                     MutexLock lock(mutex);
                     busy.erase(context.key.name);
                     ++done;
                     return Outcome::Done();
                   }));
  Start();
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(Create(name));
  // From now on the workers are there; before, all changes could become one reconcile each.
  ASSERT_TRUE(Eventually([&] { return done >= 3; }));
  for (int i = 0; i < 100; ++i) {
    const std::string patch = R"({"data":{"round":")" + std::to_string(i) + "\"}}";
    for (const char* name : {"a", "b", "c"}) {
      ASSERT_TRUE(client().Patch<ConfigMap>({"default", name}, {.body = patch}).ok());
    }
  }
  EXPECT_TRUE(Eventually([&] { return done > 3; }));
  EXPECT_TRUE(Stop().ok());
  EXPECT_FALSE(clash);
}

TEST_F(ManagerTest, AReconcileReadsThePreviousWrite) {
  std::atomic<int> rounds = 0;
  std::atomic<bool> stale = false;
  Mutex mutex;
  std::string last_written;
  manager_.Add(
      Maps().Reconciles([&](ReconcileContext& context, const ConfigMap& map) -> Result<Outcome> {
        if (map.metadata.name != "a") return Outcome::Done();
        MutexLock lock(mutex);
        const auto round = map.data.find("round");
        if (!last_written.empty() && (round == map.data.end() || round->second != last_written)) {
          stale = true;
        }
        if (rounds == 100) return Outcome::Done();
        ConfigMap changed = map;
        last_written = std::to_string(++rounds);
        changed.data["round"] = last_written;
        RETURN_IF_ERROR(context.client.Update(changed));
        return Outcome::Done();
      }));
  Start();
  ASSERT_TRUE(Create("a"));
  EXPECT_TRUE(Eventually([&] { return rounds == 100; }));
  EXPECT_TRUE(Stop().ok());
  EXPECT_FALSE(stale);
}

TEST_F(ManagerTest, AnUnknownOutcomeConcernsNoOtherController) {
  InterceptedClient broken(server_.client());
  broken.Set([](Client& server, const ClientRequest& request) -> Result<SharedBytes> {
    if (request.resource.plural != "secrets") return server.Do(request);
    return NoResponse(Error::ServiceUnavailable("no answer"));
  });
  ManagerOptions options = Options();
  options.client = &broken;
  Manager manager(options);
  std::atomic<int> failed = 0;
  manager.Add(Maps({.name = "secrets", .rate_limiter = {.base_delay = milliseconds(1), .qps = 0}})
                  .Owns<Secret>()
                  .Reconciles([&](ReconcileContext& context, const ConfigMap& map) {
                    ++failed;
                    return MakeSecret(context, map);
                  }));
  manager.Add(Maps({.name = "others"})
                  .Reconciles([&](ReconcileContext& context, const ConfigMap&) -> Result<Outcome> {
                    RETURN_IF_ERROR(context.client.Patch<ConfigMap>(
                        context.key, {.body = R"({"data":{"done":"yes"}})"}));
                    return Outcome::Done();
                  }));
  std::jthread thread([&](std::stop_token stop) { EXPECT_TRUE(manager.Run(stop).ok()); });
  ASSERT_TRUE(Eventually([&] { return manager.Readiness().ok(); }));
  broken.SetList([](Client& server, const ClientRequest& request) -> Result<ObjectPage> {
    if (request.resource.plural != "secrets") return server.ListPage(request);
    return NoResponse(Error::ServiceUnavailable("no answer"));
  });
  ASSERT_TRUE(Create("a"));
  ASSERT_TRUE(Eventually([&] { return failed >= 1; }));
  ASSERT_TRUE(Create("b"));
  EXPECT_TRUE(Eventually([&] {
    return client().Get<ConfigMap>({"default", "b"}).value().data.contains("done");
  }));
  broken.SetList({});
  broken.Set({});
  EXPECT_TRUE(Eventually([&] { return client().Get<Secret>({"default", "b"}).ok(); }));
}

TEST_F(ManagerTest, CallsOnDeletedForDeletedObjects) {
  std::atomic<bool> seen = false;
  std::atomic<bool> gone = false;
  manager_.Add(Maps()
                   .Reconciles([&](ReconcileContext& context, const ConfigMap&) -> Result<Outcome> {
                     if (context.key.name == "a") seen = true;
                     return Outcome::Done();
                   })
                   .OnDeleted([&](ReconcileContext& context) -> Result<Outcome> {
                     if (context.key.name == "a") gone = true;
                     return Outcome::Done();
                   }));
  Start();
  ASSERT_TRUE(Create("a"));
  ASSERT_TRUE(Eventually([&] { return seen.load(); }));
  EXPECT_FALSE(gone);
  ASSERT_TRUE(client().Delete<ConfigMap>({"default", "a"}).ok());
  EXPECT_TRUE(Eventually([&] { return gone.load(); }));
}

TEST_F(ManagerTest, SourcesCauseReconcilesToo) {
  const auto channel = std::make_shared<ChannelSource>("told to");
  std::atomic<int> told = 0;
  manager_.Add(Maps().WatchesRawSource(channel).Reconciles(
      [&](ReconcileContext& context, const ConfigMap&) -> Result<Outcome> {
        for (const auto reason : context.reasons) told += reason == "told to" ? 1 : 0;
        return Outcome::Done();
      }));
  ASSERT_TRUE(Create("a"));
  Start();
  EXPECT_TRUE(channel->Send({"default", "a"}));
  EXPECT_TRUE(Eventually([&] { return told == 1; }));
}

TEST_F(ManagerTest, SurvivesSourcesConditionsAndChecksThatThrow) {
  std::atomic<int> timer_calls = 0;
  std::atomic<int> condition_calls = 0;
  std::atomic<bool> told = false;
  std::atomic<bool> check_throws = true;
  const auto timer =
      std::make_shared<TimerSource>(milliseconds(1), [&]() -> std::vector<ObjectKey> {
        if (++timer_calls == 1) throw std::runtime_error("oops");
        return {{"default", "a"}};
      });
  manager_.Add(Maps()
                   .WatchesRawSource(timer)
                   .WaitUntil({"the gate",
                               [&](std::stop_token) -> Result<void> {
                                 if (++condition_calls == 1) throw std::runtime_error("oops");
                                 return {};
                               }})
                   .Reconciles([&](ReconcileContext& context, const ConfigMap&) -> Result<Outcome> {
                     for (const auto reason : context.reasons) {
                       if (reason == "timer") told = true;
                     }
                     return Outcome::Done();
                   }));
  manager_.AddReadyzCheck("disk", [&]() -> Result<void> {
    if (check_throws) throw std::runtime_error("oops");
    return {};
  });
  ASSERT_TRUE(Create("a"));
  Start();
  EXPECT_TRUE(Eventually([&] { return told.load(); }));
  EXPECT_EQ(manager_.Readiness().error().message(), "disk: the check threw: oops");
  check_throws = false;
  EXPECT_TRUE(manager_.Readiness().ok());
  EXPECT_TRUE(Stop().ok());
}

TEST_F(ManagerTest, ARunnableThatThrowsEndsTheManagerAndIsNamed) {
  for (const bool needs_leader_election : {false, true}) {
    Manager manager(Options());
    manager.Add(
        Runnable{.name = "thrower",
                 .needs_leader_election = needs_leader_election,
                 .run = [](std::stop_token) -> Result<void> { throw std::runtime_error("oops"); }});
    EXPECT_EQ(manager.Run({}).error().message(), "thrower: the runnable threw: oops");
  }
}

TEST_F(ManagerTest, AFilterIsOfAllThatIsWatched) {
  Mutex mutex;
  std::set<std::string> seen;
  manager_.Add(Maps()
                   .Watches<Secret>([](const Secret& secret) {
                     return std::vector<ObjectKey>{{"default", secret.metadata.name}};
                   })
                   .WithEventFilter(MatchesLabels(*Selector::Parse("me")))
                   .OnDeleted([&](ReconcileContext& context) -> Result<Outcome> {
                     MutexLock lock(mutex);
                     seen.insert(context.key.name);
                     return Outcome::Done();
                   }));
  Start();
  ASSERT_TRUE(Create("of-a-map-without-the-label"));
  for (const char* name : {"without", "with"}) {
    Secret secret;
    secret.metadata.name = name;
    secret.metadata.namespace_name = "default";
    if (secret.metadata.name == "with") secret.metadata.labels["me"] = "";
    ASSERT_TRUE(client().Create(secret).ok());
  }
  ASSERT_TRUE(Eventually([&] {
    MutexLock lock(mutex);
    return seen.contains("with");
  }));
  MutexLock lock(mutex);
  EXPECT_THAT(seen, ::testing::ElementsAre("with"));
}

TEST_F(ManagerTest, OtherWatchesHaveTheNamespaceOfTheControllerUnlessTheySayOtherwise) {
  const auto of_map = [](const Secret&) { return std::vector<ObjectKey>(); };
  const Controller controller = Maps()
                                    .Watches<Secret>(of_map)
                                    .Watches<Secret>(of_map, {.scope = {.namespace_name = "other"}})
                                    .Watches<Secret>(of_map, {.all_namespaces = true});
  std::vector<std::string> namespaces;
  for (const WatchRule& rule : controller.rules()) namespaces.push_back(rule.scope.namespace_name);
  EXPECT_THAT(namespaces, ::testing::ElementsAre("default", "default", "other", ""));
}

TEST_F(ManagerTest, DrainsTheQueueBeforeItEnds) {
  Mutex mutex;
  CondVar changed;
  bool released = false;
  std::atomic<int> begun = 0;
  std::atomic<int> done = 0;
  manager_.Add(
      Maps().Reconciles([&](ReconcileContext& context, const ConfigMap&) -> Result<Outcome> {
        if (context.key.name == "kube-root-ca.crt") return Outcome::Done();
        ++begun;
        MutexLock lock(mutex);
        while (!released) changed.Wait(mutex);
        ++done;
        return Outcome::Done();
      }));
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(Create("m" + std::to_string(i)));
  Start();
  ASSERT_TRUE(Eventually([&] { return begun == 1; }));
  thread_.request_stop();
  ASSERT_TRUE(Eventually([&] { return !manager_.Health().ok(); }));
  EXPECT_EQ(manager_.Health().error().message(), "stopping");
  {
    MutexLock lock(mutex);
    released = true;
    changed.NotifyAll();
  }
  EXPECT_TRUE(Stop().ok());
  EXPECT_EQ(done, 10);
}

TEST_F(ManagerTest, ServesHealthReadinessMetricsAndReasons) {
  manager_.Add(Maps().Owns<Secret>().Reconciles(MakeSecret));
  ASSERT_TRUE(Create("a"));
  EXPECT_EQ(manager_.Readiness().error().message(), "not synced");
  Start();
  ASSERT_TRUE(Eventually([&] { return manager_.Readiness().ok(); }));
  const auto http = HttpClient::Create(
      {.server = "http://127.0.0.1:" + std::to_string(manager_.endpoints_port())});
  ASSERT_TRUE(http.ok());
  const auto get = [&](const std::string& path) { return (*http)->Do({.target = path}).value(); };
  EXPECT_EQ(get("/healthz").body, "ok");
  EXPECT_EQ(get("/readyz").status, 200);
  ASSERT_TRUE(Eventually([&] { return client().Get<Secret>({"default", "a"}).ok(); }));
  ASSERT_TRUE(Eventually([&] {
    return get("/metrics")
               .body.find(
                   R"(controller_runtime_reconcile_total{controller="maps",result="success"})") !=
           std::string::npos;
  }));
  EXPECT_THAT(get("/metrics").body, HasSubstr(R"(workqueue_depth{)"));
  EXPECT_TRUE(Eventually([&] {
    const std::string records = get("/debug/reconciles").body;
    return records.find(R"("object":"default/a")") != std::string::npos &&
           records.find("initial list") != std::string::npos;
  }));
  EXPECT_THAT(get("/debug/threads").body,
              AllOf(HasSubstr(R"("name":"maps")"), HasSubstr(R"("residentBytes":)")));
  EXPECT_EQ(
      (*http)->Do({.method = "PUT", .target = "/debug/log-level", .body = "nonsense"})->status,
      400);
  EXPECT_EQ(
      (*http)
          ->Do({.method = "PUT", .target = "/debug/log-level", .body = "controller.maps=error"})
          ->status,
      200);
  EXPECT_EQ(get("/nothing").status, 404);
}

TEST_F(ManagerTest, AControllerWaitsForOthersAndForConditions) {
  std::atomic<bool> open = false;
  std::atomic<bool> second_ran = false;
  manager_.Add(Maps({.name = "first"})
                   .WaitUntil({"the gate",
                               [&](std::stop_token) -> Result<void> {
                                 if (open) return {};
                                 return Error::ServiceUnavailable("closed");
                               }})
                   .Reconciles([](ReconcileContext&, const ConfigMap&) -> Result<Outcome> {
                     return Outcome::Done();
                   }));
  manager_.Add(Maps({.name = "second"})
                   .WaitFor("first")
                   .Reconciles([&](ReconcileContext&, const ConfigMap&) -> Result<Outcome> {
                     second_ran = true;
                     return Outcome::Done();
                   }));
  ASSERT_TRUE(Create("a"));
  Start();
  ASSERT_TRUE(Eventually([&] {
    for (const std::string& line : log_.Lines()) {
      if (line.find("controller waits for a precondition") != std::string::npos &&
          line.find("second") != std::string::npos) {
        return true;
      }
    }
    return false;
  }));
  EXPECT_FALSE(second_ran);
  open = true;
  EXPECT_TRUE(Eventually([&] { return second_ran.load(); }));
}

TEST_F(ManagerTest, RefusesInvalidControllerOptions) {
  manager_.Add(Maps({.name = "maps", .max_concurrent_reconciles = 0}).Reconciles(MakeSecret));
  EXPECT_EQ(manager_.Run({}).error().message(),
            "controller \"maps\": maxConcurrentReconciles must be at least 1");

  Manager busy(Options());
  busy.Add(
      Maps({.name = "maps", .resync_period = std::chrono::nanoseconds(1)}).Reconciles(MakeSecret));
  EXPECT_THAT(busy.Run({}).error().message(), HasSubstr("resyncPeriod must be at least 1s"));

  Manager twice(Options());
  twice.Add(Maps().Reconciles(MakeSecret));
  twice.Add(Maps().Reconciles(MakeSecret));
  EXPECT_THAT(twice.Run({}).error().message(), HasSubstr("two controllers have the name \"maps\""));

  Manager waits(Options());
  waits.Add(Maps().WaitFor("nobody").Reconciles(MakeSecret));
  EXPECT_THAT(waits.Run({}).error().message(), HasSubstr("waits for controller \"nobody\""));

  Manager circle(Options());
  circle.Add(Maps({.name = "a"}).WaitFor("b").Reconciles(MakeSecret));
  circle.Add(Maps({.name = "b"}).WaitFor("c").Reconciles(MakeSecret));
  circle.Add(Maps({.name = "c"}).WaitFor("d").WaitFor("b").Reconciles(MakeSecret));
  circle.Add(Maps({.name = "d"}).Reconciles(MakeSecret));
  EXPECT_EQ(circle.Run({}).error().message(),
            "controllers wait for each other and would never start: b waits for c waits for b");

  Manager idle(Options());
  idle.Add(Maps());
  EXPECT_THAT(idle.Run({}).error().message(), HasSubstr("Reconciles()"));
}

TEST_F(ManagerTest, FailsWhenCachesDoNotSync) {
  ManualClock manual;
  const auto weak = server_.NewClient({.name = "nobody"});
  ManagerOptions options = Options();
  options.client = weak.get();
  options.clock = &manual;
  Manager manager(options);
  manager.Add(Maps().Reconciles(MakeSecret));
  Result<void> ended;
  std::stop_source stop;
  {
    const std::jthread run([&] { ended = manager.Run(stop.get_token()); });
    // The reflector's backoff, and the time limit.
    manual.WaitForSleepers(2);
    manual.Advance(std::chrono::minutes(5));
  }
  ASSERT_FALSE(ended.ok());
  EXPECT_THAT(ended.error().message(), HasSubstr("that this user may list and watch"));
}

TEST_F(ManagerTest, ARunnableThatEndsEndsTheManager) {
  std::atomic<bool> other_stopped = false;
  manager_.Add(
      Runnable{.name = "steady", .needs_leader_election = false, .run = [&](std::stop_token stop) {
                 WaitForStop(stop);
                 other_stopped = true;
                 return Result<void>();
               }});
  manager_.Add(Runnable{.name = "short", .run = [](std::stop_token) -> Result<void> {
                          return Error::Internal("no disk");
                        }});
  std::stop_source stop;
  const Result<void> ended = manager_.Run(stop.get_token());
  ASSERT_FALSE(ended.ok());
  EXPECT_EQ(ended.error().message(), "short: no disk");
  EXPECT_TRUE(other_stopped);
}

TEST_F(ManagerTest, OneOfTwoReplicasWorksAndTheOtherTakesOver) {
  ManagerOptions options = Options();
  options.leader_election = LeaderElectionOptions{.name = "maps", .namespace_name = "default"};
  std::atomic<int> first_calls = 0;
  std::atomic<int> second_calls = 0;
  const auto count = [&](std::atomic<int>& calls) {
    return Maps().Reconciles([&calls](ReconcileContext&, const ConfigMap&) -> Result<Outcome> {
      ++calls;
      return Outcome::Done();
    });
  };
  Manager first(options);
  first.Add(count(first_calls));
  Manager second(options);
  second.Add(count(second_calls));
  ASSERT_TRUE(Create("a"));
  std::jthread first_thread([&](std::stop_token stop) { EXPECT_TRUE(first.Run(stop).ok()); });
  ASSERT_TRUE(Eventually([&] { return first_calls > 0; }));
  std::jthread second_thread([&](std::stop_token stop) { EXPECT_TRUE(second.Run(stop).ok()); });
  ASSERT_TRUE(Eventually([&] { return second.Readiness().ok(); }));
  EXPECT_TRUE(first.IsLeader());
  EXPECT_EQ(second_calls, 0);
  first_thread = {};
  EXPECT_TRUE(Eventually([&] { return second_calls > 0; }));
  EXPECT_TRUE(second.IsLeader());
}

TEST_F(ManagerTest, TheLeaseMayHaveItsOwnClient) {
  FaultyClient busy(server_.client(), {});
  busy.AddRule(
      {.plural = "leases", .fault = {.error = Error::TooManyRequests("later", seconds(1))}});
  ManagerOptions options = Options();
  options.client = &busy;
  options.leader_election =
      LeaderElectionOptions{.namespace_name = "default", .client = &server_.client()};
  Manager manager(options);
  const std::jthread thread([&](std::stop_token stop) { EXPECT_TRUE(manager.Run(stop).ok()); });
  EXPECT_TRUE(Eventually([&] { return manager.IsLeader(); }));
}

// Two managers of which one leads, by a lease whose client can be cut off.
class TwoReplicasTest : public ManagerTest {
 protected:
  ManagerOptions ReplicaOptions(Client& lease_client) {
    ManagerOptions options = Options();
    options.leader_election = LeaderElectionOptions{.name = "maps",
                                                    .namespace_name = "default",
                                                    .lease_duration = seconds(6),
                                                    .renew_deadline = seconds(4),
                                                    .retry_period = milliseconds(200),
                                                    .client = &lease_client};
    return options;
  }
  void CutTheLease() {
    lease_client_.Set([](auto&, auto&) -> Result<SharedBytes> {
      return Error::ServiceUnavailable("no route to host");
    });
  }

  InterceptedClient lease_client_{server_.client()};
};

TEST_F(TwoReplicasTest, AReconcileOfAShutdownEndsBeforeAnotherReplicaLeads) {
  std::atomic<bool> begun = false;
  std::atomic<bool> told = false;
  std::atomic<bool> refused = false;
  Manager first(ReplicaOptions(lease_client_));
  first.Add(
      Maps().Reconciles([&](ReconcileContext& context, const ConfigMap& map) -> Result<Outcome> {
        if (map.metadata.name != "a") return Outcome::Done();
        begun = true;
        WaitForStop(context.stop);
        refused = !context.client.Create(MapOf("too-late")).ok();
        told = true;
        return Outcome::Done();
      }));
  std::atomic<bool> second_led = false;
  std::atomic<bool> both = false;
  Manager second(ReplicaOptions(server_.client()));
  second.Add(Maps().Reconciles([&](ReconcileContext&, const ConfigMap&) -> Result<Outcome> {
    if (!told) both = true;
    second_led = true;
    return Outcome::Done();
  }));
  ASSERT_TRUE(Create("a"));
  Result<void> ended;
  std::jthread first_thread([&](std::stop_token stop) { ended = first.Run(stop); });
  ASSERT_TRUE(Eventually([&] { return begun.load(); }));
  const std::jthread second_thread(
      [&](std::stop_token stop) { EXPECT_TRUE(second.Run(stop).ok()); });
  first_thread.request_stop();
  ASSERT_TRUE(Eventually([&] { return !first.Health().ok(); }));
  EXPECT_FALSE(told);
  CutTheLease();
  EXPECT_TRUE(Eventually([&] { return second_led.load(); }));
  EXPECT_FALSE(both);
  EXPECT_TRUE(refused);
  first_thread.join();
  EXPECT_THAT(ended.error().message(), HasSubstr("leader election lost"));
}

TEST_F(TwoReplicasTest, ReportsAStuckReconcileWhenTheLeaseIsLost) {
  std::atomic<bool> begun = false;
  std::atomic<bool> hangs = false;
  ManagerOptions options = ReplicaOptions(lease_client_);
  options.on_stuck_work = [&](const Error& lost) {
    EXPECT_THAT(lost.message(), HasSubstr("leader election lost"));
    hangs = true;
  };
  Manager manager(options);
  manager.Add(Maps().Reconciles([&](ReconcileContext&, const ConfigMap&) -> Result<Outcome> {
    begun = true;
    while (!hangs) std::this_thread::yield();
    return Outcome::Done();
  }));
  ASSERT_TRUE(Create("a"));
  const std::jthread thread([&](std::stop_token stop) { EXPECT_FALSE(manager.Run(stop).ok()); });
  ASSERT_TRUE(Eventually([&] { return begun.load(); }));
  CutTheLease();
  EXPECT_TRUE(Eventually([&] { return hangs.load(); }));
  hangs = true;
}

// With a clock that is moved by hand.
class TimedManagerTest : public ManagerTest {
 protected:
  // What sleeps once the manager is idle: the manager, until it looks for reconciles that hang, and
  // a worker, until a key is due.
  void AdvanceWhen(int sleepers, std::chrono::nanoseconds time) {
    manual_.WaitForSleepers(sleepers);
    manual_.Advance(time);
  }

  ManualClock manual_;
};

TEST_F(TimedManagerTest, RequeuesAfterTheReturnedTime) {
  ManagerOptions options = Options();
  options.clock = &manual_;
  Manager manager(options);
  std::atomic<int> calls = 0;
  manager.Add(Maps({.name = "maps", .resync_period = seconds(0)})
                  .WithPredicates(MatchesLabels(*Selector::Parse("me")))
                  .Reconciles([&](ReconcileContext&, const ConfigMap&) -> Result<Outcome> {
                    ++calls;
                    return Outcome::RequeueAfter(std::chrono::minutes(10));
                  }));
  ConfigMap map = MapOf("a");
  map.metadata.labels["me"] = "";
  ASSERT_TRUE(client().Create(map).ok());
  std::jthread thread([&](std::stop_token stop) { EXPECT_TRUE(manager.Run(stop).ok()); });
  ASSERT_TRUE(Eventually([&] { return calls == 1; }));
  // The worker waits for the key that is due.
  AdvanceWhen(2, std::chrono::minutes(9));
  EXPECT_EQ(calls, 1);
  manual_.Advance(std::chrono::minutes(1));
  EXPECT_TRUE(Eventually([&] { return calls == 2; }));
}

TEST_F(TimedManagerTest, ResyncsPeriodically) {
  ManagerOptions options = Options();
  options.clock = &manual_;
  Manager manager(options);
  std::atomic<int> calls = 0;
  manager.Add(Maps({.name = "maps", .resync_period = std::chrono::hours(10)})
                  .WithPredicates(MatchesLabels(*Selector::Parse("me")))
                  .Reconciles([&](ReconcileContext&, const ConfigMap&) -> Result<Outcome> {
                    ++calls;
                    return Outcome::Done();
                  }));
  ConfigMap map = MapOf("a");
  map.metadata.labels["me"] = "";
  ASSERT_TRUE(client().Create(map).ok());
  std::jthread thread([&](std::stop_token stop) { EXPECT_TRUE(manager.Run(stop).ok()); });
  ASSERT_TRUE(Eventually([&] { return calls == 1; }));
  AdvanceWhen(1, std::chrono::hours(8));
  EXPECT_EQ(calls, 1);
  AdvanceWhen(1, std::chrono::hours(3));
  EXPECT_TRUE(Eventually([&] { return calls == 2; }));
}

TEST_F(TimedManagerTest, StopsAReconcileAtItsTimeout) {
  ManagerOptions options = Options();
  options.clock = &manual_;
  Manager manager(options);
  std::atomic<bool> waiting = false;
  std::atomic<bool> told = false;
  manager.Add(
      Maps({.name = "maps", .reconcile_timeout = seconds(30), .resync_period = seconds(0)})
          .Reconciles([&](ReconcileContext& context, const ConfigMap& map) -> Result<Outcome> {
            if (map.metadata.name != "a" || told) return Outcome::Done();
            waiting = true;
            WaitForStop(context.stop);
            told = true;
            return Error::Timeout("took too long");
          }));
  ASSERT_TRUE(Create("a"));
  std::jthread thread([&](std::stop_token stop) { EXPECT_TRUE(manager.Run(stop).ok()); });
  ASSERT_TRUE(Eventually([&] { return waiting.load(); }));
  manual_.Advance(seconds(29));
  EXPECT_FALSE(told);
  manual_.Advance(seconds(1));
  EXPECT_TRUE(Eventually([&] { return told.load(); }));
}

TEST_F(TimedManagerTest, AReconcileThatHangsIsShownAndDoesNotOutliveTheShutdown) {
  ManagerOptions options = Options();
  options.clock = &manual_;
  options.log = Logger({.level = LogLevel::kDebug, .sink = &log_, .clock = &manual_});
  std::atomic<bool> begun = false;
  std::atomic<bool> let_go = false;
  Mutex mutex;
  std::string hanging;
  options.on_stuck_work = [&](const Error& error) {
    MutexLock lock(mutex);
    hanging = error.message();
    let_go = true;
  };
  Manager manager(options);
  manager.Add(
      Maps().Reconciles([&](ReconcileContext& context, const ConfigMap&) -> Result<Outcome> {
        if (context.key.name != "a") return Outcome::Done();
        begun = true;
        while (!let_go) std::this_thread::yield();
        return Outcome::Done();
      }));
  ASSERT_TRUE(Create("a"));
  std::jthread thread([&](std::stop_token stop) { (void)manager.Run(stop).ok(); });
  ASSERT_TRUE(Eventually([&] { return begun.load(); }));
  const auto logged = [&] {
    for (const std::string& line : log_.Lines()) {
      if (line.find("reconcile is still running") != std::string::npos &&
          line.find("default/a") != std::string::npos) {
        return true;
      }
    }
    return false;
  };
  EXPECT_TRUE(Eventually([&] {
    manual_.Advance(std::chrono::minutes(1));
    return logged();
  }));
  EXPECT_THAT(WriteJson(manager.Reconciles()), HasSubstr(R"("result":"running")"));
  EXPECT_THAT(manager.metrics().Collect(),
              ::testing::ContainsRegex("\ncontroller_reconcile_longest_running_seconds"
                                       "\\{controller=\"maps\"\\} [1-9][0-9]+\n"));
  const auto told = manual_.MonotonicNow();
  thread.request_stop();
  ASSERT_TRUE(Eventually([&] {
    manual_.Advance(seconds(1));
    return let_go.load();
  }));
  EXPECT_GE(manual_.MonotonicNow() - told, seconds(40));
  thread.join();
  MutexLock lock(mutex);
  EXPECT_THAT(hanging, AllOf(HasSubstr("40s after it was stopped"),
                             HasSubstr("controller \"maps\" has been reconciling default/a")));
}

TEST_F(TimedManagerTest, ARunnableThatHangsDoesNotOutliveTheShutdown) {
  ManagerOptions options = Options();
  options.clock = &manual_;
  std::atomic<bool> let_go = false;
  options.on_stuck_work = [&](const Error&) { let_go = true; };
  for (const bool needs_leader_election : {false, true}) {
    let_go = false;
    std::atomic<bool> begun = false;
    Manager manager(options);
    manager.Add(Runnable{.name = "deaf",
                         .needs_leader_election = needs_leader_election,
                         .run = [&](std::stop_token) -> Result<void> {
                           begun = true;
                           while (!let_go) std::this_thread::yield();
                           return {};
                         }});
    std::jthread thread([&](std::stop_token stop) { EXPECT_TRUE(manager.Run(stop).ok()); });
    ASSERT_TRUE(Eventually([&] { return begun.load(); }));
    thread.request_stop();
    ASSERT_TRUE(Eventually([&] {
      manual_.Advance(seconds(1));
      return let_go.load();
    }));
  }
}

TEST_F(TimedManagerTest, RefusesCallsAfterTheReconcileTimeout) {
  ManagerOptions options = Options();
  options.clock = &manual_;
  Manager manager(options);
  std::atomic<bool> waiting = false;
  std::atomic<int> refused = 0;
  manager.Add(
      Maps({.name = "maps", .reconcile_timeout = seconds(30), .resync_period = seconds(0)})
          .Reconciles([&](ReconcileContext& context, const ConfigMap& map) -> Result<Outcome> {
            if (map.metadata.name != "a" || waiting.exchange(true)) return Outcome::Done();
            WaitForStop(context.stop);
            if (!context.client.Create(MapOf("b")).ok()) ++refused;
            if (!context.client.Delete<ConfigMap>(context.key).ok()) ++refused;
            return context.client.Update(map).error();
          }));
  ASSERT_TRUE(Create("a"));
  std::jthread thread([&](std::stop_token stop) { EXPECT_TRUE(manager.Run(stop).ok()); });
  ASSERT_TRUE(Eventually([&] { return waiting.load(); }));
  manual_.Advance(seconds(30));
  EXPECT_TRUE(Eventually([&] { return refused == 2; }));
  EXPECT_TRUE(client().Get<ConfigMap>({"default", "a"}).ok());
  EXPECT_TRUE(client().Get<ConfigMap>({"default", "b"}).error().IsNotFound());
}

// What its reconcilers return decides when they run again, by a clock that is moved by hand.
class RetryTest : public TimedManagerTest {
 protected:
  // Reconciles the map "a" until the test is over.
  void Start(ControllerOptions options, std::function<Result<Outcome>()> reconcile) {
    options.name = "maps";
    options.resync_period = seconds(0);
    ManagerOptions manager_options = Options();
    manager_options.clock = &manual_;
    timed_.emplace(manager_options);
    timed_->Add(Maps(options).Reconciles(
        [this, reconcile](ReconcileContext& context, const ConfigMap& map) -> Result<Outcome> {
          if (map.metadata.name != "a") return Outcome::Done();
          failures_ = context.failures;
          ++calls_;
          return reconcile();
        }));
    ASSERT_TRUE(Create("a"));
    timed_thread_ = std::jthread([this](std::stop_token stop) { (void)timed_->Run(stop).ok(); });
    ExpectCalls(1);
  }
  void ExpectCalls(int calls) {
    EXPECT_TRUE(Eventually([&] { return calls_ == calls; })) << calls_;
  }

  std::atomic<int> calls_ = 0;
  std::atomic<int> failures_ = 0;
  std::optional<Manager> timed_;
  std::jthread timed_thread_;
};

TEST_F(RetryTest, RetryAfterDoesNotShortenTheDelay) {
  Start({.rate_limiter = {.base_delay = seconds(10), .qps = 0}},
        [] { return Error::TooManyRequests("later", seconds(0)); });
  AdvanceWhen(2, seconds(9));
  EXPECT_EQ(calls_, 1);
  manual_.Advance(seconds(1));
  ExpectCalls(2);
  EXPECT_EQ(failures_, 1);
}

TEST_F(RetryTest, RetryAfterIsLimitedByMaxDelay) {
  Start({.rate_limiter = {.base_delay = seconds(1), .max_delay = seconds(20), .qps = 0}},
        [] { return Error::TooManyRequests("tomorrow", std::chrono::hours(24)); });
  AdvanceWhen(2, seconds(19));
  EXPECT_EQ(calls_, 1);
  manual_.Advance(seconds(1));
  ExpectCalls(2);
  EXPECT_EQ(failures_, 1);
}

TEST_F(RetryTest, AtOnceAndShorterThanTheBaseDelayMeanAfterGrowingDelays) {
  Start({.rate_limiter = {.base_delay = seconds(10), .qps = 0}}, [this] {
    return Outcome::RequeueAfter(calls_ == 1 ? std::chrono::nanoseconds(1) : seconds(-1));
  });
  AdvanceWhen(2, seconds(9));
  EXPECT_EQ(calls_, 1);
  manual_.Advance(seconds(1));
  ExpectCalls(2);
  AdvanceWhen(2, seconds(19));
  EXPECT_EQ(calls_, 2);
  manual_.Advance(seconds(1));
  ExpectCalls(3);
}

}  // namespace
}  // namespace kubexms
