#pragma once

// The strict errors of a body: unknown fields, and duplicate fields. The messages, their order and
// their number are those of Kubernetes' decoder, which reads the text once.

#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/schema/schema.h"

namespace kubexms {

// Kubernetes reports no more errors of one body.
inline constexpr size_t kMaxStrictErrors = 100;

// The errors of an object of a built-in kind: `unknown field "spec.typo"`,
// `duplicate field "spec.type"`. With a null schema, all fields are known. The content of an
// unknown field is skipped.
std::vector<std::string> FindStrictErrors(std::string_view json, const Schema* schema);

}  // namespace kubexms
