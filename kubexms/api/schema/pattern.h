#pragma once

// Regular expressions of schemas, in the syntax of Go's regexp (RE2).

#include <atomic>
#include <string>
#include <string_view>

#include "kubexms/base/result.h"

namespace re2 {
class RE2;
}

namespace kubexms {

// A cache of the compiled form of one pattern, which it compiles on first use. Any thread may use
// it; there is no lock: threads that use it first at the same time each compile, and one result is
// cached. A copy starts empty. Callers must always pass the same pattern.
class CompiledPattern {
 public:
  CompiledPattern() = default;
  CompiledPattern(const CompiledPattern&) {}
  CompiledPattern& operator=(const CompiledPattern&);
  ~CompiledPattern();

  // Whether `pattern` matches a part of `text`; the pattern anchors itself, as in Go. False when
  // the pattern is invalid.
  bool Matches(const std::string& pattern, std::string_view text) const;

 private:
  const re2::RE2& Get(const std::string& pattern) const;

  mutable std::atomic<const re2::RE2*> compiled_{nullptr};
};

// Fails with the reason when the pattern is invalid.
Result<void> CheckPattern(const std::string& pattern);

}  // namespace kubexms
