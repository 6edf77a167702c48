#include "kubexms/api/schema/schema_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexms/api/schema/schema_test.h"

namespace kubexms {
namespace {

using ::kubexms::testing::J;
using ::kubexms::testing::S;
using ::kubexms::testing::Written;
using ::testing::IsEmpty;

std::string Write(const Schema& schema, SchemaDialect dialect) {
  return WriteJson(SchemaToOpenApi(schema, dialect));
}

TEST(SchemaJsonTest, WritesTheParsedKeywords) {
  const std::string text =
      WriteJson(J(R"({"type": "object", "description": "root", "required": ["s"], "properties": {
              "s": {"type": "string", "format": "uuid", "minLength": 1, "maxLength": 2,
                    "pattern": "^a", "enum": ["a"], "default": "a", "nullable": true},
              "n": {"type": "number", "minimum": 1, "maximum": 2.5, "exclusiveMinimum": true,
                    "multipleOf": 0.5, "allOf": [{"minimum": 1}], "not": {"enum": [2]}},
              "l": {"type": "array", "items": {"type": "object", "required": ["k"],
                                               "properties": {"k": {"type": "string"}}},
                    "maxItems": 2, "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["k"]},
              "m": {"type": "object", "additionalProperties": {"type": "boolean"},
                    "maxProperties": 2, "x-kubernetes-map-type": "atomic",
                    "x-kubernetes-validations": [{"rule": "true"}]},
              "i": {"x-kubernetes-int-or-string": true,
                    "anyOf": [{"type": "integer"}, {"type": "string"}]},
              "e": {"type": "object", "x-kubernetes-embedded-resource": true,
                    "x-kubernetes-preserve-unknown-fields": true}}})"));
  EXPECT_EQ(Write(*S(text), SchemaDialect::kCrd), text);
}

// A type that contains itself, with a metadata of its own.
class DefinitionTest : public ::testing::Test {
 protected:
  DefinitionTest() {
    meta_.definition = "meta.ObjectMeta";
    meta_.type = SchemaType::kObject;
    tree_.definition = "a.Tree";
    tree_.doc = "A tree.";
    tree_.type = SchemaType::kObject;
    child_.ref = &tree_;
    child_.doc = "Below it.";
    children_.type = SchemaType::kArray;
    children_.items = &tree_;
    children_.patch_strategy = PatchStrategy::kMerge;
    children_.patch_merge_key = "name";
    metadata_.ref = &meta_;
    size_.quantity = true;
    port_.int_or_string = true;
    tree_.properties = {{"child", &child_},
                        {"children", &children_},
                        {"metadata", &metadata_},
                        {"port", &port_},
                        {"size", &size_}};
  }

  Schema meta_, tree_, child_, children_, metadata_, size_, port_;
};

TEST_F(DefinitionTest, IsInlinedInACrd) {
  const JsonObject out = SchemaToOpenApi(tree_, SchemaDialect::kCrd);
  EXPECT_EQ(WriteJson(out.at("properties").at("child")),
            R"({"description":"Below it.","type":"object",)"
            R"("x-kubernetes-preserve-unknown-fields":true})");
  EXPECT_EQ(WriteJson(out.at("properties").at("metadata")), R"({"type":"object"})");
  EXPECT_EQ(
      WriteJson(out.at("properties").at("port")),
      R"({"anyOf":[{"type":"integer"},{"type":"string"}],"x-kubernetes-int-or-string":true})");
  const CrdSchema parsed = ParseCrdSchema(out, FieldPath("schema"));
  EXPECT_THAT(Written(parsed.errors), IsEmpty());
}

TEST_F(DefinitionTest, IsAReferenceInOpenApiV2) {
  const JsonObject out = SchemaToOpenApi(tree_, SchemaDialect::kOpenApiV2);
  EXPECT_EQ(WriteJson(out.at("properties")),
            R"({"child":{"$ref":"#/definitions/a.Tree","description":"Below it."},)"
            R"("children":{"items":{"$ref":"#/definitions/a.Tree"},"type":"array",)"
            R"("x-kubernetes-patch-merge-key":"name","x-kubernetes-patch-strategy":"merge"},)"
            R"("metadata":{"$ref":"#/definitions/meta.ObjectMeta"},)"
            R"("port":{"x-kubernetes-int-or-string":true},"size":{"type":"string"}})");
}

TEST_F(DefinitionTest, IsAReferenceInOpenApiV3) {
  const JsonObject out = SchemaToOpenApi(tree_, SchemaDialect::kOpenApiV3);
  EXPECT_EQ(WriteJson(out.at("properties").at("child")),
            R"({"allOf":[{"$ref":"#/components/schemas/a.Tree"}],"description":"Below it."})");
  EXPECT_EQ(WriteJson(out.at("properties").at("size")),
            R"({"oneOf":[{"type":"string"},{"type":"number"}]})");
}

TEST(SchemaJsonTest, OmitsListMapsThatACrdCannotHave) {
  const SchemaHandle schema = S(R"({"type": "array", "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
      "items": {"type": "object", "properties": {"k": {"type": "string"}}}})");
  EXPECT_FALSE(SchemaToOpenApi(*schema, SchemaDialect::kCrd).contains("x-kubernetes-list-type"));
  EXPECT_TRUE(
      SchemaToOpenApi(*schema, SchemaDialect::kOpenApiV3).contains("x-kubernetes-list-type"));
}

TEST(SchemaJsonTest, DescribesEmbeddedResources) {
  const SchemaHandle schema = S(R"({"type": "object", "properties": {
      "inner": {"type": "object", "x-kubernetes-embedded-resource": true,
                "properties": {"spec": {"type": "object"}}}}})");
  const Json v3 = SchemaToOpenApi(*schema, SchemaDialect::kOpenApiV3);
  const Json& inner = v3.at("properties").at("inner");
  EXPECT_EQ(WriteJson(inner.at("required")), R"(["kind","apiVersion"])");
  EXPECT_EQ(WriteJson(inner.at("properties").at("metadata")),
            R"({"allOf":[{"$ref":"#/components/schemas/)"
            R"(io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}]})");
  EXPECT_TRUE(inner.at("properties").as_object().contains("spec"));
}

TEST(SchemaJsonTest, OmitsKeywordsByWhichKubectlWouldRefuseValidObjects) {
  EXPECT_EQ(Write(*S(R"({"type": "object", "x-kubernetes-preserve-unknown-fields": true,
                         "properties": {"a": {"type": "string"}}, "required": ["a"]})"),
                  SchemaDialect::kOpenApiV2),
            R"({"type":"object"})");
  EXPECT_EQ(Write(*S(R"({"type": "object", "properties": {
                           "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": true,
                                   "properties": {"a": {"type": "string"}}},
                           "choice": {"x-kubernetes-int-or-string": true},
                           "null": {"type": "string", "nullable": true}}})"),
                  SchemaDialect::kOpenApiV2),
            R"({"properties":{"any":{"x-kubernetes-preserve-unknown-fields":true},)"
            R"("choice":{"x-kubernetes-int-or-string":true},"null":{}},"type":"object"})");
  EXPECT_EQ(Write(*S(R"({"type": "string", "anyOf": [{"minLength": 1}], "nullable": true})"),
                  SchemaDialect::kOpenApiV2),
            R"({"type":"string"})");
}

}  // namespace
}  // namespace kubexms
