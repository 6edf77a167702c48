#pragma once

// Names, CPU time and memory of the threads of this process, from /proc.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kubexms {

// Names the calling thread for debuggers, top, and ListThreads(). The kernel stores 15 bytes. New
// threads inherit the name of the thread that starts them.
void NameThisThread(std::string_view name);

struct ThreadUse {
  int id = 0;  // the kernel's
  std::string name;
  char state = '?';  // as in /proc: R runs, S sleeps, D waits for a disk …
  std::chrono::milliseconds cpu{0};
};

// Sorted by id. Threads that end during the call may be missing.
std::vector<ThreadUse> ListThreads();

struct MemoryUse {
  uint64_t resident_bytes = 0;
  uint64_t peak_resident_bytes = 0;
};

MemoryUse ReadMemoryUse();

}  // namespace kubexms
