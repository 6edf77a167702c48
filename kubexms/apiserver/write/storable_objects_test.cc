// Every stored object can be read, listed, watched, patched, replaced and deleted: in particular
// one of the greatest depth, and one with texts from headers and parameters.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/apiserver/test_server.h"
#include "kubexms/base/json/yaml.h"
#include "kubexms/base/text/base64.h"
#include "kubexms/net/client/client.h"
#include "kubexms/net/http/http.h"

namespace kubexms {
namespace {

constexpr std::string_view kDefinition = R"({
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
  "metadata": {"name": "widgets.example.com"},
  "spec": {"group": "example.com", "scope": "Namespaced",
           "names": {"plural": "widgets", "kind": "Widget"},
           "versions": [
             {"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
              "schema": {"openAPIV3Schema": {"type": "object",
                                             "x-kubernetes-preserve-unknown-fields": true}}}]}})";
constexpr std::string_view kWidgets = "/apis/example.com/v1/namespaces/default/widgets";

class StorableObjectsTest : public testing::Test {
 protected:
  StorableObjectsTest() {
    const Result<SharedBytes> made =
        server_.client().Do({.verb = Verb::kCreate,
                             .resource = {.group = "apiextensions.k8s.io",
                                          .version = "v1",
                                          .kind = "CustomResourceDefinition",
                                          .plural = "customresourcedefinitions"},
                             .body = std::string(kDefinition)});
    EXPECT_TRUE(made.ok());
  }

  Result<SharedBytes> Do(Verb verb, std::string body = "", PatchType type = PatchType::kMerge,
                         std::string manager = "") {
    const bool named = verb != Verb::kCreate;
    return server_.client().Do({.verb = verb,
                                .resource = widgets_,
                                .namespace_name = "default",
                                .name = named ? "w" : "",
                                .body = std::move(body),
                                .patch_type = type,
                                .field_manager = std::move(manager)});
  }

  static std::string Widget(std::string_view content, std::string_view metadata = "") {
    return fmt::format(
        R"({{"apiVersion":"example.com/v1","kind":"Widget","metadata":{{"name":"w"{}}},"spec":{}}})",
        metadata, content);
  }
  // Nested objects, or nested arrays of objects.
  static std::string Nested(int depth, bool arrays = false) {
    std::string text, end;
    for (int i = 0; i < depth; ++i) {
      const bool array = arrays && i % 2 == 1;
      text += array ? "[" : R"({"x":)";
      end.insert(end.begin(), array ? ']' : '}');
    }
    return text + "1" + end;
  }

  // Every operation on the stored object.
  void CheckUsable() {
    const Result<SharedBytes> read = Do(Verb::kGet);
    ASSERT_TRUE(read.ok()) << read.error().message();
    ASSERT_TRUE(ParseJson(read->view()).ok());
    const Result<ObjectPage> list = server_.client().ListPage(
        {.verb = Verb::kList, .resource = widgets_, .namespace_name = "default"});
    ASSERT_TRUE(list.ok() && list->items.size() == 1);
    for (const std::string_view accept :
         {"application/json", "application/yaml", "application/json;as=Table;v=v1;g=meta.k8s.io",
          "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"}) {
      HttpRequest request{.target = fmt::format("{}?includeObject=Object", kWidgets)};
      request.headers.Add("Accept", accept);
      const auto answer = http_->Do(std::move(request));
      ASSERT_TRUE(answer.ok()) << answer.error().message();
      ASSERT_EQ(answer->status, 200) << accept;
      const Result<Json> shown = ParseJsonOrYaml(answer->body);
      ASSERT_TRUE(shown.ok()) << accept << ": " << shown.error().message();
    }
    const Result<SharedBytes> patched =
        Do(Verb::kPatch, R"({"metadata":{"labels":{"patched":"yes"}}})", PatchType::kMerge, "p");
    ASSERT_TRUE(patched.ok()) << patched.error().message();
    const Result<SharedBytes> applied = Do(
        Verb::kPatch,
        R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","labels":{"l":"a"}}})",
        PatchType::kApply, "applier");
    ASSERT_TRUE(applied.ok()) << applied.error().message();
    const Result<SharedBytes> replaced =
        Do(Verb::kUpdate, std::string(Do(Verb::kGet)->view()), PatchType::kMerge, "r");
    ASSERT_TRUE(replaced.ok()) << replaced.error().message();
    const Result<SharedBytes> deleted = Do(Verb::kDelete);
    ASSERT_TRUE(deleted.ok()) << deleted.error().message();
    ASSERT_TRUE(Do(Verb::kGet).error().IsNotFound());
  }

