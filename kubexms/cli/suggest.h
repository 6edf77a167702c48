#pragma once

// "Did you mean": finds the known name nearest to a mistyped word.

#include <string>
#include <string_view>
#include <vector>

namespace kubexms {

// The optimal string alignment distance: the least number of insertions, deletions, replacements
// and swaps of adjacent characters that turn `a` into `b`.
int EditDistance(std::string_view a, std::string_view b);

// The nearest of `names` within an edit distance of a third of the word's length, and at least 1;
// otherwise an empty string.
std::string Suggest(std::string_view word, const std::vector<std::string>& names);

}  // namespace kubexms
