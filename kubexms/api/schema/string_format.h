#pragma once

// The string formats of schemas that Kubernetes validates: date-time, uuid, ipv4, uri …

#include <string_view>

namespace kubexms {

// Dashes in the name are ignored: "date-time" is "datetime". Validation ignores unknown formats, as
// OpenAPI specifies.
bool IsKnownStringFormat(std::string_view format);

// True when `text` has the format, or when the format is unknown.
bool MatchesStringFormat(std::string_view format, std::string_view text);

}  // namespace kubexms
