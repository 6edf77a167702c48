#include "kubexms/base/error.h"

#include <gtest/gtest.h>

namespace kubexms {
namespace {

using std::chrono_literals::operator""s;

TEST(ErrorTest, UsesTheMessagesOfKubernetes) {
  EXPECT_EQ(Error::NotFound("pods", "a").message(), "pods \"a\" not found");
  EXPECT_EQ(Error::AlreadyExists("pods", "a").message(), "pods \"a\" already exists");
  EXPECT_EQ(Error::Conflict("deployments.apps", "a", "it was changed").message(),
            "Operation cannot be fulfilled on deployments.apps \"a\": it was changed");
  EXPECT_EQ(Error::Forbidden("pods", "a", "no").message(), "pods \"a\" is forbidden: no");
  EXPECT_EQ(Error::Forbidden("pods", "", "no").message(), "pods is forbidden: no");
  EXPECT_EQ(Error::MethodNotSupported("pods", "patch").message(),
            "patch is not supported on resources of kind \"pods\"");
}

TEST(ErrorTest, ListsTheCausesOfInvalid) {
  const ErrorCause required{"FieldValueRequired", "Required value", "spec.image"};
  const ErrorCause general{"FieldValueInvalid", "too odd", ""};
  EXPECT_EQ(Error::Invalid("Pod", "a", {required}).message(),
            "Pod \"a\" is invalid: spec.image: Required value");
  const Error error = Error::Invalid("Widget.example.com", "a", {required, general});
  EXPECT_EQ(error.message(),
            "Widget.example.com \"a\" is invalid: [spec.image: Required value, too odd]");
  EXPECT_EQ(error.details().causes.size(), 2u);
  EXPECT_EQ(error.details().kind, "Widget");
  EXPECT_EQ(error.details().group, "example.com");
  EXPECT_EQ(Error::Invalid("Pod", "a", {}).message(), "Pod \"a\" is invalid");
}

TEST(ErrorTest, IsBoundedInLength) {
  EXPECT_LE(Error::BadRequest(std::string(10'000'000, 'x')).message().size(), 64 * 1024);
  std::vector<ErrorCause> causes;
  for (int i = 0; i < 100'000; ++i) {
    causes.push_back({"FieldValueInvalid", "Invalid value: " + std::to_string(i), "spec"});
  }
  const Error error = Error::Invalid("Pod", "a", causes);
  EXPECT_LE(error.message().size(), 64 * 1024);
  EXPECT_TRUE(error.message().ends_with(" more]"));
  EXPECT_LT(error.details().causes.size(), 2000u);
  const Error long_cause = Error::Invalid("Pod", "a", {{"r", std::string(10'000'000, 'x'), "f"}});
  EXPECT_LE(long_cause.details().causes[0].message.size(), 64 * 1024);
}

TEST(ErrorTest, CarriesCodeReasonAndDetails) {
  const Error error = Error::NotFound("deployments.apps", "web");
  EXPECT_EQ(error.code(), 404);
  EXPECT_EQ(error.reason(), "NotFound");
  EXPECT_EQ(error.details(), (ErrorDetails{.name = "web", .group = "apps", .kind = "deployments"}));
  EXPECT_EQ(Error::TooManyRequests("slow down", 3s).details().retry_after, 3s);
}

TEST(ErrorTest, ReportsItsReason) {
  EXPECT_TRUE(Error::NotFound("pods", "a").IsNotFound());
  EXPECT_TRUE(Error::AlreadyExists("pods", "a").IsAlreadyExists());
  EXPECT_FALSE(Error::AlreadyExists("pods", "a").IsConflict());
  EXPECT_TRUE(Error::Conflict("pods", "a", "x").IsConflict());
  EXPECT_TRUE(Error::Forbidden("pods", "a", "x").IsForbidden());
  EXPECT_TRUE(Error::Invalid("Pod", "a", {}).IsInvalid());
  EXPECT_TRUE(Error::BadRequest("x").IsBadRequest());
  EXPECT_TRUE(Error::Unauthorized("x").IsUnauthorized());
  EXPECT_TRUE(Error::Expired("x").IsExpired());
  EXPECT_TRUE(Error(410, "Gone", "x").IsExpired());
  EXPECT_TRUE(Error::TooManyRequests("x", 1s).IsTooManyRequests());
}

TEST(ErrorTest, ReportsTransientErrors) {
  for (const Error& error :
       {Error::Conflict("pods", "a", "x"), Error::TooManyRequests("x", 1s), Error::Timeout("x"),
        Error::ServiceUnavailable("x"), Error::Internal("x")}) {
    EXPECT_TRUE(error.IsTransient()) << error.message();
    EXPECT_FALSE(Terminal(error).IsTransient());
  }
  for (const Error& error : {Error::NotFound("pods", "a"), Error::BadRequest("x"),
                             Error::Unauthorized("x"), Error::Expired("x")}) {
    EXPECT_FALSE(error.IsTransient()) << error.message();
  }
}

TEST(ErrorTest, AddsContextToTheMessage) {
  const Error error = Terminal(Error::NotFound("pods", "a"));
  const Error outer = error.WithContext("start node1");
  EXPECT_EQ(outer.message(), "start node1: pods \"a\" not found");
  EXPECT_TRUE(outer.IsNotFound());
  EXPECT_TRUE(outer.terminal());
  EXPECT_EQ(outer.details(), error.details());
  EXPECT_EQ(error.message(), "pods \"a\" not found");
}

TEST(ErrorTest, ComparesByContent) {
  EXPECT_EQ(Error::BadRequest("x"), Error::BadRequest("x"));
  EXPECT_FALSE(Error::BadRequest("x") == Error::BadRequest("y"));
  EXPECT_FALSE(Error::BadRequest("x") == Terminal(Error::BadRequest("x")));
}

}  // namespace
}  // namespace kubexms
