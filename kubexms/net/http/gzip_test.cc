#include "kubexms/net/http/gzip.h"

#include <gtest/gtest.h>

namespace kubexms {
namespace {

TEST(GzipTest, RoundTripsManyBuffers) {
  Body body;
  for (int i = 0; i < 2000; ++i) body.emplace_back("object " + std::to_string(i * i) + ",");
  const Body compressed = Gzip(body).value();
  EXPECT_LT(BodySize(compressed), BodySize(body));
  EXPECT_EQ(Gunzip(Flatten(compressed), 1'000'000).value(), Flatten(body));
}

TEST(GzipTest, LimitsTheDecompressedSize) {
  const std::string bomb = Flatten(Gzip({SharedBytes(std::string(5'000'000, 'x'))}).value());
  EXPECT_EQ(Gunzip(bomb, 1'000'000).error().code(), 413);
  EXPECT_FALSE(Gunzip("not gzip", 100).ok());
  EXPECT_FALSE(Gunzip(bomb.substr(0, bomb.size() / 2), 10'000'000).ok());
}

TEST(GzipTest, CompressesOnlyLargeResponsesForClientsThatAcceptGzip) {
  HttpResponse small = HttpResponse::Text(200, "text/plain", std::string(1000, 'x'));
  CompressForClient(true, small);
  EXPECT_FALSE(small.headers.Has("Content-Encoding"));

  HttpResponse large = HttpResponse::Text(200, "text/plain", std::string(200'000, 'x'));
  CompressForClient(false, large);
  EXPECT_FALSE(large.headers.Has("Content-Encoding"));
  CompressForClient(true, large);
  EXPECT_EQ(large.headers.Get("Content-Encoding"), "gzip");
  EXPECT_EQ(Gunzip(Flatten(large.body), 1'000'000).value(), std::string(200'000, 'x'));
}

TEST(GzipTest, ReadsAcceptEncoding) {
  EXPECT_TRUE(AcceptsGzip({{"Accept-Encoding", "br, gzip"}}));
  EXPECT_TRUE(AcceptsGzip({{"accept-encoding", "gzip;q=0.5"}}));
  EXPECT_FALSE(AcceptsGzip({{"Accept-Encoding", "gzip;q=0"}}));
  EXPECT_FALSE(AcceptsGzip({{"Accept-Encoding", "gzip;q=0.0, br"}}));
  EXPECT_FALSE(AcceptsGzip({{"Accept-Encoding", "identity"}}));
  EXPECT_FALSE(AcceptsGzip({}));
}

}  // namespace
}  // namespace kubexms
