#pragma once

// One thread's event loop, and sockets on it. Asio stays inside event_loop.cc.

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kubexms/base/result.h"

namespace kubexms {

// An address that a socket can be connected or bound to.
struct SocketAddress {
  // From an IP address; a name is an error.
  static Result<SocketAddress> Parse(const std::string& ip, uint16_t port);

  bool operator==(const SocketAddress&) const = default;
  // "127.0.0.1:80", "[::1]:80"; an IPv4 address inside an IPv6 one is shown as what it is.
  std::string ToString() const;

  std::string bytes;  // a sockaddr
};

class EventLoop {
 public:
  EventLoop();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Runs everything below on the calling thread, until Stop().
  void Run();

  // Safe from any thread. After Run() has returned, tasks are dropped.
  void Stop();
  // Tasks that are posted while the loop is busy are run together.
  void Post(std::function<void()> task);

  // The rest is for the loop's own thread, or before Run().

  // Calls `task` about every `interval`, from now on.
  void Every(std::chrono::milliseconds interval, std::function<void()> task);
  // Looks up a host name, without blocking the loop.
  void Resolve(const std::string& host, uint16_t port,
               std::function<void(Result<std::vector<SocketAddress>>)> done);

 private:
  friend class Socket;
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

// A non-blocking socket that is closed when this is destroyed. For the loop's thread only.
class Socket {
 public:
  class User {
   public:
    virtual ~User() = default;
    // What was waited for may be possible now. The socket may be destroyed from here.
    virtual void OnSocketReady() = 0;
  };

  // Takes over the descriptor.
  Socket(EventLoop& loop, int descriptor, User& user);
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  int descriptor() const;
  // Gives the descriptor back, still open; this must not be used any more.
  int Release();
  // Calls OnSocketReady() once it can be read from or written to (or has failed), one time for
  // each call; calling again before that changes nothing.
  void WaitReadable();
  void WaitWritable();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace kubexms
