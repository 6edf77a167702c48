#pragma once

// A single-threaded event loop and its sockets. Only event_loop.cc includes Asio.

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kubexms/base/result.h"

namespace kubexms {

// An address to connect or bind a socket to.
struct SocketAddress {
  // Parses an IP address; host names are errors.
  static Result<SocketAddress> Parse(const std::string& ip, uint16_t port);

  bool operator==(const SocketAddress&) const = default;
  // "127.0.0.1:80", "[::1]:80"; IPv4-mapped IPv6 addresses are shown as IPv4.
  std::string ToString() const;

  std::string bytes;  // a sockaddr
};

class EventLoop {
 public:
  EventLoop();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Runs the loop on the calling thread until Stop().
  void Run();

  // Thread-safe. Tasks that are posted after Run() has returned are dropped.
  void Stop();
  // Thread-safe. Tasks that are posted while the loop is busy run in one batch.
  void Post(std::function<void()> task);

  // Call the following functions on the loop's thread, or before Run().

  // Calls `task` about every `interval`.
  void Every(std::chrono::milliseconds interval, std::function<void()> task);
  // Resolves a host name without blocking the loop.
  void Resolve(const std::string& host, uint16_t port,
               std::function<void(Result<std::vector<SocketAddress>>)> done);

 private:
  friend class Socket;
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

// A non-blocking socket, closed by the destructor. For the loop's thread only.
class Socket {
 public:
  class User {
   public:
    virtual ~User() = default;
    // The socket may be readable or writable. The implementation may destroy the socket.
    virtual void OnSocketReady() = 0;
  };

  // Takes ownership of the descriptor.
  Socket(EventLoop& loop, int descriptor, User& user);
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  int descriptor() const;
  // Returns the open descriptor; the socket must not be used afterwards.
  int Release();
  // Calls OnSocketReady() once when the socket becomes readable or writable (or has failed).
  // Further calls before that have no effect.
  void WaitReadable();
  void WaitWritable();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace kubexms
