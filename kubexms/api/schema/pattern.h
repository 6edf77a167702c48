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

// The compiled form of a pattern, made at its first use and kept. Safe for use from any thread
// without a lock: threads that come first together each compile, and one of the results stays.
// A copy starts without one. It must always be asked with the same pattern.
class CompiledPattern {
 public:
  CompiledPattern() = default;
  CompiledPattern(const CompiledPattern&) {}
  CompiledPattern& operator=(const CompiledPattern&);
  ~CompiledPattern();

  // True when `pattern` matches somewhere in `text`, as in Go: anchors are the pattern's business.
  // False when the pattern is not a valid one.
  bool Matches(const std::string& pattern, std::string_view text) const;

 private:
  const re2::RE2& Get(const std::string& pattern) const;

  mutable std::atomic<const re2::RE2*> compiled_{nullptr};
};

// Success when the pattern is a valid one; the error says what is wrong with it.
Result<void> CheckPattern(const std::string& pattern);

}  // namespace kubexms
