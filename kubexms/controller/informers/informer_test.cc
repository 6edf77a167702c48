#include "kubexms/controller/informers/informer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/apiserver/test_server.h"
#include "kubexms/base/threads/stop.h"
#include "kubexms/client/no_response.h"
#include "kubexms/controller/informers/cached_config_map_test.h"
#include "kubexms/controller/informers/informer_set.h"
#include "kubexms/controller/testing/eventually_test.h"
#include "kubexms/controller/testing/intercepted_client_test.h"

namespace kubexms {
namespace {

using corev1::ConfigMap;
using ::testing::ElementsAre;
using Type = CacheEvent::Type;

ConfigMap MapOf(const std::string& name, const StringMap& labels = {}) {
  ConfigMap map;
  map.metadata.name = name;
  map.metadata.namespace_name = "default";
  map.metadata.labels = labels;
  return map;
}

// The events of a handler, in order: "+a" for an addition, "~a" for an update, "-a" for a deletion,
// with "?" for one that was noticed late and "=" for a resync.
class Journal {
 public:
  EventHandler Handler() {
    return [this](const CacheEvent& event) {
      if (event.object.metadata->name == "kube-root-ca.crt") return;
      std::string text = event.type == Type::kAdd ? "+" : event.type == Type::kDelete ? "-" : "~";
      if (event.resync) text = "=";
      if (event.final_state_unknown) text += "?";
      MutexLock lock(mutex_);
      told_.push_back(text + event.object.metadata->name);
    };
  }
  std::vector<std::string> told() const {
    MutexLock lock(mutex_);
    return told_;
  }
  bool Has(const std::string& text) const {
    const auto all = told();
    return std::find(all.begin(), all.end(), text) != all.end();
  }

 private:
  mutable Mutex mutex_;
  std::vector<std::string> told_ GUARDED_BY(mutex_);
};

// A real server, and an informer of its ConfigMaps that runs.
class InformerTest : public ::testing::Test {
 protected:
  InformerOptions Options() {
    const BackoffOptions backoff{.first = std::chrono::milliseconds(1),
                                 .limit = std::chrono::milliseconds(20)};
    return {.form = FormOf<ConfigMap>(&StripManagedFields<ConfigMap>),
            .scope = {.namespace_name = "default"},
            .cache = {.reflector = {.backoff = backoff}}};
  }
  Informer::Environment Environment() { return {server_.client(), clock_, random_, {}, &metrics_}; }

  void Start(InformerOptions options) {
    informer_ = std::make_unique<Informer>(std::move(options), Environment());
    informer_->AddHandler(journal_.Handler());
    thread_ = std::jthread([this](std::stop_token stop) { informer_->Run(stop); });
    ASSERT_TRUE(informer_->WaitForSync(wait_.get_token()));
  }
  // The value of a metric about ConfigMaps.
  std::string Measured(const std::string& name, const std::string& scope) {
    const std::string series =
        name + R"({group="",resource="configmaps",scope=")" + scope + R"(",version="v1"} )";
    const std::string text = metrics_.Collect();
    const size_t at = text.find("\n" + series);
    if (at == std::string::npos) return "none in " + text;
    const size_t begin = at + 1 + series.size();
    return text.substr(begin, text.find('\n', begin) - begin);
  }
  Lister<ConfigMap> Maps() { return Lister<ConfigMap>(informer_->cache()); }
  Client& client() { return server_.client(); }

