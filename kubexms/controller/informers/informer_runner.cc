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
  const auto wake = [self = weak_from_this()] {
    if (const std::shared_ptr<InformerRunner> runner = self.lock()) runner->Wake();
  };
  while (informer_->Work(wake)) {
    if (BeginWaiting()) return;
  }
  MutexLock lock(mutex_);
  state_ = State::kEnded;
  ended_.NotifyAll();
}

bool InformerRunner::BeginWaiting() {
  MutexLock lock(mutex_);
  state_ = state_ == State::kWoken ? State::kWorking : State::kWaiting;
  return state_ == State::kWaiting;
}

void InformerRunner::Wake() {
  {
    MutexLock lock(mutex_);
    if (state_ == State::kWorking) state_ = State::kWoken;
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
