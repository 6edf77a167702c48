#include "kubexms/controller/informers/informer_runner.h"

#include <utility>

namespace kubexms {

InformerRunner::InformerRunner(std::shared_ptr<Informer> informer, ElasticThreads& threads)
    : informer_(std::move(informer)),
      name_("cache " + informer_->options().form.resource.plural),
      threads_(threads) {}

void InformerRunner::Start() {
  {
    MutexLock lock(mutex_);
    state_ = State::kWorking;
  }
  StartThread();
}

void InformerRunner::StartThread() {
  threads_.Start(name_, [self = shared_from_this()] { self->Work(); });
}

void InformerRunner::Work() {
  const auto call = [self = weak_from_this()] {
    if (const std::shared_ptr<InformerRunner> runner = self.lock()) runner->Call();
  };
  while (informer_->Work(call)) {
    if (Wait()) return;
  }
  MutexLock lock(mutex_);
  state_ = State::kEnded;
  ended_.NotifyAll();
}

bool InformerRunner::Wait() {
  MutexLock lock(mutex_);
  state_ = state_ == State::kCalled ? State::kWorking : State::kWaiting;
  return state_ == State::kWaiting;
}

void InformerRunner::Call() {
  {
    MutexLock lock(mutex_);
    if (state_ == State::kWorking) state_ = State::kCalled;
    if (state_ != State::kWaiting) return;
    state_ = State::kWorking;
  }
  StartThread();
}

void InformerRunner::AwaitEnd() {
  MutexLock lock(mutex_);
  while (state_ != State::kNew && state_ != State::kEnded) ended_.Wait(mutex_);
}

}  // namespace kubexms
