#pragma once

// Patterns: JSON that a response is matched against. README.md describes them.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms::transcripts {

// The values of `$name`.
using Variables = std::map<std::string, Json, std::less<>>;

// Replaces the variables in a text by their values, and `$$` by a dollar sign. Fails on an unknown
// name.
Result<std::string> Substitute(std::string_view text, const Variables& variables);

// Matches responses against patterns, sets variables from them, and records mismatches.
class Matcher {
 public:
  explicit Matcher(Variables& variables) : variables_(variables) {}

  // `path` names the value in mismatches. A null `actual` is an absent value.
  void Match(const Json& pattern, const Json* actual, const std::string& path);
  void MatchText(std::string_view pattern, std::string_view actual, const std::string& path);

  // One line each: "metadata.name: expected "a", got "b"". Empty when everything matches.
  const std::vector<std::string>& mismatches() const { return mismatches_; }
  void AddMismatch(const std::string& path, std::string_view expected, std::string_view got);

 private:
  void MatchString(std::string_view pattern, const Json* actual, const std::string& path);
  void MatchObject(const JsonObject& pattern, const Json* actual, const std::string& path);
  void MatchList(const JsonArray& pattern, const Json* actual, const std::string& path);
  void MatchUnordered(const JsonArray& pattern, const JsonArray& actual, const std::string& path);
  // True when `pattern` matches; only then its variables are set.
  bool Matches(const Json& pattern, const Json& actual);

  Variables& variables_;
  std::vector<std::string> mismatches_;
};

}  // namespace kubexms::transcripts
