#pragma once

// Patterns: JSON that says as much about an answer as a test wants to know. README.md lists what
// they can say.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms::transcripts {

// What `$name` stands for.
using Variables = std::map<std::string, Json, std::less<>>;

// The text with the values of its variables in their places, and `$$` as a dollar sign. Fails on a
// name that is not known.
Result<std::string> Substitute(std::string_view text, const Variables& variables);

// Matches answers against patterns, learns variables from them, and remembers what did not fit.
class Matcher {
 public:
  explicit Matcher(Variables& variables) : variables_(variables) {}

  // `path` names the value in complaints. A null `actual` is a value that is not there.
  void Match(const Json& pattern, const Json* actual, const std::string& path);
  void MatchText(std::string_view pattern, std::string_view actual, const std::string& path);

  // One line each: "metadata.name: expected "a", got "b"". Empty when everything fits.
  const std::vector<std::string>& complaints() const { return complaints_; }
  void Complain(const std::string& path, std::string_view expected, std::string_view got);

 private:
  void MatchString(std::string_view pattern, const Json* actual, const std::string& path);
  void MatchObject(const JsonObject& pattern, const Json* actual, const std::string& path);
  void MatchList(const JsonArray& pattern, const Json* actual, const std::string& path);
  void MatchSome(const JsonArray& pattern, const JsonArray& actual, const std::string& path);
  // True, and what was learnt is kept, when `pattern` fits.
  bool Fits(const Json& pattern, const Json& actual);

  Variables& variables_;
  std::vector<std::string> complaints_;
};

}  // namespace kubexms::transcripts
