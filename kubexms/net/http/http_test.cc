#include "kubexms/net/http/http.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kubexms {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(HttpHeadersTest, NamesAreComparedWithoutCase) {
  HttpHeaders headers{{"Content-Type", "a"}, {"X-One", "1"}, {"x-one", "2"}};
  EXPECT_EQ(headers.Get("content-TYPE"), "a");
  EXPECT_EQ(headers.Get("X-ONE"), "1");
  EXPECT_EQ(headers.Count("x-one"), 2u);
  headers.Set("x-One", "3");
  EXPECT_EQ(headers.Count("x-one"), 1u);
  EXPECT_EQ(headers.Get("x-one"), "3");
  headers.Remove("CONTENT-type");
  EXPECT_FALSE(headers.Has("content-type"));
  EXPECT_EQ(headers.size(), 1u);
}

TEST(HttpHeadersTest, FindsTokensInLists) {
  const HttpHeaders headers{{"Connection", "keep-alive , Upgrade"}, {"connection", "close"}};
  EXPECT_TRUE(headers.HasToken("Connection", "upgrade"));
  EXPECT_TRUE(headers.HasToken("Connection", "close"));
  EXPECT_FALSE(headers.HasToken("Connection", "keep"));
}

TEST(SharedBytesTest, SlicesShareTheirOwner) {
  SharedBytes bytes(std::string("hello world"));
  SharedBytes prefix = bytes.Prefix(5);
  bytes.RemovePrefix(6);
  EXPECT_EQ(prefix.view(), "hello");
  EXPECT_EQ(bytes.view(), "world");
  EXPECT_EQ(Flatten({prefix, SharedBytes::Static(", "), bytes}), "hello, world");
}

TEST(HttpRequestTest, SplitsTheTarget) {
  HttpRequest request;
  request.target = "/api/v1/pods?limit=5&x=a?b";
  EXPECT_EQ(request.path(), "/api/v1/pods");
  EXPECT_EQ(request.query(), "limit=5&x=a?b");
}

TEST(PercentDecodeTest, IsStrict) {
  EXPECT_EQ(PercentDecode("a%2Fb%c3%a4+").value(), "a/b\xc3\xa4+");
  for (const char* bad : {"%", "%2", "%2g", "%g2", "%00", "a%"}) {
    EXPECT_FALSE(PercentDecode(bad).ok()) << bad;
  }
}

TEST(PercentDecodeTest, DecodesEncodedText) {
  std::string text;
  for (int c = 1; c < 256; ++c) text += static_cast<char>(c);
  EXPECT_EQ(PercentDecode(PercentEncode(text)).value(), text);
}

TEST(PathSegmentsTest, DecodesEachSegment) {
  EXPECT_THAT(PathSegments("/api/v1/a%2Fb/").value(), ElementsAre("api", "v1", "a/b"));
  EXPECT_TRUE(PathSegments("/")->empty());
  for (const char* bad : {"", "api", "/a//b", "//", "/a/../b", "/./a", "/%2e%2e/a", "/%zz"}) {
    EXPECT_FALSE(PathSegments(bad).ok()) << bad;
  }
}

TEST(QueryParametersTest, DecodesNamesAndValues) {
  const auto query = QueryParameters::Parse("labelSelector=app%3Dweb%2Cx&watch&a=b=c&&e+f=g+h");
  ASSERT_TRUE(query.ok());
  EXPECT_THAT(query->all(), ElementsAre(Pair("labelSelector", "app=web,x"), Pair("watch", ""),
                                        Pair("a", "b=c"), Pair("e f", "g h")));
  EXPECT_EQ(query->Get("watch"), "");
  EXPECT_EQ(query->Get("none"), std::nullopt);
  EXPECT_FALSE(QueryParameters::Parse("a=%zz").ok());
}

TEST(UrlTest, ParsesHostPortAndTarget) {
  const auto url = Url::Parse("https://api.example.com:6443/api?x=1#part").value();
  EXPECT_TRUE(url.https);
  EXPECT_EQ(url.host, "api.example.com");
  EXPECT_EQ(url.port, 6443);
  EXPECT_EQ(url.target, "/api?x=1");
  EXPECT_EQ(url.Authority(), "api.example.com:6443");

  const auto v6 = Url::Parse("http://[fd00::1]").value();
  EXPECT_EQ(v6.host, "fd00::1");
  EXPECT_EQ(v6.port, 80);
  EXPECT_EQ(v6.Authority(), "[fd00::1]:80");
  EXPECT_EQ(Url::Parse("https://h?a=b")->target, "/?a=b");
}

TEST(UrlTest, RefusesInvalidUrls) {
  for (const char* bad : {"", "ftp://a", "https://", "https://:1", "https://a:0", "https://a:65536",
                          "https://a:x", "https://[::1", "https://u@h/", "https://h/a b"}) {
    EXPECT_FALSE(Url::Parse(bad).ok()) << bad;
  }
}

TEST(StatusTextTest, HasTheCommonCodes) {
  EXPECT_EQ(StatusText(200), "OK");
  EXPECT_EQ(StatusText(431), "Request Header Fields Too Large");
  EXPECT_EQ(StatusText(799), "");
}

}  // namespace
}  // namespace kubexms
