#pragma once

// Time zones of the system's time zone database (Debian's package tzdata). A cheap handle that can
// be copied. Thread-safe.

#include <chrono>
#include <memory>
#include <string_view>

#include "kubexms/base/result.h"

namespace kubexms {

class TimeZone {
 public:
  static TimeZone Utc();
  // The time zone of this machine.
  static TimeZone Local();
  // `name` is an IANA name: "Europe/Berlin". The error is "unknown time zone …".
  static Result<TimeZone> Load(std::string_view name);

  // The offset from UTC at `time`.
  std::chrono::seconds OffsetAt(std::chrono::sys_seconds time) const;
  std::chrono::local_seconds ToLocal(std::chrono::sys_seconds time) const;
  // The first moment with the local time `time`; if a clock change skips `time`, the moment of the
  // change.
  std::chrono::sys_seconds FirstMomentOf(std::chrono::local_seconds time) const;

 private:
  struct Zone;

  explicit TimeZone(std::shared_ptr<const Zone> zone) : zone_(std::move(zone)) {}

  std::shared_ptr<const Zone> zone_;
};

}  // namespace kubexms
