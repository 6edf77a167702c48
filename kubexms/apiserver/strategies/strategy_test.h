#pragma once

// Calls the hooks of strategies in the order of the server's write path, for tests.

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "kubexms/api/builtin/builtin_kinds.h"
#include "kubexms/api/group_version.h"
#include "kubexms/api/schema/defaulting.h"
#include "kubexms/api/schema/zero_values.h"
#include "kubexms/apiserver/strategies/strategy.h"
#include "kubexms/apiserver/write/object_validation.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/json/yaml.h"

namespace kubexms {

inline constexpr std::string_view kTestUid = "0b6c6b0e-0000-4000-8000-000000000001";

inline Json MustParse(std::string_view yaml) {
  Result<std::vector<YamlDocument>> documents = ParseYaml(yaml);
  EXPECT_TRUE(documents.ok() && documents->size() == 1) << yaml;
  return documents.ok() ? std::move(documents->front().value) : Json(JsonObject());
}

struct KindUnderTest {
  const Schema* schema;
  const Strategy* strategy;
  const ZeroForm* zero_form;
};

inline KindUnderTest KindOf(const Json& object) {
  const std::string_view api_version = FindString(object, "apiVersion");
  const std::string_view kind = FindString(object, "kind");
  const size_t slash = api_version.find('/');
  const std::string_view group =
      slash == std::string_view::npos ? "" : api_version.substr(0, slash);
  const std::string_view version =
      slash == std::string_view::npos ? api_version : api_version.substr(slash + 1);
  const TypeInfo* type = FindBuiltinKind(group, version, kind);
  EXPECT_NE(type, nullptr) << api_version << " " << kind;
  return {&type->schema, BuiltinStrategy(group, kind), &ZeroFormOf(*type)};
}

// The document after defaulting.
inline Json Defaulted(std::string_view yaml) {
  Json object = MustParse(yaml);
  const KindUnderTest kind = KindOf(object);
  Normalize(object, *kind.schema);
  RemoveZeroValues(object, *kind.zero_form);
  ApplyDefaults(object, *kind.schema);
  kind.strategy->SetDefaults(object.get_object());
  AddZeroValues(object, *kind.zero_form);
  return object;
}

// The object as it would be stored; the only server-set metadata is the uid.
inline Json Created(std::string_view yaml) {
  Json object = Defaulted(yaml);
  const KindUnderTest kind = KindOf(object);
  object.as_object()["metadata"].as_object()["uid"] = kTestUid;
  kind.strategy->PrepareForCreate(object.get_object());
  AddZeroValues(object, *kind.zero_form);
  return object;
}

inline std::string Describe(const FieldErrors& errors) {
  std::string text;
  for (const ErrorCause& cause : errors) {
    if (!text.empty()) text += "\n";
    text += cause.field + ": " + cause.message;
  }
  return text;
}

// The errors of a creation, one per line; empty when it is accepted.
inline std::string ErrorsOfCreate(std::string_view yaml) {
  const Json object = Created(yaml);
  const KindUnderTest kind = KindOf(object);
  FieldErrors errors;
  kind.strategy->Validate(object.get_object(), errors);
  kind.strategy->ValidateCreate(object.get_object(), errors);
  AddSchemaErrors(object, *kind.schema, errors);
  return Describe(errors);
}

// The object after an update of `stored`, and its errors.
struct Updated {
  Json object;
  std::string errors;
};

inline Updated Update(const Json& stored, std::string_view yaml) {
  Json object = Defaulted(yaml);
  const KindUnderTest kind = KindOf(object);
  object.as_object()["metadata"].as_object()["uid"] = kTestUid;
  if (const Json* status = FindMember(stored, "status")) object.as_object()["status"] = *status;
  kind.strategy->PrepareForUpdate(object.get_object(), stored.get_object());
  FieldErrors errors;
  kind.strategy->Validate(object.get_object(), errors);
  kind.strategy->ValidateUpdate(object.get_object(), stored.get_object(), errors);
  AddSchemaErrors(object, *kind.schema, errors);
  return {std::move(object), Describe(errors)};
}

inline void ExpectJson(const Json& actual, std::string_view expected_yaml) {
  EXPECT_EQ(WriteJsonPretty(actual), WriteJsonPretty(MustParse(expected_yaml)));
}

// Creates the object and expects exactly this result, apart from the uid.
inline void ExpectCreated(std::string_view yaml, std::string_view expected_yaml) {
  Json object = Created(yaml);
  EXPECT_EQ(ErrorsOfCreate(yaml), "");
  object.as_object()["metadata"].as_object().erase("uid");
  ExpectJson(object, expected_yaml);
}

}  // namespace kubexms
