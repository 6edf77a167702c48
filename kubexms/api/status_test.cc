#include "kubexms/api/status.h"

#include <gtest/gtest.h>

namespace kubexms {
namespace {

TEST(StatusTest, IsWrittenAsKubernetesDoes) {
  EXPECT_EQ(WriteJson(StatusOf(Error::NotFound("deployments.apps", "web"))),
            R"({"apiVersion":"v1","code":404,"details":{"group":"apps","kind":"deployments",)"
            R"("name":"web"},"kind":"Status","message":"deployments.apps \"web\" not found",)"
            R"("metadata":{},"reason":"NotFound","status":"Failure"})");
}

TEST(StatusTest, ConvertsBackToTheSameError) {
  const Error errors[] = {
      Error::Invalid("Pod", "p", {{"FieldValueRequired", "Required value", "spec.containers"}}),
      Error::TooManyRequests("slow down", std::chrono::seconds(3)),
      Error::BadRequest("no"),
  };
  for (const Error& error : errors) {
    EXPECT_EQ(ErrorFromStatus(error.code(), WriteJson(StatusOf(error))), error);
  }
}

TEST(StatusTest, OtherTextBecomesTheMessage) {
  const Error error = ErrorFromStatus(502, "bad gateway");
  EXPECT_EQ(error.code(), 502);
  EXPECT_EQ(error.message(), "bad gateway");
  EXPECT_EQ(ErrorFromStatus(503, "").message(), "the server answered with code 503 and no text");
  EXPECT_TRUE(ErrorFromStatus(404, "404 page not found").IsNotFound());
}

TEST(StatusTest, UsesTheCodeOfTheStatus) {
  const std::string gone = R"({"kind":"Status","code":410,"reason":"Expired","message":"old"})";
  EXPECT_EQ(ErrorFromStatus(200, gone), Error::Expired("old"));
  EXPECT_EQ(ErrorFromStatus(500, R"({"kind":"Status","code":7})").code(), 500);
}

TEST(StatusTest, BoundsRetryAfter) {
  const auto retry_after = [](const std::string& seconds) {
    return ErrorFromStatus(429,
                           R"({"kind":"Status","details":{"retryAfterSeconds":)" + seconds + "}}")
        .details()
        .retry_after;
  };
  EXPECT_EQ(retry_after("9223372036854775807"), std::chrono::hours(1));
  EXPECT_EQ(retry_after("7"), std::chrono::seconds(7));
  EXPECT_EQ(retry_after("0"), std::nullopt);
  EXPECT_EQ(retry_after("-5"), std::nullopt);
}

}  // namespace
}  // namespace kubexms
