#include "kubexms/automation/timestamp.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace kubexms::automation {

std::string FormatTimestamp(Clock::WallTime time) {
  using std::chrono::floor;
  const auto seconds = floor<std::chrono::seconds>(time);
  const auto milliseconds = floor<std::chrono::milliseconds>(time - seconds).count();
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)), milliseconds);
}

std::string FormatTimeForName(Clock::WallTime time) {
  return fmt::format("{:%Y%m%d-%H%M%S}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

}  // namespace kubexms::automation
