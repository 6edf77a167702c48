#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kubexms/apiserver/strategies/strategy.h"
#include "kubexms/base/json/yaml.h"

namespace kubexms {
namespace {

JsonObject Definition(std::string_view strategy, std::string_view versions) {
  const std::string text =
      fmt::format("{{spec: {{conversion: {{strategy: {}}}, versions: [{}]}}}}", strategy, versions);
  return ParseYamlOne(text).value().value.as_object();
}

std::string Refusal(const JsonObject& definition, const JsonObject* old = nullptr) {
  FieldErrors errors;
  const Strategy& strategy = *BuiltinStrategy("apiextensions.k8s.io", "CustomResourceDefinition");
  if (old == nullptr) {
    strategy.ValidateCreate(definition, errors);
  } else {
    strategy.ValidateUpdate(definition, *old, errors);
  }
  return errors.empty() ? "" : errors.front().field + ": " + errors.front().message;
}

constexpr std::string_view kOne = "{name: v1, served: true, storage: true}";
constexpr std::string_view kTwo =
    "{name: v1, served: true, storage: true}, {name: v2, served: true, storage: false}";

TEST(CustomResourceDefinitionTest, RefusesUnsupportedConversions) {
  EXPECT_EQ(Refusal(Definition("Webhook", kTwo)),
            "spec.conversion.strategy: Forbidden: this server does not call conversion webhooks; "
            "serve and store one version, or use the strategy None");
  EXPECT_EQ(Refusal(Definition("None", kTwo)), "");
  // With one version there is nothing to convert.
  EXPECT_EQ(Refusal(Definition("Webhook", kOne)), "");
}

TEST(CustomResourceDefinitionTest, AllowsUpdatesOfAStoredDefinitionWithConversions) {
  const JsonObject before = Definition("Webhook", kTwo);
  EXPECT_EQ(Refusal(before, &before), "");
  const JsonObject one = Definition("Webhook", kOne);
  EXPECT_NE(Refusal(before, &one), "");
}

}  // namespace
}  // namespace kubexms
