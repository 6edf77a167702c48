#pragma once

// A cursor over JSON text for typed decoding, without a document or a tape. Refuses the same texts
// as ParseJson, except for duplicate keys, which the caller must check.
//
//   JsonScanner in(text);
//   for (bool more = in.Enter('{'); more; more = in.Next('}')) {
//     std::string_view key;
//     if (!in.ReadKey(key)) break;
//     …read the value…
//   }
//   if (!in.Finish()) …the text is malformed; JsonReader::Read returns the position…
//
// After malformed text every later call fails. Include it in .cc files only.

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

  // The first character of the next token, which determines the type of a value; zero at the end.
  char Peek() {
    if (*at_ <= ' ' && *at_ > '\0') SkipSpaces();
    return *at_;
  }
  bool PeekNumber() {
    const char next = Peek();
    return next == '-' || IsDigit(next);
  }
  // The type of the next value as in JsonTypeName. Consumes a number.
  std::string_view ReadTypeName();

  // Enters an object ('{') or array ('['). Returns true if it is not empty.
  bool Enter(char open) {
    if (!Take(open)) return Fail();
    if (Take(static_cast<char>(open + 2))) return false;  // '}' is two behind '{', ']' behind '['
    return ++depth_ <= max_depth_ || Fail();
  }
  // Advances past a value. Returns true if another value follows; otherwise the object or array has
  // been left, or is malformed.
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

  // For callers with known keys. PeekKey() returns the first eight bytes of the next key and the
  // following text; TakeKey() consumes a key that is written exactly as `written`, as in "name":
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

  // Reads any value in its canonical form. Fails for malformed text and, unlike the other
  // functions, for duplicate keys.
  Result<void> ReadCanonical(std::string& text);

  // Whether no call has failed.
  bool ok() const { return !failed_; }
  // Whether no call has failed and the whole text is consumed.
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
  // Reads the rest of a string that begins at `begin`, with the cursor at its first escape. Decodes
  // in place: a decoded character is never longer than its escape.
  bool ReadEscaped(const char* begin, std::string_view& text);
  bool ReadEscape(char*& out);
  bool ReadCodePoint(char*& out);
  bool ReadHex4(uint32_t& number);
  bool ReadAnyNumber(Number& number);

  // Skip a value and update canonical_; return false if the value is malformed. May report
  // canonical text as not canonical where a check would be expensive.
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
  bool canonical_ = true;  // whether the skipped text is canonical
  const std::string_view text_;
  // A copy of the text padded with zeros, so that reads need no bounds checks.
  char* copy_;
  std::unique_ptr<char[]> large_copy_;
  char small_copy_[kInline];
};

}  // namespace kubexms
