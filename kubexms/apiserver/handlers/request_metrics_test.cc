#include "kubexms/apiserver/handlers/request_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexms/apiserver/resources/builtin_resources.h"

namespace kubexms {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(RequestMetricsTest, OnlyServedNamesBecomeLabels) {
  MetricsRegistry registry;
  const RequestMetrics metrics(registry);
  const ResourceRegistry resources(BuiltinResources());
  const auto record = [&](const RequestAttributes& attributes) {
    metrics.Record(attributes, *resources.Current(), 401, {});
  };
  record(
      {.verb = "get", .version = "v1", .resource = "pods", .subresource = "status", .name = "p"});
  record({.verb = "get", .version = "v1", .resource = "pods", .subresource = "secret-part"});
  record({.verb = "list", .group = "secret-group", .version = "v1", .resource = "pods"});
  record({.verb = "list", .version = "v1", .resource = "secret-resource"});
  record({.verb = "secret-verb", .is_resource = false, .path = "/secret-path"});
  const std::string text = registry.Collect();
  EXPECT_THAT(text, Not(HasSubstr("secret-")));
  EXPECT_THAT(text, HasSubstr(R"(resource="pods",scope="resource",subresource="status")"));
  EXPECT_THAT(text, HasSubstr(R"(verb="OTHER")"));
}

}  // namespace
}  // namespace kubexms
