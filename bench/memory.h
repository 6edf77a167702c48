#pragma once

#include <unistd.h>

#include <cstddef>
#include <fstream>

#include "kubexms/base/threads/memory_release.h"

namespace kubexms::bench {

// What this process holds once it has given back what it does not use, as a server does when it has
// become quiet.
inline size_t ResidentBytes() {
  ReleaseUnusedMemory();
  size_t total = 0;
  size_t resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace kubexms::bench
