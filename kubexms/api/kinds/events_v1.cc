#include "kubexms/api/kinds/events_v1.h"

namespace kubexms::eventsv1 {

void EventSeries::Describe(Type<EventSeries>& type) {
  type.Name("io.k8s.api.events.v1.EventSeries").Doc("Repetitions of an event.");
  type.Field("count", 1, &EventSeries::count, "How often it has happened up to lastObservedTime.")
      .Required();
  type.Field("lastObservedTime", 2, &EventSeries::last_observed_time, "When it was last observed.")
      .Required();
}

void Event::Describe(Type<Event>& type) {
  type.Name("io.k8s.api.events.v1.Event");
  type.Field("action", 6, &Event::action, "What was done or failed, at most 128 characters.")
      .Immutable();
  type.Field("deprecatedCount", 15, &Event::deprecated_count,
             "How often it happened, in the older form of events.")
      .OmitZero()
      .Immutable();
  type.Field("deprecatedFirstTimestamp", 13, &Event::deprecated_first_timestamp,
             "First occurrence, in the older form of events.")
      .Immutable();
  type.Field("deprecatedLastTimestamp", 14, &Event::deprecated_last_timestamp,
             "Last occurrence, in the older form of events.")
      .Immutable();
  type.Field("deprecatedSource", 12, &Event::deprecated_source,
             "Reporter, in the older form of events.")
      .WriteZero()
      .Immutable();
  type.Field("eventTime", 2, &Event::event_time, "When it was first observed.")
      .Required()
      .Immutable();
  type.Field("metadata", 1, &Event::metadata);
  type.Field("note", 10, &Event::note, "Description for people, at most 1 kB.").Immutable();
  type.Field("reason", 7, &Event::reason, "Why, as one word for programs; at most 128 characters.")
      .Immutable();
  type.Field("regarding", 8, &Event::regarding,
             "Object the event is about; its namespace must be that of the event.")
      .WriteZero()
      .Immutable();
  type.Field("related", 9, &Event::related, "A second object that took part, if any.").Immutable();
  type.Field("reportingController", 4, &Event::reporting_controller,
             "Who reports, as a qualified name such as kubernetes.io/kubelet.")
      .Immutable();
  type.Field("reportingInstance", 5, &Event::reporting_instance,
             "Which instance reports, such as a pod name; at most 128 characters.")
      .Immutable();
  type.Field("series", 3, &Event::series, "Set for repeated events; absent for a single event.");
  type.Field("type", 11, &Event::type, "Normal or Warning.")
      .Enum({"Normal", "Warning"})
      .Immutable();
}

}  // namespace kubexms::eventsv1
