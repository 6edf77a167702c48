#include "kubexms/apiserver/request/scope.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/api/kinds/rbac_v1.h"
#include "kubexms/apiserver/resources/builtin_resources.h"
#include "kubexms/apiserver/test_server.h"
#include "kubexms/net/client/client.h"

namespace kubexms {
namespace {

using testing::HasSubstr;

constexpr std::string_view kTenant = "tenant";
constexpr std::string_view kNoSuchResource = "the server could not find the requested resource";
constexpr std::string_view kNoSuchPage = "404 page not found";

constexpr std::string_view kDefinition = R"({
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
  "metadata": {"name": "planets.example.com"},
  "spec": {"group": "example.com", "scope": "Cluster",
           "names": {"plural": "planets", "kind": "Planet"},
           "versions": [
             {"name": "v1", "served": true, "storage": true,
              "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.replicas",
                                                       "statusReplicasPath": ".status.replicas"}},
              "schema": {"openAPIV3Schema": {"type": "object",
                                             "x-kubernetes-preserve-unknown-fields": true}}}]}})";

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

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// One way to access the objects of a resource.
struct Access {
  std::string method;
  std::string path;  // below "/api/v1/namespaces/tenant/"
  std::string content_type = "application/json";
  std::string prefix;  // "watch/"
};

std::vector<Access> AccessesTo(const Resource& resource, const std::string& name) {
  const std::string& plural = resource.plural;
  const std::string one = plural + "/" + name;
  std::vector<Access> accesses{{"GET", plural},
                               {"HEAD", plural},
                               {"GET", plural + "?watch=1"},
                               {"GET", plural, "", "watch/"},
                               {"GET", one, "", "watch/"},
                               {"GET", plural + "?fieldSelector=metadata.name%3D" + name},
                               {"POST", plural},
                               {"DELETE", plural}};
  std::vector<std::string> objects{one};
  for (const Subresource& subresource : resource.subresources) {
    objects.push_back(one + "/" + subresource.name);
  }
  for (const std::string_view other : {"status", "scale", "finalize", "proxy", "nothing"}) {
    objects.push_back(fmt::format("{}/{}", one, other));
  }
  for (const std::string& object : objects) {
    for (const char* method : {"GET", "PUT", "POST", "DELETE"})
      accesses.push_back({method, object});
    for (const char* type : {"json-patch+json", "merge-patch+json", "strategic-merge-patch+json"}) {
      accesses.push_back({"PATCH", object, fmt::format("application/{}", type)});
    }
    accesses.push_back({"PATCH", object + "?fieldManager=tenant", "application/apply-patch+yaml"});
  }
  return accesses;
}

class ScopeTest : public testing::Test {
 protected:
  ScopeTest() {
    MakeNamespace(kTenant);
    MakeNamespace("other");
    Create(kDefinitions, kDefinition);
    Create(kPlanets,
           R"({"apiVersion":"example.com/v1","kind":"Planet","metadata":{"name":"object"}})");
    Grant();
    const auto pki = std::filesystem::path(server_.kubeconfig_path()).parent_path() / "pki";
    HttpClientOptions options{.server = server_.url(), .ca_pem = ReadFile(pki / "ca.crt")};
    options.client_certificate = [pki] {
      return std::optional(
          CertificateAndKey{ReadFile(pki / "admin.crt"), ReadFile(pki / "admin.key")});
    };
    http_ = HttpClient::Create(std::move(options)).value();
  }

  void Create(const ResourceType& type, std::string_view object) {
    const auto created = server_.client().Create(type, DynamicObject::Decode(object).value());
    ASSERT_TRUE(created.ok()) << created.error().message();
  }
  void MakeNamespace(std::string_view name) {
    Create({.version = "v1", .kind = "Namespace", .plural = "namespaces", .namespaced = false},
           fmt::format(R"({{"apiVersion":"v1","kind":"Namespace","metadata":{{"name":"{}"}}}})",
                       name));
  }
  // Grants the tenant all permissions in its namespace.
  void Grant() {
    rbacv1::Role role;
    role.metadata.namespace_name = kTenant;
    role.metadata.name = "all";
    role.rules.resize(1);
    role.rules[0].verbs = role.rules[0].api_groups = role.rules[0].resources = {"*"};
    ASSERT_TRUE(server_.client().Create(role).ok());
    rbacv1::RoleBinding binding;
    binding.metadata = role.metadata;
    binding.role_ref = {.api_group = "rbac.authorization.k8s.io", .kind = "Role", .name = "all"};
    binding.subjects.push_back({.kind = "User", .name = std::string(kTenant)});
    ASSERT_TRUE(server_.client().Create(binding).ok());
  }

  // Sends an HTTP request as the tenant, over the network.
  HttpReply Send(const std::string& method, const std::string& target,
                 const std::string& content_type = "application/json",
                 const std::string& body = "{}") {
    HttpRequest request{.method = method, .target = target};
    request.headers.Add("Impersonate-User", kTenant);
    request.headers.Add("Impersonate-Group", "system:authenticated");
    if (method != "GET" && method != "HEAD") {
      request.headers.Add("Content-Type", content_type);
      request.body = body;
    }
    return http_->Do(std::move(request)).value();
  }

