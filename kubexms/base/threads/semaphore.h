#pragma once

#include <semaphore.h>

#include <chrono>

namespace kubexms {

// Counts what was posted and not yet taken. As std::counting_semaphore, but who has to wait sleeps
// at once: libstdc++'s yields the processor a dozen times first, which costs more than it saves
// where a wait is nearly always long.
class Semaphore {
 public:
  Semaphore();  // with nothing posted
  ~Semaphore();
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;

  void Post();
  void Wait();
  // False when nothing was posted for so long, by the clock of the system: setting that clock makes
  // the wait shorter or longer.
  bool WaitFor(std::chrono::nanoseconds time);

 private:
  sem_t semaphore_;
};

}  // namespace kubexms
