#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kubexms/base/result.h"

namespace kubexms {

// The listen address of a server.
struct ListenAddress {
  // "127.0.0.1:8080", "[::1]:8080"; port 0 selects a free port.
  static Result<ListenAddress> Parse(std::string_view text);

  std::string host;  // without brackets
  uint16_t port = 0;
};

}  // namespace kubexms
