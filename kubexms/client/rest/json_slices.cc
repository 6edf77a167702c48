#include "kubexms/client/rest/json_slices.h"

#include <cstddef>

#include "kubexms/base/json/json_text.h"

namespace kubexms {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

bool EndsScalar(char c) { return IsSpace(c) || c == ',' || c == '}' || c == ']' || c == ':'; }

}  // namespace

bool JsonSlices::Fail() {
  failed_ = true;
  at_ = end_;
  return false;
}

char JsonSlices::Peek() {
  while (at_ != end_ && IsSpace(*at_)) ++at_;
  return at_ == end_ ? '\0' : *at_;
}

bool JsonSlices::Take(char c) {
  if (Peek() != c || at_ == end_) return false;
  ++at_;
  return true;
}

bool JsonSlices::Enter(char open) {
  if (!Take(open)) return Fail();
  return !Take(static_cast<char>(open + 2));  // '}' is two behind '{', ']' behind '['
}

bool JsonSlices::Next(char close) {
  if (Take(',')) return true;
  if (!Take(close)) return Fail();
  return false;
}

std::string_view JsonSlices::ReadKey() {
  if (Peek() != '"') return Fail(), std::string_view();
  const char* begin = at_ + 1;
  if (!SkipString()) return {};
  const std::string_view key(begin, static_cast<size_t>(at_ - 1 - begin));
  if (!Take(':')) Fail();
  return key;
}

std::string_view JsonSlices::ReadValue() {
  const char first = Peek();
  const char* begin = at_;
  const bool read = first == '"'                   ? SkipString()
                    : first == '{' || first == '[' ? SkipNested()
                                                   : SkipScalar();
  if (!read) return {};
  return {begin, static_cast<size_t>(at_ - begin)};
}

bool JsonSlices::SkipString() {
  for (++at_; at_ != end_; at_ += 2) {
    at_ = json_internal::FindSpecial(at_, end_);
    if (at_ == end_) break;
    if (*at_ == '"') return ++at_, true;
    if (*at_ != '\\' || end_ - at_ < 2) break;
  }
  return Fail();
}

bool JsonSlices::SkipNested() {
  size_t depth = 0;
  while (at_ != end_) {
    switch (*at_) {
      case '"':
        if (!SkipString()) return false;
        continue;
      case '{':
      case '[': ++depth; break;
      case '}':
      case ']': --depth; break;
      default: break;
    }
    ++at_;
    if (depth == 0) return true;
  }
  return Fail();
}

bool JsonSlices::SkipScalar() {
  const char* begin = at_;
  while (at_ != end_ && !EndsScalar(*at_)) ++at_;
  return at_ != begin || Fail();
}

std::string_view PlainString(std::string_view value) {
  if (value.size() < 2 || value.front() != '"' || value.back() != '"') return {};
  const std::string_view text = value.substr(1, value.size() - 2);
  return text.find('\\') == std::string_view::npos ? text : std::string_view();
}

}  // namespace kubexms
