#include "kubexms/client/decorators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/client/running_server_test.h"

namespace kubexms {
namespace {

using corev1::ConfigMap;
using testing::HasSubstr;
using testing::SizeIs;

const ObjectKey kKey{"default", "a"};

ConfigMap MakeMap(const std::string& namespace_name) {
  ConfigMap map;
  map.metadata.namespace_name = namespace_name;
  map.metadata.name = "a";
  return map;
}

class DecoratorsTest : public testing::Test {
 protected:
  const RunningApiServer server_;
  const std::unique_ptr<RestClient> client_ = server_.Connect();
};

TEST_F(DecoratorsTest, ADryRunStoresNothing) {
  DryRunClient trial(*client_);
  EXPECT_TRUE(trial.Create(MakeMap("default")).ok());
  EXPECT_TRUE(client_->Get<ConfigMap>(kKey).error().IsNotFound());

  ConfigMap map = client_->Create(MakeMap("default")).value();
  map.data["key"] = "a";
  EXPECT_EQ(trial.Update(map)->data["key"], "a");
  EXPECT_TRUE(trial.Delete<ConfigMap>(kKey).ok());
  EXPECT_TRUE(trial.DeleteAllOf<ConfigMap>({.namespace_name = "default"}).ok());
  EXPECT_THAT(client_->Get<ConfigMap>(kKey)->data, SizeIs(0));
}

TEST_F(DecoratorsTest, TheOwnerOfFieldsIsNamed) {
  FieldOwnerClient owner(*client_, "me");
  ConfigMap map = MakeMap("default");
  map.data["key"] = "a";
  const ConfigMap created = owner.Create(map).value();
  ASSERT_THAT(created.metadata.managed_fields, SizeIs(1));
  EXPECT_EQ(created.metadata.managed_fields[0].manager, "me");
  const Patch patch{.body = R"({"data":{"k":"v"}})"};
  const auto patched = owner.Patch<ConfigMap>(kKey, patch, {.field_manager = "other"}).value();
  EXPECT_THAT(patched.metadata.managed_fields, SizeIs(2)) << "an explicit owner stays";
  EXPECT_TRUE(owner.Delete<ConfigMap>(kKey).ok());
}

TEST_F(DecoratorsTest, ANamespacedClientStaysInItsNamespace) {
  NamespacedClient mine(*client_, "default");
  EXPECT_EQ(mine.Create(MakeMap(""))->metadata.namespace_name, "default");
  EXPECT_TRUE(mine.Get<ConfigMap>({"", "a"}).ok());
  EXPECT_EQ(mine.Get<ConfigMap>({"kube-system", "a"}).error().message(),
            "get configmaps: namespace \"kube-system\" is not \"default\", the only one that this "
            "client works in");
  const List<ConfigMap> list = mine.List<ConfigMap>().value();
  EXPECT_FALSE(list.items.empty());
  for (const ConfigMap& map : list.items) {
    EXPECT_EQ(map.metadata.namespace_name, "default");
  }
  const ResourceType namespaces{
      .version = "v1", .kind = "Namespace", .plural = "namespaces", .namespaced = false};
  EXPECT_TRUE(mine.Get(namespaces, {"", "kube-system"}).ok());
  EXPECT_TRUE(mine.GetPath("/version").ok());
  EXPECT_FALSE(mine.Watch<ConfigMap>({.namespace_name = "other"}).ok());
}

TEST_F(DecoratorsTest, FaultsStrikeWhatTheirRuleSays) {
  FaultyClient faulty(*client_, {});
  faulty.AddRule({.verb = Verb::kCreate,
                  .plural = "configmaps",
                  .times = 1,
                  .fault = {.error = Error::ServiceUnavailable("injected")}});
  EXPECT_TRUE(faulty.Get<ConfigMap>(kKey).error().IsNotFound());
  EXPECT_EQ(faulty.Create(MakeMap("default")).error().message(), "injected");
  EXPECT_TRUE(faulty.Create(MakeMap("default")).ok());
  EXPECT_EQ(faulty.faults(), 1);
}

TEST_F(DecoratorsTest, AnAnswerMayGetLost) {
  FaultyClient faulty(*client_, {});
  faulty.AddRule(
      {.times = 1, .fault = {.error = Error::ServiceUnavailable("injected"), .answer_lost = true}});
  EXPECT_FALSE(faulty.Create(MakeMap("default")).ok());
  EXPECT_TRUE(client_->Get<ConfigMap>(kKey).ok()) << "the server did it all the same";
}

TEST_F(DecoratorsTest, AGetMayBeStale) {
  FaultyClient faulty(*client_, {});
  ConfigMap map = client_->Create(MakeMap("default")).value();
  ASSERT_TRUE(faulty.Get<ConfigMap>(kKey).ok());
  map.data["key"] = "new";
  ASSERT_TRUE(client_->Update(map).ok());
  faulty.AddRule({.verb = Verb::kGet, .fault = {.stale = true}});
  EXPECT_THAT(faulty.Get<ConfigMap>(kKey)->data, SizeIs(0));
  faulty.Heal();
  EXPECT_THAT(faulty.Get<ConfigMap>(kKey)->data, SizeIs(1));
}

TEST_F(DecoratorsTest, AWatchMayBreak) {
  FaultyClient faulty(*client_, {});
  faulty.AddRule({.verb = Verb::kWatch, .fault = {.break_after_events = 1}});
  ASSERT_TRUE(client_->Create(MakeMap("default")).ok());
  auto watch = faulty.Watch<ConfigMap>({.namespace_name = "default"}).value();
  EXPECT_TRUE(watch.Next().value().has_value());
  EXPECT_TRUE(watch.Next().error().IsTransient());
}

TEST_F(DecoratorsTest, TheSameSeedGivesTheSameFaults) {
  const auto faults = [&](uint64_t seed) {
    FaultyClient faulty(
        *client_, {.rules = {{.probability = 0.5, .fault = {.error = Error::Internal("injected")}}},
                   .seed = seed});
    std::string pattern;
    for (int i = 0; i < 64; ++i) {
      pattern += faulty.Get<ConfigMap>(kKey).error().code() == 500 ? 'x' : '.';
    }
    return pattern;
  };
  EXPECT_EQ(faults(1), faults(1));
  EXPECT_NE(faults(1), faults(2));
}

TEST_F(DecoratorsTest, ADelayIsTheClocks) {
  ManualClock clock;
  FaultyClient faulty(*client_,
                      {.decide = [](const ClientRequest&,
                                    Random&) { return Fault{.delay = std::chrono::hours(1)}; },
                       .clock = &clock});
  std::jthread time([&] {
    clock.WaitForSleepers(1);
    clock.Advance(std::chrono::hours(1));
  });
  EXPECT_TRUE(faulty.Get<ConfigMap>(kKey).error().IsNotFound());
}

}  // namespace
}  // namespace kubexms