  std::string Revision() {
    return server_.client()
        .List(ResourceType::Of<corev1::ConfigMap>(), {})
        .value()
        .resource_version;
  }

  std::vector<ResourcePtr> ClusterScoped() {
    std::vector<ResourcePtr> found;
    for (const ResourcePtr& resource : BuiltinResources()) {
      if (!resource->namespaced) found.push_back(resource);
    }
    found.push_back(std::make_shared<Resource>(Resource{.group = "example.com",
                                                        .version = "v1",
                                                        .kind = "Planet",
                                                        .plural = "planets",
                                                        .namespaced = false,
                                                        .custom = true}));
    return found;
  }

  TestServer server_;
  std::unique_ptr<HttpClient> http_;
};

std::string GroupPath(const Resource& resource) {
  return resource.group.empty() ? "/api/" + resource.version
                                : "/apis/" + resource.group + "/" + resource.version;
}

TEST_F(ScopeTest, RefusesANamespaceInThePathOfAClusterScopedResource) {
  const std::string before = Revision();
  for (const ResourcePtr& resource : ClusterScoped()) {
    for (const std::string name : {"object", "other", "cluster-admin", "tenant"}) {
      for (const Access& access : AccessesTo(*resource, name)) {
        const std::string target = fmt::format("{}/{}namespaces/{}/{}", GroupPath(*resource),
                                               access.prefix, kTenant, access.path);
        const HttpReply response = Send(access.method, target, access.content_type);
        EXPECT_EQ(response.status, 404) << access.method << " " << target;
        // A 404 for the object would have another message.
        if (access.method != "HEAD") {
          EXPECT_THAT(response.body, HasSubstr(resource->custom ? kNoSuchPage : kNoSuchResource))
              << access.method << " " << target;
        }
      }
    }
  }
  EXPECT_EQ(Revision(), before);
}

TEST_F(ScopeTest, RefusesTheLocalClientAsWell) {
  const std::unique_ptr<Client> tenant = server_.NewClient({.name = std::string(kTenant)});
  const std::string before = Revision();
  for (const ResourcePtr& resource : ClusterScoped()) {
    // A client that treats the resource as namespaced.
    const ResourceType type{.group = resource->group,
                            .version = resource->version,
                            .kind = resource->kind,
                            .plural = resource->plural};
    for (const Verb verb : {Verb::kGet, Verb::kCreate, Verb::kUpdate, Verb::kPatch, Verb::kDelete,
                            Verb::kDeleteCollection}) {
      ClientRequest request{.verb = verb,
                            .resource = type,
                            .namespace_name = std::string(kTenant),
                            .name = "object",
                            .body = "{}"};
      if (verb == Verb::kCreate || verb == Verb::kDeleteCollection) request.name.clear();
      const Result<SharedBytes> response = tenant->Do(request);
      ASSERT_FALSE(response.ok()) << type.plural << " " << VerbName(verb);
      EXPECT_EQ(response.error().message(), kNoSuchResource)
          << type.plural << " " << VerbName(verb);
    }
    const ObjectKey key{std::string(kTenant), "object"};
    EXPECT_EQ(tenant->List(type, {.namespace_name = std::string(kTenant)}).error().message(),
              kNoSuchResource)
        << type.plural;
    EXPECT_EQ(tenant->Watch(type, {.namespace_name = std::string(kTenant)}).error().message(),
              kNoSuchResource)
        << type.plural;
  }
  EXPECT_EQ(Revision(), before);
}

TEST_F(ScopeTest, ServesANamespaceBelowItselfOnly) {
  EXPECT_EQ(Send("GET", "/api/v1/namespaces/tenant").status, 200);
  EXPECT_EQ(Send("GET", "/api/v1/namespaces/tenant/status").status, 200);
  EXPECT_EQ(Send("GET", "/api/v1/namespaces/other").status, 403);
  for (const char* name : {"tenant", "other", "tenant/status", "other/finalize"}) {
    EXPECT_EQ(Send("GET", fmt::format("/api/v1/namespaces/tenant/namespaces/{}", name)).status, 404)
        << name;
  }
}

// A name with several segments would be the key of another object.
TEST_F(ScopeTest, RefusesSegmentsWithSlashes) {
  for (const char* path :
       {"/api/v1/namespaces/tenant/secrets/..%2Fother%2Fx", "/api/v1/namespaces/tenant%2F/secrets",
        "/api/v1/namespaces/tenant%2Fsecrets/secrets", "/api/v1/pods/tenant%2Fx/status",
        "/api/v1%2Fnodes/x", "/api/v1/namespaces/tenant/pods/x/status/more"}) {
    EXPECT_EQ(Send("GET", path).status, 404) << path;
  }
  for (const char* path : {"/api/v1/namespaces//secrets", "/api/v1/namespaces/tenant/../nodes",
                           "/api/v1/namespaces/tenant/%2e%2e/nodes"}) {
    EXPECT_EQ(Send("GET", path).status, 400) << path;
  }
}

}  // namespace
}  // namespace kubexms
