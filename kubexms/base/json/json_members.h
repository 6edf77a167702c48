#pragma once

// Reads members of JSON documents that may be absent or have another type.

#include <string_view>

#include "kubexms/base/json/json.h"

namespace kubexms {

// A member, or null if absent.
const Json& MemberOrNull(const Json& object, std::string_view key);
// The items of a list member; empty if absent.
const JsonArray& MemberItems(const Json& object, std::string_view key);
// Whether a member is `true`.
bool IsMemberTrue(const Json& object, std::string_view key);

}  // namespace kubexms
