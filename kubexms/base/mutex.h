#pragma once

// A mutex that clang's thread-safety analysis understands: members say which mutex guards them
// (GUARDED_BY), functions say which one must be held (REQUIRES), and the `thread-safety` build
// refuses code that does otherwise. Other compilers see an ordinary mutex.

#include <chrono>
#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define KUBEXMS_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define KUBEXMS_THREAD_ANNOTATION(x)
#endif

#undef GUARDED_BY  // absl, which gRPC brings, has one that says the same
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

// A condition variable for Mutex. Waits may wake early: wait in a loop over the condition, which
// also keeps the guarded reads where the analysis can see them.
class CondVar {
 public:
  void Wait(Mutex& mutex) REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }

  // False when `deadline` has passed.
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
