#pragma once

// Response bodies that are produced over time, such as watches. Thousands of them may hang on a
// server: none holds a thread. The server pulls from a stream whenever its connection can take
// more, and a stream that has nothing to give waits until its producer calls Wake().

#include <functional>
#include <memory>

#include "kubexms/net/http/http.h"

namespace kubexms {

// Tells the server that a stream has something to pull. Safe from any thread, at any time, also
// after the stream is gone: then it does nothing. Calls between two pulls are merged, and it never
// calls back into the stream, so it may be called with the producer's lock held.
class StreamWaker {
 public:
  // How the server is told. Given to the maker by the server only.
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
    kMore,   // there may be more right away: pull again when there is room
    kWait,   // nothing more for now: pull after the next Wake()
    kEnd,    // the body is complete
    kAbort,  // the body is broken: let the client see that the answer was cut off
  };

  // The server destroys the stream, on an I/O thread, when it has ended, when the client has gone
  // or was cut off for reading too slowly, or at shutdown.
  virtual ~ResponseStream() = default;

  // Called once, before the first Pull(). The waker may be kept and used for as long as one likes.
  virtual void Start(StreamWaker waker) = 0;

  // Appends what there is to `out`, about `room` bytes and at most one buffer beyond it. Called on
  // an I/O thread: it must not block. A server that is shutting down pulls a last time and takes
  // kWait as kEnd, so every hanging stream is ended cleanly.
  virtual Next Pull(size_t room, Body& out) = 0;
};

}  // namespace kubexms
