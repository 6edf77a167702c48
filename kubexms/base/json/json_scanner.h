#pragma once

// A cursor over JSON text, for code that knows what it expects: typed decoding. It makes no
// document and no tape; a value is read where it stands. It refuses what ParseJson refuses, except
// duplicate keys, which are for the caller to see.
//
//   JsonScanner in(text);
//   for (bool more = in.Enter('{'); more; more = in.Next('}')) {
//     std::string_view key;
//     if (!in.ReadKey(key)) break;
//     …read the value…
//   }
//   if (!in.Finish()) …the text is malformed; JsonReader::Read says where…
//
// What is malformed ends the reading: every later call fails as well. Include it in .cc files only.

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "kubexms/base/json/json_text.h"
#include "kubexms/base/result.h"

namespace kubexms {

class JsonScanner {
 public:
  // A number in the first of these forms that holds it.
  struct Number {
    enum class Form { kInt64, kUint64, kDouble };
    Form form = Form::kInt64;
    int64_t int64 = 0;
    uint64_t uint64 = 0;
    double real = 0;

    double AsDouble() const;
    // "integer" or "number".
    std::string_view TypeName() const { return form == Form::kDouble ? "number" : "integer"; }
  };

  // Borrows the text.
  explicit JsonScanner(std::string_view text, int max_depth = 512);
  JsonScanner(const JsonScanner&) = delete;
  JsonScanner& operator=(const JsonScanner&) = delete;

  // The first character of what comes next, which tells a value's type; zero at the end.
  char Peek() {
    if (*at_ <= ' ' && *at_ > '\0') SkipSpaces();
    return *at_;
  }
  bool PeekNumber() {
    const char next = Peek();
    return next == '-' || IsDigit(next);
  }
  // The type of the next value as JsonTypeName would say it. A number is consumed.
  std::string_view ReadTypeName();

  // Goes into an object ('{') or array ('['). True when there is something in it.
  bool Enter(char open) {
    if (!Take(open)) return Fail();
    if (Take(static_cast<char>(open + 2))) return false;  // '}' is two behind '{', ']' behind '['
    return ++depth_ <= max_depth_ || Fail();
  }
  // Goes on behind a value that was read. True when there is another; otherwise what was entered
  // has been left, or is malformed.
  bool Next(char close) {
    if (Take(',')) return true;
    if (!Take(close)) return Fail();
    --depth_;
    return false;
  }

  // A string, valid as long as the scanner.
  bool ReadString(std::string_view& text) {
    if (!Take('"')) return Fail();
    const char* begin = at_;
    at_ = json_internal::FindSpecial(at_);
    if (*at_ != '"') return ReadEscaped(begin, text);
    text = {begin, static_cast<size_t>(at_++ - begin)};
    return true;
  }
  bool ReadKey(std::string_view& key) { return ReadString(key) && (Take(':') || Fail()); }

  // For callers that know which keys to expect: the first eight bytes of the next key and of what
  // follows it, and the taking of a key that looks exactly like this: "name":
  uint64_t PeekKey() { return Peek() == '"' ? json_internal::Load8(at_ + 1) : 0; }
  bool TakeKey(std::string_view written) {
    if (static_cast<size_t>(end_ - at_) < written.size() ||
        std::memcmp(at_, written.data(), written.size()) != 0) {
      return false;
    }
    at_ += written.size();
    return true;
  }

  bool ReadBool(bool& value) {
    value = Peek() == 't';
    return TakeWord(value ? "true" : "false");
  }
  bool ReadNull() { return Peek() == 'n' ? TakeWord("null") : Fail(); }
  bool ReadNumber(Number& number);

  // Any value, in its canonical form. Malformed text and, other than elsewhere, duplicate keys are
  // the error.
  Result<void> ReadCanonical(std::string& text);

  // Whether all was well so far.
  bool ok() const { return !failed_; }
  // Whether all was well and nothing is left.
  bool Finish() { return ok() && Peek() == '\0' && at_ == end_; }

 private:
  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }
  static bool IsNumberCharacter(char c) {
    return IsDigit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
  }

  bool Fail() {
    failed_ = true;
    at_ = end_;
    return false;
  }

  bool Take(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }

  bool TakeWord(std::string_view word) { return TakeKey(word) || Fail(); }

  void SkipSpaces();
  // The rest of a string that begins at `begin`, when the cursor is at its first escape. What the
  // escapes stand for is written over them: it is never longer.
  bool ReadEscaped(const char* begin, std::string_view& text);
  bool ReadEscape(char*& out);
  bool ReadCodePoint(char*& out);
  bool ReadHex4(uint32_t& number);
  bool ReadAnyNumber(Number& number);

  // Go over a value and find out whether it is canonical; false when it is malformed. Where that
  // would be hard to tell, they take it for not canonical.
  bool SkipValue();
  bool SkipObject();
  bool SkipArray();
  bool SkipString(std::string_view& raw);
  bool SkipNumber();

  char* Writable(const char* at) { return copy_ + (at - copy_); }

  static constexpr size_t kInline = 8192;

  const char* at_;
  const char* end_;
  int depth_ = 0;
  const int max_depth_;
  bool failed_ = false;
  bool canonical_ = true;  // of what was skipped
  const std::string_view text_;
  // A copy of the text with zeros behind it: it can be read without looking for its end.
  char* copy_;
  std::unique_ptr<char[]> large_copy_;
  char small_copy_[kInline];
};

}  // namespace kubexms