  TestServer server_;
  SystemClock clock_;
  SeededRandom random_{1};
  MetricsRegistry metrics_;
  std::stop_source wait_;
  Journal journal_;
  std::unique_ptr<Informer> informer_;
  std::jthread thread_;
};

TEST_F(InformerTest, ListsAndWatches) {
  ASSERT_TRUE(client().Create(MapOf("before")).ok());
  Start(Options());
  EXPECT_TRUE(informer_->HasSynced());
  ASSERT_NE(Maps().Get({"default", "before"}), nullptr);
  ASSERT_TRUE(client().Create(MapOf("after")).ok());
  ASSERT_TRUE(client().Delete<ConfigMap>({"default", "before"}).ok());
  ASSERT_TRUE(Eventually([&] { return journal_.told().size() == 3; }));
  EXPECT_THAT(journal_.told(), ElementsAre("+before", "+after", "-before"));
  EXPECT_EQ(Maps().Get({"default", "before"}), nullptr);
  EXPECT_TRUE(Maps().Get({"default", "after"})->metadata.managed_fields.empty());
}

TEST_F(InformerTest, ItsMetricOfTheVersionFollowsTheWatch) {
  Start(Options());
  const auto measured = [&] {
    return Measured("informer_store_resource_version", "namespace default");
  };
  const auto created = client().Create(MapOf("a"));
  ASSERT_TRUE(created.ok());
  EXPECT_TRUE(Eventually([&] {
    return std::stod(measured()) >= std::stod(created->metadata.resource_version);
  })) << measured();
  const double before = std::stod(measured());
  ASSERT_TRUE(client().Delete<ConfigMap>({"default", "a"}).ok());
  EXPECT_TRUE(Eventually([&] { return std::stod(measured()) > before; })) << measured();
}

TEST_F(InformerTest, ADeletionDeliversTheLastKnownState) {
  ASSERT_TRUE(client().Create(MapOf("a")).ok());
  Start(Options());
  const CachedObject known = informer_->cache().Get({"default", "a"});
  Mutex mutex;
  CachedObject last;
  const auto id = informer_->AddHandler([&](const CacheEvent& event) {
    MutexLock lock(mutex);
    if (event.type == Type::kDelete) last = event.object;
  });
  ASSERT_TRUE(client().Delete<ConfigMap>({"default", "a"}).ok());
  ASSERT_TRUE(Eventually([&] { return journal_.Has("-a"); }));
  informer_->RemoveHandler(id);
  EXPECT_EQ(last.value, known.value);
  EXPECT_GT(last.version, known.version);
}

TEST_F(InformerTest, OccupiesAThreadOnlyWhileItWorks) {
  ElasticThreads threads({.idle_timeout = std::chrono::nanoseconds(1)});
  const auto informer = std::make_shared<Informer>(Options(), Environment());
  informer->AddHandler(journal_.Handler());
  const auto runner = std::make_shared<InformerRunner>(informer, threads);
  runner->Start();
  ASSERT_TRUE(informer->WaitForSync(wait_.get_token()));
  EXPECT_TRUE(Eventually([&] { return threads.size() == 0; }));
  ASSERT_TRUE(client().Create(MapOf("a")).ok());
  EXPECT_TRUE(Eventually([&] { return journal_.Has("+a"); }));
  server_.DropWatches();
  ASSERT_TRUE(client().Create(MapOf("b")).ok());
  EXPECT_TRUE(Eventually([&] { return journal_.Has("+b"); }));
  EXPECT_TRUE(Eventually([&] { return threads.size() == 0; }));
  informer->Stop();
  runner->AwaitEnd();
}

TEST_F(InformerTest, ResumesALostWatchWithoutRelisting) {
  Start(Options());
  ASSERT_TRUE(Eventually([&] { return informer_->stats().watches == 1; }));
  ASSERT_TRUE(client().Create(MapOf("watched")).ok());
  ASSERT_TRUE(Eventually([&] { return journal_.Has("+watched"); }));
  server_.DropWatches();
  ASSERT_TRUE(client().Create(MapOf("a")).ok());
  ASSERT_TRUE(Eventually([&] { return journal_.Has("+a"); }));
  EXPECT_EQ(informer_->stats().lists, 1u);
  EXPECT_TRUE(Eventually([&] { return informer_->stats().watches >= 2; }));
}

// Loses the watch and the history at once, so that what happened in between is never told.
class LostHistoryClient final : public ClientDecorator {
 public:
  using ClientDecorator::ClientDecorator;

  Result<std::unique_ptr<ObjectWatch>> OpenWatch(const ClientRequest& request) override {
    MutexLock lock(mutex_);
    while (held_ && !request.stop.stop_requested()) changed_.Wait(mutex_);
    ++opened_;
    return ClientDecorator::OpenWatch(request);
  }
  int opened() {
    MutexLock lock(mutex_);
    return opened_;
  }
  void Hold(bool held) {
    MutexLock lock(mutex_);
    held_ = held;
    changed_.NotifyAll();
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  bool held_ GUARDED_BY(mutex_) = false;
  int opened_ GUARDED_BY(mutex_) = 0;
};

TEST_F(InformerTest, RelistsAfter410AndDeliversMissedEvents) {
  ASSERT_TRUE(client().Create(MapOf("stays")).ok());
  ASSERT_TRUE(client().Create(MapOf("goes")).ok());
  LostHistoryClient gate(client());
  Informer::Environment environment{gate, clock_, random_, {}, &metrics_};
  informer_ = std::make_unique<Informer>(Options(), environment);
  informer_->AddHandler(journal_.Handler());
  thread_ = std::jthread([this](std::stop_token stop) { informer_->Run(stop); });
  ASSERT_TRUE(Eventually([&] { return gate.opened() == 1; }));
  gate.Hold(true);
  server_.DropWatches();
  ASSERT_TRUE(Eventually([&] { return informer_->stats().watches == 2; }));
  ASSERT_TRUE(client().Delete<ConfigMap>({"default", "goes"}).ok());
  ASSERT_TRUE(client().Create(MapOf("comes")).ok());
  server_.CompactNow();
  gate.Hold(false);
  ASSERT_TRUE(Eventually([&] { return journal_.Has("+comes"); }));
  EXPECT_THAT(journal_.told(), ElementsAre("+goes", "+stays", "-?goes", "+comes"));
  EXPECT_EQ(informer_->stats().lists, 2u);
  thread_ = {};
}

// One server, and from Switch() on another.
class SwitchedClient final : public Client {
 public:
  SwitchedClient(Client& first, Client& second) : first_(first), second_(second) {}
  void Switch() { switched_ = true; }

