#include "kubexms/api/schema/validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "kubexms/api/schema/schema_test.h"

namespace kubexms {
namespace {

using ::kubexms::testing::J;
using ::kubexms::testing::S;
using ::kubexms::testing::Written;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Errors(std::string_view schema, std::string_view value) {
  return Written(Validate(J(value), *S(schema)));
}

constexpr std::string_view kWidget = R"({
  "type": "object",
  "properties": {"spec": {
    "type": "object",
    "required": ["size"],
    "properties": {
      "size": {"type": "integer", "minimum": 0, "maximum": 10},
      "color": {"type": "string", "enum": ["red", "blue"]},
      "tags": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}}}}})";

TEST(ValidationTest, AcceptsValidValues) {
  EXPECT_THAT(Errors(kWidget, R"({"spec": {"size": 1, "color": "red", "tags": ["a", "b"]}})"),
              IsEmpty());
  EXPECT_THAT(Errors(kWidget, R"({"kind": "Widget"})"), IsEmpty());
}

TEST(ValidationTest, ReportsAllErrorsAtOnce) {
  const auto errors = Validate(J(R"({"spec": {"size": 11, "color": "green"}})"), *S(kWidget));
  EXPECT_THAT(
      errors,
      ElementsAre(
          ErrorCause{"FieldValueNotSupported",
                     "Unsupported value: \"green\": supported values: \"red\", \"blue\"",
                     "spec.color"},
          ErrorCause{"FieldValueInvalid",
                     "Invalid value: 11: spec.size in body should be less than or equal to 10",
                     "spec.size"}));
}

TEST(ValidationTest, ReportsMissingFields) {
  EXPECT_THAT(Validate(J(R"({"spec": {}})"), *S(kWidget)),
              ElementsAre(ErrorCause{"FieldValueRequired", "Required value", "spec.size"}));
}

TEST(ValidationTest, ReportsWrongTypes) {
  EXPECT_THAT(
      Validate(J(R"({"spec": {"size": "x"}})"), *S(kWidget)),
      ElementsAre(ErrorCause{
          "FieldValueTypeInvalid",
          "Invalid value: \"string\": spec.size in body must be of type integer: \"string\"",
          "spec.size"}));
  EXPECT_THAT(Errors(kWidget, R"({"spec": {"size": 1.5}})"),
              ElementsAre("spec.size: Invalid value: \"number\": spec.size in body must be of type "
                          "integer: \"number\""));
  EXPECT_THAT(Errors(kWidget, R"({"spec": {"size": 2.0}})"), IsEmpty());
  EXPECT_THAT(Errors(kWidget, R"({"spec": null})"),
              ElementsAre("spec: Invalid value: \"null\": spec in body must be of type object: "
                          "\"null\""));
}

TEST(ValidationTest, ReportsTheRootWithoutAPath) {
  EXPECT_THAT(Errors(kWidget, "[]"),
              ElementsAre("<nil>: Invalid value: \"array\":  in body must be of type object: "
                          "\"array\""));
}

TEST(ValidationTest, AllowsNullOnlyWhereItIsNullable) {
  EXPECT_THAT(Errors(R"({"type": "string", "nullable": true})", "null"), IsEmpty());
  EXPECT_THAT(Errors(R"({"properties": {"a": {"type": "string"}}})", R"({"a": null})").size(), 1);
}

TEST(ValidationTest, ChecksStrings) {
  constexpr std::string_view kSchema =
      R"({"properties": {"s": {"type": "string", "minLength": 2, "maxLength": 3,
                               "pattern": "^[a-zä]+$"}}})";
  EXPECT_THAT(Errors(kSchema, R"({"s": "äää"})"), IsEmpty());
  EXPECT_THAT(Errors(kSchema, R"({"s": "aaaa"})"),
              ElementsAre("s: Too long: may not be more than 3 bytes"));
  EXPECT_THAT(Errors(kSchema, R"({"s": "a"})"),
              ElementsAre("s: Invalid value: \"a\": s in body should be at least 2 chars long"));
  EXPECT_THAT(Errors(kSchema, R"({"s": "a1"})"),
              ElementsAre("s: Invalid value: \"a1\": s in body should match '^[a-zä]+$'"));
}

