#pragma once

// Finds the bounds of values in JSON text without parsing them: how a list of a hundred thousand
// objects becomes as many slices of one buffer. Only what must be known to find the bounds is
// checked, strings and nesting; whoever decodes a slice checks the rest. Include it in .cc files
// only.

#include <string_view>

namespace kubexms {

// A cursor over one text, which it borrows. What is malformed ends the reading: later calls fail.
//
//   JsonSlices in(text);
//   for (bool more = in.Enter('{'); more; more = in.Next('}')) {
//     const std::string_view key = in.ReadKey();
//     const std::string_view value = in.ReadValue();
//   }
//   if (!in.Finish()) …malformed…
class JsonSlices {
 public:
  explicit JsonSlices(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  // The first character of what comes next; zero at the end.
  char Peek();
  // Goes into an object ('{') or array ('['). True when there is something in it.
  bool Enter(char open);
  // Goes on behind a value. True when there is another; otherwise what was entered has been left.
  bool Next(char close);

  // A key and its colon: what is between the quotes, as it is written.
  std::string_view ReadKey();
  // The text of the next value.
  std::string_view ReadValue();

  bool ok() const { return !failed_; }
  // Whether all was well and only spaces are left.
  bool Finish() { return Peek() == '\0' && at_ == end_ && ok(); }

 private:
  bool Take(char c);
  bool Fail();
  bool SkipString();
  bool SkipNested();
  bool SkipScalar();

  const char* at_;
  const char* const end_;
  bool failed_ = false;
};

// The text between the quotes of a JSON string that has no escapes; empty for everything else.
std::string_view PlainString(std::string_view value);

}  // namespace kubexms
