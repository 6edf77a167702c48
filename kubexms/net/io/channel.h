#pragma once

// The byte stream of a connection, with or without TLS.

#include <cstdint>
#include <memory>
#include <string>

#include "kubexms/net/http/output_queue.h"
#include "kubexms/net/io/event_loop.h"
#include "kubexms/net/tls/tls.h"

namespace kubexms {

// Moves bytes between a connected socket and a protocol, with optional TLS. Holds no buffers while
// idle. For the loop's thread only.
class Channel {
 public:
  // `tls` may be null. `user` is notified when the socket is ready.
  Channel(EventLoop& loop, int descriptor, std::unique_ptr<TlsSession> tls, Socket::User& user);

  enum class Outcome { kOpen, kEnded, kFailed };
  // Appends received bytes, up to about 256 KiB, to `plain`. kEnded: the peer closed its side.
  Outcome Read(std::string& plain);
  // Writes bytes from `plain` to the socket, up to about 1 MiB; also continues the handshake.
  // Returns false if the connection failed.
  bool Write(OutputQueue& plain);
  // True if all consumed bytes have been written to the socket.
  bool Flushed() const { return tls_ == nullptr || tls_->output().empty(); }
  // Closes the sending side.
  void ShutdownSend();

  // Returns the connected socket; the channel must not be used afterwards.
  int Release() { return socket_.Release(); }

  void WaitReadable() { socket_.WaitReadable(); }
  void WaitWritable() { socket_.WaitWritable(); }

  const TlsSession* tls() const { return tls_.get(); }
  bool Handshaking() const {
    return tls_ != nullptr && tls_->state() == TlsSession::State::kHandshaking;
  }
  // The number of bytes written to the socket.
  uint64_t sent() const { return sent_; }
  // The reason of kFailed or a failed Write().
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
