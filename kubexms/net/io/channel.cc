#include "kubexms/net/io/channel.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace kubexms {
namespace {

constexpr size_t kReadBuffer = size_t{64} * 1024;
constexpr size_t kReadMax = 4 * kReadBuffer;
constexpr size_t kWriteMax = size_t{1024} * 1024;
constexpr size_t kEncryptAhead = size_t{128} * 1024;
constexpr size_t kPieces = 64;

bool WouldBlock(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

Channel::Channel(EventLoop& loop, int descriptor, std::unique_ptr<TlsSession> tls,
                 Socket::User& user)
    : socket_(loop, descriptor, user), tls_(std::move(tls)) {}

Channel::Outcome Channel::Read(std::string& plain) {
  std::array<char, kReadBuffer> buffer;
  for (size_t total = 0; total < kReadMax;) {
    const ssize_t count = ::recv(socket_.descriptor(), buffer.data(), buffer.size(), 0);
    if (count < 0 && WouldBlock(errno)) return Outcome::kOpen;
    if (count < 0) {
      error_ = errno;
      return Outcome::kFailed;
    }
    if (count == 0) return Outcome::kEnded;
    const std::string_view bytes(buffer.data(), static_cast<size_t>(count));
    if (tls_ == nullptr) {
      plain.append(bytes);
    } else {
      tls_->Receive(bytes, plain);
      if (tls_->state() == TlsSession::State::kFailed) return Outcome::kFailed;
      if (tls_->state() == TlsSession::State::kClosed) return Outcome::kEnded;
    }
    total += bytes.size();
    // A short read means that no more data is available: skips the read that would return EAGAIN.
    if (bytes.size() < buffer.size()) break;
  }
  return Outcome::kOpen;
}

bool Channel::Write(OutputQueue& plain) {
  return tls_ != nullptr ? WriteTls(plain) : WritePlain(plain);
}

bool Channel::WriteTls(OutputQueue& plain) {
  for (size_t total = 0; total < kWriteMax;) {
    tls_->Send(plain, kEncryptAhead);
    const std::string_view bytes = tls_->output();
    if (bytes.empty()) break;
    const ssize_t count = ::send(socket_.descriptor(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && WouldBlock(errno)) break;
    if (count < 0) {
      error_ = errno;
      return false;
    }
    tls_->ConsumeOutput(static_cast<size_t>(count));
    total += static_cast<size_t>(count);
    sent_ += static_cast<size_t>(count);
    if (static_cast<size_t>(count) < bytes.size()) break;
  }
  return tls_->state() != TlsSession::State::kFailed;
}

bool Channel::WritePlain(OutputQueue& plain) {
  for (size_t total = 0; total < kWriteMax && !plain.empty();) {
    std::array<std::string_view, kPieces> pieces;
    std::array<iovec, kPieces> vectors;
    const size_t found = plain.Pieces(pieces.data(), pieces.size());
    size_t size = 0;
    for (size_t i = 0; i < found; ++i) {
      vectors[i] = {const_cast<char*>(pieces[i].data()), pieces[i].size()};
      size += pieces[i].size();
    }
    msghdr message{};
    message.msg_iov = vectors.data();
    message.msg_iovlen = found;
    const ssize_t count = ::sendmsg(socket_.descriptor(), &message, MSG_NOSIGNAL);
    if (count < 0 && WouldBlock(errno)) break;
    if (count < 0) {
      error_ = errno;
      return false;
    }
    plain.Consume(static_cast<size_t>(count));
    total += static_cast<size_t>(count);
    sent_ += static_cast<size_t>(count);
    if (static_cast<size_t>(count) < size) break;
  }
  return true;
}

void Channel::ShutdownSend() {
  if (tls_ != nullptr) {
    tls_->SendClose();
    OutputQueue nothing;
    Write(nothing);
  }
  ::shutdown(socket_.descriptor(), SHUT_WR);
}

std::string Channel::failure() const {
  if (error_ != 0) return std::strerror(error_);
  if (tls_ != nullptr && !tls_->failure().empty()) return tls_->failure();
  return "the connection was closed";
}

}  // namespace kubexms
