#pragma once

// The server side of HTTP/1.1 and HTTP/2 as state machines without I/O: they consume bytes and
// events and produce requests and bytes; time is an argument. HttpServer moves the bytes between
// the socket and the protocol; tests and the fuzzer feed them directly. Not thread-safe.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "kubexms/net/http/http.h"
#include "kubexms/net/http/output_queue.h"
#include "kubexms/net/http/response_stream.h"
#include "kubexms/net/server/limits.h"

namespace kubexms {

struct ProtocolOptions {
  HttpLimits limits;
  // Formats the errors of the protocol itself, such as 413.
  std::function<HttpResponse(const Error&)> error_response;
};

// Creates the waker of a stream of one connection.
using WakerMaker = std::function<StreamWaker(uint32_t stream)>;

class ServerProtocol {
 public:
  using Time = std::chrono::steady_clock::time_point;

  struct Incoming {
    uint32_t stream = 0;
    HttpRequest request;
  };

  virtual ~ServerProtocol() = default;

  // Consumes bytes from the peer, in order. The caller calls NextRequest() afterwards.
  virtual void Receive(std::string_view bytes, Time now) = 0;
  // The peer will send no more bytes.
  virtual void ReceiveEnd(Time now) = 0;

  // The next complete request. The caller responds to each request once, at any time.
  virtual std::optional<Incoming> NextRequest(Time now) = 0;
  // Does nothing if the stream was closed.
  virtual void Respond(uint32_t stream, HttpResponse response, Time now) = 0;
  // The waker of this stream was called.
  virtual void Wake(uint32_t stream, Time now) = 0;

  // Moves bytes to output(), within limits. Call it after any other function and after output was
  // consumed.
  virtual void Produce(Time now) = 0;
  OutputQueue& output() { return output_; }

  // Enforces the timeouts. Call it periodically.
  virtual void CheckTime(Time now) = 0;
  // Refuses new requests, completes the pending ones, and ends streams after a last pull.
  virtual void Drain(Time now) = 0;

  // False while the buffers are full and the caller must not read from the peer.
  virtual bool WantsInput() const = 0;
  // True when no more output will be produced: close the connection after writing the output.
  virtual bool Finished() const = 0;

 protected:
  OutputQueue output_;
};

std::unique_ptr<ServerProtocol> MakeHttp1Server(std::shared_ptr<const ProtocolOptions> options,
                                                WakerMaker make_waker, ServerProtocol::Time now);
std::unique_ptr<ServerProtocol> MakeHttp2Server(std::shared_ptr<const ProtocolOptions> options,
                                                WakerMaker make_waker, ServerProtocol::Time now);

// The first bytes of an HTTP/2 connection.
inline constexpr std::string_view kHttp2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

}  // namespace kubexms
