#pragma once

// A load generator that uses little CPU of the machine it shares with the server: one thread, a
// fixed HTTP/1.1 request per connection, over TLS. A connection reads and decrypts the whole
// response, checks its status and length, and sends the next request.

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "kubexms/base/check.h"

namespace kubexms::bench {

struct LoadOptions {
  uint16_t port = 0;    // of the loopback address
  std::string request;  // complete, as sent
  int status = 200;     // expected of every response
  int connections = 1;
  int requests = 1;  // in total
};

struct LoadResult {
  double rate = 0;          // per second
  double p50 = 0;           // milliseconds
  double p99 = 0;           // milliseconds
  double cpu = 0;           // CPU seconds of the generator
  uint64_t body_bytes = 0;  // of all responses
};

// One connection, either idle or reading a response.
class LoadConnection {
 public:
  using Clock = std::chrono::steady_clock;

  LoadConnection(SSL_CTX* context, uint16_t port) : ssl_(SSL_new(context), SSL_free) {
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    KUBEXMS_CHECK(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
    const int on = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    SSL_set_fd(ssl_.get(), socket_);
    KUBEXMS_CHECK(SSL_connect(ssl_.get()) == 1);
    ::fcntl(socket_, F_SETFL, O_NONBLOCK);
  }
  ~LoadConnection() { ::close(socket_); }
  LoadConnection(const LoadConnection&) = delete;
  LoadConnection& operator=(const LoadConnection&) = delete;

  int socket() const { return socket_; }
  Clock::time_point sent_at() const { return sent_at_; }
  uint64_t body_bytes() const { return body_bytes_; }

  void Send(const std::string& request) {
    sent_at_ = Clock::now();
    head_.clear();
    in_body_ = false;
    KUBEXMS_CHECK(SSL_write(ssl_.get(), request.data(), static_cast<int>(request.size())) ==
                  static_cast<int>(request.size()));
  }

  // Reads available bytes; returns true once the response is complete.
  bool Read(int status, std::string& scratch) {
    for (;;) {
      const int count = SSL_read(ssl_.get(), scratch.data(), static_cast<int>(scratch.size()));
      if (count <= 0) {
        KUBEXMS_CHECK(SSL_get_error(ssl_.get(), count) == SSL_ERROR_WANT_READ);
        return false;
      }
      Take({scratch.data(), static_cast<size_t>(count)}, status);
      if (in_body_ && missing_ == 0) return true;
    }
  }

 private:
  void Take(std::string_view bytes, int status) {
    if (!in_body_) {
      head_.append(bytes);
      const size_t end = head_.find("\r\n\r\n");
      if (end == std::string::npos) return;
      ReadHead(std::string_view(head_).substr(0, end), status);
      bytes = std::string_view(head_).substr(end + 4);
    }
    KUBEXMS_CHECK(bytes.size() <= missing_);
    missing_ -= bytes.size();
    body_bytes_ += bytes.size();
  }

  void ReadHead(std::string_view head, int status) {
    constexpr std::string_view kLength = "\r\nContent-Length: ";
    KUBEXMS_CHECK(head.starts_with("HTTP/1.1 " + std::to_string(status)));
    const size_t at = head.find(kLength);
    KUBEXMS_CHECK(at != std::string_view::npos);
    std::from_chars(head.data() + at + kLength.size(), head.data() + head.size(), missing_);
    in_body_ = true;
  }

  const std::unique_ptr<SSL, decltype(&SSL_free)> ssl_;
  int socket_ = -1;
  Clock::time_point sent_at_;
  std::string head_;
  bool in_body_ = false;
  uint64_t missing_ = 0;  // of the body
  uint64_t body_bytes_ = 0;
};

inline double ThreadCpuSeconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// Certificates are not verified; an unexpected response ends the program.
inline LoadResult RunLoad(const LoadOptions& options) {
  constexpr size_t kReadAhead = size_t{256} * 1024;
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()),
                                                                  SSL_CTX_free);
  // Reads large blocks from the socket, for long responses.
  SSL_CTX_set_read_ahead(context.get(), 1);
  SSL_CTX_set_default_read_buffer_len(context.get(), kReadAhead);
  const int poll = ::epoll_create1(EPOLL_CLOEXEC);
  std::vector<std::unique_ptr<LoadConnection>> connections;
  for (int i = 0; i < options.connections; ++i) {
    LoadConnection& added =
        *connections.emplace_back(std::make_unique<LoadConnection>(context.get(), options.port));
    epoll_event event{.events = EPOLLIN, .data = {.ptr = &added}};
    ::epoll_ctl(poll, EPOLL_CTL_ADD, added.socket(), &event);
  }
  std::vector<double> milliseconds;
  std::string scratch(SSL3_RT_MAX_PLAIN_LENGTH, '\0');
  const auto start = LoadConnection::Clock::now();
  const double cpu = ThreadCpuSeconds();
  int sent = 0;
  for (; sent < std::min(options.connections, options.requests); ++sent) {
    connections[static_cast<size_t>(sent)]->Send(options.request);
  }
  while (milliseconds.size() < static_cast<size_t>(options.requests)) {
    std::array<epoll_event, 64> events;
    const int count = ::epoll_wait(poll, events.data(), events.size(), -1);
    for (int i = 0; i < count; ++i) {
      auto& connection = *static_cast<LoadConnection*>(events[static_cast<size_t>(i)].data.ptr);
      if (!connection.Read(options.status, scratch)) continue;
      const auto now = LoadConnection::Clock::now();
      milliseconds.push_back(
          std::chrono::duration<double, std::milli>(now - connection.sent_at()).count());
      if (sent < options.requests) {
        connection.Send(options.request);
        ++sent;
      }
    }
  }
  ::close(poll);
  const std::chrono::duration<double> elapsed = LoadConnection::Clock::now() - start;
  LoadResult result{.rate = options.requests / elapsed.count(), .cpu = ThreadCpuSeconds() - cpu};
  for (const auto& connection : connections) result.body_bytes += connection->body_bytes();
  std::ranges::sort(milliseconds);
  result.p50 = milliseconds[milliseconds.size() / 2];
  result.p99 = milliseconds[milliseconds.size() * 99 / 100];
  return result;
}

}  // namespace kubexms::bench