  Result<SharedBytes> Do(const ClientRequest& request) override { return Now().Do(request); }
  Result<ObjectPage> ListPage(const ClientRequest& request) override {
    return Now().ListPage(request);
  }
  Result<std::unique_ptr<ObjectWatch>> OpenWatch(const ClientRequest& request) override {
    return Now().OpenWatch(request);
  }
  Result<SharedBytes> GetPath(std::string_view path, std::stop_token stop) override {
    return Now().GetPath(path, std::move(stop));
  }

 private:
  Client& Now() { return switched_ ? second_ : first_; }

  Client& first_;
  Client& second_;
  std::atomic<bool> switched_ = false;
};

TEST_F(InformerTest, RelistsWhenTheResourceVersionRegressed) {
  TestServer restored;
  ASSERT_TRUE(restored.client().Create(MapOf("a", {{"from", "backup"}})).ok());
  ASSERT_TRUE(client().Create(MapOf("a")).ok());
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(client().Update(MapOf("a", {{"round", std::to_string(i)}})).ok());
  }
  ASSERT_TRUE(client().Create(MapOf("lost")).ok());
  SwitchedClient switched(client(), restored.client());
  informer_ = std::make_unique<Informer>(
      Options(), Informer::Environment{switched, clock_, random_, {}, &metrics_});
  informer_->AddHandler(journal_.Handler());
  thread_ = std::jthread([this](std::stop_token stop) { informer_->Run(stop); });
  ASSERT_TRUE(Eventually([&] { return journal_.Has("+lost"); }));
  switched.Switch();
  server_.DropWatches();
  ASSERT_TRUE(Eventually([&] { return journal_.Has("-?lost"); }));
  ASSERT_NE(Maps().Get({"default", "a"}), nullptr);
  EXPECT_TRUE(Maps().Get({"default", "a"})->metadata.labels.contains("from"));
  ASSERT_TRUE(restored.client().Create(MapOf("new")).ok());
  EXPECT_TRUE(Eventually([&] { return Maps().Get({"default", "new"}) != nullptr; }));
  thread_ = {};
}

TEST_F(InformerTest, DecodesAReusedVersionAgain) {
  std::atomic<bool> restored = false;
  InterceptedClient lists(client());
  lists.SetList([&](Client&, const ClientRequest&) -> Result<ObjectPage> {
    ObjectPage page{.resource_version = restored ? "900000" : "1000000"};
    page.items.emplace_back(
        ConfigMapJson({.version = 5, .labels = restored ? R"({"from":"backup"})" : "{}"}));
    return page;
  });
  informer_ = std::make_unique<Informer>(
      Options(), Informer::Environment{lists, clock_, random_, {}, &metrics_});
  informer_->AddHandler(journal_.Handler());
  thread_ = std::jthread([this](std::stop_token stop) { informer_->Run(stop); });
  ASSERT_TRUE(Eventually([&] { return journal_.Has("+a"); }));
  restored = true;
  ASSERT_TRUE(Eventually([&] { return journal_.Has("~a"); }));
  EXPECT_TRUE(Maps().Get({"default", "a"})->metadata.labels.contains("from"));
  thread_ = {};
}

// Decodes ConfigMaps, except those with this label.
Result<CachedObject> DecodeUnlessOdd(std::string_view json, void (*edit)()) {
  if (json.find(R"("odd":)") != std::string_view::npos) return Error::BadRequest("that is odd");
  return FormOf<ConfigMap>().decode(json, edit);
}

const StringMap kOdd = {{"odd", "yes"}};

class UnreadableTest : public InformerTest {
 protected:
  UnreadableTest() { options_.form.decode = &DecodeUnlessOdd; }

  // Everything from now on is unknown to the informer until Relist().
  void LoseHistory() {
    ASSERT_TRUE(Eventually([&] { return gate_.opened() == 1; }));
    gate_.Hold(true);
    server_.DropWatches();
    ASSERT_TRUE(Eventually([&] { return informer_->stats().watches == 2; }));
  }
  void Relist() {
    server_.CompactNow();
    gate_.Hold(false);
    ASSERT_TRUE(Eventually([&] { return informer_->stats().lists == 2; }));
    ASSERT_TRUE(Eventually([&] { return gate_.opened() == 3; }));
  }
  void StartBehindGate() {
    informer_ = std::make_unique<Informer>(
        options_, Informer::Environment{gate_, clock_, random_, {}, &metrics_});
    informer_->AddHandler(journal_.Handler());
    thread_ = std::jthread([this](std::stop_token stop) { informer_->Run(stop); });
    ASSERT_TRUE(informer_->WaitForSync(wait_.get_token()));
  }
  size_t Unreadable() { return informer_->UnreadableObjects().size(); }
  ~UnreadableTest() override { thread_ = {}; }

