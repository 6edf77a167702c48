#include "kubexms/api/schema/field_error.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "kubexms/api/values/quote.h"
#include "kubexms/base/utf8.h"

namespace kubexms {
namespace {

// Kubernetes' text for an empty path.
constexpr std::string_view kNoPath = "<nil>";

ErrorCause MakeCause(std::string_view reason, std::string message, const FieldPath& path,
                     std::string_view detail) {
  if (!detail.empty()) fmt::format_to(std::back_inserter(message), ": {}", detail);
  std::string field = path.ToString();
  if (field.empty()) field = kNoPath;
  return {std::string(reason), std::move(message), std::move(field)};
}

ErrorCause MakeCause(std::string_view reason, std::string_view what, const Json& value,
                     const FieldPath& path, std::string_view detail) {
  return MakeCause(reason, fmt::format("{}: {}", what, DescribeValue(value)), path, detail);
}

std::string CountOf(int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string DescribeWhole(const Json& value) {
  switch (value.kind()) {
    case boost::json::kind::null: return "\"null\"";
    case boost::json::kind::string: return Quoted(AsView(value.get_string()));
    case boost::json::kind::double_: return DescribeNumber(value.get_double());
    default: return WriteJson(value);
  }
}

}  // namespace

std::string FieldPath::ToString() const {
  std::string text;
  AppendTo(text);
  return text;
}

void FieldPath::AppendTo(std::string& out) const {
  if (parent_ != nullptr) parent_->AppendTo(out);
  switch (step_) {
    case Step::kRoot: break;
    case Step::kChild:
      if (!out.empty()) out += '.';
      out += name_;
      break;
    case Step::kIndex: fmt::format_to(std::back_inserter(out), "[{}]", index_); break;
    case Step::kKey: fmt::format_to(std::back_inserter(out), "[{}]", name_); break;
  }
}

ErrorCause Required(const FieldPath& path, std::string_view detail) {
  return MakeCause("FieldValueRequired", "Required value", path, detail);
}

ErrorCause Invalid(const FieldPath& path, const Json& value, std::string_view detail) {
  return MakeCause("FieldValueInvalid", "Invalid value", value, path, detail);
}

ErrorCause TypeInvalid(const FieldPath& path, const Json& value, std::string_view detail) {
  return MakeCause("FieldValueTypeInvalid", "Invalid value", value, path, detail);
}

ErrorCause NotSupported(const FieldPath& path, const Json& value,
                        std::span<const std::string_view> supported) {
  std::string detail;
  for (std::string_view text : supported) {
    detail += detail.empty() ? "supported values: " : ", ";
    detail += Quoted(text);
  }
  return MakeCause("FieldValueNotSupported", "Unsupported value", value, path, detail);
}

ErrorCause NotSupported(const FieldPath& path, const Json& value,
                        std::initializer_list<std::string_view> supported) {
  return NotSupported(path, value, std::span(supported.begin(), supported.size()));
}

ErrorCause Duplicate(const FieldPath& path, const Json& value) {
  return MakeCause("FieldValueDuplicate", "Duplicate value", value, path, {});
}

ErrorCause NotFound(const FieldPath& path, const Json& value) {
  return MakeCause("FieldValueNotFound", "Not found", value, path, {});
}

ErrorCause Forbidden(const FieldPath& path, std::string_view detail) {
  return MakeCause("FieldValueForbidden", "Forbidden", path, detail);
}

ErrorCause TooLong(const FieldPath& path, int64_t max_bytes) {
  return MakeCause(
      "FieldValueTooLong", "Too long", path,
      max_bytes < 0 ? "value is too long" : "may not be more than " + CountOf(max_bytes, "byte"));
}

ErrorCause TooMany(const FieldPath& path, int64_t actual, int64_t max_items) {
  return MakeCause("FieldValueTooMany", "Too many", Json(actual), path,
                   "must have at most " + CountOf(max_items, "item"));
}

ErrorCause InternalError(const FieldPath& path, std::string_view detail) {
  return MakeCause("InternalError", "Internal error", path, detail);
}

std::string DescribeValue(const Json& value) {
  // Long enough to recognize the value, which clients choose and many errors may repeat.
  constexpr size_t kMaxShown = 4096;
  std::string text = DescribeWhole(value);
  if (text.size() <= kMaxShown) return text;
  text.resize(CutUtf8(text, kMaxShown).size());
  return text.append("...");
}

std::string DescribeNumber(double number) {
  std::array<char, 32> buffer;
  const double magnitude = std::fabs(number);
  // Unlike C++, Go uses exponents only from 1e21 on and below 1e-4.
  const auto format = number == 0 || (magnitude >= 1e-4 && magnitude < 1e21)
                          ? std::chars_format::fixed
                          : std::chars_format::scientific;
  const auto end = std::to_chars(buffer.begin(), buffer.end(), number, format).ptr;
  return {buffer.begin(), end};
}

}  // namespace kubexms
