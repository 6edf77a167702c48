// Limits of the memory that one request may use.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "kubexms/apiserver/server.h"
#include "kubexms/apiserver/test_server.h"
#include "kubexms/net/client/client.h"

namespace kubexms {
namespace {

const ResourceType kDefinitions{.group = "apiextensions.k8s.io",
                                .version = "v1",
                                .kind = "CustomResourceDefinition",
                                .plural = "customresourcedefinitions",
                                .namespaced = false};
const ResourceType kPlanets{.group = "example.com",
                            .version = "v1",
                            .kind = "Planet",
                            .plural = "planets",
                            .namespaced = false};

class LimitsTest : public testing::Test {
 protected:
  // The items of `spec.moons` have a large default.
  LimitsTest() {
    const std::string definition = fmt::format(
        R"({{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
             "metadata": {{"name": "planets.example.com"}},
             "spec": {{"group": "example.com", "scope": "Cluster",
                       "names": {{"plural": "planets", "kind": "Planet"}},
                       "versions": [{{"name": "v1", "served": true, "storage": true,
                                      "schema": {{"openAPIV3Schema": {{
                         "type": "object", "properties": {{"spec": {{"type": "object", "properties": {{
                           "text": {{"type": "string"}},
                           "moons": {{"type": "array", "items": {{"type": "object", "properties": {{
                             "text": {{"type": "string", "default": "{}"}}}}}}}}}}}}}}}}}}}}]}}}})",
        std::string(60'000, 'x'));
    const auto made =
        server_.client().Create(kDefinitions, DynamicObject::Decode(definition).value());
    KUBEXMS_CHECK(made.ok());
  }

  Result<DynamicObject> Create(const std::string& spec, bool dry_run) {
    return server_.client().Create(
        kPlanets,
        DynamicObject::Decode(fmt::format(R"({{"apiVersion":"example.com/v1","kind":"Planet",)"
                                          R"("metadata":{{"generateName":"p-"}},"spec":{}}})",
                                          spec))
            .value(),
        {.dry_run = dry_run});
  }

  TestServer server_;
};

// 60 KB of defaults took 5.6 GB.
TEST_F(LimitsTest, RefusesDefaultsThatMakeAnObjectTooLarge) {
  std::string moons = "{}";
  for (int i = 0; i < 90'000; ++i) moons += ",{}";
  for (const bool dry_run : {true, false}) {
    const auto refused = Create(R"({"moons":[)" + moons + "]}", dry_run);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code(), 413) << refused.error().message();
    EXPECT_TRUE(Create(R"({"moons":[{},{}]})", dry_run).ok());
  }
}

TEST_F(LimitsTest, ReadsAnObjectWithoutLaterDefaultsThatMakeItTooLarge) {
  const auto change_default = [&](const std::string& operation) {
    const std::string patch = fmt::format(
        R"([{{"path":"/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/moons)"
        R"(/items/properties/text/default",{}}}])",
        operation);
    const auto changed = server_.client().Patch(kDefinitions, {"", "planets.example.com"},
                                                {.type = PatchType::kJson, .body = patch});
    ASSERT_TRUE(changed.ok()) << changed.error().message();
  };
  change_default(R"("op":"remove")");
  std::string moons = "{}";
  for (int i = 0; i < 30'000; ++i) moons += ",{}";
  const auto made = Create(R"({"moons":[)" + moons + "]}", false);
  ASSERT_TRUE(made.ok()) << made.error().message();
  change_default(R"("op":"add","value":")" + std::string(60'000, 'x') + "\"");
  const auto read = server_.client().Get(kPlanets, {"", made->metadata.name});
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_TRUE(server_.client().Delete(kPlanets, {"", made->metadata.name}).ok());
}

TEST_F(LimitsTest, LimitsTheSizeOfDryRunsAsOfWrites) {
  const std::string spec = R"({"text":")" + std::string(1'600'000, 'x') + R"("})";
  for (const bool dry_run : {true, false}) {
    const auto refused = Create(spec, dry_run);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code(), 413) << refused.error().message();
  }
}

TEST_F(LimitsTest, LimitsTheSizeOfErrors) {
  std::string moons = "1";
  for (int i = 0; i < 200'000; ++i) moons += ",1";
  const auto refused = Create(R"({"moons":[)" + moons + "]}", true);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), 422);
  EXPECT_LE(refused.error().message().size(), 64 * 1024);
}

TEST(BusyServerTest, AnswersHealthChecksAndLeases) {
  const TestServer folder;  // for a directory that is removed
  const auto directory = std::filesystem::path(folder.kubeconfig_path()).parent_path() / "busy";
  // No request may be in flight but those that have workers of their own.
  const auto server = ApiServer::Create({.data_directory = directory.string(),
                                         .store = "memory",
                                         .port = 0,
                                         .audit_log = "-",
                                         .max_in_flight = 0})
                          .value();
  const std::jthread running([&](std::stop_token stop) { server->Run(std::move(stop)); });
  const auto read = [&](const std::string& name) {
    std::ifstream file(directory / "pki" / name);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  HttpClientOptions options{.server = server->url(), .ca_pem = read("ca.crt")};
  options.client_certificate = [&] {
    return std::optional(CertificateAndKey{read("admin.crt"), read("admin.key")});
  };
  const auto client = HttpClient::Create(std::move(options)).value();
  const auto send = [&](const std::string& method, const std::string& target,
                        const std::string& body = "") {
    HttpRequest request{.method = method, .target = target, .body = body};
    request.headers.Add("Content-Type", "application/json");
    return client->Do(std::move(request)).value().status;
  };
  EXPECT_EQ(send("GET", "/api/v1/namespaces?limit=1"), 429);
  EXPECT_EQ(
      send("PUT", "/api/v1/namespaces/kube-system/endpoints/a", R"({"metadata":{"name":"a"}})"),
      429);
  EXPECT_EQ(send("GET", "/livez"), 200);
  EXPECT_EQ(send("GET", "/readyz?verbose"), 200);
  EXPECT_EQ(send("GET", "/healthz"), 200);
  EXPECT_EQ(send("PUT", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/a",
                 R"({"metadata":{"name":"a"}})"),
            201);
}

}  // namespace
}  // namespace kubexms
