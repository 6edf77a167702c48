#include "kubexms/api/crd/crd_schema.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexms/api/schema/schema_test.h"

namespace kubexms {
namespace {

using ::kubexms::testing::J;
using ::kubexms::testing::Written;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

// The errors of a schema, without the path that they all begin with.
std::vector<std::string> Errors(std::string_view schema) {
  const CrdSchema parsed = ParseCrdSchema(J(schema), FieldPath("schema"));
  EXPECT_EQ(parsed.schema == nullptr, !parsed.errors.empty());
  std::vector<std::string> errors = Written(parsed.errors);
  for (std::string& error : errors) {
    if (error.starts_with("schema.")) error.erase(0, 7);
  }
  return errors;
}

// The same for the schema of one property.
std::vector<std::string> PropertyErrors(std::string_view property) {
  std::vector<std::string> errors =
      Errors(R"({"type": "object", "properties": {"p": )" + std::string(property) + "}}");
  for (std::string& error : errors) {
    if (error.starts_with("properties[p].")) error.erase(0, 14);
  }
  return errors;
}

TEST(CrdSchemaTest, ReadsEveryKeyword) {
  const CrdSchema parsed =
      ParseCrdSchema(J(R"({"type": "object", "description": "root", "title": "T", "required": ["a"],
            "properties": {
              "s": {"type": "string", "format": "uuid", "minLength": 1, "maxLength": 2,
                    "pattern": "^a", "enum": ["a", "ab"], "default": "a", "example": "ab",
                    "nullable": true},
              "n": {"type": "number", "minimum": 1, "maximum": 2.5, "exclusiveMinimum": true,
                    "exclusiveMaximum": true, "multipleOf": 0.5},
              "l": {"type": "array", "items": {"type": "object", "required": ["k"],
                                               "properties": {"k": {"type": "string"}}},
                    "minItems": 1, "maxItems": 2, "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["k"]},
              "m": {"type": "object", "additionalProperties": {"type": "boolean"},
                    "minProperties": 1, "maxProperties": 2, "x-kubernetes-map-type": "atomic"},
              "i": {"x-kubernetes-int-or-string": true,
                    "anyOf": [{"type": "integer"}, {"type": "string"}]},
              "e": {"type": "object", "x-kubernetes-embedded-resource": true,
                    "x-kubernetes-preserve-unknown-fields": true},
              "o": {"type": "integer", "allOf": [{"minimum": 1}], "oneOf": [{"maximum": 3}],
                    "not": {"enum": [2]}}}})"),
                     FieldPath("schema"));
  // The default does not fit the format: everything else is right.
  EXPECT_THAT(Written(parsed.errors),
              ElementsAre("schema.properties[s].default: Invalid value: \"a\":  in body must be of "
                          "type uuid: \"a\""));
}

TEST(CrdSchemaTest, ConvertsTheSchema) {
  const CrdSchema parsed = ParseCrdSchema(
      J(R"({"type": "object", "description": "root", "required": ["l"], "properties": {
              "l": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
              "m": {"type": "object", "additionalProperties": {"type": "integer"},
                    "x-kubernetes-map-type": "atomic"}}})"),
      FieldPath("schema"));
  ASSERT_THAT(parsed.errors, IsEmpty());
  const Schema& root = *parsed.schema;
  EXPECT_EQ(root.doc, "root");
  EXPECT_TRUE(root.IsRequired("l"));
  const Schema* list = root.FindProperty("l");
  ASSERT_NE(list, nullptr);
  EXPECT_EQ(list->list_type, ListType::kSet);
  EXPECT_TRUE(list->list_type_given);
  EXPECT_EQ(list->items->type, SchemaType::kString);
  const Schema* map = root.FindProperty("m");
  ASSERT_NE(map, nullptr);
  EXPECT_TRUE(map->IsMap());
  EXPECT_TRUE(map->map_atomic);
}

