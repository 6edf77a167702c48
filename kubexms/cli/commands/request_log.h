#pragma once

// The file in which `kubexms server` records what became of requests, and which `kubexms audit`
// reads.

#include <string>

namespace kubexms {

inline std::string RequestLogIn(const std::string& data_directory) {
  return data_directory + "/requests.log";
}

}  // namespace kubexms
