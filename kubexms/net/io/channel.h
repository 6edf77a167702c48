#pragma once

// A connection as the protocols see it: bytes in, bytes out, with or without TLS.

#include <cstdint>
#include <memory>
#include <string>

#include "kubexms/net/http/output_queue.h"
#include "kubexms/net/io/event_loop.h"
#include "kubexms/net/tls/tls.h"

namespace kubexms {

// Moves bytes between a connected socket and a protocol, with or without TLS in between. It holds
// no buffers of its own while nothing moves. For the loop's thread only.
class Channel {
 public:
  // `tls` may be null. The user is told when something may have become possible.
  Channel(EventLoop& loop, int descriptor, std::unique_ptr<TlsSession> tls, Socket::User& user);

  enum class Outcome { kOpen, kEnded, kFailed };
  // Appends what has arrived, up to some 256 KiB, to `plain`. kEnded: the peer sends no more.
  Outcome Read(std::string& plain);
  // Takes from `plain` what the socket can take, up to some 1 MiB; also moves the handshake on.
  // False when the connection is broken.
  bool Write(OutputQueue& plain);
  // True when everything that was taken has reached the socket.
  bool Flushed() const { return tls_ == nullptr || tls_->output().empty(); }
  // Tells the peer that nothing more will come.
  void ShutdownSend();

  // Gives the connected socket back; this must not be used any more.
  int Release() { return socket_.Release(); }

  void WaitReadable() { socket_.WaitReadable(); }
  void WaitWritable() { socket_.WaitWritable(); }

  const TlsSession* tls() const { return tls_.get(); }
  bool Handshaking() const {
    return tls_ != nullptr && tls_->state() == TlsSession::State::kHandshaking;
  }
  // Bytes the socket has taken so far.
  uint64_t sent() const { return sent_; }
  // Why an outcome was kFailed, or Write() false.
  std::string failure() const;

 private:
  bool WriteTls(OutputQueue& plain);
  bool WritePlain(OutputQueue& plain);

  Socket socket_;
  const std::unique_ptr<TlsSession> tls_;
  uint64_t sent_ = 0;
  int error_ = 0;  // errno
};

}  // namespace kubexms
