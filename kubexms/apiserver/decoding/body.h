#pragma once

// From the body of a request to a document that a kind can hold.

#include <string>
#include <string_view>
#include <vector>

#include "kubexms/apiserver/request/request.h"
#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

enum class BodyFormat { kJson, kYaml, kProtobuf };

// The format that the Content-Type header names; JSON when there is none. Custom resources cannot
// be sent as protobuf.
Result<BodyFormat> BodyFormatOf(const HttpHeaders& headers, bool custom);

// "application/json" of "application/json; charset=utf-8".
std::string_view MediaType(const HttpHeaders& headers);

// Parses a body, as an object of the kind when it does not say what it is. Duplicate fields are
// added to `problems`.
Result<Json> ParseBody(std::string_view body, BodyFormat format, const GroupVersionKind& expected,
                       const JsonStorage& storage, std::vector<std::string>& problems);

// Parses the body of an apply, which is YAML and has to say itself that it is of the kind.
Result<Json> ParseConfiguration(std::string_view body, const GroupVersionKind& expected,
                                std::vector<std::string>& problems);

// Refuses a document of another kind than the expected one.
Result<void> CheckKind(const Json& document, const GroupVersionKind& expected, bool custom);

// Refuses a document that is not about the object of this name, which the request names.
Result<void> CheckName(const Json& document, std::string_view name);

// Brings a document into the form that is stored, but for defaults: the types of the schema are
// checked, unknown fields go (and are named in `problems`), and so do nulls that mean nothing;
// quantities and times of built-in kinds are normalized.
Result<void> CheckAndPrune(Json& document, const Resource& resource,
                           std::vector<std::string>& problems);

// Fills in the defaults of the schema and of the strategy.
Result<void> FillDefaults(Json& document, const Resource& resource);

// The problems of a body as Kubernetes would tell them, in its order.
std::vector<std::string> ArrangeProblems(std::vector<std::string> problems, std::string_view body,
                                         BodyFormat format, const Resource& resource);

// What becomes of problems: nothing, warnings, or an error. Returns the warnings.
Result<std::vector<std::string>> JudgeProblems(std::vector<std::string> problems,
                                               FieldValidation validation);

}  // namespace kubexms
