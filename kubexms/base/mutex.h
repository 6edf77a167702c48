#pragma once

// A mutex for clang's thread-safety analysis: members declare the mutex that guards them
// (GUARDED_BY), functions the mutex that must be held (REQUIRES), and `./dev lint` refuses code
// that violates the declarations. Other compilers see an ordinary mutex.

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define KUBEXMS_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define KUBEXMS_THREAD_ANNOTATION(x)
#endif

#undef GUARDED_BY  // absl, a dependency of gRPC, has an equivalent macro
#define GUARDED_BY(x) KUBEXMS_THREAD_ANNOTATION(guarded_by(x))
#define REQUIRES(...) KUBEXMS_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) KUBEXMS_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))

namespace kubexms {

class KUBEXMS_THREAD_ANNOTATION(capability("mutex")) Mutex {
 public:
  void lock() KUBEXMS_THREAD_ANNOTATION(acquire_capability()) { mutex_.lock(); }
  void unlock() KUBEXMS_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

class KUBEXMS_THREAD_ANNOTATION(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) KUBEXMS_THREAD_ANNOTATION(acquire_capability(mutex))
      : mutex_(mutex) {
    mutex_.lock();
  }
  ~MutexLock() KUBEXMS_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }

  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// A condition variable for Mutex. Wake-ups may be spurious: wait in a loop over the condition,
// which also keeps the guarded reads visible to the analysis.
class CondVar {
 public:
  void Wait(Mutex& mutex) REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }

  // Returns false when `deadline` has passed.
  bool WaitUntil(Mutex& mutex, std::chrono::steady_clock::time_point deadline) REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    const bool woken = condition_.wait_until(lock, deadline) == std::cv_status::no_timeout;
    lock.release();
    return woken;
  }

  void NotifyOne() { condition_.notify_one(); }
  void NotifyAll() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace kubexms
