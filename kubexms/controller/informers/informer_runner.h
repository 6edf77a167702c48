#pragma once

// Runs an informer on shared threads: it occupies one while it has events to process, and none
// while it waits for events. Watches that can only block, such as those of RestClient, occupy a
// thread permanently.

#include <memory>
#include <string>

#include "kubexms/base/mutex.h"
#include "kubexms/base/threads/elastic_threads.h"
#include "kubexms/controller/informers/informer.h"

namespace kubexms {

// Safe for use from any thread. Create it by std::make_shared.
class InformerRunner : public std::enable_shared_from_this<InformerRunner> {
 public:
  // `threads` must outlive the time from Start() to the end of AwaitEnd().
  InformerRunner(std::shared_ptr<Informer> informer, ElasticThreads& threads);

  const std::shared_ptr<Informer>& informer() const { return informer_; }

  // Call it at most once.
  void Start() EXCLUDES(mutex_);
  // Blocks until the informer, which must have been stopped, has ended. Returns at once if it was
  // never started.
  void AwaitEnd() EXCLUDES(mutex_);

 private:
  enum class State {
    kNew,
    kWaiting,  // without a thread, until Wake()
    kWorking,
    kWoken,  // Wake() was called while it was working: it must not start to wait
    kEnded,
  };

  void Wake() EXCLUDES(mutex_);
  void Work() EXCLUDES(mutex_);
  // Enters kWaiting. False if Wake() was called meanwhile.
  bool BeginWaiting() EXCLUDES(mutex_);
  void StartThread();

  const std::shared_ptr<Informer> informer_;
  const std::string name_;
  ElasticThreads& threads_;

  Mutex mutex_;
  CondVar ended_;
  State state_ GUARDED_BY(mutex_) = State::kNew;
};

}  // namespace kubexms
