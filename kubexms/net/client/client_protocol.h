#pragma once

// The client's half of HTTP/1.1 and HTTP/2 as state machines without I/O, the counterpart of
// server_protocol.h. For one thread, apart from the exchanges.

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
    // Of one answer, received ahead of its reader.
    size_t read_ahead_bytes = 0;
  };

  virtual ~ClientProtocol() = default;

  // Sends the request; the exchange is told everything about the answer. Needs Capacity() > 0.
  virtual void Start(std::shared_ptr<Exchange> exchange) = 0;
  // Nobody waits for the answer any more.
  virtual void Cancel(const std::shared_ptr<Exchange>& exchange) = 0;
  // The reader took bytes: there may be room for more.
  virtual void OnRead(const std::shared_ptr<Exchange>& exchange, size_t count) = 0;

  virtual void Receive(std::string_view bytes, Time now) = 0;
  // The peer sends no more: answers that are not complete fail.
  virtual void ReceiveEnd() = 0;
  // The connection broke: so do its exchanges.
  virtual void Fail(const Error& error) = 0;

  // Moves what can be sent now to the output.
  virtual void Produce() = 0;
  OutputQueue& output() { return output_; }

  // Finds out whether a silent peer is still there.
  virtual void CheckTime(Time now) = 0;

  // How many more requests can be started now.
  virtual size_t Capacity() const = 0;
  virtual size_t Active() const = 0;
  virtual bool WantsInput() const = 0;
  // True when no request can be sent any more and none is under way.
  virtual bool Finished() const = 0;

 protected:
  OutputQueue output_;
};

std::unique_ptr<ClientProtocol> MakeHttp1Client(const ClientProtocol::Options& options);
std::unique_ptr<ClientProtocol> MakeHttp2Client(const ClientProtocol::Options& options,
                                                ClientProtocol::Time now);

}  // namespace kubexms
