#include "kubexms/api/schema/defaulting.h"

#include <gtest/gtest.h>

#include "kubexms/api/schema/schema_test.h"

namespace kubexms {
namespace {

using ::kubexms::testing::J;
using ::kubexms::testing::S;

std::string Defaulted(std::string_view schema, std::string_view value) {
  Json document = J(value);
  const std::string before = WriteJson(document);
  const bool changed = ApplyDefaults(document, *S(schema));
  EXPECT_EQ(changed, WriteJson(document) != before);
  return WriteJson(document);
}

TEST(DefaultingTest, SetsAbsentFields) {
  constexpr std::string_view kSchema = R"({"properties": {"spec": {"properties": {
      "color": {"type": "string", "default": "red"},
      "size": {"type": "integer", "default": 1}}}}})";
  EXPECT_EQ(Defaulted(kSchema, R"({"spec": {"size": 2}})"), R"({"spec":{"color":"red","size":2}})");
  EXPECT_EQ(Defaulted(kSchema, "{}"), "{}");
  EXPECT_EQ(Defaulted(kSchema, R"({"spec": {"size": 0, "color": ""}})"),
            R"({"spec":{"color":"","size":0}})");
}

TEST(DefaultingTest, FailsWhenDefaultsExceedTheLimit) {
  const auto schema = S(R"({"properties": {"l": {"items": {"properties": {
                            "a": {"default": {"text": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}}}}}}})");
  Json few = J(R"({"l": [{}, {}]})");
  EXPECT_TRUE(ApplyDefaults(few, *schema, 1000).ok());
  Json many = J(R"({"l": []})");
  for (int i = 0; i < 10'000; ++i) many.at("l").as_array().push_back(JsonObject());
  const Result<void> refused = ApplyDefaults(many, *schema, 1000);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code(), 413);
  EXPECT_LT(WriteJson(many).size(), 40'000u);
}

TEST(DefaultingTest, SetsDefaultsInsideDefaults) {
  EXPECT_EQ(Defaulted(R"({"properties": {"a": {"default": {}, "properties": {
                         "b": {"default": {}, "properties": {"c": {"default": 1}}}}}}})",
                      "{}"),
            R"({"a":{"b":{"c":1}}})");
}

TEST(DefaultingTest, ReachesItemsAndMapValues) {
  constexpr std::string_view kSchema = R"({"properties": {
      "l": {"items": {"properties": {"p": {"default": "TCP"}}}},
      "m": {"additionalProperties": {"properties": {"q": {"default": 1}}}}}})";
  EXPECT_EQ(Defaulted(kSchema, R"({"l": [{}, {"p": "UDP"}], "m": {"k": {}}})"),
            R"({"l":[{"p":"TCP"},{"p":"UDP"}],"m":{"k":{"q":1}}})");
}

TEST(DefaultingTest, ReplacesNullsThatAreNotAllowed) {
  EXPECT_EQ(Defaulted(R"({"properties": {"a": {"default": 1},
                                        "b": {"default": 1, "nullable": true}},
                         "additionalProperties": {"default": 2}})",
                      R"({"a": null, "b": null, "c": null})"),
            R"({"a":1,"b":null,"c":2})");
  EXPECT_EQ(Defaulted(R"({"items": {"default": 3}})", "[null, 1]"), "[3,1]");
}

TEST(DefaultingTest, LeavesValuesOfTheWrongTypeForValidation) {
  EXPECT_EQ(Defaulted(R"({"properties": {"a": {"type": "object", "properties": {
                         "b": {"default": 1}}}}})",
                      R"({"a": "text"})"),
            R"({"a":"text"})");
}

TEST(DefaultingTest, UsesTheDefaultOfAFieldOrOfItsDefinition) {
  Schema definition;
  definition.default_value = Json("definition");
  Schema field;
  field.ref = &definition;
  Schema own = field;
  own.default_value = Json("own");
  Schema root;
  root.properties = {{"a", &field}, {"b", &own}};
  Json document = J("{}");
  EXPECT_TRUE(ApplyDefaults(document, root));
  EXPECT_EQ(WriteJson(document), R"({"a":"definition","b":"own"})");
}

TEST(RemoveNullsTest, RemovesNullsThatAreNeitherNullableNorDefaulted) {
  Json document = J(R"({"a": null, "b": null, "c": null, "d": {"e": null}, "f": [null]})");
  EXPECT_TRUE(RemoveNulls(document, *S(R"({"properties": {
      "a": {"type": "string"}, "b": {"nullable": true}, "c": {"default": 1},
      "d": {"properties": {"e": {"type": "string"}}}, "f": {"items": {"type": "string"}}}})")));
  EXPECT_EQ(WriteJson(document), R"({"b":null,"c":null,"d":{},"f":[null]})");
}

TEST(NormalizeTest, WritesQuantitiesAndTimesInCanonicalForm) {
  Schema quantity;
  quantity.quantity = true;
  Schema limits;
  limits.additional_properties = &quantity;
  Schema time;
  time.type = SchemaType::kString;
  time.format = "date-time";
  Schema micro = time;
  micro.micro_time = true;
  Schema list;
  list.items = &time;
  Schema root;
  root.properties = {{"limits", &limits}, {"micro", &micro}, {"times", &list}};
  Json document = J(R"({"limits": {"a": "0.5", "b": 2, "c": "1024Mi", "d": "five"},
                        "micro": "2024-01-01T01:00:00.000001+01:00",
                        "times": ["2024-01-01T01:00:00.5+01:00", "soon"]})");
  EXPECT_TRUE(Normalize(document, root));
  EXPECT_EQ(WriteJson(document), R"({"limits":{"a":"500m","b":"2","c":"1Gi","d":"five"},)"
                                 R"("micro":"2024-01-01T00:00:00.000001Z",)"
                                 R"("times":["2024-01-01T00:00:00Z","soon"]})");
  EXPECT_FALSE(Normalize(document, root));
}

}  // namespace
}  // namespace kubexms