TEST(CrdSchemaTest, RefusesKeywordsOfTheWrongType) {
  EXPECT_THAT(Errors(R"({"type": "object", "minProperties": "x", "properties": {"a": 1}})"),
              UnorderedElementsAre(
                  "minProperties: Invalid value: \"string\": schema.minProperties in body must be "
                  "of type integer: \"string\"",
                  "properties[a]: Invalid value: \"integer\": schema.properties[a] in body must be "
                  "of type object: \"integer\""));
}

TEST(CrdSchemaTest, RequiresATypeForEveryValue) {
  EXPECT_THAT(Errors("{}"), ElementsAre("type: Required value: must not be empty at the root"));
  EXPECT_THAT(Errors(R"({"type": "string"})"),
              ElementsAre("type: Invalid value: \"string\": must be object at the root"));
  EXPECT_THAT(PropertyErrors("{}"),
              ElementsAre("type: Required value: must not be empty for specified object fields"));
  EXPECT_THAT(
      PropertyErrors(R"({"type": "array", "items": {}})"),
      ElementsAre("items.type: Required value: must not be empty for specified array items"));
  EXPECT_THAT(PropertyErrors(R"({"type": "array"})"),
              ElementsAre("items: Required value: must be specified"));
  EXPECT_THAT(PropertyErrors(R"({"type": "thing"})"),
              ElementsAre("type: Unsupported value: \"thing\": supported values: \"array\", "
                          "\"boolean\", \"integer\", \"number\", \"object\", \"string\""));
  EXPECT_THAT(PropertyErrors(R"({"x-kubernetes-preserve-unknown-fields": true})"), IsEmpty());
}

TEST(CrdSchemaTest, AllowsOnlyValueValidationInsideJunctors) {
  EXPECT_THAT(PropertyErrors(R"({"type": "integer", "anyOf": [
                  {"type": "integer", "description": "x", "default": 1}, {"minimum": 3}]})"),
              ElementsAre("anyOf[0].default: Forbidden: must be undefined to be structural",
                          "anyOf[0].description: Forbidden: must be empty to be structural",
                          "anyOf[0].type: Forbidden: must be empty to be structural"));
  EXPECT_THAT(Errors(R"({"type": "object", "allOf": [{"properties": {"a": {"minimum": 1}}}]})"),
              ElementsAre("properties[a]: Required value: because it is defined in "
                          "schema.allOf[0].properties[a]"));
  EXPECT_THAT(Errors(R"({"type": "object", "not": {"properties": {"metadata": {}}}})"),
              ElementsAre("not.properties[metadata]: Forbidden: must not be specified in a nested "
                          "context",
                          "properties[metadata]: Required value: because it is defined in "
                          "schema.not.properties[metadata]"));
}

TEST(CrdSchemaTest, AllowsBothFormsOfIntOrString) {
  EXPECT_THAT(PropertyErrors(R"({"x-kubernetes-int-or-string": true})"), IsEmpty());
  EXPECT_THAT(PropertyErrors(R"({"x-kubernetes-int-or-string": true,
                  "anyOf": [{"type": "integer"}, {"type": "string"}]})"),
              IsEmpty());
  EXPECT_THAT(PropertyErrors(R"({"x-kubernetes-int-or-string": true, "allOf": [
                  {"anyOf": [{"type": "integer"}, {"type": "string"}]}, {"minimum": 1}]})"),
              IsEmpty());
  EXPECT_THAT(PropertyErrors(R"({"x-kubernetes-int-or-string": true,
                  "anyOf": [{"type": "string"}, {"type": "integer"}]})"),
              ElementsAre("anyOf[0].type: Forbidden: must be empty to be structural",
                          "anyOf[1].type: Forbidden: must be empty to be structural"));
  EXPECT_THAT(
      PropertyErrors(R"({"x-kubernetes-int-or-string": true,
                                 "x-kubernetes-preserve-unknown-fields": true})"),
      ElementsAre("x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false "
                  "if x-kubernetes-int-or-string is true"));
}

