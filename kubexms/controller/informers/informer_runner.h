#pragma once

// Runs an informer on threads that it shares with others. It has one while it has something to do,
// and none while it waits for changes. Watches that can only be waited for, as those of the
// network, keep theirs.

#include <memory>
#include <string>

#include "kubexms/base/mutex.h"
#include "kubexms/base/threads/elastic_threads.h"
#include "kubexms/controller/informers/informer.h"

namespace kubexms {

// Safe for use from any thread. Made by std::make_shared.
class InformerRunner : public std::enable_shared_from_this<InformerRunner> {
 public:
  // `threads` must outlive the time from Start() to the end of AwaitEnd().
  InformerRunner(std::shared_ptr<Informer> informer, ElasticThreads& threads);

  const std::shared_ptr<Informer>& informer() const { return informer_; }

  // To be called once at most.
  void Start() EXCLUDES(mutex_);
  // After the informer was told to stop. Returns at once when it was never started.
  void AwaitEnd() EXCLUDES(mutex_);

 private:
  enum class State {
    kNew,
    kWaiting,  // until it is called
    kWorking,
    kCalled,  // at work, and to go on when it would wait
    kEnded,
  };

  void Call() EXCLUDES(mutex_);
  void Work() EXCLUDES(mutex_);
  // False when it was called meanwhile.
  bool Wait() EXCLUDES(mutex_);
  void StartThread();

  const std::shared_ptr<Informer> informer_;
  const std::string name_;
  ElasticThreads& threads_;

  Mutex mutex_;
  CondVar ended_;
  State state_ GUARDED_BY(mutex_) = State::kNew;
};

}  // namespace kubexms
