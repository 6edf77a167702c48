#pragma once

// Response bodies that are produced over time, such as watches. A server has thousands of them
// without a thread each: the server pulls from a stream whenever its connection accepts more bytes,
// and a stream without data waits until its producer calls Wake().

#include <functional>
#include <memory>

#include "kubexms/net/http/http.h"

namespace kubexms {

// Notifies the server that a stream has data. Thread-safe; does nothing after the stream was
// destroyed. Calls between two pulls are merged. Wake() never calls the stream, so the producer may
// hold its lock.
class StreamWaker {
 public:
  // Implemented by the server.
  class Target {
   public:
    virtual ~Target() = default;
    virtual void Wake() = 0;
  };

  StreamWaker() = default;
  explicit StreamWaker(std::shared_ptr<Target> target) : target_(std::move(target)) {}

  void Wake() const {
    if (target_) target_->Wake();
  }

 private:
  std::shared_ptr<Target> target_;
};

class ResponseStream {
 public:
  enum class Next {
    kMore,   // more data may be available: pull again when there is room
    kWait,   // no data at present: pull after the next Wake()
    kEnd,    // the body is complete
    kAbort,  // the body is broken: abort the response so that the client sees an error
  };

  // The server destroys the stream, on an I/O thread, at its end, when the client disconnected or
  // was disconnected for reading too slowly, or at shutdown.
  virtual ~ResponseStream() = default;

  // Called once, before the first Pull(). The waker may outlive the stream.
  virtual void Start(StreamWaker waker) = 0;

  // Appends available data to `out`, about `room` bytes and at most one buffer more. Called on an
  // I/O thread: must not block. At shutdown the server pulls a last time and treats kWait as kEnd,
  // so that every stream ends properly.
  virtual Next Pull(size_t room, Body& out) = 0;
};

}  // namespace kubexms
