#include "kubexms/apiserver/request/accept.h"

#include <gtest/gtest.h>

namespace kubexms {
namespace {

constexpr std::string_view kKubectl =
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;"
    "g=meta.k8s.io,application/json";

Result<ResponseForm> Negotiate(std::string_view accept,
                               ResponseSubject subject = ResponseSubject::kObjects,
                               std::string_view query = "", std::string_view user_agent = "test") {
  return NegotiateResponse({{"Accept", accept}, {"User-Agent", user_agent}},
                           *QueryParameters::Parse(query), subject);
}

TEST(AcceptTest, DefaultsToJson) {
  EXPECT_EQ(*NegotiateResponse({}, {}, ResponseSubject::kObjects), ResponseForm());
  EXPECT_EQ(*Negotiate(""), ResponseForm());
  EXPECT_EQ(*Negotiate("*/*"), ResponseForm());
  EXPECT_EQ(*Negotiate("*"), ResponseForm());
  EXPECT_EQ(*Negotiate("application/*"), ResponseForm());
}

TEST(AcceptTest, PrefersTheFirstOfEqualMediaTypes) {
  EXPECT_EQ(Negotiate("application/yaml, application/json")->format, ResponseFormat::kYaml);
  EXPECT_EQ(Negotiate("application/json, application/yaml")->format, ResponseFormat::kJson);
  EXPECT_EQ(Negotiate("application/json;q=0.5, application/yaml")->format, ResponseFormat::kYaml);
  EXPECT_EQ(Negotiate("*/*, application/yaml")->format, ResponseFormat::kYaml);
  EXPECT_EQ(Negotiate("application/*, application/yaml")->format, ResponseFormat::kYaml);
  EXPECT_EQ(Negotiate("application/vnd.kubernetes.protobuf,application/json")->format,
            ResponseFormat::kJson);
}

TEST(AcceptTest, ReturnsTables) {
  const ResponseForm form = *Negotiate(kKubectl);
  EXPECT_EQ(form.kind, ResponseKind::kTable);
  EXPECT_EQ(form.version, "v1");
  EXPECT_EQ(form.ContentType(), "application/json");
  EXPECT_EQ(Negotiate("application/json;as=Table;v=v1beta1;g=meta.k8s.io")->version, "v1beta1");
  EXPECT_EQ(Negotiate("application/yaml; as=Table; v=v1; g=meta.k8s.io")->format,
            ResponseFormat::kYaml);
  EXPECT_EQ(Negotiate(kKubectl, ResponseSubject::kEvents)->kind, ResponseKind::kTable);
}

TEST(AcceptTest, ReturnsPartialObjectMetadata) {
  EXPECT_EQ(Negotiate("application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io")->kind,
            ResponseKind::kPartialObjectMetadata);
  EXPECT_EQ(Negotiate("application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io")->kind,
            ResponseKind::kPartialObjectMetadataList);
}

TEST(AcceptTest, FallsBackToTheNextSupportedMediaType) {
  EXPECT_EQ(Negotiate("application/json;as=Chart;v=v1;g=meta.k8s.io,application/json")->kind,
            ResponseKind::kObject);
  EXPECT_EQ(Negotiate(kKubectl, ResponseSubject::kDocument)->kind, ResponseKind::kObject);
  EXPECT_EQ(Negotiate("application/json;as=Table;v=v9;g=meta.k8s.io").error().code(), 406);
  EXPECT_EQ(Negotiate("application/json;as=Table;v=v1;g=example.com").error().code(), 406);
}

TEST(AcceptTest, AggregatesDiscovery) {
  constexpr std::string_view kAccept =
      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
      "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";
  const ResponseForm form = *Negotiate(kAccept, ResponseSubject::kDiscovery);
  EXPECT_EQ(form.kind, ResponseKind::kAggregatedDiscovery);
  EXPECT_EQ(form.version, "v2");
  EXPECT_EQ(form.ContentType(),
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
  EXPECT_EQ(Negotiate(kAccept, ResponseSubject::kObjects)->kind, ResponseKind::kObject);
}

TEST(AcceptTest, RefusesUnsupportedMediaTypes) {
  const Result<ResponseForm> form = Negotiate("application/xml");
  ASSERT_FALSE(form.ok());
  EXPECT_EQ(form.error().reason(), "NotAcceptable");
  EXPECT_EQ(form.error().message(),
            "406: Not Acceptable\n\nAvailable representations: application/json, "
            "application/yaml, application/json;stream=watch");
  EXPECT_FALSE(Negotiate("application/json;q=0").ok());
  EXPECT_FALSE(Negotiate("application/vnd.kubernetes.protobuf").ok());
}

TEST(AcceptTest, RefusesYamlForWatches) {
  EXPECT_FALSE(Negotiate("application/yaml", ResponseSubject::kEvents).ok());
  EXPECT_TRUE(Negotiate("application/json;stream=watch", ResponseSubject::kEvents).ok());
  EXPECT_FALSE(Negotiate("application/json;stream=film", ResponseSubject::kEvents).ok());
}

TEST(AcceptTest, SelectsThePreferredMediaType) {
  constexpr std::string_view kTypes[] = {"application/json", "application/x+protobuf"};
  EXPECT_EQ(PreferredMediaType("", kTypes), 0U);
  EXPECT_EQ(PreferredMediaType("*/*", kTypes), 0U);
  EXPECT_EQ(PreferredMediaType("application/x+protobuf", kTypes), 1U);
  EXPECT_EQ(PreferredMediaType("application/json;q=0.1, application/x+protobuf", kTypes), 1U);
  EXPECT_EQ(PreferredMediaType("text/html", kTypes), std::nullopt);
}

TEST(AcceptTest, IndentsForInteractiveClients) {
  const auto pretty = [](std::string_view accept, std::string_view query, std::string_view agent) {
    return Negotiate(accept, ResponseSubject::kObjects, query, agent)->pretty;
  };
  EXPECT_TRUE(pretty("*/*", "", "curl/8.0"));
  EXPECT_TRUE(pretty("*/*", "", "Mozilla/5.0 (X11)"));
  EXPECT_FALSE(pretty("*/*", "", "kubectl/v1.34.0"));
  EXPECT_TRUE(pretty("*/*", "pretty=true", "kubectl/v1.34.0"));
  EXPECT_FALSE(pretty("*/*", "pretty=false", "curl/8.0"));
  EXPECT_TRUE(pretty("application/json;pretty=1", "", "kubectl/v1.34.0"));
}

}  // namespace
}  // namespace kubexms
