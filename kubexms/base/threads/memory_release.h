#pragma once

#include <thread>

#include "kubexms/base/threads/semaphore.h"

namespace kubexms {

// Gives back to the machine what this process holds and does not use now: free memory that the
// allocator keeps, and the pages of the program and its libraries, of which those that are needed
// come back from the files, mostly without a disk. For the end of a start, which runs through far
// more than is needed afterwards, and for the end of hard work. Takes some milliseconds. Safe at
// any time, from any thread.
void ReleaseUnusedMemory();

// Whether a process that was busy has become quiet, told by what it takes of a processor. Its start
// is work.
class QuietAfterWork {
 public:
  // Takes note of one period, in which it took this much, 1 being all of a core. True when the work
  // before it has ended now.
  bool Note(double of_a_core);

 private:
  bool busy_ = true;
};

// While it lives, memory is released each time this process becomes quiet after work.
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
