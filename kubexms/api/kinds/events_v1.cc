#include "kubexms/api/kinds/events_v1.h"

namespace kubexms::eventsv1 {

void EventSeries::Describe(Type<EventSeries>& type) {
  type.Name("io.k8s.api.events.v1.EventSeries").Doc("Repetitions of an event.");
  type.Field("count", &EventSeries::count, "How often it has happened up to lastObservedTime.")
      .Required();
  type.Field("lastObservedTime", &EventSeries::last_observed_time, "When it was last observed.")
      .Required();
}

void Event::Describe(Type<Event>& type) {
  type.Name("io.k8s.api.events.v1.Event");
  type.Field("action", &Event::action, "What was done or failed, at most 128 characters.")
      .Immutable();
  type.Field("deprecatedCount", &Event::deprecated_count,
             "How often it happened, in the older form of events.")
      .Immutable();
  type.Field("deprecatedFirstTimestamp", &Event::deprecated_first_timestamp,
             "First occurrence, in the older form of events.")
      .Immutable();
  type.Field("deprecatedLastTimestamp", &Event::deprecated_last_timestamp,
             "Last occurrence, in the older form of events.")
      .Immutable();
  type.Field("deprecatedSource", &Event::deprecated_source,
             "Reporter, in the older form of events.")
      .Immutable();
  type.Field("eventTime", &Event::event_time, "When it was first observed.").Required().Immutable();
  type.Field("metadata", &Event::metadata);
  type.Field("note", &Event::note, "Description for people, at most 1 kB.").Immutable();
  type.Field("reason", &Event::reason, "Why, as one word for programs; at most 128 characters.")
      .Immutable();
  type.Field("regarding", &Event::regarding,
             "Object the event is about; its namespace must be that of the event.")
      .Immutable();
  type.Field("related", &Event::related, "A second object that took part, if any.").Immutable();
  type.Field("reportingController", &Event::reporting_controller,
             "Who reports, as a qualified name such as kubernetes.io/kubelet.")
      .Immutable();
  type.Field("reportingInstance", &Event::reporting_instance,
             "Which instance reports, such as a pod name; at most 128 characters.")
      .Immutable();
  type.Field("series", &Event::series,
             "Set when the same thing keeps happening; absent for a single event.");
  type.Field("type", &Event::type, "Normal or Warning.").Enum({"Normal", "Warning"}).Immutable();
}

}  // namespace kubexms::eventsv1