TEST(CrdSchemaTest, RestrictsMetadataToNames) {
  EXPECT_THAT(Errors(R"({"type": "object", "properties": {"metadata": {"type": "object",
                  "properties": {"name": {"type": "string", "maxLength": 5}}}}})"),
              IsEmpty());
  EXPECT_THAT(Errors(R"({"type": "object", "properties": {"metadata": {"type": "object",
                  "properties": {"labels": {"type": "object"}}}}})"),
              ElementsAre("properties[metadata]: Forbidden: must not specify anything other than "
                          "name and generateName, but metadata is implicitly specified"));
  EXPECT_THAT(Errors(R"({"type": "object", "properties": {"kind": {"type": "integer"}}})"),
              ElementsAre("properties[kind].type: Invalid value: \"integer\": must be string"));
}

TEST(CrdSchemaTest, ChecksEmbeddedResources) {
  EXPECT_THAT(PropertyErrors(R"({"x-kubernetes-embedded-resource": true})"),
              ElementsAre("properties: Required value: must not be empty if "
                          "x-kubernetes-embedded-resource is true without "
                          "x-kubernetes-preserve-unknown-fields",
                          "type: Required value: must be object if x-kubernetes-embedded-resource "
                          "is true"));
}

TEST(CrdSchemaTest, RefusesUnsupportedKeywords) {
  EXPECT_THAT(Errors(R"({"type": "object", "$ref": "#/x", "definitions": {"a": {}}})"),
              UnorderedElementsAre("$ref: Forbidden: $ref is not supported",
                                   "definitions: Forbidden: definitions is not supported"));
  EXPECT_THAT(PropertyErrors(R"({"type": "array", "items": {"type": "string"},
                                 "uniqueItems": true})"),
              ElementsAre("uniqueItems: Forbidden: uniqueItems cannot be set to true since the "
                          "runtime complexity becomes quadratic"));
  EXPECT_THAT(
      PropertyErrors(R"({"type": "object", "additionalProperties": false,
                                 "properties": {"a": {"type": "string"}}})"),
      ElementsAre("additionalProperties: Forbidden: additionalProperties and properties are "
                  "mutual exclusive"));
  EXPECT_THAT(Errors(R"({"type": "object", "additionalProperties": true, "nullable": true})"),
              ElementsAre("nullable: Forbidden: nullable cannot be true at the root",
                          "additionalProperties: Forbidden: must not be used at the root"));
  EXPECT_THAT(
      PropertyErrors(R"({"type": "object",
                                 "x-kubernetes-preserve-unknown-fields": false})"),
      ElementsAre("x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true "
                  "or undefined"));
}

TEST(CrdSchemaTest, RefusesPatternsThatDoNotCompile) {
  EXPECT_THAT(PropertyErrors(R"({"type": "string", "pattern": "("})"),
              ElementsAre("pattern: Invalid value: \"(\": must be a valid regular expression, but "
                          "isn't: missing ): ("));
}

TEST(CrdSchemaTest, ChecksListTypes) {
  EXPECT_THAT(PropertyErrors(R"({"type": "string", "x-kubernetes-list-type": "bag"})"),
              ElementsAre("type: Invalid value: \"string\": must be array if "
                          "x-kubernetes-list-type is specified",
                          "x-kubernetes-list-type: Unsupported value: \"bag\": supported values: "
                          "\"atomic\", \"set\", \"map\""));
  EXPECT_THAT(PropertyErrors(R"({"type": "array", "items": {"type": "object"},
                                 "x-kubernetes-list-type": "set"})"),
              ElementsAre("items.x-kubernetes-map-type: Invalid value: \"null\": must be atomic as "
                          "item of a list with x-kubernetes-list-type=set"));
  EXPECT_THAT(PropertyErrors(R"({"type": "array", "items": {"type": "object"},
                                 "x-kubernetes-list-type": "map"})"),
              ElementsAre("x-kubernetes-list-map-keys: Required value: must not be empty if "
                          "x-kubernetes-list-type is map"));
  EXPECT_THAT(PropertyErrors(R"({"type": "array", "x-kubernetes-list-type": "map",
                                 "x-kubernetes-list-map-keys": ["k", "x"], "items": {
                                   "type": "object", "properties": {"k": {"type": "string"}}}})"),
              ElementsAre("items.properties[k].default: Required value: this property is in "
                          "x-kubernetes-list-map-keys, so it must have a default or be a required "
                          "property",
                          "x-kubernetes-list-map-keys: Invalid value: [\"k\",\"x\"]: entries must "
                          "all be names of item properties"));
  EXPECT_THAT(PropertyErrors(R"({"type": "object", "x-kubernetes-map-type": "big"})"),
              ElementsAre("x-kubernetes-map-type: Unsupported value: \"big\": supported values: "
                          "\"atomic\", \"granular\""));
}

