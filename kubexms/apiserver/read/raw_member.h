#pragma once

// Cutting a member out of stored bytes without reading the rest: what serving only a part of an
// object needs. Nothing is parsed; the bytes are taken for the valid JSON that they are.

#include <string_view>

namespace kubexms {

// The text of the member's value in `object`, a JSON object; empty when there is no such member.
// `key` is one that needs no escapes.
std::string_view FindRawMember(std::string_view object, std::string_view key);

}  // namespace kubexms