  TestServer server_;
  const ResourceType widgets_{
      .group = "example.com", .version = "v1", .kind = "Widget", .plural = "widgets"};
  const std::unique_ptr<HttpClient> http_ = MakeHttpClient(server_);

 private:
  // The administrator's, over the network.
  static std::unique_ptr<HttpClient> MakeHttpClient(const TestServer& server) {
    const Json config = ParseJsonOrYaml(server.kubeconfig()).value();
    const Json& user = config.at("users").at(0).at("user");
    const CertificateAndKey pair{
        .certificate_pem = DecodeBase64(FindString(user, "client-certificate-data")).value(),
        .key_pem = DecodeBase64(FindString(user, "client-key-data")).value()};
    return HttpClient::Create({.server = server.url(),
                               .insecure_skip_verify = true,
                               .client_certificate = [pair] { return std::optional(pair); }})
        .value();
  }
};

TEST_F(StorableObjectsTest, DeepObjectsAreRefusedOrUsable) {
  for (const bool arrays : {false, true}) {
    int stored = 0;
    for (const int depth : {440, 470, 476, 477, 478, 479, 480, 481, 490, 500, 508, 512, 520}) {
      SCOPED_TRACE(fmt::format("depth {}", depth));
      const Result<SharedBytes> created = Do(Verb::kCreate, Widget(Nested(depth, arrays)));
      if (!created.ok()) {
        EXPECT_EQ(created.error().code(), 400) << created.error().message();
        continue;
      }
      ++stored;
      ASSERT_NO_FATAL_FAILURE(CheckUsable());
    }
    EXPECT_GE(stored, 3);
    EXPECT_LT(stored, 10);
  }
}

// A patch can copy one subtree into another, and create an object deeper than a body may be.
TEST_F(StorableObjectsTest, PatchesCannotCreateDeeperObjects) {
  ASSERT_TRUE(
      Do(Verb::kCreate, Widget(fmt::format(R"({{"a":{},"b":{}}})", Nested(300), Nested(300))))
          .ok());
  std::string inside = "/spec/b";
  for (int i = 0; i < 200; ++i) inside += "/x";
  const Result<SharedBytes> patched =
      Do(Verb::kPatch, fmt::format(R"([{{"op":"move","from":"/spec/a","path":"{}"}}])", inside),
         PatchType::kJson);
  ASSERT_FALSE(patched.ok());
  ASSERT_NO_FATAL_FAILURE(CheckUsable());
}

TEST_F(StorableObjectsTest, ManagedFieldsOfClientsAreNoDeeper) {
  for (const int depth : {400, 470, 480, 490, 500, 510}) {
    SCOPED_TRACE(fmt::format("depth {}", depth));
    std::string fields = "{}";
    for (int i = 0; i < depth; ++i) fields = fmt::format(R"({{"f:x":{}}})", fields);
    const Result<SharedBytes> created = Do(
        Verb::kCreate,
        Widget(R"({"y":1})", fmt::format(R"(,"managedFields":[{{"manager":"m","operation":"Update",
                   "apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{}}}])",
                                         fields)));
    if (!created.ok()) continue;
    ASSERT_NO_FATAL_FAILURE(CheckUsable());
  }
}

