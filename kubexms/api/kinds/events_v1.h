#pragma once

// events.k8s.io/v1: events in the newer form.

#include <string>
#include <vector>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/api/kinds/core_v1/reference.h"
#include "kubexms/api/meta_v1.h"
#include "kubexms/api/schema/scalars.h"
#include "kubexms/api/schema/type.h"

namespace kubexms::eventsv1 {

struct EventSeries : Struct {
  int32_t count = 0;
  MicroTime last_observed_time;

  static void Describe(Type<EventSeries>& type);
};

struct Event : Struct {
  static constexpr KindName kKind{.group = "events.k8s.io",
                                  .version = "v1",
                                  .kind = "Event",
                                  .doc =
                                      "A short-lived note that something happened to an object; "
                                      "shares storage with core events.",
                                  .short_names = "ev"};

  std::string action;
  Optional<int32_t> deprecated_count;
  Time deprecated_first_timestamp;
  Time deprecated_last_timestamp;
  Optional<corev1::EventSource> deprecated_source;
  MicroTime event_time;
  ObjectMeta metadata;
  std::string note;
  std::string reason;
  Optional<corev1::ObjectReference> regarding;
  Optional<corev1::ObjectReference> related;
  std::string reporting_controller;
  std::string reporting_instance;
  Optional<EventSeries> series;
  std::string type;

  static void Describe(Type<Event>& type);
};

}  // namespace kubexms::eventsv1
