#pragma once

// The difference of two texts, as people read it.

#include <string>
#include <string_view>

namespace kubexms::automation {

// A unified diff with three lines of context; empty when the texts are equal. What is not text, or
// differs in more than a thousand lines, is told in one line.
std::string UnifiedDiff(std::string_view path, std::string_view before, std::string_view after);

}  // namespace kubexms::automation
