#include "kubexms/base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>

namespace kubexms {
namespace {

Result<int> Half(int number) {
  if (number % 2 != 0) return Error::BadRequest("odd");
  return number / 2;
}

Result<int> Quarter(int number) {
  ASSIGN_OR_RETURN(const int half, Half(number));
  ASSIGN_OR_RETURN(const int quarter, Half(half));
  return quarter;
}

Result<void> CheckQuarter(int number) {
  RETURN_IF_ERROR(Half(number));
  RETURN_IF_ERROR(Quarter(number));
  return {};
}

TEST(ResultTest, HoldsAValueOrAnError) {
  const Result<int> value = 4, error = Error::BadRequest("x");
  EXPECT_TRUE(value.ok());
  EXPECT_EQ(*value, 4);
  EXPECT_EQ(value.value_or(5), 4);
  EXPECT_FALSE(static_cast<bool>(error));
  EXPECT_EQ(error.error().message(), "x");
  EXPECT_EQ(error.value_or(5), 5);
}

TEST(ResultTest, MovesValuesOut) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  EXPECT_EQ(**result, 3);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 3);
  Result<std::unique_ptr<int>> failed = Error::BadRequest("x");
  EXPECT_EQ(*std::move(failed).value_or(std::make_unique<int>(7)), 7);
}

TEST(ResultTest, CopiesAndAssignsValuesAndErrors) {
  const std::string text(100, 'x');
  const Result<std::string> value = text, error = Error::BadRequest("x");
  for (const Result<std::string>* from : {&value, &error}) {
    for (const Result<std::string>* to : {&value, &error}) {
      Result<std::string> result = *to;
      result = *from;
      EXPECT_EQ(result.ok(), from->ok());
      result = Result<std::string>(result);
      EXPECT_EQ(result.value_or(""), from->value_or(""));
    }
  }
  EXPECT_EQ(*value, text);
  EXPECT_EQ(error.error().message(), "x");
  static_assert(!std::is_copy_constructible_v<Result<std::unique_ptr<int>>>);
  static_assert(std::is_nothrow_move_constructible_v<Result<std::unique_ptr<int>>>);
}

TEST(ResultTest, ReturnsErrorsEarly) {
  EXPECT_EQ(*Quarter(8), 2);
  EXPECT_EQ(Quarter(6).error().message(), "odd");
  EXPECT_TRUE(CheckQuarter(8).ok());
  EXPECT_FALSE(CheckQuarter(6).ok());
  EXPECT_FALSE(CheckQuarter(5).ok());
}

TEST(ResultTest, IgnoresNotFound) {
  EXPECT_TRUE(IgnoreNotFound(Result<int>(1)).ok());
  EXPECT_TRUE(IgnoreNotFound(Result<int>(Error::NotFound("pods", "a"))).ok());
  EXPECT_FALSE(IgnoreNotFound(Result<void>(Error::BadRequest("x"))).ok());
}

TEST(ResultTest, AbortsOnTheValueOfAFailedResult) {
  const Result<int> value = 4, error = Error::BadRequest("x");
  EXPECT_DEATH((void)*error, "check failed: ok\\(\\)");
  EXPECT_DEATH((void)value.error(), "check failed: !ok\\(\\)");
}

}  // namespace
}  // namespace kubexms
