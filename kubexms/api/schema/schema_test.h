#pragma once

// Documents and schemas from text, for the tests of this library.

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/crd/crd_schema.h"
#include "kubexms/base/json/json.h"

namespace kubexms::testing {

inline Json J(std::string_view text) {
  Result<Json> json = ParseJson(text);
  EXPECT_TRUE(json.ok()) << text;
  return json.ok() ? std::move(json).value() : Json();
}

// A schema of the supported keywords, structural or not.
inline SchemaHandle S(std::string_view text) {
  CrdSchema parsed = ParseCrdSchema(J(text), FieldPath("schema"), {.structural = false});
  for (const ErrorCause& error : parsed.errors) ADD_FAILURE() << error.field << error.message;
  return parsed.schema != nullptr ? parsed.schema : std::make_shared<const Schema>();
}

// Each as "field: message".
inline std::vector<std::string> Written(const std::vector<ErrorCause>& errors) {
  std::vector<std::string> written;
  for (const ErrorCause& error : errors) written.push_back(error.field + ": " + error.message);
  return written;
}

}  // namespace kubexms::testing
