#include "kubexms/apiserver/discovery/openapi_documents.h"

#include <gtest/gtest.h>

#include "kubexms/apiserver/resources/builtin_resources.h"
#include "kubexms/base/json/json.h"

namespace kubexms {
namespace {

constexpr std::string_view kProtobuf = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

class OpenApiDocumentsTest : public ::testing::Test {
 protected:
  HttpResponse Get(std::string target, HttpHeaders headers = {}) {
    return std::move(*documents_.Handle({.target = std::move(target), .headers = headers}));
  }

  OpenApiDocuments documents_{BuiltinResources()};
};

std::string Header(const HttpResponse& response, std::string_view name) {
  return std::string(response.headers.Get(name).value_or(""));
}

Json ReadBody(const HttpResponse& response) { return *ParseJson(Flatten(response.body)); }

TEST_F(OpenApiDocumentsTest, ServesV2AsJsonOrProtobuf) {
  const HttpResponse json = Get("/openapi/v2");
  EXPECT_EQ(json.status, 200);
  EXPECT_EQ(Header(json, "Content-Type"), "application/json");
  const Json document = ReadBody(json);
  EXPECT_EQ(FindString(document, "swagger"), "2.0");
  EXPECT_NE(FindMember(document.at("definitions"), "io.k8s.api.apps.v1.Deployment"), nullptr);
  EXPECT_NE(FindMember(document.at("paths"), "/api/v1/namespaces/{namespace}/pods/{name}/eviction"),
            nullptr);

  const HttpResponse protobuf = Get("/openapi/v2", {{"Accept", kProtobuf}});
  EXPECT_EQ(Header(protobuf, "Content-Type"),
            "application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
  EXPECT_LT(BodySize(protobuf.body), BodySize(json.body));
  EXPECT_NE(Header(protobuf, "ETag"), Header(json, "ETag"));
  EXPECT_EQ(Get("/openapi/v2", {{"Accept", "text/html"}}).status, 406);
}

TEST_F(OpenApiDocumentsTest, AnswersNotModifiedToAMatchingTag) {
  const std::string tag = Header(Get("/openapi/v2"), "ETag");
  const HttpResponse again = Get("/openapi/v2", {{"If-None-Match", tag}});
  EXPECT_EQ(again.status, 304);
  EXPECT_EQ(Header(again, "ETag"), tag);
  EXPECT_EQ(BodySize(again.body), 0U);
  EXPECT_EQ(Get("/openapi/v2", {{"If-None-Match", "\"other\""}}).status, 200);
}

TEST_F(OpenApiDocumentsTest, ServesTheV3Index) {
  const Json index = ReadBody(Get("/openapi/v3"));
  const Json& paths = index.at("paths");
  EXPECT_EQ(paths.as_object().size(), 22U);
  const std::string url(FindString(paths.at("apis/apps/v1"), "serverRelativeURL"));
  EXPECT_TRUE(url.starts_with("/openapi/v3/apis/apps/v1?hash=")) << url;

  const HttpResponse apps = Get(url);
  EXPECT_EQ(apps.status, 200);
  EXPECT_EQ(Header(apps, "Cache-Control"), "public, immutable, max-age=31536000");
  EXPECT_NE(
      FindMember(ReadBody(apps).at("components").at("schemas"), "io.k8s.api.apps.v1.Deployment"),
      nullptr);
}

TEST_F(OpenApiDocumentsTest, RedirectsAnOldHashToTheCurrentOne) {
  const HttpResponse current = Get("/openapi/v3/api/v1");
  EXPECT_EQ(current.status, 200);
  EXPECT_EQ(Header(current, "Cache-Control"), "");
  std::string hash = Header(current, "ETag");
  std::erase(hash, '"');
  const HttpResponse moved = Get("/openapi/v3/api/v1?hash=OLD");
  EXPECT_EQ(moved.status, 301);
  EXPECT_EQ(Header(moved, "Location"), "/openapi/v3/api/v1?hash=" + hash);
}

TEST_F(OpenApiDocumentsTest, IgnoresOtherPaths) {
  for (const std::string target :
       {"/openapi", "/openapi/v4", "/openapi/v3x", "/openapi/v3/apis/nothing.example.com/v1"}) {
    EXPECT_FALSE(documents_.Handle({.target = target}).has_value()) << target;
  }
}

TEST_F(OpenApiDocumentsTest, DescribesCustomResources) {
  const auto schema = std::make_shared<Schema>();
  schema->type = SchemaType::kObject;
  auto widget = std::make_shared<Resource>(Resource{.group = "example.com",
                                                    .version = "v1",
                                                    .kind = "Widget",
                                                    .plural = "widgets",
                                                    .verbs = {"get", "list"},
                                                    .schema = schema,
                                                    .custom = true});
  OpenApiDocuments documents({widget});
  const auto response = documents.Handle({.target = "/openapi/v3/apis/example.com/v1"});
  const Json document = ReadBody(*response);
  const Json& kind = document.at("components").at("schemas").at("com.example.v1.Widget");
  EXPECT_NE(FindMember(kind.at("properties"), "metadata"), nullptr);
}

}  // namespace
}  // namespace kubexms
