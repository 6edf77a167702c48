#pragma once

// The file of audit records, which `kubexms server` writes and `kubexms audit` reads.

#include <string>

namespace kubexms {

inline std::string RequestLogIn(const std::string& data_directory) {
  return data_directory + "/requests.log";
}

}  // namespace kubexms
