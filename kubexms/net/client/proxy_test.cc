#include "kubexms/net/client/proxy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace kubexms {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string ProxyFor(const std::string& server, std::map<std::string, std::string> variables) {
  return ProxyOf(Url::Parse(server).value(),
                 [&](const char* name) -> std::optional<std::string> {
                   const auto found = variables.find(name);
                   return found == variables.end() ? std::nullopt : std::optional(found->second);
                 })
      .Reveal();
}

TEST(ProxyTest, ParsesItsUrl) {
  const Proxy proxy = Proxy::Parse(Secret("http://me:p%40w@proxy.example.com:3128/")).value();
  EXPECT_EQ(proxy.url.Authority(), "proxy.example.com:3128");
  EXPECT_EQ(proxy.ConnectRequest("api:6443"),
            "CONNECT api:6443 HTTP/1.1\r\nHost: api:6443\r\n"
            "Proxy-Authorization: Basic bWU6cEB3\r\n\r\n");
  EXPECT_EQ(Proxy::Parse(Secret("proxy:3128"))->ConnectRequest("api:6443"),
            "CONNECT api:6443 HTTP/1.1\r\nHost: api:6443\r\n\r\n");
}

TEST(ProxyTest, RefusesOtherProxiesWithoutRevealingThePassword) {
  for (const char* url : {"socks5://me:hunter2@proxy", "https://me:hunter2@proxy",
                          "http://me:hunter2@:1", "http://me:%zzhunter2@proxy"}) {
    const auto proxy = Proxy::Parse(Secret(url));
    ASSERT_FALSE(proxy.ok()) << url;
    EXPECT_THAT(proxy.error().message(), AllOf(HasSubstr("URL"), Not(HasSubstr("hunter2"))));
  }
}

TEST(ProxyTest, TheEnvironmentSelectsAProxy) {
  EXPECT_EQ(ProxyFor("https://api", {}), "");
  EXPECT_EQ(ProxyFor("https://api", {{"HTTPS_PROXY", "a"}, {"https_proxy", "b"}}), "a");
  EXPECT_EQ(ProxyFor("https://api", {{"https_proxy", "b"}, {"HTTP_PROXY", "c"}}), "b");
  EXPECT_EQ(ProxyFor("http://api", {{"https_proxy", "b"}, {"HTTP_PROXY", "c"}}), "c");
  for (const char* local : {"https://localhost", "https://127.1.2.3", "https://[::1]"}) {
    EXPECT_EQ(ProxyFor(local, {{"HTTPS_PROXY", "a"}}), "") << local;
  }
}

TEST(ProxyTest, TheEnvironmentExcludesServers) {
  const auto excluded = [](const std::string& server, const std::string& no_proxy) {
    return ProxyFor("https://" + server, {{"HTTPS_PROXY", "a"}, {"no_proxy", no_proxy}}).empty();
  };
  EXPECT_TRUE(excluded("10.96.0.1", "a.com, 10.96.0.0/12"));
  EXPECT_FALSE(excluded("10.1.0.1", "10.96.0.0/12"));
  EXPECT_TRUE(excluded("10.1.0.1", "10.1.0.1"));
  EXPECT_TRUE(excluded("[fd00::1]", "fd00::/8"));
  EXPECT_TRUE(excluded("anything", "*"));
  EXPECT_TRUE(excluded("b.A.com", "a.com"));
  EXPECT_TRUE(excluded("a.com", "a.com"));
  EXPECT_FALSE(excluded("ba.com", "a.com"));
  EXPECT_FALSE(excluded("a.com", ".a.com"));
  EXPECT_TRUE(excluded("b.a.com", "*.a.com"));
  EXPECT_TRUE(excluded("a.com:6443", "a.com:6443"));
  EXPECT_FALSE(excluded("a.com:6443", "a.com:443"));
  EXPECT_FALSE(excluded("a.com", ""));
}

}  // namespace
}  // namespace kubexms
