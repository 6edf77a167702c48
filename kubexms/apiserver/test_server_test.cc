#include "kubexms/apiserver/test_server.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/api/kinds/discovery_v1.h"
#include "kubexms/net/client/client.h"

namespace kubexms {
namespace {

corev1::ConfigMap MakeConfigMap(const std::string& name) {
  corev1::ConfigMap config_map;
  config_map.metadata.namespace_name = "default";
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

TEST(TestServerTest, RemovesItsDirectory) {
  std::string kubeconfig;
  {
    const TestServer server;
    kubeconfig = server.kubeconfig_path();
    EXPECT_TRUE(std::filesystem::exists(kubeconfig));
  }
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(kubeconfig).parent_path()));
}

TEST(TestServerTest, ServersShareNoObjects) {
  TestServer one;
  TestServer another;
  ASSERT_TRUE(one.client().Create(MakeConfigMap("a")).ok());
  EXPECT_TRUE(another.client().Get<corev1::ConfigMap>({"default", "a"}).error().IsNotFound());
}

TEST(TestServerTest, UsesTheGivenClockForTimestamps) {
  ManualClock clock;
  TestServer server({.clock = &clock});
  EXPECT_EQ(server.client().Create(MakeConfigMap("a")).value().metadata.creation_timestamp,
            Time::Now(clock));
}

TEST(TestServerTest, RunsOnADurableStore) {
  TestServer server({.store = "rocksdb"});
  EXPECT_TRUE(server.client().Create(MakeConfigMap("a")).ok());
}

TEST(TestServerTest, CompactionExpiresEveryKnownResourceVersion) {
  TestServer server;
  const corev1::ConfigMap made = server.client().Create(MakeConfigMap("a")).value();
  server.CompactNow();
  auto watch = server.client().Watch<corev1::ConfigMap>(
      {.resource_version = made.metadata.resource_version});
  ASSERT_TRUE(watch.ok());
  EXPECT_TRUE(watch->Next().error().IsExpired());
}

TEST(TestServerTest, DroppedWatchesFailAndCanBeResumed) {
  TestServer server;
  auto watch = server.client().Watch<corev1::ConfigMap>().value();
  ASSERT_TRUE(server.client().Create(MakeConfigMap("a")).ok());
  server.DropWatches();
  Result<std::optional<TypedEvent<corev1::ConfigMap>>> event = watch.Next();
  ASSERT_FALSE(event.ok());
  EXPECT_EQ(event.error().code(), 503);
  EXPECT_FALSE(watch.Next().value().has_value());
  auto again = server.client().Watch<corev1::ConfigMap>({.namespace_name = "default"}).value();
  EXPECT_TRUE(again.Next().value().has_value());
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// An HTTPS client of the administrator.
std::unique_ptr<HttpClient> AdministratorOf(const TestServer& server, const std::string& url) {
  const auto pki = std::filesystem::path(server.kubeconfig_path()).parent_path() / "pki";
  HttpClientOptions options{.server = url, .ca_pem = ReadFile(pki / "ca.crt")};
  options.client_certificate = [pki] {
    return std::optional(
        CertificateAndKey{ReadFile(pki / "admin.crt"), ReadFile(pki / "admin.key")});
  };
  return HttpClient::Create(std::move(options)).value();
}

// The addresses that a server can listen on: some machines have no IPv6.
std::vector<std::string> ListenAddresses() {
  const bool v6 = !ReadFile("/proc/net/if_inet6").empty();
  return v6 ? std::vector<std::string>{"127.0.0.1", "::1", "::"}
            : std::vector<std::string>{"127.0.0.1"};
}

TEST(TestServerTest, ItsCertificateIsValidForEveryAddressItListensOn) {
  for (const std::string& address : ListenAddresses()) {
    TestServer server({.bind_address = address});
    const std::string port = server.url().substr(server.url().rfind(':'));
    EXPECT_NE(server.kubeconfig().find(server.url()), std::string::npos);
    for (const std::string host : {"127.0.0.1", "[::1]"}) {
      const bool listens = address == "::" || host.find(address) != std::string::npos;
      if (!listens) continue;
      const auto http = AdministratorOf(server, "https://" + host + port);
      EXPECT_EQ(http->Do({.target = "/readyz"}).value().status, 200) << address << " " << host;
    }
  }
}

TEST(TestServerTest, UpdatesTheEndpointsOfKubernetesAfterItHasMoved) {
  const TestServer folder;  // whose directory the server below has a part of
  const std::string data =
      std::filesystem::path(folder.kubeconfig_path()).parent_path() / "another";
  for (const std::string& address : ListenAddresses()) {
    auto server =
        ApiServer::Create({.data_directory = data, .bind_address = address, .port = 0}).value();
    const auto client = server->NewClient({.name = "admin", .groups = {"system:masters"}});
    const auto slice = client->Get<discoveryv1::EndpointSlice>({"default", "kubernetes"}).value();
    EXPECT_EQ(slice.address_type, address == "::1" ? "IPv6" : "IPv4");
    EXPECT_EQ(slice.endpoints.at(0).addresses.at(0), address == "::" ? "127.0.0.1" : address);
  }
}

TEST(TestServerTest, DropsWatchesOfTheNetwork) {
  TestServer server;
  const auto http = AdministratorOf(server, server.url());
  const auto watch =
      http->Open({.target = "/api/v1/namespaces/default/configmaps?watch=1"}).value();
  ASSERT_TRUE(server.client().Create(MakeConfigMap("a")).ok());
  ASSERT_FALSE(watch->Read().value().empty());
  server.DropWatches();
  EXPECT_FALSE(watch->Read().ok());
}

}  // namespace
}  // namespace kubexms
