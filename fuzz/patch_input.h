#pragma once

// The input of the fuzz targets of patches: two or three JSON documents, separated by line breaks.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "kubexms/base/json/json.h"

namespace kubexms {

struct PatchInput {
  Json original;
  Json modified;
  std::optional<Json> current;
};

// Nothing when the first or the second document is missing or malformed.
inline std::optional<PatchInput> ParsePatchInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t split = input.find('\n');
  if (split == std::string_view::npos) return std::nullopt;
  const size_t second_split = std::min(input.find('\n', split + 1), size - 1);
  Result<Json> original = ParseJson(input.substr(0, split));
  Result<Json> modified = ParseJson(input.substr(split + 1, second_split - split));
  if (!original.ok() || !modified.ok()) return std::nullopt;
  PatchInput parsed{.original = *std::move(original), .modified = *std::move(modified)};
  if (Result<Json> current = ParseJson(input.substr(second_split + 1)); current.ok()) {
    parsed.current = *std::move(current);
  }
  return parsed;
}

}  // namespace kubexms
