#include "kubexms/net/server/server_protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexms/net/client/client_protocol.h"

namespace kubexms {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Yields what it is given, one buffer a pull, and waits in between.
class ScriptedStream final : public ResponseStream {
 public:
  struct Script {
    std::deque<std::string> chunks;
    bool end = false;
    bool destroyed = false;
  };

  explicit ScriptedStream(std::shared_ptr<Script> script) : script_(std::move(script)) {}
  ~ScriptedStream() override { script_->destroyed = true; }

  void Start(StreamWaker) override {}
  Next Pull(size_t, Body& out) override {
    if (script_->chunks.empty()) return script_->end ? Next::kEnd : Next::kWait;
    out.emplace_back(std::move(script_->chunks.front()));
    script_->chunks.pop_front();
    return Next::kMore;
  }

 private:
  const std::shared_ptr<Script> script_;
};

HttpResponse StreamOf(std::shared_ptr<ScriptedStream::Script> script) {
  HttpResponse response(200, {{"Content-Type", "text/plain"}});
  response.stream = std::make_unique<ScriptedStream>(std::move(script));
  return response;
}

class ServerProtocolTest : public testing::Test {
 protected:
  std::unique_ptr<ServerProtocol> MakeServer(int version) {
    auto options = std::make_shared<ProtocolOptions>();
    options->limits = limits_;
    options->error_response = [](const Error& error) {
      return HttpResponse::Text(error.code(), "text/plain", error.reason());
    };
    auto waker = [](uint32_t) { return StreamWaker(); };
    return version == 1 ? MakeHttp1Server(options, waker, now_)
                        : MakeHttp2Server(options, waker, now_);
  }

  // Everything the server has to say, taken from its output.
  static std::string TakeOutput(ServerProtocol& server) {
    std::string text;
    while (!server.output().empty()) {
      text += server.output().Front();
      server.output().Consume(server.output().Front().size());
    }
    return text;
  }

  // Answers every request with its method, target and body.
  std::string Echo(ServerProtocol& server) {
    while (auto incoming = server.NextRequest(now_)) {
      const HttpRequest& request = incoming->request;
      server.Respond(incoming->stream,
                     HttpResponse::Text(200, "text/plain",
                                        request.method + " " + request.target + " " + request.body),
                     now_);
    }
    server.Produce(now_);
    return TakeOutput(server);
  }

  std::string Exchange1(ServerProtocol& server, std::string_view bytes) {
    server.Receive(bytes, now_);
    return Echo(server);
  }

  HttpLimits limits_;
  ServerProtocol::Time now_ = ServerProtocol::Time() + std::chrono::hours(1);
};

class Http1ServerTest : public ServerProtocolTest {
 protected:
  std::unique_ptr<ServerProtocol> server_ = MakeServer(1);
};

TEST_F(Http1ServerTest, RespondsAndKeepsTheConnectionOpen) {
  const std::string answer = Exchange1(*server_, "GET /a?b=c HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_THAT(answer, AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("Content-Length: 11\r\n"),
                            HasSubstr("Date: "), EndsWith("\r\n\r\nGET /a?b=c ")));
  EXPECT_FALSE(server_->Finished());
  EXPECT_THAT(Exchange1(*server_, "GET /2 HTTP/1.1\r\nHost: h\r\n\r\n"), EndsWith("GET /2 "));
}

TEST_F(Http1ServerTest, AcceptsSingleBytes) {
  std::string answer;
  for (const char c :
       std::string_view("POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n"
                        "\r\n3\r\nabc\r\n2;ext=1\r\nde\r\n0\r\nTrailer: t\r\n\r\n")) {
    answer += Exchange1(*server_, {&c, 1});
  }
  EXPECT_THAT(answer, EndsWith("POST /x abcde"));
}

TEST_F(Http1ServerTest, AcceptsAnEmptyChunkedBodyInSingleBytes) {
  std::string answer;
  for (const char c : std::string_view(
           "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")) {
    answer += Exchange1(*server_, {&c, 1});
  }
  EXPECT_THAT(answer, EndsWith("POST /x "));
}

TEST_F(Http1ServerTest, RespondsToPipelinedRequestsInOrder) {
  std::string requests;
  for (int i = 0; i < 500; ++i) {
    requests +=
        "POST /" + std::to_string(i) + " HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi";
  }
  const std::string answers = Exchange1(*server_, requests);
  size_t position = 0;
  for (int i = 0; i < 500; ++i) {
    position = answers.find("POST /" + std::to_string(i) + " hi", position);
    ASSERT_NE(position, std::string::npos) << i;
  }
}

