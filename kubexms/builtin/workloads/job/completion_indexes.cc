#include "kubexms/builtin/workloads/job/completion_indexes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>

namespace kubexms {
namespace {

std::optional<int32_t> ParseIndex(std::string_view text) {
  int32_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && index >= 0 ? std::optional(index) : std::nullopt;
}

}  // namespace

CompletionIndexes::CompletionIndexes(std::string_view text, int32_t completions) {
  while (!text.empty()) {
    const std::string_view range = text.substr(0, text.find(','));
    text.remove_prefix(std::min(range.size() + 1, text.size()));
    const size_t dash = range.find('-');
    const auto first = ParseIndex(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : ParseIndex(range.substr(dash + 1));
    if (first && last) AddRange(*first, std::min(*last, completions - 1));
  }
}

bool CompletionIndexes::Contains(int32_t index) const {
  const auto next = ranges_.upper_bound(index);
  return next != ranges_.begin() && std::prev(next)->second >= index;
}

void CompletionIndexes::AddRange(int32_t first, int32_t last) {
  if (first > last) return;
  auto range = ranges_.upper_bound(first);
  if (range != ranges_.begin() && int64_t{std::prev(range)->second} + 1 >= first) --range;
  while (range != ranges_.end() && range->first <= int64_t{last} + 1) {
    first = std::min(first, range->first);
    last = std::max(last, range->second);
    range = ranges_.erase(range);
  }
  ranges_.emplace(first, last);
}

int64_t CompletionIndexes::size() const {
  int64_t size = 0;
  for (const auto& [first, last] : ranges_) size += int64_t{last} - first + 1;
  return size;
}

int64_t CompletionIndexes::CountIn(const CompletionIndexes& other) const {
  int64_t count = 0;
  auto theirs = other.ranges_.begin();
  for (const auto& [first, last] : ranges_) {
    while (theirs != other.ranges_.end() && theirs->second < first) ++theirs;
    for (auto common = theirs; common != other.ranges_.end() && common->first <= last; ++common) {
      count += int64_t{std::min(last, common->second)} - std::max(first, common->first) + 1;
    }
  }
  return count;
}

std::string CompletionIndexes::ToString() const {
  std::string text;
  for (const auto& [first, last] : ranges_) {
    if (!text.empty()) text += ',';
    text += fmt::format("{}", first);
    if (last > first) text += fmt::format("{}{}", last == first + 1 ? ',' : '-', last);
  }
  return text;
}

}  // namespace kubexms
