#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kubexms/base/result.h"

namespace kubexms {

// Where a server listens.
struct ListenAddress {
  // "127.0.0.1:8080", "[::1]:8080"; port 0 asks for one that is free.
  static Result<ListenAddress> Parse(std::string_view text);

  std::string host;  // without brackets
  uint16_t port = 0;
};

}  // namespace kubexms
