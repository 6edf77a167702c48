#include "kubexms/apiserver/test_server.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "kubexms/api/kinds/core_v1_config.h"
#include "kubexms/net/client.h"

namespace kubexms {
namespace {

corev1::ConfigMap MakeConfigMap(const std::string& name) {
  corev1::ConfigMap config_map;
  config_map.metadata.namespace_ = "default";
  config_map.metadata.name = name;
  return config_map;
}

TEST(TestServerTest, ServesItsProcessAndTheNetwork) {
  TestServer server;
  ASSERT_TRUE(server.client().Create(MakeConfigMap("a")).ok());
  const auto http =
      HttpClient::Create({.server = server.url(), .insecure_skip_verify = true}).value();
  EXPECT_EQ(http->Do({.target = "/readyz"}).value().status, 200);
  EXPECT_NE(server.kubeconfig().find(server.url()), std::string::npos);
}

TEST(TestServerTest, LeavesNothingBehind) {
  std::string kubeconfig;
  {
    const TestServer server;
    kubeconfig = server.kubeconfig_path();
    EXPECT_TRUE(std::filesystem::exists(kubeconfig));
  }
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(kubeconfig).parent_path()));
}

TEST(TestServerTest, ServersAreApart) {
  TestServer one;
  TestServer another;
  ASSERT_TRUE(one.client().Create(MakeConfigMap("a")).ok());
  EXPECT_TRUE(another.client().Get<corev1::ConfigMap>({"default", "a"}).error().IsNotFound());
}

TEST(TestServerTest, StampsObjectsWithTheClockThatItIsGiven) {
  ManualClock clock;
  TestServer server({.clock = &clock});
  EXPECT_EQ(server.client().Create(MakeConfigMap("a")).value().metadata.creation_timestamp,
            Time::Now(clock));
}

TEST(TestServerTest, RunsOnADurableStore) {
  TestServer server({.store = "rocksdb"});
  EXPECT_TRUE(server.client().Create(MakeConfigMap("a")).ok());
}

TEST(TestServerTest, CompactionMakesEveryKnownVersionTooOld) {
  TestServer server;
  const corev1::ConfigMap made = server.client().Create(MakeConfigMap("a")).value();
  server.CompactNow();
  auto watch = server.client().Watch<corev1::ConfigMap>(
      {.resource_version = made.metadata.resource_version});
  ASSERT_TRUE(watch.ok());
  EXPECT_TRUE(watch->Next().error().IsExpired());
}

TEST(TestServerTest, DroppedWatchesFailAndCanBeOpenedAgain) {
  TestServer server;
  auto watch = server.client().Watch<corev1::ConfigMap>().value();
  ASSERT_TRUE(server.client().Create(MakeConfigMap("a")).ok());
  server.DropWatches();
  Result<std::optional<TypedEvent<corev1::ConfigMap>>> event = watch.Next();
  ASSERT_FALSE(event.ok());
  EXPECT_EQ(event.error().code(), 503);
  EXPECT_FALSE(watch.Next().value().has_value());
  auto again = server.client().Watch<corev1::ConfigMap>({.name_space = "default"}).value();
  EXPECT_TRUE(again.Next().value().has_value());
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// What speaks HTTPS as the administrator.
std::unique_ptr<HttpClient> AdministratorOf(const TestServer& server) {
  const auto pki = std::filesystem::path(server.kubeconfig_path()).parent_path() / "pki";
  HttpClientOptions options{.server = server.url(), .ca_pem = ReadFile(pki / "ca.crt")};
  options.client_certificate = [pki] {
    return std::optional(
        CertificateAndKey{ReadFile(pki / "admin.crt"), ReadFile(pki / "admin.key")});
  };
  return HttpClient::Create(std::move(options)).value();
}

TEST(TestServerTest, DroppedWatchesOfTheNetworkAreCutOff) {
  TestServer server;
  const auto http = AdministratorOf(server);
  const auto watch =
      http->Open({.target = "/api/v1/namespaces/default/configmaps?watch=1"}).value();
  ASSERT_TRUE(server.client().Create(MakeConfigMap("a")).ok());
  ASSERT_FALSE(watch->Read().value().empty());
  server.DropWatches();
  EXPECT_FALSE(watch->Read().ok());
}

}  // namespace
}  // namespace kubexms
