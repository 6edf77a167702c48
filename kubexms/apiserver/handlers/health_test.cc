#include "kubexms/apiserver/handlers/health.h"

#include <gtest/gtest.h>

#include "kubexms/net/http/http.h"

namespace kubexms {
namespace {

class HealthTest : public testing::Test {
 protected:
  std::pair<int, std::string> Ask(std::string_view path, std::string_view query = "") {
    const HttpResponse response =
        AnswerHealth(checks_, path, QueryParameters::Parse(query).value());
    return {response.status, Flatten(response.body)};
  }

  bool stopping_ = false;
  const std::vector<HealthCheck> checks_{{.name = "ping", .check = [] { return Result<void>(); }},
                                         {.name = "shutdown",
                                          .check = [this]() -> Result<void> {
                                            if (stopping_)
                                              return Error::ServiceUnavailable("secret reason");
                                            return {};
                                          },
                                          .live = false}};
};

TEST_F(HealthTest, RespondsOkWhenAllChecksPass) {
  EXPECT_EQ(Ask("/livez"), std::pair(200, std::string("ok")));
  EXPECT_EQ(Ask("/readyz", "verbose").second, "[+]ping ok\n[+]shutdown ok\nreadyz check passed\n");
}

TEST_F(HealthTest, AStoppingServerIsLiveButNotReady) {
  stopping_ = true;
  EXPECT_EQ(Ask("/livez").first, 200);
  EXPECT_EQ(Ask("/readyz"),
            std::pair(500, std::string("[+]ping ok\n[-]shutdown failed: reason withheld\nreadyz "
                                       "check failed\n")));
  EXPECT_EQ(Ask("/readyz", "exclude=shutdown").first, 200);
}

TEST_F(HealthTest, ServesEachCheckUnderItsOwnPath) {
  EXPECT_EQ(Ask("/readyz/ping").first, 200);
  EXPECT_EQ(Ask("/readyz/none").first, 404);
  EXPECT_EQ(Ask("/livez/shutdown").first, 404);
}

TEST(UncountedHealthTest, FailsOnlyUnderItsOwnPath) {
  bool works = false;
  const std::vector<HealthCheck> checks{{.name = "extra",
                                         .check = [&]() -> Result<void> {
                                           if (works) return {};
                                           return Error::ServiceUnavailable("not yet");
                                         },
                                         .live = false,
                                         .counts = false}};
  const auto ask = [&](std::string_view path, std::string_view query = "") {
    const HttpResponse response = AnswerHealth(checks, path, QueryParameters::Parse(query).value());
    return std::pair(response.status, Flatten(response.body));
  };
  EXPECT_EQ(ask("/readyz"), std::pair(200, std::string("ok")));
  EXPECT_EQ(ask("/readyz", "verbose").second,
            "[-]extra failed: not counted\nreadyz check passed\n");
  EXPECT_EQ(ask("/readyz/extra").first, 500);
  works = true;
  EXPECT_EQ(ask("/readyz", "verbose").second, "[+]extra ok\nreadyz check passed\n");
  EXPECT_EQ(ask("/readyz/extra").first, 200);
}

TEST_F(HealthTest, RecognizesHealthPaths) {
  EXPECT_TRUE(IsHealthPath("/livez"));
  EXPECT_TRUE(IsHealthPath("/readyz/ping"));
  EXPECT_FALSE(IsHealthPath("/readyzz"));
  EXPECT_FALSE(IsHealthPath("/api"));
}

}  // namespace
}  // namespace kubexms
