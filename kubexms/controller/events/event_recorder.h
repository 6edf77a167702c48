#pragma once

// Tells people what happens to an object, where `kubectl describe` shows it:
//
//   context.events.Event(ReferenceTo(devbox), EventType::kWarning, "NoRoom",
//                        "no node has 4 free CPUs");
//
// Recording never waits and never fails: an EventBroadcaster writes the events later.

#include <string>
#include <string_view>
#include <utility>

#include "kubexms/controller/events/object_reference.h"

namespace kubexms {

class EventBroadcaster;

enum class EventType { kNormal, kWarning };

// One of those who tell. Cheap to copy; the broadcaster must outlive it.
class EventRecorder {
 public:
  // `component` is who says so: "devbox-controller".
  EventRecorder(EventBroadcaster& broadcaster, std::string component)
      : broadcaster_(&broadcaster), component_(std::move(component)) {}

  // `reason` is one word in CamelCase that programs may look for. Safe for use from any thread.
  void Event(corev1::ObjectReference object, EventType type, std::string_view reason,
             std::string_view message) const;

 private:
  EventBroadcaster* broadcaster_;
  std::string component_;
};

}  // namespace kubexms
