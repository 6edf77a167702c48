#include "kubexms/apiserver/read/raw_member.h"

#include <algorithm>
#include <cstddef>

namespace kubexms {
namespace {

// A position in JSON text. At the end of the text, all functions return empty.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  // Skips white space, and `c` if it is next.
  bool Take(char c) {
    SkipSpaces();
    if (position_ == text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }

  // The string whose opening quote was just taken, without its quotes.
  std::string_view RestOfString() {
    const size_t begin = position_;
    SkipRestOfString();
    return position_ > begin ? text_.substr(begin, position_ - begin - 1) : std::string_view();
  }

  // The next value of any type.
  std::string_view Value() {
    SkipSpaces();
    const size_t begin = position_;
    if (Take('"')) {
      SkipRestOfString();
    } else if (position_ < text_.size() && (text_[position_] == '{' || text_[position_] == '[')) {
      SkipNested();
    } else {
      position_ = std::min(text_.find_first_of(",}] \t\r\n", position_), text_.size());
    }
    return text_.substr(begin, position_ - begin);
  }

 private:
  void SkipSpaces() {
    position_ = std::min(text_.find_first_not_of(" \t\r\n", position_), text_.size());
  }

  // An object or array, to its end.
  void SkipNested() {
    size_t depth = 0;
    while (position_ < text_.size()) {
      const char c = text_[position_++];
      if (c == '"') {
        SkipRestOfString();
      } else if (c == '{' || c == '[') {
        ++depth;
      } else if ((c == '}' || c == ']') && --depth == 0) {
        return;
      }
    }
  }

  void SkipRestOfString() {
    size_t quote = text_.find('"', position_);
    while (quote != std::string_view::npos && IsEscaped(quote)) quote = text_.find('"', quote + 1);
    position_ = quote == std::string_view::npos ? text_.size() : quote + 1;
  }

  // True when an odd number of backslashes stands before the character.
  bool IsEscaped(size_t position) const {
    size_t backslashes = 0;
    while (position > backslashes && text_[position - backslashes - 1] == '\\') ++backslashes;
    return backslashes % 2 == 1;
  }

  const std::string_view text_;
  size_t position_ = 0;
};

}  // namespace

std::string_view FindRawMember(std::string_view object, std::string_view key) {
  Cursor cursor(object);
  if (!cursor.Take('{')) return {};
  while (cursor.Take('"')) {
    const bool found = cursor.RestOfString() == key;
    if (!cursor.Take(':')) return {};
    const std::string_view value = cursor.Value();
    if (found) return value;
    if (!cursor.Take(',')) return {};
  }
  return {};
}

}  // namespace kubexms
