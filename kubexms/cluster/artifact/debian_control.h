#pragma once

// Parses Debian control files: paragraphs of "Field: value", and dependency relations. Pure
// functions.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubexms::cluster {

class ControlParagraph {
 public:
  // Continuation lines are part of their field.
  static std::vector<ControlParagraph> ParseAll(std::string_view text);

  // Empty when the field is missing. Names are case-sensitive.
  std::string_view Get(std::string_view field) const;
  // The paragraph reduced to these fields, in this order; missing ones are omitted.
  std::string Select(std::initializer_list<std::string_view> fields) const;

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

// "a (>= 1), b | c, d:any" → {{"a"}, {"b", "c"}, {"d"}}: every group needs one of its names.
std::vector<std::vector<std::string>> DependencyNames(std::string_view relations);

}  // namespace kubexms::cluster
