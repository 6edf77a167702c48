#include "kubexms/automation/journal/timestamp.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <time.h>

#include <charconv>

namespace kubexms::automation {

namespace {

struct SplitTime {
  explicit SplitTime(Clock::WallTime time) {
    using std::chrono::floor;
    const auto whole = floor<std::chrono::seconds>(time);
    seconds = fmt::gmtime(std::chrono::system_clock::to_time_t(whole));
    milliseconds = floor<std::chrono::milliseconds>(time - whole).count();
  }
  std::tm seconds;
  int64_t milliseconds;
};

}  // namespace

std::string FormatTimestamp(Clock::WallTime time) {
  const SplitTime split(time);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", split.seconds, split.milliseconds);
}

std::optional<Clock::WallTime> ParseTimestamp(const std::string& text) {
  std::tm parts{};
  const char* rest = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S.", &parts);
  if (!rest) return std::nullopt;
  int milliseconds = 0;
  const char* end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(rest, end, milliseconds);
  if (failed != std::errc() || stop != rest + 3 || std::string_view(stop, end) != "Z") {
    return std::nullopt;
  }
  return std::chrono::system_clock::from_time_t(::timegm(&parts)) +
         std::chrono::milliseconds(milliseconds);
}

std::string FormatTimeForName(Clock::WallTime time) {
  const SplitTime split(time);
  return fmt::format("{:%Y%m%d-%H%M%S}-{:03}", split.seconds, split.milliseconds);
}

}  // namespace kubexms::automation
