#pragma once

// Decodes the body of a request into a document of a kind.

#include <string>
#include <string_view>
#include <vector>

#include "kubexms/apiserver/request/request.h"
#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

// What strict decoding refuses, as messages in Kubernetes' words.
struct StrictErrors {
  std::vector<std::string> duplicate_fields;
  std::vector<std::string> unknown_fields;
};

enum class BodyFormat { kJson, kYaml, kProtobuf };

// The format that the Content-Type header names; JSON without the header. Custom resources have no
// protobuf format.
Result<BodyFormat> BodyFormatOf(const HttpHeaders& headers, bool custom);

// "application/json" of "application/json; charset=utf-8".
std::string_view MediaType(const HttpHeaders& headers);

// Parses a body. An object without apiVersion or kind gets those of the expected kind. Adds
// duplicate fields to `errors`.
Result<Json> ParseBody(std::string_view body, BodyFormat format, const GroupVersionKind& expected,
                       const JsonStorage& storage, StrictErrors& errors);

// Parses the body of an apply, which is YAML and must have the apiVersion and kind that are
// expected.
Result<Json> ParseConfiguration(std::string_view body, const GroupVersionKind& expected,
                                StrictErrors& errors);

// Refuses a document of another kind than the expected one.
Result<void> CheckKind(const Json& document, const GroupVersionKind& expected, bool custom);

// Refuses a document whose metadata.name is not the name in the request.
Result<void> CheckName(const Json& document, std::string_view name);

// Brings a document into the form that is stored, but for defaults: checks the types of the schema,
// removes unknown fields (which it adds to `errors`) and nulls without a meaning, and normalizes
// the quantities and times of built-in kinds.
Result<void> CheckAndPrune(Json& document, const Resource& resource, StrictErrors& errors);

// Sets the defaults of the schema and of the strategy.
Result<void> FillDefaults(Json& document, const Resource& resource);

// All messages: duplicate fields first.
std::vector<std::string> ListStrictErrors(StrictErrors errors);
// The messages about a body in the order in which Kubernetes reports them.
std::vector<std::string> ListStrictErrors(StrictErrors errors, std::string_view body,
                                          BodyFormat format, const Resource& resource);

// Handles strict errors as `validation` says: ignores them, returns them as warnings, or fails.
Result<std::vector<std::string>> HandleStrictErrors(std::vector<std::string> messages,
                                                    FieldValidation validation);

}  // namespace kubexms
