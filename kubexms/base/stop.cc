#include "kubexms/base/stop.h"

#include "kubexms/base/check.h"
#include "kubexms/base/mutex.h"

namespace kubexms {

void WaitForStop(const std::stop_token& stop) {
  KUBEXMS_CHECK(stop.stop_possible());
  Mutex mutex;
  CondVar stopped;
  const std::stop_callback wake(stop, [&] {
    MutexLock lock(mutex);
    stopped.NotifyAll();
  });
  MutexLock lock(mutex);
  while (!stop.stop_requested()) stopped.Wait(mutex);
}

}  // namespace kubexms
