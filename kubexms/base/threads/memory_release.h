#pragma once

#include <thread>

#include "kubexms/base/threads/semaphore.h"

namespace kubexms {

// Returns unused memory to the system: free memory of the allocator, and the pages of the program
// and its libraries, which the kernel reads again from the page cache when they are needed. Call it
// after the start, which uses far more code than normal operation, and after a peak of work. Takes
// some milliseconds. Thread-safe.
void ReleaseUnusedMemory();

// Detects the change from busy to idle by the CPU usage of the process. A new process is busy.
class IdleDetector {
 public:
  // Adds the CPU usage of one period; 1 is a whole core. Returns true when the process became idle
  // in this period.
  bool Observe(double cores);

 private:
  bool busy_ = true;
};

// Releases unused memory each time this process becomes idle, until destroyed.
class MemoryReleaser {
 public:
  MemoryReleaser();
  ~MemoryReleaser();

 private:
  void Run();

  Semaphore stop_;
  std::thread thread_;
};

}  // namespace kubexms
