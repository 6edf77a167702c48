#pragma once

// Go's quoting of strings and Go's errors for numbers, both of which occur in Kubernetes' messages.

#include <cstdint>
#include <string>
#include <string_view>

#include "kubexms/base/result.h"

namespace kubexms {

// `text` in double quotes with Go's escapes (%q): printable characters are not escaped, others
// become \n, \x00 or \u0085.
std::string Quoted(std::string_view text);

// Parses decimal numbers like Go's strconv: digits only, with an optional sign for int64. The error
// is "strconv.ParseInt: parsing "x": invalid syntax" or "… value out of range".
Result<int64_t> ParseInt64(std::string_view text);
Result<uint64_t> ParseUint64(std::string_view text);

}  // namespace kubexms
