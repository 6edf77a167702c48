#pragma once

// The clocks of a place: how far they are from UTC at each moment, by the time zone database of the
// system (Debian's package tzdata). A cheap handle: copy it, keep it as a member. Safe for use from
// any thread.

#include <chrono>
#include <memory>
#include <string_view>

#include "kubexms/base/result.h"

namespace kubexms {

class TimeZone {
 public:
  static TimeZone Utc();
  // Of this machine.
  static TimeZone Local();
  // By its name in the database of IANA: "Europe/Berlin". The error is "unknown time zone …".
  static Result<TimeZone> Load(std::string_view name);

  // What is added to UTC there at that moment.
  std::chrono::seconds OffsetAt(std::chrono::sys_seconds time) const;
  std::chrono::local_seconds ToLocal(std::chrono::sys_seconds time) const;
  // The first moment at which the clocks show this; where they skip it, the moment at which they
  // do.
  std::chrono::sys_seconds FirstMomentOf(std::chrono::local_seconds time) const;

 private:
  struct Zone;

  explicit TimeZone(std::shared_ptr<const Zone> zone) : zone_(std::move(zone)) {}

  std::shared_ptr<const Zone> zone_;
};

}  // namespace kubexms
