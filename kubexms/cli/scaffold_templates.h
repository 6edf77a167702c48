#pragma once

// The files of kubexms/cli/scaffold as they are in the source tree, compiled in.

#include <span>
#include <string_view>

namespace kubexms {

struct ScaffoldTemplate {
  std::string_view path;  // "common/src/main.cc.in"
  std::string_view text;
};

std::span<const ScaffoldTemplate> ScaffoldTemplates();

}  // namespace kubexms
