#pragma once

#include <string>

#include "kubexms/controller/events/event_recorder.h"

namespace kubexms {

// An Event for the reconciled object that a decision asks for; the controller records it.
struct PlannedEvent {
  EventType type = EventType::kNormal;
  std::string reason;
  std::string message;

  bool operator==(const PlannedEvent&) const = default;
};

}  // namespace kubexms
