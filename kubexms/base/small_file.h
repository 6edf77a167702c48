#pragma once

// Configuration files: small, and read as a whole.

#include <cstddef>
#include <optional>
#include <string>

#include "kubexms/base/result.h"

namespace kubexms {

// Nothing when there is no such file. A file of more than `max_bytes` is refused. The text uses
// memory for its own size, whatever the limit is, so callers may keep it.
Result<std::optional<std::string>> ReadSmallFile(const std::string& path, size_t max_bytes);

}  // namespace kubexms