TEST(CrdSchemaTest, ChecksDefaults) {
  EXPECT_THAT(PropertyErrors(R"({"type": "string", "default": 1})"),
              ElementsAre("default: Invalid value: \"integer\":  in body must be of type string: "
                          "\"integer\""));
  EXPECT_THAT(
      PropertyErrors(R"({"type": "object", "default": {"a": 1, "b": 2},
                                 "properties": {"a": {"type": "integer"}}})"),
      ElementsAre("default: Invalid value: {\"a\":1,\"b\":2}: must not have unknown fields"));
  EXPECT_THAT(PropertyErrors(R"({"type": "object", "default": {}, "required": ["a"],
                                 "properties": {"a": {"type": "integer"}}})"),
              ElementsAre("default.a: Required value"));
  EXPECT_THAT(
      Errors(R"({"type": "object", "properties": {"kind": {"type": "string",
                                                                   "default": "x"}}})"),
      ElementsAre("properties[kind].default: Forbidden: must not be set in top-level kind"));
}

TEST(CrdSchemaTest, RecognizesTheImmutabilityRule) {
  const CrdSchema parsed =
      ParseCrdSchema(J(R"({"type": "object", "properties": {"spec": {"type": "object",
            "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}}})"),
                     FieldPath("schema"));
  EXPECT_THAT(parsed.unevaluated_rules, IsEmpty());
  EXPECT_TRUE(parsed.schema->FindProperty("spec")->immutable);
}

TEST(CrdSchemaTest, RefusesRulesWithOldSelfBelowItemsWithoutIdentity) {
  constexpr std::string_view kItem =
      R"({"type": "object", "required": ["k"], "properties": {"k": {"type": "string"}, "v": {
          "type": "integer", "x-kubernetes-validations": [{"rule": "self >= oldSelf"}]}}})";
  const auto list = [&](std::string_view type) {
    return fmt::format(R"({{"type": "array", "items": {}{}}})", kItem, type);
  };
  constexpr std::string_view kError =
      "items.properties[v].x-kubernetes-validations[0].rule: Invalid value: \"self >= oldSelf\": "
      "oldSelf cannot be used on the uncorrelatable portion of the schema within "
      "schema.properties[p]";
  EXPECT_THAT(PropertyErrors(list("")), ElementsAre(kError));
  EXPECT_THAT(PropertyErrors(list(R"(, "x-kubernetes-list-type": "atomic")")), ElementsAre(kError));
  EXPECT_THAT(PropertyErrors(list(
                  R"(, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"])")),
              IsEmpty());
  // A word in quotes is no name.
  EXPECT_THAT(PropertyErrors(R"({"type": "array", "items": {"type": "string",
                  "x-kubernetes-validations": [{"rule": "self != 'oldSelf' && self != \"oldSelf\""}]}})"),
              IsEmpty());
}

