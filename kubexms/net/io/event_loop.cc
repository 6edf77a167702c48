#include "kubexms/net/io/event_loop.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstring>

#include "kubexms/base/mutex.h"

namespace kubexms {

namespace asio = boost::asio;
using boost::system::error_code;

Result<SocketAddress> SocketAddress::Parse(const std::string& ip, uint16_t port) {
  sockaddr_in v4{};
  if (inet_pton(AF_INET, ip.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    return SocketAddress{std::string(reinterpret_cast<const char*>(&v4), sizeof(v4))};
  }
  sockaddr_in6 v6{};
  if (inet_pton(AF_INET6, ip.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    return SocketAddress{std::string(reinterpret_cast<const char*>(&v6), sizeof(v6))};
  }
  return Error::BadRequest(fmt::format("\"{}\" is not an IP address", ip));
}

std::string SocketAddress::ToString() const {
  char text[INET6_ADDRSTRLEN] = "";
  sockaddr_storage storage{};
  std::memcpy(&storage, bytes.data(), std::min(bytes.size(), sizeof(storage)));
  if (storage.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(storage);
    inet_ntop(AF_INET, &v4.sin_addr, text, sizeof(text));
    return fmt::format("{}:{}", text, ntohs(v4.sin_port));
  }
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(storage);
  if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
    inet_ntop(AF_INET, &v6.sin6_addr.s6_addr[12], text, sizeof(text));
    return fmt::format("{}:{}", text, ntohs(v6.sin6_port));
  }
  inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof(text));
  return fmt::format("[{}]:{}", text, ntohs(v6.sin6_port));
}

struct EventLoop::Impl {
  void RunTasks() {
    std::vector<std::function<void()>> batch;
    {
      MutexLock lock(mutex);
      batch.swap(tasks);
    }
    for (const auto& task : batch) task();
  }

  void Tick(const std::shared_ptr<asio::steady_timer>& timer, std::chrono::milliseconds interval,
            const std::shared_ptr<std::function<void()>>& task) {
    timer->expires_after(interval);
    timer->async_wait([this, timer, interval, task](const error_code& error) {
      if (error) return;
      (*task)();
      Tick(timer, interval, task);
    });
  }

  asio::io_context context{1};
  asio::ip::tcp::resolver resolver{context};

  Mutex mutex;
  std::vector<std::function<void()>> tasks GUARDED_BY(mutex);
  bool stopped GUARDED_BY(mutex) = false;
};

EventLoop::EventLoop() : impl_(std::make_shared<Impl>()) {}
EventLoop::~EventLoop() { Stop(); }

void EventLoop::Run() {
  const auto work = asio::make_work_guard(impl_->context);
  impl_->context.run();
  std::vector<std::function<void()>> dropped;
  MutexLock lock(impl_->mutex);
  impl_->stopped = true;
  dropped.swap(impl_->tasks);
}

void EventLoop::Stop() { impl_->context.stop(); }

void EventLoop::Post(std::function<void()> task) {
  {
    MutexLock lock(impl_->mutex);
    if (impl_->stopped) return;
    impl_->tasks.push_back(std::move(task));
    if (impl_->tasks.size() > 1) return;
  }
  asio::post(impl_->context, [impl = impl_.get()] { impl->RunTasks(); });
}

void EventLoop::Every(std::chrono::milliseconds interval, std::function<void()> task) {
  impl_->Tick(std::make_shared<asio::steady_timer>(impl_->context), interval,
              std::make_shared<std::function<void()>>(std::move(task)));
}

void EventLoop::Resolve(const std::string& host, uint16_t port,
                        std::function<void(Result<std::vector<SocketAddress>>)> done) {
  impl_->resolver.async_resolve(
      host, fmt::format("{}", port), asio::ip::resolver_base::numeric_service,
      [host, done = std::move(done)](const error_code& error,
                                     const asio::ip::tcp::resolver::results_type& found) {
        if (error) {
          return done(
              Error::ServiceUnavailable(fmt::format("resolve \"{}\": {}", host, error.message())));
        }
        std::vector<SocketAddress> addresses;
        for (const auto& entry : found) {
          const auto endpoint = entry.endpoint();
          addresses.push_back(
              {std::string(reinterpret_cast<const char*>(endpoint.data()), endpoint.size())});
        }
        done(std::move(addresses));
      });
}

// Outlives the Socket while a wait is pending; then `user` is null.
struct Socket::State : std::enable_shared_from_this<Socket::State> {
  State(asio::io_context& context, int fd, User& socket_user)
      : descriptor(context, fd), user(&socket_user) {}

  void Wait(asio::posix::stream_descriptor::wait_type type, bool& waiting) {
    if (waiting) return;
    waiting = true;
    descriptor.async_wait(type, [self = shared_from_this(), &waiting](const error_code& error) {
      waiting = false;
      if (error != asio::error::operation_aborted && self->user != nullptr) {
        self->user->OnSocketReady();
      }
    });
  }

  asio::posix::stream_descriptor descriptor;
  User* user;
  bool reading = false;
  bool writing = false;
};

Socket::Socket(EventLoop& loop, int descriptor, User& user)
    : state_(std::make_shared<State>(loop.impl_->context, descriptor, user)) {}

Socket::~Socket() {
  state_->user = nullptr;
  error_code ignored;
  state_->descriptor.close(ignored);
}

int Socket::descriptor() const { return state_->descriptor.native_handle(); }

int Socket::Release() {
  state_->user = nullptr;
  return state_->descriptor.release();
}

void Socket::WaitReadable() {
  state_->Wait(asio::posix::stream_descriptor::wait_read, state_->reading);
}

void Socket::WaitWritable() {
  state_->Wait(asio::posix::stream_descriptor::wait_write, state_->writing);
}

}  // namespace kubexms
