#pragma once

// Times as text, in UTC.

#include <optional>
#include <string>

#include "kubexms/base/clock.h"

namespace kubexms::automation {

// "2024-01-01T00:00:00.000Z".
std::string FormatTimestamp(Clock::WallTime time);
// Parses FormatTimestamp's format; none for any other text.
std::optional<Clock::WallTime> ParseTimestamp(const std::string& text);
// "20240101-000000-000": sorts by time, and fits into a file name.
std::string FormatTimeForName(Clock::WallTime time);

}  // namespace kubexms::automation