TEST(ValidationTest, ChecksKnownFormats) {
  EXPECT_THAT(Errors(R"({"properties": {"t": {"type": "string", "format": "date-time"}}})",
                     R"({"t": "now"})"),
              ElementsAre("t: Invalid value: \"now\": t in body must be of type date-time: "
                          "\"now\""));
  EXPECT_THAT(Errors(R"({"type": "string", "format": "color"})", R"("x")"), IsEmpty());
}

TEST(ValidationTest, ChecksNumbers) {
  constexpr std::string_view kSchema =
      R"({"properties": {"n": {"type": "number", "minimum": 1.5, "exclusiveMinimum": true,
                               "maximum": 10, "exclusiveMaximum": true, "multipleOf": 0.5}}})";
  EXPECT_THAT(Errors(kSchema, R"({"n": 2.5})"), IsEmpty());
  EXPECT_THAT(Errors(kSchema, R"({"n": 10})"),
              ElementsAre("n: Invalid value: 10: n in body should be less than 10"));
  EXPECT_THAT(Errors(kSchema, R"({"n": 1.25})"),
              ElementsAre("n: Invalid value: 1.25: n in body should be a multiple of 0.5",
                          "n: Invalid value: 1.25: n in body should be greater than 1.5"));
}

TEST(ValidationTest, ComparesLargeIntegersExactly) {
  constexpr std::string_view kSchema = R"({"type": "integer", "maximum": 9007199254740992})";
  EXPECT_THAT(Errors(kSchema, "9007199254740992"), IsEmpty());
  EXPECT_EQ(Errors(kSchema, "9007199254740993").size(), 1);
  EXPECT_EQ(Errors(kSchema, "18446744073709551615").size(), 1);
  EXPECT_THAT(Errors(R"({"minimum": -1e300, "maximum": 1e300})", "-9223372036854775808"),
              IsEmpty());
}

TEST(ValidationTest, ChecksIntegerFormatsByOption) {
  const SchemaHandle schema = S(R"({"type": "integer", "format": "int32"})");
  EXPECT_THAT(Validate(J("2147483648"), *schema), IsEmpty());
  EXPECT_THAT(Validate(J("2147483647"), *schema, {.integer_formats = true}), IsEmpty());
  EXPECT_EQ(Validate(J("2147483648"), *schema, {.integer_formats = true}).size(), 1);
  EXPECT_EQ(Validate(J("-2147483649"), *schema, {.integer_formats = true}).size(), 1);
}

TEST(ValidationTest, ChecksLists) {
  constexpr std::string_view kSchema =
      R"({"properties": {"l": {"type": "array", "minItems": 2, "maxItems": 3, "uniqueItems": true,
                               "items": {"type": "integer"}}}})";
  EXPECT_THAT(Errors(kSchema, R"({"l": [1, 2]})"), IsEmpty());
  EXPECT_THAT(Errors(kSchema, R"({"l": [1]})"),
              ElementsAre("l: Invalid value: 1: l in body should have at least 2 items"));
  EXPECT_THAT(Errors(kSchema, R"({"l": [1, 2, 3, 4]})"),
              ElementsAre("l: Too many: 4: must have at most 3 items"));
  EXPECT_THAT(Errors(kSchema, R"({"l": [1, true, 1.0]})"),
              ElementsAre("l[1]: Invalid value: \"boolean\": l[1] in body must be of type integer: "
                          "\"boolean\"",
                          "l: Invalid value: \"\": l in body shouldn't contain duplicates"));
}

TEST(ValidationTest, ChecksObjects) {
  constexpr std::string_view kSchema =
      R"({"properties": {"m": {"type": "object", "minProperties": 1, "maxProperties": 2,
                               "additionalProperties": {"type": "string"}}}})";
  EXPECT_THAT(Errors(kSchema, R"({"m": {"a": "x"}})"), IsEmpty());
  EXPECT_THAT(Errors(kSchema, R"({"m": {}})"),
              ElementsAre("m: Invalid value: 0: m in body should have at least 1 properties"));
  EXPECT_THAT(Errors(kSchema, R"({"m": {"a": "", "b": "", "c": ""}})"),
              ElementsAre("m: Too many: 3: must have at most 2 items"));
  EXPECT_THAT(Errors(kSchema, R"({"m": {"a": 1}})"),
              ElementsAre("m.a: Invalid value: \"integer\": m.a in body must be of type string: "
                          "\"integer\""));
  EXPECT_THAT(
      Errors(R"({"properties": {"m": {"additionalProperties": false}}})", R"({"m": {"a": 1}})"),
      ElementsAre("m: Invalid value: \"a\": m.a in body is a forbidden property"));
}

