#include "kubexms/base/threads/stop.h"

#include <pthread.h>
#include <signal.h>

#include "kubexms/base/check.h"
#include "kubexms/base/mutex.h"

namespace kubexms {
namespace {

sigset_t EndingSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

}  // namespace

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

StopSignals::StopSignals() {
  const sigset_t signals = EndingSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  waiter_ = std::thread([this, signals] {
    int signal = 0;
    sigwait(&signals, &signal);
    source_.request_stop();
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);  // from now on a signal terminates the program
    WaitForStop(ended_.get_token());
  });
}

StopSignals::~StopSignals() {
  ended_.request_stop();
  if (!source_.stop_requested()) pthread_kill(waiter_.native_handle(), SIGTERM);
  waiter_.join();
}

}  // namespace kubexms
