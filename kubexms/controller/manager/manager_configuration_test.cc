#include "kubexms/controller/manager/manager_configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexms/controller/manager/manager.h"

namespace kubexms {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

TEST(ManagerConfigurationTest, NothingSaidChangesNothing) {
  const auto configuration = ManagerConfiguration::Read("");
  ASSERT_TRUE(configuration.ok());
  ManagerOptions options{.endpoints_address = "127.0.0.1:1", .shutdown_timeout = seconds(7)};
  configuration->ApplyTo(options);
  EXPECT_EQ(options.endpoints_address, "127.0.0.1:1");
  EXPECT_EQ(options.shutdown_timeout, seconds(7));
  EXPECT_FALSE(options.leader_election);
}

TEST(ManagerConfigurationTest, ReadsEverySetting) {
  const auto configuration = ManagerConfiguration::Read(R"(
endpointsAddress: 0.0.0.0:8081
shutdownTimeout: 10s
syncTimeout: 1m
leaderElection: {enabled: true, namespace: system, leaseDuration: 30s, renewDeadline: 20s}
cache: {maxBytes: 1000, listTimeout: 30s, watchTimeout: 2m, streamingList: true}
controllers:
  hello: {maxConcurrentReconciles: 3, maxRetries: 5, baseDelay: 1s, maxDelay: 2m,
          qps: 1.5, burst: 2, reconcileTimeout: 1m, resyncPeriod: 1h}
)");
  ASSERT_TRUE(configuration.ok()) << configuration.error().message();
  ManagerOptions options;
  configuration->ApplyTo(options);
  EXPECT_EQ(options.endpoints_address, "0.0.0.0:8081");
  EXPECT_EQ(options.shutdown_timeout, seconds(10));
  EXPECT_EQ(options.sync_timeout, minutes(1));
  EXPECT_EQ(options.leader_election->namespace_name, "system");
  EXPECT_EQ(options.leader_election->lease_duration, seconds(30));
  EXPECT_EQ(options.leader_election->retry_period, seconds(2));
  EXPECT_EQ(options.cache.max_bytes, 1000u);
  EXPECT_EQ(options.cache.reflector.list_timeout, seconds(30));
  EXPECT_EQ(options.cache.reflector.watch_timeout, minutes(2));
  EXPECT_TRUE(options.cache.reflector.streaming_list);
  ControllerOptions hello;
  options.controllers.at("hello").ApplyTo(hello);
  EXPECT_EQ(hello.max_concurrent_reconciles, 3);
  EXPECT_EQ(hello.max_retries, 5);
  EXPECT_EQ(hello.rate_limiter.base_delay, seconds(1));
  EXPECT_EQ(hello.rate_limiter.max_delay, minutes(2));
  EXPECT_EQ(hello.rate_limiter.qps, 1.5);
  EXPECT_EQ(hello.rate_limiter.burst, 2);
  EXPECT_EQ(hello.reconcile_timeout, minutes(1));
  EXPECT_EQ(hello.resync_period, std::chrono::hours(1));
}

TEST(ManagerConfigurationTest, SettingsOnTheCommandLineComeLast) {
  const auto configuration =
      ManagerConfiguration::Read("controllers: {hello: {maxConcurrentReconciles: 4, burst: 7}}",
                                 {"controllers.hello.maxConcurrentReconciles=8", "log.level=debug",
                                  "leaderElection.enabled=true"});
  ASSERT_TRUE(configuration.ok()) << configuration.error().message();
  EXPECT_EQ(*configuration->controllers.at("hello").max_concurrent_reconciles, 8);
  EXPECT_EQ(*configuration->controllers.at("hello").burst, 7);
  EXPECT_EQ(configuration->log.level, "debug");
  EXPECT_EQ(configuration->leader_election.enabled, true);
}

TEST(ManagerConfigurationTest, LeaderElectionDefaultsToTheOptionsOfTheProgram) {
  const auto applied = [](std::string_view text, ManagerOptions options) {
    ManagerConfiguration::Read(text)->ApplyTo(options);
    return options.leader_election;
  };
  const ManagerOptions elects{.leader_election = LeaderElectionOptions{.namespace_name = "system"}};
  EXPECT_EQ(applied("leaderElection: {leaseDuration: 7s}", elects)->lease_duration, seconds(7));
  EXPECT_FALSE(applied("leaderElection: {enabled: false}", elects));
  EXPECT_FALSE(applied("leaderElection: {leaseDuration: 7s}", {}));
  EXPECT_TRUE(applied("leaderElection: {enabled: true}", {}));
}

TEST(ManagerConfigurationTest, ErrorsNameTheSetting) {
  const auto message = [](std::string_view text, std::vector<std::string> settings = {}) {
    return ManagerConfiguration::Read(text, settings).error().message();
  };
  EXPECT_EQ(message("controllers: {hello: {wrokers: 4}}"),
            "unknown field: controllers.hello.wrokers");
  EXPECT_THAT(message("controllers: {hello: {maxConcurrentReconciles: 0}}"),
              HasSubstr("controllers.hello.maxConcurrentReconciles"));
  EXPECT_THAT(message("controllers: {hello: {maxConcurrentReconciles: many}}"),
              HasSubstr("controllers.hello.maxConcurrentReconciles"));
  EXPECT_THAT(message("shutdownTimeout: soon"), HasSubstr("shutdownTimeout"));
  EXPECT_THAT(message("[1]"), HasSubstr("must be a map"));
  EXPECT_THAT(message("", {"maxRetries"}), HasSubstr("PATH=VALUE"));
  EXPECT_THAT(message("a: [b"), HasSubstr("line"));
}

TEST(ManagerConfigurationTest, RefusesConfigurationOfUnknownControllers) {
  ManagerOptions options;
  options.controllers["helo"];
  SystemClock clock;
  SystemRandom random;
  options.clock = &clock;
  options.random = &random;
  class NoClient final : public Client {
    Result<SharedBytes> Do(const ClientRequest&) override { return Error::Internal(""); }
    Result<ObjectPage> ListPage(const ClientRequest&) override { return Error::Internal(""); }
    Result<std::unique_ptr<ObjectWatch>> OpenWatch(const ClientRequest&) override {
      return Error::Internal("");
    }
    Result<SharedBytes> GetPath(std::string_view, std::stop_token) override {
      return Error::Internal("");
    }
  } client;
  options.client = &client;
  Manager manager(options);
  manager.Add(Controller({.name = "hello"}));
  EXPECT_EQ(manager.Run({}).error().message(),
            "controllers.helo: no controller has this name; the controllers are hello");
}

}  // namespace
}  // namespace kubexms