TEST(ValidationTest, ChecksIntOrString) {
  constexpr std::string_view kSchema =
      R"({"properties": {"port": {"x-kubernetes-int-or-string": true}}})";
  EXPECT_THAT(Errors(kSchema, R"({"port": 80})"), IsEmpty());
  EXPECT_THAT(Errors(kSchema, R"({"port": "http"})"), IsEmpty());
  EXPECT_THAT(Errors(kSchema, R"({"port": true})"),
              ElementsAre("port: Invalid value: \"boolean\": port in body must be of type "
                          "integer,string: \"boolean\""));
}

TEST(ValidationTest, ChecksQuantities) {
  Schema schema;
  schema.quantity = true;
  EXPECT_THAT(Validate(J(R"("500m")"), schema), IsEmpty());
  EXPECT_THAT(Validate(J("1.5"), schema), IsEmpty());
  EXPECT_EQ(Validate(J(R"("five")"), schema).size(), 1);
  EXPECT_EQ(Validate(J("[]"), schema).size(), 1);
}

TEST(ValidationTest, ReportsJunctors) {
  constexpr std::string_view kAnyOf =
      R"({"properties": {"s": {"anyOf": [{"minimum": 5}, {"maximum": 2, "multipleOf": 2}]}}})";
  EXPECT_THAT(Errors(kAnyOf, R"({"s": 7})"), IsEmpty());
  EXPECT_THAT(Errors(kAnyOf, R"({"s": 3})"),
              ElementsAre("<nil>: Invalid value: \"\": \"s\" must validate at least one schema "
                          "(anyOf)",
                          "s: Invalid value: 3: s in body should be greater than or equal to 5"));
  constexpr std::string_view kOneOf =
      R"({"properties": {"s": {"oneOf": [{"minimum": 5}, {"minimum": 7}]}}})";
  EXPECT_THAT(Errors(kOneOf, R"({"s": 6})"), IsEmpty());
  EXPECT_THAT(Errors(kOneOf, R"({"s": 8})"),
              ElementsAre("<nil>: Invalid value: \"\": \"s\" must validate one and only one schema "
                          "(oneOf). Found 2 valid alternatives"));
  EXPECT_THAT(Errors(kOneOf, R"({"s": 1})").front(),
              "<nil>: Invalid value: \"\": \"s\" must validate one and only one schema (oneOf). "
              "Found none valid");
  EXPECT_THAT(Errors(R"({"allOf": [{"minimum": 5}, {"maximum": 3}]})", "4"),
              ElementsAre("<nil>: Invalid value: 4:  in body should be greater than or equal to 5",
                          "<nil>: Invalid value: 4:  in body should be less than or equal to 3",
                          "<nil>: Invalid value: \"\": \"\" must validate all the schemas (allOf). "
                          "None validated"));
  EXPECT_THAT(Errors(R"({"not": {"minimum": 5}})", "6"),
              ElementsAre("<nil>: Invalid value: \"\": \"\" must not validate the schema (not)"));
}

TEST(ValidationTest, FindsDuplicatesInSets) {
  EXPECT_THAT(
      Validate(J(R"({"spec": {"size": 1, "tags": ["a", "b", "a", "a"]}})"), *S(kWidget)),
      ElementsAre(ErrorCause{"FieldValueDuplicate", "Duplicate value: \"a\"", "spec.tags[2]"}));
}

TEST(ValidationTest, FindsDuplicateKeysInListMaps) {
  constexpr std::string_view kSchema = R"({"properties": {
      "m": {"additionalProperties": {
        "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a", "b"],
        "items": {"type": "object"}}}}})";
  EXPECT_THAT(Errors(kSchema, R"({"m": {"k": [{"a": 1, "b": 2}, {"a": 1}, {"a": 1, "b": 2}]}})"),
              ElementsAre("m[k][2]: Duplicate value: {\"a\":1,\"b\":2}"));
  EXPECT_THAT(
      Validate(J(R"({"m": {"k": [{"a": 1}, {"a": 1}]}})"), *S(kSchema), {.list_types = false}),
      IsEmpty());
}

