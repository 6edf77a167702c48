#include "kubexms/client/testing/faulty_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/client/running_server_test.h"

namespace kubexms {
namespace {

using corev1::ConfigMap;
using testing::SizeIs;

const ObjectKey kKey{"default", "a"};

ConfigMap MakeMap(const std::string& namespace_name) {
  ConfigMap map;
  map.metadata.namespace_name = namespace_name;
  map.metadata.name = "a";
  return map;
}

class FaultyClientTest : public testing::Test {
 protected:
  const RunningApiServer server_;
  const std::unique_ptr<RestClient> client_ = server_.Connect();
};

TEST_F(FaultyClientTest, AppliesAFaultToTheCallsOfItsRule) {
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

TEST_F(FaultyClientTest, LosesResponses) {
  FaultyClient faulty(*client_, {});
  faulty.AddRule(
      {.times = 1,
       .fault = {.error = Error::ServiceUnavailable("injected"), .response_lost = true}});
  EXPECT_FALSE(faulty.Create(MakeMap("default")).ok());
  EXPECT_TRUE(client_->Get<ConfigMap>(kKey).ok()) << "the server has applied the write";
}

TEST_F(FaultyClientTest, ReturnsStaleObjects) {
  FaultyClient faulty(*client_, {});
  ConfigMap map = client_->Create(MakeMap("default")).value();
  ASSERT_TRUE(faulty.Get<ConfigMap>(kKey).ok());
  map.data["key"] = "new";
  ASSERT_TRUE(client_->Update(map).ok());
  faulty.AddRule({.verb = Verb::kGet, .fault = {.stale = true}});
  EXPECT_THAT(faulty.Get<ConfigMap>(kKey)->data, SizeIs(0));
  faulty.Clear();
  EXPECT_THAT(faulty.Get<ConfigMap>(kKey)->data, SizeIs(1));
}

TEST_F(FaultyClientTest, BreaksWatches) {
  FaultyClient faulty(*client_, {});
  faulty.AddRule({.verb = Verb::kWatch, .fault = {.break_after_events = 1}});
  ASSERT_TRUE(client_->Create(MakeMap("default")).ok());
  auto watch = faulty.Watch<ConfigMap>({.namespace_name = "default"}).value();
  EXPECT_TRUE(watch.Next().value().has_value());
  EXPECT_TRUE(watch.Next().error().IsTransient());
}

TEST_F(FaultyClientTest, TheSameSeedYieldsTheSameFaults) {
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

TEST_F(FaultyClientTest, DelaysByTheClock) {
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