  LostHistoryClient gate_{server_.client()};
  InformerOptions options_ = Options();
};

TEST_F(UnreadableTest, DeliversAChangeOnceItCanBeDecoded) {
  ASSERT_TRUE(client().Create(MapOf("a", {{"round", "1"}})).ok());
  Start(options_);
  ASSERT_TRUE(client().Update(MapOf("a", kOdd)).ok());
  ASSERT_TRUE(Eventually([&] { return Unreadable() == 1; }));
  EXPECT_THAT(informer_->UnreadableObjects(), ElementsAre(ObjectKey{"default", "a"}));
  EXPECT_TRUE(informer_->Health().ok());  // whoever may write such an object must not end us
  EXPECT_EQ(Maps().Get({"default", "a"})->metadata.labels.at("round"), "1");
  ASSERT_TRUE(client().Update(MapOf("a", {{"round", "2"}})).ok());
  ASSERT_TRUE(Eventually([&] { return journal_.Has("~a"); }));
  EXPECT_EQ(Maps().Get({"default", "a"})->metadata.labels.at("round"), "2");
  EXPECT_EQ(Unreadable(), 0u);
  EXPECT_THAT(journal_.told(), ElementsAre("+a", "~a"));
}

TEST_F(UnreadableTest, ItsDeletionIsDelivered) {
  ASSERT_TRUE(client().Create(MapOf("a")).ok());
  ASSERT_TRUE(client().Create(MapOf("never-read", kOdd)).ok());
  Start(options_);
  EXPECT_THAT(informer_->UnreadableObjects(), ElementsAre(ObjectKey{"default", "never-read"}));
  ASSERT_TRUE(client().Update(MapOf("a", kOdd)).ok());
  ASSERT_TRUE(Eventually([&] { return Unreadable() == 2; }));
  ASSERT_TRUE(client().Delete<ConfigMap>({"default", "a"}).ok());
  ASSERT_TRUE(Eventually([&] { return journal_.Has("-a"); }));
  ASSERT_TRUE(client().Delete<ConfigMap>({"default", "never-read"}).ok());
  EXPECT_TRUE(Eventually([&] { return Unreadable() == 0; }));
  EXPECT_THAT(journal_.told(), ElementsAre("+a", "-a"));
}

TEST_F(UnreadableTest, IsRetainedByARelist) {
  ASSERT_TRUE(client().Create(MapOf("a")).ok());
  ASSERT_TRUE(client().Create(MapOf("anew")).ok());
  StartBehindGate();
  LoseHistory();
  ASSERT_TRUE(client().Update(MapOf("a", kOdd)).ok());
  ASSERT_TRUE(client().Delete<ConfigMap>({"default", "anew"}).ok());
  ASSERT_TRUE(client().Create(MapOf("anew", kOdd)).ok());
  Relist();
  EXPECT_THAT(journal_.told(), ElementsAre("+a", "+anew", "-?anew"));
  EXPECT_NE(Maps().Get({"default", "a"}), nullptr);
  EXPECT_EQ(Unreadable(), 2u);
  ASSERT_TRUE(client().Update(MapOf("a")).ok());
  ASSERT_TRUE(client().Update(MapOf("anew")).ok());
  ASSERT_TRUE(Eventually([&] { return journal_.Has("~a"); }));
  EXPECT_TRUE(Eventually([&] { return Unreadable() == 0; }));
  EXPECT_TRUE(Eventually([&] { return Maps().Get({"default", "anew"}) != nullptr; }));
}

TEST_F(InformerTest, StreamsItsInitialListIfTheServerSupportsIt) {
  ASSERT_TRUE(client().Create(MapOf("before")).ok());
  InformerOptions options = Options();
  options.cache.reflector.streaming_list = true;
  Start(options);
  EXPECT_TRUE(journal_.Has("+before"));
  ASSERT_TRUE(client().Create(MapOf("after")).ok());
  ASSERT_TRUE(Eventually([&] { return journal_.Has("+after"); }));
  EXPECT_EQ(informer_->stats().watches, 0u);  // the stream of the list goes on
}

TEST_F(InformerTest, CachesOnlyItsScope) {
  ASSERT_TRUE(client().Create(MapOf("front", {{"tier", "front"}})).ok());
  ASSERT_TRUE(client().Create(MapOf("back", {{"tier", "back"}})).ok());
  InformerOptions options = Options();
  options.scope.label_selector = *Selector::Parse("tier=front");
  Start(options);
  EXPECT_NE(Maps().Get({"default", "front"}), nullptr);
  EXPECT_EQ(Maps().Get({"default", "back"}), nullptr);
  ASSERT_TRUE(client().Update(MapOf("front", {{"tier", "back"}})).ok());
  ASSERT_TRUE(Eventually([&] { return journal_.Has("-front"); }));
}

TEST_F(InformerTest, ALateHandlerReceivesTheCachedObjects) {
  ASSERT_TRUE(client().Create(MapOf("a")).ok());
  Start(Options());
  Journal late;
  bool all_initial = true;
  informer_->AddHandler([&](const CacheEvent& event) {
    all_initial = all_initial && event.initial;
    late.Handler()(event);
  });
  EXPECT_THAT(late.told(), ElementsAre("+a"));
  EXPECT_TRUE(all_initial);
}

TEST_F(InformerTest, ARemovedHandlerIsNotCalledAgain) {
  Start(Options());
  Journal other;
  const auto id = informer_->AddHandler(other.Handler());
  ASSERT_TRUE(client().Create(MapOf("a")).ok());
  ASSERT_TRUE(Eventually([&] { return other.Has("+a"); }));
  informer_->RemoveHandler(id);
  ASSERT_TRUE(client().Create(MapOf("b")).ok());
  ASSERT_TRUE(Eventually([&] { return journal_.Has("+b"); }));
  EXPECT_FALSE(other.Has("+b"));
}

TEST_F(InformerTest, SurvivesHandlersThatThrow) {
  Start(Options());
  informer_->AddHandler([](const CacheEvent&) { throw std::runtime_error("no"); });
  informer_->AddHandler([](const CacheEvent&) { throw 7; });
  ASSERT_TRUE(client().Create(MapOf("a")).ok());
  ASSERT_TRUE(client().Create(MapOf("b")).ok());
  EXPECT_TRUE(Eventually([&] { return journal_.Has("+b"); }));
}

TEST_F(InformerTest, IsUnhealthyWhenItExceedsItsLimit) {
  InformerOptions options = Options();
  options.cache.max_bytes = 2000;
  Start(options);
  EXPECT_TRUE(informer_->Health().ok());
  ConfigMap large = MapOf("large");
  large.data["text"] = std::string(4000, 'x');
  ASSERT_TRUE(client().Create(large).ok());
  ASSERT_TRUE(Eventually([&] { return !informer_->Health().ok(); }));
  EXPECT_THAT(informer_->Health().error().message(), ::testing::HasSubstr("configmaps"));
  EXPECT_EQ(Maps().Get({"default", "large"}), nullptr);
  ASSERT_TRUE(client().Delete<ConfigMap>({"default", "large"}).ok());
  ASSERT_TRUE(client().Create(MapOf("small")).ok());
  EXPECT_TRUE(Eventually([&] { return Maps().Get({"default", "small"}) != nullptr; }));
  EXPECT_TRUE(informer_->Health().ok());
}

TEST_F(InformerTest, AFullCacheTakesChangesAndDeletions) {
  ConfigMap large = MapOf("large");
  large.data["text"] = std::string(4000, 'x');
  ASSERT_TRUE(client().Create(large).ok());
  InformerOptions options = Options();
  options.cache.max_bytes = 6000;
  Start(options);
  large.data["text"] = std::string(4000, 'y');
  ASSERT_TRUE(client().Update(large).ok());
  ASSERT_TRUE(Eventually([&] { return journal_.Has("~large"); }));
  ASSERT_TRUE(client().Delete<ConfigMap>({"default", "large"}).ok());
  ASSERT_TRUE(Eventually([&] { return journal_.Has("-large"); }));
  EXPECT_TRUE(informer_->Health().ok());
  EXPECT_EQ(informer_->stats().failures, 0u);
  EXPECT_EQ(informer_->stats().lists, 1u);
}

TEST_F(InformerTest, ResyncDeliversAllObjects) {
  ASSERT_TRUE(client().Create(MapOf("a")).ok());
  Start(Options());
  Journal asked;
  Journal not_asked;
  const Informer::HandlerId id = informer_->AddHandler(asked.Handler());
  informer_->AddHandler(not_asked.Handler());
  EXPECT_FALSE(asked.Has("=a"));
  informer_->Resync(id);
  EXPECT_TRUE(asked.Has("=a"));
  EXPECT_FALSE(not_asked.Has("=a"));
}

TEST_F(InformerTest, MeasuresItself) {
  ASSERT_TRUE(client().Create(MapOf("a")).ok());
  Start(Options());
  EXPECT_EQ(Measured("informer_objects", "namespace default"), "1");
  EXPECT_EQ(Measured("informer_bytes", "namespace default"),
            std::to_string(informer_->cache().bytes()));
}

TEST_F(InformerTest, InformersOfOneResourceAreMeasuredApart) {
  ASSERT_TRUE(client().Create(MapOf("a", {{"tier", "front"}})).ok());
  ASSERT_TRUE(client().Create(MapOf("b")).ok());
  InformerSet informers(Environment());
  const auto all = informers.Get<ConfigMap>();
  const auto front = informers.Get<ConfigMap>(
      {.namespace_name = "default", .label_selector = *Selector::Parse("tier")});
  const auto metadata = informers.Get(FormOf<MetadataObject>(ResourceType::Of<ConfigMap>()));
  std::jthread thread([&](std::stop_token stop) { informers.Run(stop); });
  ASSERT_TRUE(informers.WaitForSync(wait_.get_token()));
  EXPECT_EQ(Measured("informer_objects", ""), std::to_string(all->cache().size()));
  EXPECT_EQ(Measured("informer_objects", "namespace default, tier"), "1");
  EXPECT_EQ(Measured("informer_bytes", "namespace default, tier"),
            std::to_string(front->cache().bytes()));
  EXPECT_EQ(Measured("informer_bytes", "metadata only"), std::to_string(metadata->cache().bytes()));
}

// Two forms of one scope, such as one with another transform, add up.
TEST_F(InformerTest, ARemovedInformerHasNoMetrics) {
  ASSERT_TRUE(client().Create(MapOf("a")).ok());
  Start(Options());
  {
    Informer other(Options(), Environment());
    std::jthread thread([&](std::stop_token stop) { other.Run(stop); });
    ASSERT_TRUE(other.WaitForSync(wait_.get_token()));
    EXPECT_EQ(Measured("informer_objects", "namespace default"), "2");
  }
  EXPECT_EQ(Measured("informer_objects", "namespace default"), "1");
}

TEST_F(InformerTest, MetadataCachesKeepNothingElse) {
  ConfigMap map = MapOf("a", {{"x", "y"}});
  map.data["key"] = "value";
  ASSERT_TRUE(client().Create(map).ok());
  InformerOptions options = Options();
  options.form = FormOf<MetadataObject>(ResourceType::Of<ConfigMap>());
  Start(options);
  const auto object = Lister<MetadataObject>(informer_->cache()).Get({"default", "a"});
  ASSERT_NE(object, nullptr);
  EXPECT_EQ(object->metadata.labels.at("x"), "y");
  EXPECT_EQ(Encode(*object).find("value"), std::string::npos);
}

class InformerSetTest : public InformerTest {
 protected:
  InformerSet informers_{Environment()};
  CacheAwareClient aware_{server_.client(), informers_};
};

TEST_F(InformerSetTest, SharesInformersOfTheSameScope) {
  const auto one = informers_.Get<ConfigMap>();
  EXPECT_EQ(one, informers_.Get<ConfigMap>());
  EXPECT_NE(one, informers_.Get<ConfigMap>({.namespace_name = "default"}));
  EXPECT_NE(one, informers_.Get(FormOf<MetadataObject>(ResourceType::Of<ConfigMap>())));
}

TEST_F(InformerSetTest, ReadersSeeTheirOwnWritesAtOnce) {
  const auto informer = informers_.Get<ConfigMap>();
  std::jthread thread([&](std::stop_token stop) { informers_.Run(stop); });
  ASSERT_TRUE(informers_.WaitForSync(wait_.get_token()));
  const Lister<ConfigMap> maps(informer->cache());
  for (int i = 0; i < 200; ++i) {
    const std::string name = "m" + std::to_string(i);
    Result<ConfigMap> made = aware_.Create(MapOf(name));
    ASSERT_TRUE(made.ok());
    ASSERT_NE(maps.Get({"default", name}), nullptr);
    made->data["round"] = std::to_string(i);
    ASSERT_TRUE(aware_.Update(*made).ok());
    ASSERT_EQ(maps.Get({"default", name})->data.at("round"), std::to_string(i));
    ASSERT_TRUE(aware_.Patch<ConfigMap>({"default", name}, {.body = R"({"data":{"p":"q"}})"}).ok());
    ASSERT_TRUE(maps.Get({"default", name})->data.contains("p"));
    if (i % 2 == 0) {
      ASSERT_TRUE(aware_.Delete<ConfigMap>({"default", name}).ok());
      ASSERT_EQ(maps.Get({"default", name}), nullptr);
    }
  }
  EXPECT_TRUE(Eventually([&] { return maps.List("default").size() >= 100; }));
}

TEST_F(InformerSetTest, ADeletionHidesAnObjectOnlyIfItsResponseShowsThatItIsRemoved) {
  const auto informer = informers_.Get<ConfigMap>();
  const auto respond = [&](Verb verb, const std::string& name, const std::string& metadata) {
    ClientRequest request = Client::GetRequest(ResourceType::Of<ConfigMap>(), {"default", name});
    request.verb = verb;
    informers_.RecordWrite(request, R"({"metadata":{"namespace":"default","name":")" + name +
                                        R"(","uid":"uid-)" + name + R"(",)" + metadata + "}}");
  };
  const auto is_cached_after = [&](const std::string& name, const std::string& metadata) {
    respond(Verb::kCreate, name, R"("resourceVersion":"5")");
    EXPECT_TRUE(informer->cache().Get({"default", name})) << name;
    respond(Verb::kDelete, name, R"("resourceVersion":"6")" + metadata);
    return static_cast<bool>(informer->cache().Get({"default", name}));
  };
  const std::string marked = R"(,"deletionTimestamp":"2024-01-01T00:00:00Z")";
  EXPECT_FALSE(is_cached_after("last-state", ""));
  EXPECT_TRUE(is_cached_after("namespace", marked)) << "its finalizers are in its spec";
  EXPECT_TRUE(is_cached_after("graceful", marked + R"(,"deletionGracePeriodSeconds":30)"));
  EXPECT_FALSE(is_cached_after("grace-is-over", marked + R"(,"deletionGracePeriodSeconds":0)"));
  EXPECT_TRUE(is_cached_after(
      "finalizer", marked + R"(,"deletionGracePeriodSeconds":0,"finalizers":["example.io/a"])"));
}

