#pragma once

#include <string>

#include "kubexms/controller/events/event_recorder.h"

namespace kubexms {

// Something to tell people as an event, found by code that does not send it itself.
struct Notice {
  EventType type = EventType::kNormal;
  std::string reason;
  std::string message;

  bool operator==(const Notice&) const = default;
};

}  // namespace kubexms
