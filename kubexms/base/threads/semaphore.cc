#include "kubexms/base/threads/semaphore.h"

#include <cerrno>
#include <ctime>

#include "kubexms/base/check.h"

namespace kubexms {

Semaphore::Semaphore() { KUBEXMS_CHECK(::sem_init(&semaphore_, 0, 0) == 0); }

Semaphore::~Semaphore() { ::sem_destroy(&semaphore_); }

void Semaphore::Post() { KUBEXMS_CHECK(::sem_post(&semaphore_) == 0); }

void Semaphore::Wait() {
  while (::sem_wait(&semaphore_) != 0) KUBEXMS_CHECK(errno == EINTR);
}

bool Semaphore::WaitFor(std::chrono::nanoseconds time) {
  constexpr long kNanosecondsOfSecond = 1'000'000'000;
  timespec deadline{};
  ::clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += time.count() / kNanosecondsOfSecond;
  deadline.tv_nsec += time.count() % kNanosecondsOfSecond;
  if (deadline.tv_nsec >= kNanosecondsOfSecond) {
    ++deadline.tv_sec;
    deadline.tv_nsec -= kNanosecondsOfSecond;
  }
  while (::sem_timedwait(&semaphore_, &deadline) != 0) {
    if (errno == ETIMEDOUT) return false;
    KUBEXMS_CHECK(errno == EINTR);
  }
  return true;
}

}  // namespace kubexms
