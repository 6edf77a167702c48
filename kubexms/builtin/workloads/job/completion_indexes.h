#pragma once

// A set of completion indexes of a Job, in the form in which its status has it: "0,2-5,7".

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace kubexms {

class CompletionIndexes {
 public:
  CompletionIndexes() = default;
  // Those below `completions`; what is no number is passed over.
  CompletionIndexes(std::string_view text, int32_t completions);

  bool Contains(int32_t index) const;
  void Add(int32_t index) { AddRange(index, index); }
  int64_t size() const;
  // How many both have.
  int64_t CountIn(const CompletionIndexes& other) const;
  std::string ToString() const;

 private:
  void AddRange(int32_t first, int32_t last);

  std::map<int32_t, int32_t> ranges_;  // the first of each to its last; apart from each other
};

}  // namespace kubexms