const std::vector<ResourceType> kMaps = {ResourceType::Of<ConfigMap>()};

// Writes through a client that loses answers.
class PendingWriteTest : public InformerSetTest {
 protected:
  // The server applies writes, but the responses are lost.
  void LoseAnswers() {
    lossy_.Set([](Client& server, const ClientRequest& request) -> Result<SharedBytes> {
      (void)server.Do(request).ok();
      return Error::ServiceUnavailable("the connection was lost");
    });
  }
  // Nothing arrives.
  void Disconnect() {
    const Error error = Error::ServiceUnavailable("no route");
    lossy_.Set([error](auto&, auto&) { return Result<SharedBytes>(error); });
    Blind();
  }
  void Blind() {
    const Error error = Error::ServiceUnavailable("no route");
    lossy_.SetList([error](auto&, auto&) { return Result<ObjectPage>(error); });
  }
  void Reconnect() {
    lossy_.Set({});
    lossy_.SetList({});
  }
  Result<void> Delete(const ConfigMap& map) {
    DeleteOptions only_this;
    only_this.preconditions.emplace().uid = map.metadata.uid;
    return client_.Delete<ConfigMap>(ObjectKey::Of(map.metadata), only_this);
  }
  bool IsShown(const std::string& name) const {
    return static_cast<bool>(informer_->cache().Get({"default", name}));
  }

