#pragma once

// Reads small files, such as configuration files, as a whole.

#include <cstddef>
#include <optional>
#include <string>

#include "kubexms/base/result.h"

namespace kubexms {

// Returns nullopt when the file does not exist. Fails for files larger than `max_bytes`. The
// capacity of the string is its size, so callers may store it.
Result<std::optional<std::string>> ReadSmallFile(const std::string& path, size_t max_bytes);

}  // namespace kubexms
