#pragma once

// The threads of this process: what they are called, and what they use, as the kernel counts it.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kubexms {

// For debuggers, top, and ListThreads(). The kernel keeps 15 bytes of it; threads that this one
// starts have the name too, until they are given one.
void NameThisThread(std::string_view name);

struct ThreadUse {
  int id = 0;  // the kernel's
  std::string name;
  char state = '?';  // as in /proc: R runs, S sleeps, D waits for a disk …
  std::chrono::milliseconds cpu{0};
};

// By id. Threads that end meanwhile may be missing.
std::vector<ThreadUse> ListThreads();

struct MemoryUse {
  uint64_t resident_bytes = 0;
  uint64_t peak_resident_bytes = 0;
};

MemoryUse ReadMemoryUse();

}  // namespace kubexms