  InterceptedClient lossy_{server_.client()};
  CacheAwareClient client_{lossy_, informers_};
  const std::shared_ptr<Informer> informer_ = informers_.Get<ConfigMap>();
};

TEST_F(PendingWriteTest, IsResolvedAtOnce) {
  LoseAnswers();
  EXPECT_FALSE(client_.Create(MapOf("a")).ok());
  EXPECT_TRUE(IsShown("a"));
  Reconnect();
  EXPECT_TRUE(client_.Create(MapOf("b")).ok());
}

// A status that tells what is there must know of it: no write of whoever decides by what the cache
// shows comes first, of whatever kind.
TEST_F(PendingWriteTest, IsResolvedBeforeTheNextWrite) {
  LoseAnswers();
  Blind();
  EXPECT_FALSE(client_.Create(MapOf("a")).ok());
  lossy_.Set({});
  const ClientRequest other =
      Client::DeleteRequest(ResourceType::Of<corev1::Secret>(), {"default", "of-another-kind"});
  const auto write = [&] { return client_.DoWithReadSet(kMaps, other).error(); };
  EXPECT_TRUE(client_.Do(other).error().IsNotFound());  // whoever does not, need not wait
  EXPECT_THAT(write().message(), testing::HasSubstr("resolve a pending write of configmaps \"a\""));
  Reconnect();
  EXPECT_FALSE(IsShown("a"));
  const Error unknown = write();
  EXPECT_THAT(unknown.message(), testing::HasSubstr("write of configmaps \"a\" was applied"));
  EXPECT_TRUE(unknown.IsTransient());
  EXPECT_FALSE(unknown.IsConflict());  // it is no news that is still to come
  EXPECT_TRUE(IsShown("a"));
  // Now it is known.
  EXPECT_TRUE(write().IsNotFound());
}

