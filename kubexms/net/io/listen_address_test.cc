#include "kubexms/net/io/listen_address.h"

#include <gtest/gtest.h>

namespace kubexms {
namespace {

TEST(ListenAddressTest, HasAHostAndAPort) {
  const Result<ListenAddress> plain = ListenAddress::Parse("127.0.0.1:8080");
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain->host, "127.0.0.1");
  EXPECT_EQ(plain->port, 8080);
  EXPECT_EQ(ListenAddress::Parse("[::1]:0")->host, "::1");
  EXPECT_EQ(ListenAddress::Parse(":9000")->host, "");
}

TEST(ListenAddressTest, RefusesInvalidAddresses) {
  for (const char* text : {"", "localhost", "localhost:", "a:b", "a:70000", "a:1x"}) {
    const Result<ListenAddress> address = ListenAddress::Parse(text);
    ASSERT_FALSE(address.ok()) << text;
    EXPECT_NE(address.error().message().find("ADDRESS:PORT"), std::string::npos);
  }
}

}  // namespace
}  // namespace kubexms
