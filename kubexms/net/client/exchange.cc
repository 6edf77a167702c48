#include "kubexms/net/client/exchange.h"

namespace kubexms {

void Exchange::SetSent() {
  MutexLock lock(mutex_);
  sent_ = true;
}

void Exchange::SetHead(int status, HttpHeaders headers) {
  MutexLock lock(mutex_);
  status_ = status;
  headers_ = std::move(headers);
  changed_.NotifyAll();
}

void Exchange::AddBody(std::string bytes) {
  if (bytes.empty()) return;
  MutexLock lock(mutex_);
  unread_ += bytes.size();
  body_.push_back(std::move(bytes));
  changed_.NotifyAll();
}

void Exchange::End() {
  MutexLock lock(mutex_);
  ended_ = true;
  changed_.NotifyAll();
}

void Exchange::Fail(const Error& error, bool unprocessed) {
  MutexLock lock(mutex_);
  if (ended_ || failure_) return;
  failure_ = error;
  unprocessed_ = unprocessed;
  changed_.NotifyAll();
}

size_t Exchange::unread() const {
  MutexLock lock(mutex_);
  return unread_;
}

Exchange::Waited Exchange::WaitForHead(std::optional<Time> deadline, const std::stop_token& stop) {
  return Wait(deadline, stop,
              [this]() REQUIRES(mutex_) { return status_ != 0 || failure_.has_value(); });
}

Exchange::Waited Exchange::WaitForBody(std::optional<Time> deadline, const std::stop_token& stop) {
  return Wait(deadline, stop,
              [this]() REQUIRES(mutex_) { return !body_.empty() || ended_ || failure_; });
}

template <class Condition>
Exchange::Waited Exchange::Wait(std::optional<Time> deadline, const std::stop_token& stop,
                                Condition condition) {
  const std::stop_callback wake(stop, [this] {
    MutexLock lock(mutex_);
    changed_.NotifyAll();
  });
  MutexLock lock(mutex_);
  while (!condition()) {
    if (stop.stop_requested()) return Waited::kStopped;
    if (!deadline) {
      changed_.Wait(mutex_);
    } else if (!changed_.WaitUntil(mutex_, *deadline) && !condition()) {
      return Waited::kTimeout;
    }
  }
  return Waited::kReady;
}

std::optional<Error> Exchange::failure() const {
  MutexLock lock(mutex_);
  return failure_;
}

bool Exchange::unprocessed() const {
  MutexLock lock(mutex_);
  return unprocessed_;
}

bool Exchange::unsent() const {
  MutexLock lock(mutex_);
  return !sent_ || unprocessed_;
}

int Exchange::status() const {
  MutexLock lock(mutex_);
  return status_;
}

HttpHeaders Exchange::TakeHeaders() {
  MutexLock lock(mutex_);
  return std::move(headers_);
}

Result<std::string> Exchange::TakeBody() {
  MutexLock lock(mutex_);
  if (body_.empty()) {
    if (failure_) return *failure_;
    return std::string();
  }
  std::string bytes = std::move(body_.front());
  body_.pop_front();
  unread_ -= bytes.size();
  return bytes;
}

bool Exchange::over() const {
  MutexLock lock(mutex_);
  return ended_ || failure_.has_value();
}

}  // namespace kubexms
