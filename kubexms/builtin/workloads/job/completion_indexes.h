#pragma once

// A set of completion indexes in the format of a Job's status: "0,2-5,7".

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace kubexms {

class CompletionIndexes {
 public:
  CompletionIndexes() = default;
  // The indexes in `text` below `completions`; parts that are not numbers are ignored.
  CompletionIndexes(std::string_view text, int32_t completions);

  bool Contains(int32_t index) const;
  void Add(int32_t index) { AddRange(index, index); }
  int64_t size() const;
  // The size of the intersection.
  int64_t CountIn(const CompletionIndexes& other) const;
  std::string ToString() const;

 private:
  void AddRange(int32_t first, int32_t last);

  std::map<int32_t, int32_t> ranges_;  // first to last index; ranges do not touch
};

}  // namespace kubexms
