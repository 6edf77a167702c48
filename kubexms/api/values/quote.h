#pragma once

// How Go writes strings and refuses numbers, because Kubernetes' messages are made of both.

#include <cstdint>
#include <string>
#include <string_view>

#include "kubexms/base/result.h"

namespace kubexms {

// `text` between double quotes with Go's escapes (%q): printable text stays as it is, the rest
// becomes \n, \x00 or \u0085.
std::string Quoted(std::string_view text);

// Decimal numbers as Go's strconv reads them: digits only, with an optional sign where the type
// has one. The error is "strconv.ParseInt: parsing "x": invalid syntax" or "… value out of range".
Result<int64_t> ParseInt64(std::string_view text);
Result<uint64_t> ParseUint64(std::string_view text);

}  // namespace kubexms
