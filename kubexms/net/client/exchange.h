#pragma once

// The state of one HTTP call, shared by the caller's thread and the client's I/O thread.

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "kubexms/base/mutex.h"
#include "kubexms/base/result.h"
#include "kubexms/net/http/http.h"

namespace kubexms {

// One request and its response. The caller's thread waits; the client's I/O thread sends and
// receives. Thread-safe.
class Exchange {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit Exchange(std::shared_ptr<const HttpRequest> request) : request_(std::move(request)) {}

  const HttpRequest& request() const { return *request_; }
  const std::shared_ptr<const HttpRequest>& shared_request() const { return request_; }

  // ---- The I/O thread ----

  // A connection starts to send the request: from now on the server may receive it.
  void SetSent();
  void SetHead(int status, HttpHeaders headers);
  void AddBody(std::string bytes);
  void End();
  // `unprocessed`: the server has certainly not processed the request.
  void Fail(const Error& error, bool unprocessed = false);
  // Bytes that the caller has not read yet.
  size_t unread() const;

  // ---- The caller's thread ----

  enum class Waited { kReady, kTimeout, kStopped };
  // Waits for the header or a failure.
  Waited WaitForHead(std::optional<Time> deadline, const std::stop_token& stop);
  // Waits for bytes, the end or a failure.
  Waited WaitForBody(std::optional<Time> deadline, const std::stop_token& stop);

  // After WaitForHead().
  std::optional<Error> failure() const;
  bool unprocessed() const;
  // True if the server has certainly not received the request.
  bool unsent() const;
  int status() const;
  HttpHeaders TakeHeaders();
  // After WaitForBody(): all received bytes, then the error; empty at the end.
  Result<std::string> TakeBody();
  // True after the end or a failure.
  bool over() const;

 private:
  template <class Condition>
  Waited Wait(std::optional<Time> deadline, const std::stop_token& stop, Condition condition);

  const std::shared_ptr<const HttpRequest> request_;

  mutable Mutex mutex_;
  CondVar changed_;
  int status_ GUARDED_BY(mutex_) = 0;
  HttpHeaders headers_ GUARDED_BY(mutex_);
  std::deque<std::string> body_ GUARDED_BY(mutex_);
  size_t unread_ GUARDED_BY(mutex_) = 0;
  bool ended_ GUARDED_BY(mutex_) = false;
  std::optional<Error> failure_ GUARDED_BY(mutex_);
  bool unprocessed_ GUARDED_BY(mutex_) = false;
  bool sent_ GUARDED_BY(mutex_) = false;
};

}  // namespace kubexms