// A deletion and the removal of a finalizer add to an object.
TEST_F(StorableObjectsTest, LargeObjectsAreRefusedOrCanBeDeleted) {
  int stored = 0;
  for (const size_t size : {1'300'000, 1'449'000, 1'449'500, 1'449'900, 1'460'000, 1'499'000}) {
    SCOPED_TRACE(fmt::format("{} bytes", size));
    const Result<SharedBytes> created =
        Do(Verb::kCreate, Widget(fmt::format(R"({{"a":"{}"}})", std::string(size - 600, 'x')),
                                 R"(,"finalizers":["example.com/a","example.com/b"])"));
    if (!created.ok()) {
      EXPECT_EQ(created.error().code(), 413) << created.error().message();
      continue;
    }
    ++stored;
    const Result<SharedBytes> deleted = Do(Verb::kDelete, R"({"propagationPolicy":"Foreground"})");
    ASSERT_TRUE(deleted.ok()) << deleted.error().message();
    for (const std::string_view finalizers : {R"(["example.com/b"])", "null"}) {
      const Result<SharedBytes> patched =
          Do(Verb::kPatch, fmt::format(R"({{"metadata":{{"finalizers":{}}}}})", finalizers),
             PatchType::kMerge, std::string(128, 'm'));
      ASSERT_TRUE(patched.ok()) << patched.error().message();
    }
    ASSERT_TRUE(Do(Verb::kGet).error().IsNotFound());
  }
  EXPECT_GE(stored, 2);
  EXPECT_LT(stored, 6);
}

TEST_F(StorableObjectsTest, HeadersAndParametersAreStoredAsValidUtf8) {
  for (const std::string_view manager : {"%ff", "%c3%28", "a%ed%a0%80", "%f0%9f%98%80"}) {
    for (const bool in_header : {false, true}) {
      SCOPED_TRACE(manager);
      HttpRequest request{.method = "POST", .target = std::string(kWidgets), .body = Widget("1")};
      request.headers.Add("Content-Type", "application/json");
      if (in_header) {
        request.headers.Add("User-Agent", PercentDecode(manager).value());
      } else {
        request.target += fmt::format("?fieldManager={}", manager);
      }
      const auto answer = http_->Do(std::move(request));
      ASSERT_TRUE(answer.ok()) << answer.error().message();
      ASSERT_EQ(answer->status, 201) << answer->body;
      ASSERT_NO_FATAL_FAILURE(CheckUsable());
    }
  }
}

// The depth of a definition also limits the depth of its objects.
TEST_F(StorableObjectsTest, ObjectsOfADeepSchemaAreReadable) {
  for (const int depth : {100, 200, 230, 240}) {
    SCOPED_TRACE(fmt::format("depth {}", depth));
    std::string schema = R"({"type":"string"})";
    for (int i = 0; i < depth; ++i) {
      schema = fmt::format(R"({{"type":"object","properties":{{"x":{}}}}})", schema);
    }
    const Result<SharedBytes> created = server_.client().Do(
        {.verb = Verb::kCreate,
         .resource = {.group = "apiextensions.k8s.io",
                      .version = "v1",
                      .kind = "CustomResourceDefinition",
                      .plural = "customresourcedefinitions"},
         .body = fmt::format(
             R"({{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
                  "metadata":{{"name":"gadgets{0}.example.com"}},
                  "spec":{{"group":"example.com","scope":"Namespaced",
                           "names":{{"plural":"gadgets{0}","kind":"Gadget{0}"}},
                           "versions":[{{"name":"v1","served":true,"storage":true,
                                         "schema":{{"openAPIV3Schema":{1}}}}}]}}}})",
             depth, schema)});
    if (!created.ok()) continue;
    for (const std::string_view path :
         {"/apis", "/apis/example.com/v1", "/openapi/v2", "/openapi/v3/apis/example.com/v1",
          "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"}) {
      const auto answer = http_->Do({.target = std::string(path)});
      ASSERT_EQ(answer.value().status, 200) << path;
      EXPECT_TRUE(ParseJson(answer->body).ok()) << path;
    }
  }
}

}  // namespace
}  // namespace kubexms