TEST(ValidationTest, RequiresTheKindOfEmbeddedResources) {
  constexpr std::string_view kSchema = R"({"properties": {"t": {"type": "object",
      "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true}}})";
  EXPECT_THAT(Errors(kSchema, R"({"t": {"apiVersion": "v1", "kind": "Pod", "metadata": {}}})"),
              IsEmpty());
  EXPECT_THAT(Errors(kSchema, R"({"t": {"kind": "", "metadata": 1}})"),
              ElementsAre("t.apiVersion: Required value: must not be empty",
                          "t.kind: Invalid value: \"\": must not be empty",
                          "t.metadata: Invalid value: 1: must be an object"));
}

TEST(ValidationTest, PrependsTheRootToEveryPath) {
  const FieldPath root("spec.default");
  const SchemaHandle schema = S(R"({"type": "object", "required": ["a"]})");
  EXPECT_THAT(Written(Validate(J("{}"), *schema, {.root = &root})),
              ElementsAre("spec.default.a: Required value"));
  EXPECT_EQ(Validate(J("1"), *schema, {.root = &root})[0].field, "spec.default");
}

TEST(ValidationTest, StopsCollectingAtTheLimit) {
  const SchemaHandle schema = S(R"({"items": {"type": "string"}})");
  EXPECT_EQ(Validate(J("[1, 2, 3, 4]"), *schema, {.max_errors = 2}).size(), 2);
}

TEST(ValidationTest, FollowsSchemasThatContainThemselves) {
  Schema node;
  Schema child;
  child.ref = &node;
  node.type = SchemaType::kObject;
  node.properties = {{"child", &child}};
  node.required = {"name"};
  EXPECT_THAT(Written(Validate(J(R"({"name": "a", "child": {"name": "b", "child": {}}})"), node)),
              ElementsAre("child.child.name: Required value"));
}

TEST(ValidationTest, RunsOnManyThreads) {
  const SchemaHandle schema = S(R"({"type": "string", "pattern": "^[a-z]+$"})");
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 200; ++n) EXPECT_EQ(Validate(Json("A"), *schema).size(), 1);
    });
  }
}

TEST(ValidationTest, HasKubernetesRangeMessagesForBuiltinKinds) {
  Schema minimum;
  minimum.type = SchemaType::kInteger;
  minimum.minimum = 0;
  Schema range = minimum;
  range.maximum = 9;
  const ValidationOptions options{.builtin_kind = true};
  EXPECT_EQ(Validate(Json(-1), minimum, options).at(0).message,
            "Invalid value: -1: must be greater than or equal to 0");
  EXPECT_EQ(Validate(Json(10), range, options).at(0).message,
            "Invalid value: 10: must be between 0 and 9, inclusive");
  EXPECT_TRUE(Validate(Json(9), range, options).empty());
}

TEST(ValidationTest, RefusesChangesOfImmutableFields) {
  const auto schema = S(R"({"type": "object", "properties": {"spec": {"type": "object",
      "properties": {"size": {"type": "integer"},
                     "color": {"type": "string", "x-kubernetes-validations":
                       [{"rule": "self == oldSelf", "message": "paint does not come off"}]},
                     "owner": {"type": "object", "properties": {"name": {"type": "string"}},
                       "x-kubernetes-validations": [{"rule": "self==oldSelf"}]}}}}})");
  const auto errors = [&](std::string_view old, std::string_view value) {
    return Written(ValidateTransition(J(value), J(old), *schema));
  };
  constexpr std::string_view kOld =
      R"({"spec": {"size": 1, "color": "red", "owner": {"name": "a"}}})";
  EXPECT_THAT(errors(kOld, R"({"spec": {"size": 2, "color": "red", "owner": {"name": "a"}}})"),
              IsEmpty());
  EXPECT_THAT(errors(kOld, R"({"spec": {"color": "blue", "owner": {"name": "b"}}})"),
              ElementsAre("spec.color: Invalid value: \"string\": paint does not come off",
                          "spec.owner: Invalid value: \"object\": failed rule: self == oldSelf"));
  // The rule compares two values; where there is only one, there is nothing to compare.
  EXPECT_THAT(errors(kOld, R"({"spec": {}})"), IsEmpty());
  EXPECT_THAT(errors(R"({"spec": {}})", kOld), IsEmpty());
}

}  // namespace
}  // namespace kubexms
