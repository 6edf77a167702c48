#pragma once

// Small functions on the texts and paths that the checks read.

#include <string_view>
#include <vector>

namespace kubexms::tidy {

std::vector<std::string_view> Lines(std::string_view text);

// `path` of a line `#include "path"` or `#include <path>`; empty for other lines.
std::string_view IncludedPath(std::string_view line);

// The library of "kubexms/net/http/http.h" is "net"; empty for files outside of all libraries.
std::string_view LibraryOf(std::string_view path);

}  // namespace kubexms::tidy
