#include "kubexms/api/values/int_or_string.h"

#include <fmt/format.h>

#include <limits>

#include "kubexms/api/values/quote.h"

namespace kubexms {
namespace {

Error Invalid(std::string_view why) {
  return Error::BadRequest(fmt::format("invalid value for IntOrString: {}", why));
}

// percent * total / 100 in either direction, without overflow.
Result<int64_t> Share(int64_t percent, int64_t total, IntOrString::Round round) {
  __extension__ typedef __int128 Int128;
  const Int128 product = static_cast<Int128>(percent) * total;
  Int128 share = product / 100;
  const Int128 rest = product % 100;
  if (round == IntOrString::Round::kUp && rest > 0) ++share;
  if (round == IntOrString::Round::kDown && rest < 0) --share;
  if (share > std::numeric_limits<int64_t>::max() || share < std::numeric_limits<int64_t>::min()) {
    return Invalid(fmt::format("{}% of {} is out of range", percent, total));
  }
  return static_cast<int64_t>(share);
}

}  // namespace

IntOrString IntOrString::Parse(std::string_view text) {
  const Result<int64_t> number = ParseInt64(text);
  const bool fits = number.ok() && *number <= std::numeric_limits<int32_t>::max() &&
                    *number >= std::numeric_limits<int32_t>::min();
  if (fits) return IntOrString(static_cast<int32_t>(*number));
  return IntOrString(std::string(text));
}

std::string IntOrString::ToString() const { return IsInt() ? std::to_string(number_) : text_; }

int64_t IntOrString::IntValue() const { return IsInt() ? number_ : ParseInt64(text_).value_or(0); }

Result<int64_t> IntOrString::GetScaledValue(int64_t total, Round round) const {
  if (IsInt()) return number_;
  const std::string_view text = StringValue();
  if (!text.ends_with('%')) return Invalid("invalid type: string is not a percentage");
  const std::string_view digits = text.substr(0, text.size() - 1);
  const Result<int64_t> percent = ParseInt64(digits);
  if (!percent.ok()) {
    const bool syntax = percent.error().message().ends_with("invalid syntax");
    return Invalid(fmt::format("invalid value {}: strconv.Atoi: parsing {}: {}", Quoted(text),
                               Quoted(digits), syntax ? "invalid syntax" : "value out of range"));
  }
  return Share(*percent, total, round);
}

}  // namespace kubexms
