#pragma once

// What a strict decoder finds in a body beside what it reads: fields that a kind does not have, and
// fields that are there twice. The messages, their order and their bounds are those of Kubernetes'
// decoder, which goes through the text once.

#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/schema/schema.h"

namespace kubexms {

// Kubernetes says no more about one body.
inline constexpr size_t kMaxStrictErrors = 100;

// Of an object of a built-in kind: `unknown field "spec.typo"`, `duplicate field "spec.type"`. With
// a null schema any field is known. What is inside an unknown field is not looked at.
std::vector<std::string> FindStrictErrors(std::string_view json, const Schema* schema);

}  // namespace kubexms
