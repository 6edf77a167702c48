#pragma once

// "Did you mean": the known name nearest to what someone typed.

#include <string>
#include <string_view>
#include <vector>

namespace kubexms {

// The least number of inserted, deleted, replaced or swapped neighbouring characters that turns
// one word into the other.
int EditDistance(std::string_view a, std::string_view b);

// The nearest of `names`, or an empty string when none is near enough to be what was meant: at
// most a third of the word's letters differ, and always one may.
std::string Suggest(std::string_view word, const std::vector<std::string>& names);

}  // namespace kubexms