TEST_F(Http1ServerTest, DelaysPipelinedRequestsDuringAResponse) {
  server_->Receive("GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n", now_);
  const auto first = server_->NextRequest(now_);
  ASSERT_TRUE(first.has_value());
  EXPECT_FALSE(server_->NextRequest(now_).has_value());
  server_->Receive(std::string(100 * 1024, 'x'), now_);
  EXPECT_FALSE(server_->WantsInput());
  server_->Respond(first->stream, HttpResponse::Text(200, "text/plain", "1"), now_);
  EXPECT_EQ(server_->NextRequest(now_)->request.target, "/2");
}

TEST_F(Http1ServerTest, RefusesAmbiguousMessages) {
  for (const char* bad : {
           "GET / HTTP/1.1\r\n\r\n",
           "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
           "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
           "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
           "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n",
           "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, gzip\r\n\r\n",
           "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
           "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
           "GET nonsense HTTP/1.1\r\nHost: a\r\n\r\n",
           "\x16\x03\x01 tls client hello\r\n\r\n",
       }) {
    const auto server = MakeServer(1);
    EXPECT_THAT(Exchange1(*server, bad), StartsWith("HTTP/1.1 400 Bad Request\r\n")) << bad;
    EXPECT_TRUE(server->Finished()) << bad;
  }
}

TEST_F(Http1ServerTest, AcceptsAbsoluteUrlsAsTargets) {
  EXPECT_THAT(Exchange1(*server_, "GET http://h/a?b HTTP/1.1\r\nHost: h\r\n\r\n"),
              EndsWith("GET /a?b "));
}

