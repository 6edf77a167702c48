#include "kubexms/api/protobuf/openapi_protobuf.h"

#include <gtest/gtest.h>

#include <string>

#include "kubexms/api/schema/schema_test.h"

namespace kubexms {
namespace {

using ::kubexms::testing::J;
using namespace std::string_literals;

TEST(OpenApiProtobufTest, WritesTheHeader) {
  EXPECT_EQ(EncodeOpenApiV2(J(R"({"swagger": "2.0", "info": {"title": "t", "version": "v"}})")),
            "\x0a\x03"
            "2.0"
            "\x12\x06\x0a\x01"
            "t"
            "\x12\x01"
            "v");
}

TEST(OpenApiProtobufTest, WritesDefinitions) {
  // definitions {additional_properties {name: "D" value {…}}}
  const auto definition = [](const std::string& schema) {
    const std::string named =
        "\x0a\x01"
        "D\x12"s +
        static_cast<char>(schema.size()) + schema;
    const std::string entry = "\x0a"s + static_cast<char>(named.size()) + named;
    return "\x4a"s + static_cast<char>(entry.size()) + entry;
  };
  EXPECT_EQ(EncodeOpenApiV2(J(R"({"definitions": {"D": {"$ref": "#/x"}}})")),
            definition("\x0a\x03#/x"));
  // type {value: "object"} (22), required (19), properties (25), an extension (31)
  EXPECT_EQ(EncodeOpenApiV2(J(R"({"definitions": {"D": {"type": "object", "required": ["a"],
                "properties": {"a": {"maximum": 1}}, "x-e": [1]}}})")),
            definition("\x9a\x01\x01"
                       "a"
                       "\xb2\x01\x08\x0a\x06object"
                       "\xca\x01\x10\x0a\x0e\x0a\x01"
                       "a\x12\x09\x39\0\0\0\0\0\0\xf0\x3f"
                       "\xfa\x01\x0c\x0a\x03x-e\x12\x05\x12\x03[1]"s));
}

TEST(OpenApiProtobufTest, WritesPaths) {
  // paths (8) {path (2) {name (1), value (2) {get (2) {operation_id (5)}}}}
  EXPECT_EQ(EncodeOpenApiV2(J(R"({"paths": {"/p": {"get": {"operationId": "i"}}}})")),
            "\x42\x0d\x12\x0b\x0a\x02/p\x12\x05\x12\x03\x2a\x01i");
  // get {parameters (8) {parameter (1) {non_body (2) {query (3) {in, name, type}}}}}
  EXPECT_EQ(EncodeOpenApiV2(J(R"({"paths": {"/p": {"get": {"parameters": [
                {"in": "query", "name": "n", "type": "t"}]}}}})")),
            "\x42\x1f\x12\x1d\x0a\x02/p\x12\x17\x12\x15\x42\x13\x0a\x11\x12\x0f\x1a\x0d"
            "\x12\x05query\x22\x01n\x32\x01t");
}

}  // namespace
}  // namespace kubexms
