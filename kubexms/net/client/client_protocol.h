#pragma once

// The client side of HTTP/1.1 and HTTP/2 as state machines without I/O, the counterpart of
// server_protocol.h. Not thread-safe, except for the exchanges.

#include <chrono>
#include <memory>
#include <string_view>

#include "kubexms/net/client/exchange.h"
#include "kubexms/net/http/output_queue.h"

namespace kubexms {

class ClientProtocol {
 public:
  using Time = std::chrono::steady_clock::time_point;

  struct Options {
    // Bytes of one response that are received ahead of its reader.
    size_t read_ahead_bytes = 0;
  };

  virtual ~ClientProtocol() = default;

  // Sends the request; the exchange receives the response. Requires Capacity() > 0.
  virtual void Start(std::shared_ptr<Exchange> exchange) = 0;
  // The caller does not need the response any more.
  virtual void Cancel(const std::shared_ptr<Exchange>& exchange) = 0;
  // The reader consumed bytes: the flow control window may be increased.
  virtual void OnRead(const std::shared_ptr<Exchange>& exchange, size_t count) = 0;

  virtual void Receive(std::string_view bytes, Time now) = 0;
  // The peer closed its side: incomplete responses fail.
  virtual void ReceiveEnd() = 0;
  // The connection failed: fails all its exchanges.
  virtual void Fail(const Error& error) = 0;

  // Moves bytes to output().
  virtual void Produce() = 0;
  OutputQueue& output() { return output_; }

  // Detects unresponsive peers.
  virtual void CheckTime(Time now) = 0;

  // The number of further requests that can be started now.
  virtual size_t Capacity() const = 0;
  virtual size_t Active() const = 0;
  virtual bool WantsInput() const = 0;
  // True if no further request can be started and none is in progress.
  virtual bool Finished() const = 0;

 protected:
  OutputQueue output_;
};

std::unique_ptr<ClientProtocol> MakeHttp1Client(const ClientProtocol::Options& options);
std::unique_ptr<ClientProtocol> MakeHttp2Client(const ClientProtocol::Options& options,
                                                ClientProtocol::Time now);

}  // namespace kubexms
