#pragma once

// The text in which Debian describes packages: paragraphs of "Field: value", and what they say
// about dependencies. Pure functions.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kubexms::cluster {

class ControlParagraph {
 public:
  // Lines that continue a field stay with it.
  static std::vector<ControlParagraph> ParseAll(std::string_view text);

  // Empty when there is none. Names are as Debian writes them.
  std::string_view Get(std::string_view field) const;
  // The paragraph with only these fields, in this order; those that it does not have are left out.
  std::string Select(std::initializer_list<std::string_view> fields) const;

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

// "a (>= 1), b | c, d:any" → {{"a"}, {"b", "c"}, {"d"}}: every group needs one of its names.
std::vector<std::vector<std::string>> DependencyNames(std::string_view relations);

}  // namespace kubexms::cluster