TEST_F(PendingWriteTest, OrBeforeTheNextReconcile) {
  LoseAnswers();
  Blind();
  EXPECT_FALSE(client_.Create(MapOf("a")).ok());
  EXPECT_TRUE(client_.ResolvePendingWrites({}, {}).ok());
  EXPECT_FALSE(client_.ResolvePendingWrites(kMaps, {}).ok());
  EXPECT_FALSE(client_.Create(MapOf("b")).ok());
  Reconnect();
  EXPECT_EQ(client_.ResolvePendingWrites(kMaps, {}).value(), "configmaps \"a\"");
  EXPECT_TRUE(IsShown("a"));
  EXPECT_EQ(client_.ResolvePendingWrites(kMaps, {}).value(), "");
  EXPECT_TRUE(client_.Create(MapOf("b")).ok());
}

TEST_F(PendingWriteTest, ADefiniteErrorIsNotPending) {
  Blind();
  lossy_.Set(
      [](auto&, auto&) -> Result<SharedBytes> { return Error::Internal("the webhook failed"); });
  EXPECT_FALSE(client_.Create(MapOf("a")).ok());
  lossy_.Set({});
  EXPECT_TRUE(client_.Create(MapOf("b")).ok());
  // But the server may have applied a canceled call.
  lossy_.Set([](Client& server, const ClientRequest& request) -> Result<SharedBytes> {
    (void)server.Do(request).ok();
    return Error(499, "Canceled", "the call was canceled");
  });
  EXPECT_FALSE(client_.Create(MapOf("c")).ok());
  Reconnect();
  EXPECT_EQ(client_.ResolvePendingWrites(kMaps, {}).value(), "configmaps \"c\"");
}

