#include "kubexms/base/json/json_scanner.h"

#include <algorithm>
#include <charconv>

#include "kubexms/base/json/json.h"
#include "kubexms/base/json/json_reader.h"
#include "kubexms/base/utf8.h"

namespace kubexms {
namespace {

void AppendUtf8(uint32_t code, char*& out) {
  if (code < 0x80) {
    *out++ = static_cast<char>(code);
    return;
  }
  if (code < 0x800) {
    *out++ = static_cast<char>(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      *out++ = static_cast<char>(0xE0 | code >> 12);
    } else {
      *out++ = static_cast<char>(0xF0 | code >> 18);
      *out++ = static_cast<char>(0x80 | (code >> 12 & 0x3F));
    }
    *out++ = static_cast<char>(0x80 | (code >> 6 & 0x3F));
  }
  *out++ = static_cast<char>(0x80 | (code & 0x3F));
}

// Whether the encoded key `a` certainly sorts before `b`. Returns false if they first differ in an
// escape, whose order may differ from the order of the bytes.
bool IsBefore(std::string_view a, std::string_view b) {
  const auto [left, right] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  if (left == a.end() || right == b.end()) return right != b.end();
  const bool in_escape = *left == '\\' || *right == '\\' || (left != a.begin() && left[-1] == '\\');
  return !in_escape && static_cast<unsigned char>(*left) < static_cast<unsigned char>(*right);
}

}  // namespace

double JsonScanner::Number::AsDouble() const {
  switch (form) {
    case Form::kInt64: return static_cast<double>(int64);
    case Form::kUint64: return static_cast<double>(uint64);
    case Form::kDouble: return real;
  }
  return real;
}

JsonScanner::JsonScanner(std::string_view text, int max_depth)
    : max_depth_(max_depth), text_(text), copy_(small_copy_) {
  const size_t size = text.size() + json_internal::kPadding;
  if (size > kInline) {
    large_copy_ = std::make_unique_for_overwrite<char[]>(size);
    copy_ = large_copy_.get();
  }
  at_ = copy_;
  end_ = std::copy(text.begin(), text.end(), copy_);
  std::fill_n(copy_ + text.size(), json_internal::kPadding, '\0');
  if (!IsValidUtf8(text)) Fail();
}

void JsonScanner::SkipSpaces() {
  canonical_ = false;
  while (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r') ++at_;
}

std::string_view JsonScanner::ReadTypeName() {
  Number number;
  switch (Peek()) {
    case '{': return "object";
    case '[': return "array";
    case '"': return "string";
    case 't':
    case 'f': return "boolean";
    case 'n': return "null";
    default: return ReadNumber(number) ? number.TypeName() : "null";
  }
}

bool JsonScanner::ReadEscaped(const char* begin, std::string_view& text) {
  char* out = Writable(at_);
  while (*at_ == '\\') {
    if (!ReadEscape(out)) return Fail();
    const char* plain = at_;
    at_ = json_internal::FindSpecial(at_);
    out = std::copy(plain, at_, out);
  }
  if (*at_ != '"') return Fail();
  ++at_;
  text = {begin, static_cast<size_t>(out - begin)};
  return true;
}

bool JsonScanner::ReadEscape(char*& out) {
  const char c = at_[1];
  if (c == '\0') return false;
  at_ += 2;
  switch (c) {
    case '"':
    case '\\':
    case '/': *out++ = c; return true;
    case 'b': *out++ = '\b'; return true;
    case 'f': *out++ = '\f'; return true;
    case 'n': *out++ = '\n'; return true;
    case 'r': *out++ = '\r'; return true;
    case 't': *out++ = '\t'; return true;
    case 'u': return ReadCodePoint(out);
    default: return false;
  }
}

// After "\u". A code point above U+FFFF is a surrogate pair.
bool JsonScanner::ReadCodePoint(char*& out) {
  uint32_t code = 0;
  if (!ReadHex4(code) || (code >= 0xDC00 && code < 0xE000)) return false;
  if (code >= 0xD800 && code < 0xDC00) {
    uint32_t low = 0;
    if (at_[0] != '\\' || at_[1] != 'u') return false;
    at_ += 2;
    if (!ReadHex4(low) || low < 0xDC00 || low >= 0xE000) return false;
    code = 0x10000 + ((code - 0xD800) << 10 | (low - 0xDC00));
  }
  AppendUtf8(code, out);
  return true;
}

bool JsonScanner::ReadHex4(uint32_t& number) {
  if (std::from_chars(at_, at_ + 4, number, 16).ptr != at_ + 4) return false;
  at_ += 4;
  return true;
}

// Whole numbers of up to 18 digits, which cannot overflow, are read here.
bool JsonScanner::ReadNumber(Number& number) {
  const bool negative = Peek() == '-';
  const char* begin = at_ + (negative ? 1 : 0);
  const char* at = begin;
  uint64_t value = 0;
  for (; IsDigit(*at); ++at) value = value * 10 + static_cast<uint64_t>(*at - '0');
  const auto digits = at - begin;
  const bool usual = digits > 0 && digits <= 18 && (digits == 1 || *begin != '0');
  if (!usual || IsNumberCharacter(*at)) return ReadAnyNumber(number);
  at_ = at;
  number.form = Number::Form::kInt64;
  number.int64 = static_cast<int64_t>(negative ? -value : value);
  return true;
}

bool JsonScanner::ReadAnyNumber(Number& number) {
  const char* begin = at_;
  while (IsNumberCharacter(*at_)) ++at_;
  const auto element = JsonReader::Read({begin, static_cast<size_t>(at_ - begin)});
  if (!element.ok() || !element->is_number()) return Fail();
  if (element->get(number.int64) == simdjson::SUCCESS) {
    number.form = Number::Form::kInt64;
  } else if (element->get(number.uint64) == simdjson::SUCCESS) {
    number.form = Number::Form::kUint64;
  } else {
    number.form = Number::Form::kDouble;
    number.real = double(*element);
  }
  return true;
}

Result<void> JsonScanner::ReadCanonical(std::string& text) {
  Peek();
  const char* begin = at_;
  canonical_ = true;
  if (!SkipValue()) return Error::BadRequest("malformed JSON");
  if (canonical_) {
    text.assign(begin, at_);
    return {};
  }
  const std::string_view written =
      text_.substr(static_cast<size_t>(begin - copy_), static_cast<size_t>(at_ - begin));
  ASSIGN_OR_RETURN(const Json value, ParseJson(written));
  text = WriteJson(value);
  return {};
}

bool JsonScanner::SkipValue() {
  std::string_view raw;
  bool value = false;
  switch (Peek()) {
    case '{': return SkipObject();
    case '[': return SkipArray();
    case '"': return SkipString(raw);
    case 't':
    case 'f': return ReadBool(value);
    case 'n': return ReadNull();
    default: return SkipNumber();
  }
}

bool JsonScanner::SkipObject() {
  std::string_view previous;
  std::string_view key;
  for (bool more = Enter('{'); more; more = Next('}')) {
    if (!SkipString(key)) return false;
    if (!Take(':')) return Fail();
    canonical_ = canonical_ && (previous.data() == nullptr || IsBefore(previous, key));
    previous = key;
    if (!SkipValue()) return false;
  }
  return ok();
}

bool JsonScanner::SkipArray() {
  for (bool more = Enter('['); more; more = Next(']')) {
    if (!SkipValue()) return false;
  }
  return ok();
}

// `raw` is the text between the quotes.
bool JsonScanner::SkipString(std::string_view& raw) {
  if (!Take('"')) return Fail();
  const char* begin = at_;
  for (;;) {
    at_ = json_internal::FindSpecial(at_);
    if (*at_ != '\\') break;
    if (std::string_view("\"\\nrt").find(at_[1]) == std::string_view::npos) {
      canonical_ = false;
      std::string_view text;
      return ReadEscaped(begin, text);
    }
    at_ += 2;
  }
  if (*at_ != '"') return Fail();
  raw = {begin, static_cast<size_t>(at_++ - begin)};
  return true;
}

bool JsonScanner::SkipNumber() {
  const char* begin = at_;
  Number number;
  if (!ReadNumber(number)) return false;
  const auto size = at_ - begin;
  canonical_ = canonical_ && number.form == Number::Form::kInt64 && size <= 18 &&
               (*begin != '-' || number.int64 != 0) &&
               std::all_of(begin + 1, at_, [](char c) { return IsDigit(c); });
  return true;
}

}  // namespace kubexms