TEST_F(Http1ServerTest, LimitsHeaderAndBody) {
  limits_.header_bytes = 1000;
  limits_.header_count = 10;
  limits_.body_bytes = 100;
  std::string many = "GET / HTTP/1.1\r\nHost: h\r\n";
  for (int i = 0; i < 20; ++i) many += "a: b\r\n";
  EXPECT_THAT(Exchange1(*MakeServer(1), many + "\r\n"), StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(Exchange1(*MakeServer(1), "GET / HTTP/1.1\r\nHost: " + std::string(2000, 'a')),
              StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(
      Exchange1(*MakeServer(1), "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 101\r\n\r\n"),
      StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(Exchange1(*MakeServer(1),
                        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n70\r\n" +
                            std::string(0x70, 'x')),
              StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(Exchange1(*MakeServer(1),
                        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1;" +
                            std::string(5000, 'x')),
              StartsWith("HTTP/1.1 400 "));
}

TEST_F(Http1ServerTest, SendsContinueOnExpectation) {
  EXPECT_EQ(Exchange1(*server_,
                      "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n"
                      "Expect: 100-continue\r\n\r\n"),
            "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_THAT(Exchange1(*server_, "ok"), EndsWith("POST / ok"));
}

TEST_F(Http1ServerTest, TimesOutInEachPhase) {
  const auto idle = MakeServer(1);
  Exchange1(*idle, "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  idle->CheckTime(now_ + limits_.idle_timeout - milliseconds(1));
  EXPECT_FALSE(idle->Finished());
  idle->CheckTime(now_ + limits_.idle_timeout);
  EXPECT_TRUE(idle->Finished());

  const auto header = MakeServer(1);
  Exchange1(*header, "GET / HT");
  header->CheckTime(now_ + limits_.header_timeout);
  EXPECT_THAT(TakeOutput(*header), StartsWith("HTTP/1.1 408 "));
  EXPECT_TRUE(header->Finished());

  const auto body = MakeServer(1);
  Exchange1(*body, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n1");
  body->CheckTime(now_ + limits_.body_timeout - milliseconds(1));
  EXPECT_FALSE(body->Finished());
  body->CheckTime(now_ + limits_.body_timeout);
  EXPECT_THAT(TakeOutput(*body), StartsWith("HTTP/1.1 408 "));
}

TEST_F(Http1ServerTest, RespondsToHeadWithoutBodyAndToHttp10WithClose) {
  EXPECT_THAT(Exchange1(*server_, "HEAD /x HTTP/1.1\r\nHost: h\r\n\r\n"),
              AllOf(HasSubstr("Content-Length: 8\r\n"), EndsWith("\r\n\r\n")));
  EXPECT_THAT(Exchange1(*server_, "GET / HTTP/1.0\r\n\r\n"), HasSubstr("Connection: close\r\n"));
  EXPECT_TRUE(server_->Finished());
}

TEST_F(Http1ServerTest, StreamsInChunksAndEndsProperly) {
  const auto script = std::make_shared<ScriptedStream::Script>();
  script->chunks = {"one", "two"};
  server_->Receive("GET / HTTP/1.1\r\nHost: h\r\n\r\n", now_);
  const uint32_t id = server_->NextRequest(now_)->stream;
  server_->Respond(id, StreamOf(script), now_);
  server_->Produce(now_);
  EXPECT_THAT(TakeOutput(*server_), EndsWith("\r\n\r\n3\r\none\r\n3\r\ntwo\r\n"));
  script->chunks = {"three"};
  server_->Produce(now_);
  EXPECT_EQ(TakeOutput(*server_), "");  // not woken
  server_->Wake(id, now_);
  server_->Produce(now_);
  EXPECT_EQ(TakeOutput(*server_), "5\r\nthree\r\n");
  server_->Drain(now_);
  server_->Produce(now_);
  EXPECT_EQ(TakeOutput(*server_), "0\r\n\r\n");
  EXPECT_TRUE(server_->Finished());
  EXPECT_TRUE(script->destroyed);
}

TEST_F(Http1ServerTest, PullsOnlyUpToTheLimit) {
  const auto script = std::make_shared<ScriptedStream::Script>();
  for (int i = 0; i < 100; ++i) script->chunks.emplace_back(10 * 1024, 'x');
  server_->Receive("GET / HTTP/1.1\r\nHost: h\r\n\r\n", now_);
  server_->Respond(server_->NextRequest(now_)->stream, StreamOf(script), now_);
  server_->Produce(now_);
  EXPECT_LT(server_->output().size(), limits_.stream_buffer_bytes + 12 * 1024);
  EXPECT_GT(script->chunks.size(), 90u);
}

TEST_F(Http1ServerTest, HalfClosedPeerGetsItsResponseButNoStream) {
  server_->Receive("GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\nGET /3",
                   now_);
  server_->ReceiveEnd(now_);
  EXPECT_THAT(Echo(*server_), AllOf(HasSubstr("GET /1 "), HasSubstr("GET /2 ")));
  EXPECT_TRUE(server_->Finished());

  const auto script = std::make_shared<ScriptedStream::Script>();
  const auto streaming = MakeServer(1);
  streaming->Receive("GET / HTTP/1.1\r\nHost: h\r\n\r\n", now_);
  streaming->Respond(streaming->NextRequest(now_)->stream, StreamOf(script), now_);
  streaming->ReceiveEnd(now_);
  EXPECT_TRUE(script->destroyed);
  EXPECT_TRUE(streaming->Finished());
}

TEST_F(Http1ServerTest, DropsFieldsWithLineBreaks) {
  server_->Receive("GET / HTTP/1.1\r\nHost: h\r\n\r\n", now_);
  HttpResponse response(200, {{"X-Bad", "a\r\nX-Injected: 1"}, {"X-Good", "1"}});
  server_->Respond(server_->NextRequest(now_)->stream, std::move(response), now_);
  EXPECT_THAT(TakeOutput(*server_), AllOf(Not(HasSubstr("Injected")), HasSubstr("X-Good: 1")));
}

// Our own client's half at the other end, with bytes carried by hand.
class Http2ServerTest : public ServerProtocolTest {
 protected:
  std::shared_ptr<Exchange> Send(HttpRequest request) {
    request.headers.Add("host", "h");
    auto exchange =
        std::make_shared<Exchange>(std::make_shared<const HttpRequest>(std::move(request)));
    client_->Start(exchange);
    return exchange;
  }

  // Carries bytes both ways until there are none.
  void Carry() {
    for (bool moved = true; moved;) {
      client_->Produce();
      const std::string up = Take(client_->output());
      if (!up.empty()) server_->Receive(up, now_);
      if (echo_) {
        const std::string down = Echo(*server_);
        if (!down.empty()) client_->Receive(down, now_);
        moved = !up.empty() || !down.empty();
      } else {
        server_->Produce(now_);
        const std::string down = TakeOutput(*server_);
        if (!down.empty()) client_->Receive(down, now_);
        moved = !up.empty() || !down.empty();
      }
    }
  }

  static std::string Take(OutputQueue& output) {
    std::string bytes(output.size(), '\0');
    output.CopyTo(bytes.data(), bytes.size());
    output.Consume(bytes.size());
    return bytes;
  }

  static std::string BodyOf(Exchange& exchange) {
    std::string body;
    for (;;) {
      const auto bytes = exchange.TakeBody();
      if (!bytes.ok() || bytes->empty()) return body;
      body += *bytes;
    }
  }

  static std::string Frame(uint8_t type, uint8_t flags, uint32_t stream, std::string_view payload) {
    std::string frame;
    for (const int shift : {16, 8, 0}) frame += static_cast<char>(payload.size() >> shift);
    frame += static_cast<char>(type);
    frame += static_cast<char>(flags);
    for (const int shift : {24, 16, 8, 0}) frame += static_cast<char>(stream >> shift);
    return frame.append(payload);
  }

  bool echo_ = true;
  std::unique_ptr<ServerProtocol> server_ = MakeServer(2);
  std::unique_ptr<ClientProtocol> client_ = MakeHttp2Client({.read_ahead_bytes = 65536}, now_);
};

TEST_F(Http2ServerTest, RespondsToConcurrentRequests) {
  std::vector<std::shared_ptr<Exchange>> exchanges;
  for (int i = 0; i < 50; ++i) {
    exchanges.push_back(Send({.method = "POST", .target = "/" + std::to_string(i), .body = "b"}));
  }
  Carry();
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(exchanges[i]->status(), 200);
    EXPECT_TRUE(exchanges[i]->over());
    EXPECT_EQ(BodyOf(*exchanges[i]), "POST /" + std::to_string(i) + " b");
  }
}

TEST_F(Http2ServerTest, DropsSpacesAroundValues) {
  echo_ = false;
  HttpRequest request;
  request.headers.Add("x-after", "a b \t");
  request.headers.Add("x-before", " c");
  request.headers.Add("x-only", "  ");
  Send(std::move(request));
  Carry();
  const auto incoming = server_->NextRequest(now_);
  ASSERT_TRUE(incoming);
  EXPECT_EQ(incoming->request.headers.Get("x-after"), "a b");
  EXPECT_EQ(incoming->request.headers.Get("x-before"), "c");
  EXPECT_EQ(incoming->request.headers.Get("x-only"), "");
}

TEST_F(Http2ServerTest, RespectsThePeersWindow) {
  echo_ = false;
  auto exchange = Send({});
  Carry();
  const auto incoming = server_->NextRequest(now_);
  server_->Respond(incoming->stream,
                   HttpResponse::Text(200, "text/plain", std::string(300'000, 'x')), now_);
  Carry();
  EXPECT_EQ(exchange->unread(), 65536u);
  EXPECT_FALSE(exchange->over());
  size_t read = 0;
  while (!exchange->over() || exchange->unread() > 0) {
    const size_t count = exchange->TakeBody()->size();
    read += count;
    client_->OnRead(exchange, count);
    Carry();
  }
  EXPECT_EQ(read, 300'000u);
}

TEST_F(Http2ServerTest, ReceivesBodiesLargerThanTheWindow) {
  limits_.body_bytes = 3'000'000;
  server_ = MakeServer(2);
  const auto exchange = Send({.method = "PUT", .body = std::string(2'500'000, 'b')});
  while (!exchange->over()) {
    Carry();
    client_->OnRead(exchange, BodyOf(*exchange).size());
  }
  EXPECT_EQ(exchange->status(), 200);
}

TEST_F(Http2ServerTest, LimitsHeaderAndBody) {
  limits_.header_bytes = 2000;
  limits_.body_bytes = 1000;
  server_ = MakeServer(2);
  const auto large_body = Send({.method = "POST", .body = std::string(1001, 'b')});
  HttpRequest request;
  request.headers.Add("x-large", std::string(3000, 'h'));
  const auto large_header = Send(std::move(request));
  Carry();
  EXPECT_EQ(large_body->status(), 413);
  EXPECT_TRUE(large_body->over());
  EXPECT_EQ(large_header->status(), 431);
  EXPECT_FALSE(server_->Finished());

  HttpRequest huge;
  for (int i = 0; i < 8; ++i) huge.headers.Add("x-huge", std::string(3000, 'h'));
  const auto exchange = Send(std::move(huge));
  Carry();
  EXPECT_TRUE(server_->Finished());
}

TEST_F(Http2ServerTest, AdmitsOneBodyAtATimeWhenMemoryIsShort) {
  echo_ = false;
  limits_.connection_body_bytes = 1'000'000;
  server_ = MakeServer(2);
  for (int i = 0; i < 10; ++i) Send({.method = "POST", .body = std::string(900'000, 'b')});
  Carry();
  std::vector<uint32_t> streams;
  while (auto incoming = server_->NextRequest(now_)) streams.push_back(incoming->stream);
  EXPECT_GT(streams.size(), 0u);
  EXPECT_LT(streams.size(), 3u);
  // Answers make room for the rest.
  size_t answered = 0;
  while (!streams.empty()) {
    for (const uint32_t stream : std::exchange(streams, {})) {
      server_->Respond(stream, HttpResponse(204, {}), now_);
      ++answered;
    }
    Carry();
    while (auto incoming = server_->NextRequest(now_)) streams.push_back(incoming->stream);
  }
  EXPECT_EQ(answered, 10u);
}

TEST_F(Http2ServerTest, StreamsWaitForAWakeAndEndWhenDrained) {
  echo_ = false;
  const auto script = std::make_shared<ScriptedStream::Script>();
  const auto exchange = Send({});
  Carry();
  const uint32_t id = server_->NextRequest(now_)->stream;
  server_->Respond(id, StreamOf(script), now_);
  Carry();
  EXPECT_EQ(exchange->status(), 200);
  script->chunks = {"event"};
  server_->Wake(id, now_);
  Carry();
  EXPECT_EQ(*exchange->TakeBody(), "event");
  server_->Drain(now_);
  Carry();
  EXPECT_TRUE(exchange->over());
  EXPECT_FALSE(exchange->failure().has_value());
  EXPECT_TRUE(script->destroyed);
  EXPECT_TRUE(server_->Finished());
  EXPECT_EQ(client_->Capacity(), 0u);
}

TEST_F(Http2ServerTest, CancelDestroysTheStream) {
  echo_ = false;
  const auto script = std::make_shared<ScriptedStream::Script>();
  const auto exchange = Send({});
  Carry();
  server_->Respond(server_->NextRequest(now_)->stream, StreamOf(script), now_);
  Carry();
  client_->Cancel(exchange);
  Carry();
  EXPECT_TRUE(script->destroyed);
  EXPECT_FALSE(server_->Finished());
}

TEST_F(Http2ServerTest, ResetsAStreamThatIsNotRead) {
  echo_ = false;
  const auto script = std::make_shared<ScriptedStream::Script>();
  const auto exchange = Send({});
  Carry();
  for (int i = 0; i < 20; ++i) script->chunks.emplace_back(10'000, 'x');
  server_->Respond(server_->NextRequest(now_)->stream, StreamOf(script), now_);
  Carry();
  EXPECT_FALSE(script->chunks.empty());
  now_ += limits_.write_timeout;
  server_->CheckTime(now_);
  Carry();
  EXPECT_TRUE(script->destroyed);
  EXPECT_TRUE(exchange->failure().has_value());
}

TEST_F(Http2ServerTest, ClosesConnectionsWithFloods) {
  const std::string settings = Frame(4, 0, 0, "");
  const struct {
    const char* name;
    std::string frame;
  } floods[] = {{"ping", Frame(6, 0, 0, "12345678")},
                {"settings", settings},
                {"priority", Frame(2, 0, 1, std::string("\0\0\0\3\0", 5))}};
  for (const auto& flood : floods) {
    const auto server = MakeServer(2);
    server->Receive(std::string(kHttp2Preface) + settings, now_);
    for (int i = 0; i < 2000 && !server->Finished(); ++i) Exchange1(*server, flood.frame);
    EXPECT_TRUE(server->Finished()) << flood.name;
  }
}

TEST_F(Http2ServerTest, ClosesConnectionsWithRapidResets) {
  echo_ = false;
  Carry();
  int resets = 0;
  for (; resets < 5000 && !server_->Finished(); ++resets) {
    const auto exchange = Send({});
    Carry();
    client_->Cancel(exchange);
    Carry();
  }
  EXPECT_TRUE(server_->Finished());
  EXPECT_LT(resets, 1100);
}

TEST_F(Http2ServerTest, ClosesConnectionsWithEndlessContinuations) {
  server_->Receive(std::string(kHttp2Preface) + Frame(4, 0, 0, "") + Frame(1, 0, 1, "\x82"), now_);
  for (int i = 0; i < 100 && !server_->Finished(); ++i) {
    Exchange1(*server_, Frame(9, 0, 1, "\x84"));
  }
  EXPECT_TRUE(server_->Finished());
}

TEST_F(Http2ServerTest, TimesOutWithoutRequests) {
  const auto silent = MakeServer(2);
  silent->CheckTime(now_ + limits_.header_timeout);
  EXPECT_TRUE(silent->Finished());

  Carry();
  server_->CheckTime(now_ + limits_.idle_timeout);
  Carry();
  EXPECT_TRUE(server_->Finished());
}

TEST_F(Http2ServerTest, RefusesOtherProtocols) {
  server_->Receive("GET / HTTP/1.1\r\nHost: h\r\n\r\n", now_);
  EXPECT_TRUE(server_->Finished());
}

}  // namespace
}  // namespace kubexms
