#pragma once

// The schedule of a CronJob: five fields (minute, hour, day of the month, month, day of the week)
// or a descriptor such as "@daily" or "@every 90m". Syntax and error messages are Kubernetes'.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "kubexms/base/result.h"
#include "kubexms/base/time_zone.h"

namespace kubexms {

// The numbers that a field matches, as bits.
struct CronField {
  uint64_t bits = 0;
  bool any = false;  // the field is "*" or "?"

  bool Has(unsigned number) const { return (bits >> number & 1) != 0; }
};

class CronSchedule {
 public:
  // The fields are in local time of `zone`, or of the time zone in the schedule:
  // "TZ=Asia/Tokyo 0 6 * * *".
  static Result<CronSchedule> Parse(std::string_view schedule,
                                    const TimeZone& zone = TimeZone::Utc());

  // The first scheduled time after `after`; none when the next five years have none ("0 0 31 2 *").
  // Local times that a change of the clocks skips are not scheduled; those that it repeats are
  // scheduled twice. "@every" counts from `after`.
  std::optional<std::chrono::sys_seconds> Next(std::chrono::sys_seconds after) const;

  // The last scheduled time in (`after`, `until`]. "@every" counts from `after`.
  std::optional<std::chrono::sys_seconds> Last(std::chrono::sys_seconds after,
                                               std::chrono::sys_seconds until) const;

 private:
  explicit CronSchedule(const TimeZone& zone) : zone_(zone) {}

  bool DayMatches(std::chrono::local_days day) const;
  // Returns `time` if all fields match, else a later time with no match in between.
  std::chrono::sys_seconds Advance(std::chrono::sys_seconds time) const;

  TimeZone zone_;
  CronField minute_, hour_, day_, month_, weekday_;
  std::optional<std::chrono::seconds> every_;  // instead of the fields
};

}  // namespace kubexms
