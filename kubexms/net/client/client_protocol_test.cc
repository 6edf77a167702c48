// The client's half of HTTP/2 without sockets, where time can be moved by hand.

#include "kubexms/net/client/client_protocol.h"

#include <gtest/gtest.h>

#include "kubexms/net/client/exchange.h"

namespace kubexms {
namespace {

using std::chrono::seconds;

// The types of the frames in what a client sent, its preface left out.
std::vector<int> FrameTypes(std::string_view bytes, bool with_preface) {
  constexpr size_t kPreface = 24;
  constexpr size_t kHead = 9;
  if (with_preface) bytes.remove_prefix(kPreface);
  std::vector<int> types;
  while (bytes.size() >= kHead) {
    const auto byte = [&](size_t at) { return static_cast<unsigned char>(bytes[at]); };
    types.push_back(byte(3));
    const size_t length = size_t{byte(0)} << 16 | size_t{byte(1)} << 8 | byte(2);
    bytes.remove_prefix(std::min(bytes.size(), kHead + length));
  }
  return types;
}

class Http2ClientTest : public testing::Test {
 protected:
  Http2ClientTest() {
    protocol_->Start(exchange_);
    Sent(true);
  }

  std::vector<int> Sent(bool with_preface = false) {
    protocol_->Produce();
    std::string bytes;
    while (!protocol_->output().empty()) {
      bytes += protocol_->output().Front();
      protocol_->output().Consume(protocol_->output().Front().size());
    }
    return FrameTypes(bytes, with_preface);
  }

  static constexpr int kPing = 6;

  ClientProtocol::Time now_{};
  const std::shared_ptr<Exchange> exchange_ =
      std::make_shared<Exchange>(std::make_shared<const HttpRequest>());
  const std::unique_ptr<ClientProtocol> protocol_ =
      MakeHttp2Client({.read_ahead_bytes = 65536}, now_);
};

TEST_F(Http2ClientTest, PingsASilentConnectionWithRequests) {
  protocol_->CheckTime(now_ + seconds(29));
  EXPECT_EQ(Sent(), std::vector<int>());
  protocol_->CheckTime(now_ + seconds(30));
  EXPECT_EQ(Sent(), std::vector<int>({kPing}));
  protocol_->CheckTime(now_ + seconds(31));
  EXPECT_EQ(Sent(), std::vector<int>()) << "one ping is enough";
}

TEST_F(Http2ClientTest, ClosesAConnectionThatDoesNotRespondToThePing) {
  protocol_->CheckTime(now_ + seconds(30));
  protocol_->CheckTime(now_ + seconds(44));
  EXPECT_FALSE(protocol_->Finished());
  protocol_->CheckTime(now_ + seconds(45));
  EXPECT_TRUE(protocol_->Finished());
  ASSERT_TRUE(exchange_->failure().has_value());
  EXPECT_TRUE(exchange_->failure()->IsTransient());
}

TEST_F(Http2ClientTest, AnyReceivedByteShowsThatTheServerIsAlive) {
  protocol_->CheckTime(now_ + seconds(30));
  const std::string settings("\0\0\0\4\0\0\0\0\0", 9);
  protocol_->Receive(settings, now_ + seconds(40));
  Sent();
  protocol_->CheckTime(now_ + seconds(69));
  EXPECT_EQ(Sent(), std::vector<int>());
  protocol_->CheckTime(now_ + seconds(70));
  EXPECT_EQ(Sent(), std::vector<int>({kPing}));
  EXPECT_FALSE(protocol_->Finished());
}

TEST_F(Http2ClientTest, AnUnusedConnectionIsNotPinged) {
  protocol_->Cancel(exchange_);
  Sent();
  protocol_->CheckTime(now_ + seconds(100));
  EXPECT_EQ(Sent(), std::vector<int>());
  EXPECT_FALSE(protocol_->Finished());
}

}  // namespace
}  // namespace kubexms
