#pragma once

// Finds a member in stored bytes without parsing the rest, to serve a part of an object. The bytes
// must be valid JSON.

#include <string_view>

namespace kubexms {

// The JSON of the member's value in `object`; empty when the object has no such member. `key` must
// need no escapes.
std::string_view FindRawMember(std::string_view object, std::string_view key);

}  // namespace kubexms