TEST(CrdSchemaTest, RefusesRulesThatCostTooMuch) {
  // A map of `entries` texts of `characters`, none of which may change; 0: without a bound.
  const auto map = [](int entries, int characters) {
    return fmt::format(
        R"({{"type": "object"{}, "additionalProperties": {{"type": "string"{},
             "x-kubernetes-validations": [{{"rule": "self == oldSelf"}}]}}}})",
        entries == 0 ? "" : fmt::format(R"(, "maxProperties": {})", entries),
        characters == 0 ? "" : fmt::format(R"(, "maxLength": {})", characters));
  };
  const auto error = [](std::string_view factor) {
    return fmt::format(
        "additionalProperties.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost "
        "exceeds budget by factor of {} (try simplifying the rule, or adding maxItems, "
        "maxProperties, and maxLength where arrays, maps, and strings are declared)",
        factor);
  };
  EXPECT_THAT(PropertyErrors(map(0, 0)),
              ElementsAre(error("more than 100x"), HasSubstr("contributed to estimated rule cost"),
                          HasSubstr("for entire OpenAPIv3 schema exceeds budget by factor of more "
                                    "than 100x")));
  EXPECT_THAT(PropertyErrors(map(100, 0)), ElementsAre(error("3.1x")));
  EXPECT_THAT(PropertyErrors(map(32, 0)), ElementsAre(error("1.006640x")));
  EXPECT_THAT(PropertyErrors(map(31, 0)), IsEmpty());
  EXPECT_THAT(PropertyErrors(map(0, 10)), IsEmpty());
  EXPECT_THAT(PropertyErrors(map(0, 100)), ElementsAre(error("4.4x")));
  // The cost of comparing an object does not depend on its members.
  EXPECT_THAT(PropertyErrors(R"({"type": "array", "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"], "items": {"type": "object", "required": ["k"],
      "properties": {"k": {"type": "string"}},
      "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}})"),
              IsEmpty());
}

TEST(CrdSchemaTest, RefusesRulesThatCostTooMuchTogether) {
  std::string properties;
  for (int i = 0; i < 33; ++i) {
    if (i > 0) properties += ",";
    properties += fmt::format(
        R"("p{}": {{"type": "object", "maxProperties": 10, "additionalProperties": {{
             "type": "string", "x-kubernetes-validations": [{{"rule": "self == oldSelf"}}]}}}})",
        i);
  }
  const auto errors = Errors(R"({"type": "object", "properties": {)" + properties + "}}");
  ASSERT_EQ(errors.size(), 5u);
  EXPECT_THAT(errors.front(),
              HasSubstr("Forbidden: contributed to estimated rule cost total exceeding cost limit "
                        "for entire OpenAPIv3 schema"));
  EXPECT_THAT(errors.back(),
              StartsWith("schema: Forbidden: x-kubernetes-validations estimated rule cost total "
                         "for entire OpenAPIv3 schema exceeds budget by factor of 1.03809"));
}

TEST(CrdSchemaTest, RetainsRulesAndListsTheirPaths) {
  const CrdSchema parsed =
      ParseCrdSchema(J(R"({"type": "object", "properties": {"spec": {"type": "object",
            "x-kubernetes-validations": [{"rule": "self.a < self.b"}, {"rule": "true"}]}}})"),
                     FieldPath("schema"));
  ASSERT_THAT(parsed.errors, IsEmpty());
  EXPECT_THAT(parsed.unevaluated_rules,
              ElementsAre("schema.properties[spec].x-kubernetes-validations[0]",
                          "schema.properties[spec].x-kubernetes-validations[1]"));
  EXPECT_EQ(parsed.schema->FindProperty("spec")->cel_rules.size(), 2);
  EXPECT_THAT(
      PropertyErrors(R"({"type": "string", "x-kubernetes-validations": [{"rule": " "}]})"),
      ElementsAre("x-kubernetes-validations[0].rule: Required value: rule is not specified"));
}

}  // namespace
}  // namespace kubexms