TEST_F(PendingWriteTest, GivesUpAfterErrorsOfTheServer) {
  ManualClock clock;
  InformerSet informers({lossy_, clock, random_, Logger(), nullptr});
  const auto informer = informers.Get<ConfigMap>();
  CacheAwareClient client(lossy_, informers);
  LoseAnswers();
  Error answer = NoResponse(Error::ServiceUnavailable("no route"));
  lossy_.SetList([&](auto&, auto&) { return Result<ObjectPage>(answer); });
  EXPECT_FALSE(client.Create(MapOf("a")).ok());
  clock.Advance(std::chrono::hours(1));
  EXPECT_FALSE(client.ResolvePendingWrites(kMaps, {}).ok());
  EXPECT_FALSE(client.ResolvePendingWrites(kMaps, {}).ok());
  answer = Error::Internal("the webhook failed");
  EXPECT_FALSE(client.ResolvePendingWrites(kMaps, {}).ok());
  EXPECT_TRUE(client.ResolvePendingWrites(kMaps, {}).ok());

  EXPECT_FALSE(client.Create(MapOf("b")).ok());
  clock.Advance(std::chrono::seconds(29));
  EXPECT_FALSE(client.ResolvePendingWrites(kMaps, {}).ok());
  EXPECT_FALSE(client.ResolvePendingWrites(kMaps, {}).ok());
  clock.Advance(std::chrono::seconds(1));
  EXPECT_FALSE(client.ResolvePendingWrites(kMaps, {}).ok());
  EXPECT_TRUE(client.ResolvePendingWrites(kMaps, {}).ok());
}

TEST_F(PendingWriteTest, WaitingThreadsShareTheResult) {
  LoseAnswers();
  Blind();
  EXPECT_FALSE(client_.Create(MapOf("a")).ok());
  Reconnect();
  std::atomic<int> questions = 0;
  std::stop_source answered;
  lossy_.SetList([&](auto&, auto&) -> Result<ObjectPage> {
    ++questions;
    WaitForStop(answered.get_token());
    return NoResponse(Error::Timeout("no answer in time"));
  });
  std::atomic<int> waiting = 0;
  std::atomic<int> failed = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      ++waiting;
      if (!client_.ResolvePendingWrites(kMaps, {}).ok()) ++failed;
    });
  }
  ASSERT_TRUE(Eventually([&] { return waiting == 8 && questions == 1; }));
  // Another resource is not held up.
  EXPECT_TRUE(client_.Delete<corev1::Secret>({"default", "s"}).error().IsNotFound());
  EXPECT_EQ(questions, 1);
  answered.request_stop();
  threads.clear();
  EXPECT_EQ(failed, 8);
}

TEST_F(PendingWriteTest, RecordsAnAppliedDeletion) {
  const Result<ConfigMap> made = client_.Create(MapOf("a"));
  LoseAnswers();
  EXPECT_FALSE(Delete(*made).ok());
  EXPECT_FALSE(IsShown("a"));
  Reconnect();
  EXPECT_TRUE(client_.Create(MapOf("b")).ok());
}

TEST_F(PendingWriteTest, AllowsWritesIfThePendingWriteWasNotApplied) {
  const Result<ConfigMap> made = client_.Create(MapOf("a"));
  Disconnect();
  EXPECT_FALSE(Delete(*made).ok());
  Reconnect();
  EXPECT_TRUE(client_.Create(MapOf("b")).ok());
  EXPECT_TRUE(IsShown("a"));
  Disconnect();
  EXPECT_FALSE(client_.Create(MapOf("c")).ok());
  Reconnect();
  EXPECT_TRUE(client_.Create(MapOf("c")).ok());
}

TEST_F(PendingWriteTest, DropsAPendingWriteThatCannotBeResolved) {
  LoseAnswers();
  lossy_.SetList([](auto&, auto&) -> Result<ObjectPage> {
    return Error::Forbidden("configmaps", "", "not yours");
  });
  EXPECT_FALSE(client_.Create(MapOf("a")).ok());
  Reconnect();
  EXPECT_TRUE(client_.Create(MapOf("b")).ok());
}

TEST_F(InformerSetTest, ADryRunIsNoWrite) {
  const auto informer = informers_.Get<ConfigMap>();
  std::jthread thread([&](std::stop_token stop) { informers_.Run(stop); });
  ASSERT_TRUE(informers_.WaitForSync(wait_.get_token()));
  ASSERT_TRUE(aware_.Create(MapOf("a"), {.dry_run = true}).ok());
  EXPECT_FALSE(informer->cache().Get({"default", "a"}));
}

TEST_F(InformerSetTest, StartsInformersThatAreAddedLateAndStopsRemovedOnes) {
  std::jthread thread([&](std::stop_token stop) { informers_.Run(stop); });
  ASSERT_TRUE(client().Create(MapOf("a")).ok());
  // The set may not run yet: either way the informer is started.
  const auto informer = informers_.Get<ConfigMap>({.namespace_name = "default"});
  ASSERT_TRUE(informer->WaitForSync(wait_.get_token()));
  EXPECT_TRUE(informer->cache().Get({"default", "a"}));
  informers_.Remove(informer);
  EXPECT_NE(informer, informers_.Get<ConfigMap>({.namespace_name = "default"}));
}

}  // namespace
}  // namespace kubexms
