#pragma once

// The server's half of HTTP/1.1 and HTTP/2 as state machines without I/O: bytes and events go in,
// requests and bytes come out, and time is an argument. The server moves the bytes; tests and the
// fuzzer feed them by hand. Not safe for use from several threads at once.

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
  // Words the errors that the protocol itself answers with, such as 413.
  std::function<HttpResponse(const Error&)> error_response;
};

// Makes what wakes a stream of one connection.
using WakerMaker = std::function<StreamWaker(uint32_t stream)>;

class ServerProtocol {
 public:
  using Time = std::chrono::steady_clock::time_point;

  struct Incoming {
    uint32_t stream = 0;
    HttpRequest request;
  };

  virtual ~ServerProtocol() = default;

  // Bytes from the peer, in order. Whoever calls this asks for the requests next.
  virtual void Receive(std::string_view bytes, Time now) = 0;
  // The peer will send no more bytes.
  virtual void ReceiveEnd(Time now) = 0;

  // The next complete request, if there is one. Each is to be answered once, at any time.
  virtual std::optional<Incoming> NextRequest(Time now) = 0;
  // Does nothing when the stream is gone.
  virtual void Respond(uint32_t stream, HttpResponse response, Time now) = 0;
  // The waker of this stream was called.
  virtual void Wake(uint32_t stream, Time now) = 0;

  // Moves what can be sent now to the output, within bounds. To be called after any of the others
  // and when output was taken.
  virtual void Produce(Time now) = 0;
  OutputQueue& output() { return output_; }

  // Enforces the time-outs. To be called every now and then.
  virtual void CheckTime(Time now) = 0;
  // Takes no new requests, answers those there are, ends streams after a last pull.
  virtual void Drain(Time now) = 0;

  // False while so much is buffered that no more should be read from the peer.
  virtual bool WantsInput() const = 0;
  // True when nothing more will come: to be closed once the output is written.
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
