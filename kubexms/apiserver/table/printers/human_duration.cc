#include "kubexms/apiserver/table/printers/human_duration.h"

#include <fmt/format.h>

namespace kubexms {
namespace {

// "5m10s", or "5m" when the smaller part is zero.
std::string TwoUnits(int64_t large, char large_unit, int64_t small, char small_unit) {
  if (small == 0) return fmt::format("{}{}", large, large_unit);
  return fmt::format("{}{}{}{}", large, large_unit, small, small_unit);
}

}  // namespace

std::string HumanDuration(std::chrono::milliseconds duration) {
  constexpr int64_t kDaysOfYear = 365;
  const int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return fmt::format("{}s", seconds);
  const int64_t minutes = seconds / 60;
  if (minutes < 10) return TwoUnits(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return fmt::format("{}m", minutes);
  const int64_t hours = minutes / 60;
  if (hours < 8) return TwoUnits(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return fmt::format("{}h", hours);
  const int64_t days = hours / 24;
  if (days < 8) return TwoUnits(days, 'd', hours % 24, 'h');
  if (days < 2 * kDaysOfYear) return fmt::format("{}d", days);
  const int64_t years = days / kDaysOfYear;
  if (years < 8) return TwoUnits(years, 'y', days % kDaysOfYear, 'd');
  return fmt::format("{}y", years);
}

}  // namespace kubexms
