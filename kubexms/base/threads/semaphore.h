#pragma once

#include <semaphore.h>

#include <chrono>

namespace kubexms {

// A counting semaphore whose waiters sleep at once. libstdc++'s std::counting_semaphore yields a
// dozen times before it sleeps, which wastes CPU time when most waits are long.
class Semaphore {
 public:
  Semaphore();  // with the count 0
  ~Semaphore();
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;

  void Post();
  void Wait();
  // Returns false after `time` without a Post(). Uses the system clock: setting that clock makes
  // the wait shorter or longer.
  bool WaitFor(std::chrono::nanoseconds time);

 private:
  sem_t semaphore_;
};

}  // namespace kubexms
