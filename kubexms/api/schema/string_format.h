#pragma once

// The string formats that Kubernetes checks in schemas: date-time, uuid, ipv4, uri and so on.

#include <string_view>

namespace kubexms {

// Dashes in the name do not matter: "date-time" is "datetime". Formats that are not known are
// ignored by validation, as OpenAPI wants it.
bool IsKnownStringFormat(std::string_view format);

// True when `text` is of the format, and always for a format that is not known.
bool MatchesStringFormat(std::string_view format, std::string_view text);

}  // namespace kubexms
