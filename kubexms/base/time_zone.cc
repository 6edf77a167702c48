#include "kubexms/base/time_zone.h"

#include <absl/time/civil_time.h>
#include <absl/time/time.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>

namespace kubexms {
namespace {

using std::chrono::local_seconds;
using std::chrono::seconds;
using std::chrono::sys_seconds;

constexpr const char* kDatabase = "/usr/share/zoneinfo";
constexpr size_t kMaxNameBytes = 64;
constexpr absl::CivilSecond kEpoch(1970, 1, 1, 0, 0, 0);

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("/._+-").find(c) != std::string_view::npos;
}

// Names are relative paths in the database, without "..".
bool IsInDatabase(const std::string& name) {
  const bool named = !name.empty() && name.size() <= kMaxNameBytes && name.front() != '/' &&
                     std::all_of(name.begin(), name.end(), IsNameCharacter) &&
                     name.find("..") == std::string::npos;
  // The library caches unknown names forever, so it is called for existing names only.
  std::error_code error;
  return named && std::filesystem::is_regular_file(std::filesystem::path(kDatabase) / name, error);
}

}  // namespace

struct TimeZone::Zone {
  absl::TimeZone zone;
};

TimeZone TimeZone::Utc() {
  return TimeZone(std::make_shared<const Zone>(Zone{absl::UTCTimeZone()}));
}

TimeZone TimeZone::Local() {
  return TimeZone(std::make_shared<const Zone>(Zone{absl::LocalTimeZone()}));
}

Result<TimeZone> TimeZone::Load(std::string_view name) {
  const std::string text(name);
  if (text == "UTC") return Utc();
  absl::TimeZone zone;
  if (!IsInDatabase(text) || !absl::LoadTimeZone(text, &zone)) {
    return Error::BadRequest(fmt::format("unknown time zone {}", name));
  }
  return TimeZone(std::make_shared<const Zone>(Zone{zone}));
}

seconds TimeZone::OffsetAt(sys_seconds time) const {
  return seconds(zone_->zone.At(absl::FromUnixSeconds(time.time_since_epoch().count())).offset);
}

local_seconds TimeZone::ToLocal(sys_seconds time) const {
  return local_seconds(time.time_since_epoch() + OffsetAt(time));
}

sys_seconds TimeZone::FirstMomentOf(local_seconds time) const {
  const auto found = zone_->zone.At(kEpoch + time.time_since_epoch().count());
  const bool skipped = found.kind == absl::TimeZone::TimeInfo::SKIPPED;
  return sys_seconds(seconds(absl::ToUnixSeconds(skipped ? found.trans : found.pre)));
}

}  // namespace kubexms
