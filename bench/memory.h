#pragma once

#include <unistd.h>

#include <cstddef>
#include <fstream>

#include "kubexms/base/threads/memory_release.h"

namespace kubexms::bench {

// The resident memory after free memory is returned to the operating system, as an idle server
// does.
inline size_t ResidentBytes() {
  ReleaseUnusedMemory();
  size_t total = 0;
  size_t resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace kubexms::bench
