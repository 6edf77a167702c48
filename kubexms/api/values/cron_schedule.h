#pragma once

// The schedule of a CronJob: five fields (minute, hour, day of the month, month, day of the week)
// or a descriptor such as "@daily" or "@every 90m". What is accepted, and in which words it is
// refused, is as Kubernetes has it.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "kubexms/base/result.h"
#include "kubexms/base/time_zone.h"

namespace kubexms {

// The numbers that a field takes, as bits.
struct CronField {
  uint64_t bits = 0;
  bool any = false;  // it says "*" or "?"

  bool Has(unsigned number) const { return (bits >> number & 1) != 0; }
};

class CronSchedule {
 public:
  // The fields are about the clocks of `zone`, or about those that the schedule itself names:
  // "TZ=Asia/Tokyo 0 6 * * *".
  static Result<CronSchedule> Parse(std::string_view schedule,
                                    const TimeZone& zone = TimeZone::Utc());

  // The first time after that one; none when there is none in the next five years ("0 0 31 2 *").
  // Where clocks are put forward, times that they skip do not come; where they are put back, times
  // come as often as the clocks show them. "@every" counts from `after`.
  std::optional<std::chrono::sys_seconds> Next(std::chrono::sys_seconds after) const;

  // The last time after `after` that is not after `until`. In "@every" both count from `after`.
  std::optional<std::chrono::sys_seconds> Last(std::chrono::sys_seconds after,
                                               std::chrono::sys_seconds until) const;

 private:
  explicit CronSchedule(const TimeZone& zone) : zone_(zone) {}

  bool DayMatches(std::chrono::local_days day) const;
  // The same moment when all fields match, else a later one before which none matches.
  std::chrono::sys_seconds Advance(std::chrono::sys_seconds time) const;

  TimeZone zone_;
  CronField minute_, hour_, day_, month_, weekday_;
  std::optional<std::chrono::seconds> every_;  // instead of the fields
};

}  // namespace kubexms
