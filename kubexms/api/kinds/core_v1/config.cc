#include "kubexms/api/kinds/core_v1/config.h"

namespace kubexms::corev1 {

void Binding::Describe(Type<Binding>& type) {
  type.Name("io.k8s.api.core.v1.Binding");
  type.Field("metadata", 1, &Binding::metadata);
  type.Field("target", 2, &Binding::target,
             "The node that receives the pod; only its name is used.")
      .Required();
}

void ComponentCondition::Describe(Type<ComponentCondition>& type) {
  type.Name("io.k8s.api.core.v1.ComponentCondition")
      .Doc("One health finding about a control plane component.");
  type.Field("error", 4, &ComponentCondition::error,
             "Error text of the last check; empty if there was none.");
  type.Field("message", 3, &ComponentCondition::message, "What the last check returned.");
  type.Field("status", 2, &ComponentCondition::status, "True, False or Unknown.").Required();
  type.Field("type", 1, &ComponentCondition::type, "Kind of finding; only Healthy exists.")
      .Required();
}

void ComponentStatus::Describe(Type<ComponentStatus>& type) {
  type.Name("io.k8s.api.core.v1.ComponentStatus");
  type.Field("conditions", 2, &ComponentStatus::conditions, "Findings of the last health check.")
      .ListMap({"type"})
      .PatchMerge("type");
  type.Field("metadata", 1, &ComponentStatus::metadata);
}

void ConfigMap::Describe(Type<ConfigMap>& type) {
  type.Name("io.k8s.api.core.v1.ConfigMap");
  type.Field("binaryData", 3, &ConfigMap::binary_data,
             "Binary values, base64 in JSON; a key may not appear in data as well.");
  type.Field("data", 2, &ConfigMap::data,
             "Text values by key; all values together with binaryData may not exceed 1 MiB.");
  type.Field("immutable", 4, &ConfigMap::immutable,
             "When true, the data can never change again and this flag cannot be reset.");
  type.Field("metadata", 1, &ConfigMap::metadata);
}

void EventSeries::Describe(Type<EventSeries>& type) {
  type.Name("io.k8s.api.core.v1.EventSeries").Doc("Repetitions gathered in one event.");
  type.Field("count", 1, &EventSeries::count, "Occurrences counted so far.").OmitZero();
  type.Field("lastObservedTime", 2, &EventSeries::last_observed_time,
             "When the latest occurrence was seen.");
}

void EventSource::Describe(Type<EventSource>& type) {
  type.Name("io.k8s.api.core.v1.EventSource")
      .Doc("Origin of an event in the older reporting style.");
  type.Field("component", 1, &EventSource::component, "Program that reports.");
  type.Field("host", 2, &EventSource::host, "Node on which that program runs.");
}

void Event::Describe(Type<Event>& type) {
  type.Name("io.k8s.api.core.v1.Event");
  type.Field("action", 12, &Event::action, "What the reporter did or tried to do.");
  type.Field("count", 8, &Event::count,
             "How many times the same thing happened; used by the older reporting style.");
  type.Field("eventTime", 10, &Event::event_time,
             "When it was first seen; set by the newer reporting style.");
  type.Field("firstTimestamp", 6, &Event::first_timestamp,
             "First occurrence; used by the older reporting style.");
  type.Field("involvedObject", 2, &Event::involved_object,
             "Object the report is about; must be in the event's namespace.")
      .Required();
  type.Field("lastTimestamp", 7, &Event::last_timestamp,
             "Most recent occurrence; used by the older reporting style.");
  type.Field("message", 4, &Event::message, "Readable description of what happened.");
  type.Field("metadata", 1, &Event::metadata).Required();
  type.Field("reason", 3, &Event::reason, "Short machine-readable cause in CamelCase.");
  type.Field("related", 13, &Event::related, "Second object that plays a part, if any.");
  type.Field("reportingComponent", 14, &Event::reporting_component,
             "Controller that reports, such as kubernetes.io/kubelet.")
      .WriteZero()
      .Default("");
  type.Field("reportingInstance", 15, &Event::reporting_instance,
             "Instance of the controller, such as a host or pod name.")
      .WriteZero()
      .Default("");
  type.Field("series", 11, &Event::series,
             "Repetition data when the event stands for many; absent for a single one.");
  type.Field("source", 5, &Event::source,
             "Component and host that report; used by the older reporting style.")
      .WriteZero()
      .DefaultJson("{}");
  type.Field("type", 9, &Event::type, "Severity: Normal or Warning.");
}

void LimitRangeItem::Describe(Type<LimitRangeItem>& type) {
  type.Name("io.k8s.api.core.v1.LimitRangeItem").Doc("Bounds and defaults for one kind of object.");
  type.Field("default", 4, &LimitRangeItem::default_,
             "Limits given to containers that name none; only for type Container.");
  type.Field("defaultRequest", 5, &LimitRangeItem::default_request,
             "Requests given to containers that name none; taken from default when absent.");
  type.Field("max", 2, &LimitRangeItem::max, "Largest allowed limit of each resource.");
  type.Field("maxLimitRequestRatio", 6, &LimitRangeItem::max_limit_request_ratio,
             "Largest allowed quotient of limit and request of each resource.");
  type.Field("min", 3, &LimitRangeItem::min, "Smallest allowed request of each resource.");
  type.Field("type", 1, &LimitRangeItem::type,
             "What is limited: Container, Pod or PersistentVolumeClaim.")
      .Required();
}

void LimitRangeSpec::Describe(Type<LimitRangeSpec>& type) {
  type.Name("io.k8s.api.core.v1.LimitRangeSpec").Doc("All limits of a LimitRange.");
  type.Field("limits", 1, &LimitRangeSpec::limits, "One entry for each kind of object.")
      .Required()
      .ListAtomic();
}

void LimitRange::Describe(Type<LimitRange>& type) {
  type.Name("io.k8s.api.core.v1.LimitRange");
  type.Field("metadata", 1, &LimitRange::metadata);
  type.Field("spec", 2, &LimitRange::spec, "Limits in force.").DefaultJson("{}");
}

void NamespaceSpec::Describe(Type<NamespaceSpec>& type) {
  type.Name("io.k8s.api.core.v1.NamespaceSpec").Doc("Wanted state of a namespace.");
  type.Field("finalizers", 1, &NamespaceSpec::finalizers,
             "Must be empty before the namespace is removed; changed through the finalize "
             "subresource only.")
      .ListAtomic();
}

void NamespaceCondition::Describe(Type<NamespaceCondition>& type) {
  type.Name("io.k8s.api.core.v1.NamespaceCondition")
      .Doc("A finding about the removal of a namespace.");
  type.Field("lastTransitionTime", 4, &NamespaceCondition::last_transition_time);
  type.Field("message", 6, &NamespaceCondition::message);
  type.Field("reason", 5, &NamespaceCondition::reason);
  type.Field("status", 2, &NamespaceCondition::status).Required();
  type.Field("type", 1, &NamespaceCondition::type,
             "Kind of finding, such as NamespaceContentRemaining.")
      .Required();
}

void NamespaceStatus::Describe(Type<NamespaceStatus>& type) {
  type.Name("io.k8s.api.core.v1.NamespaceStatus").Doc("Observed state of a namespace.");
  type.Field("conditions", 2, &NamespaceStatus::conditions,
             "Findings reported while the namespace is being removed.")
      .ListMap({"type"})
      .PatchMerge("type");
  type.Field(
          "phase", 1, &NamespaceStatus::phase,
          "Active, or Terminating once deletion began; nothing new can be created in the latter.")
      .Default("Active");
}

void Namespace::Describe(Type<Namespace>& type) {
  type.Name("io.k8s.api.core.v1.Namespace");
  type.Field("metadata", 1, &Namespace::metadata);
  type.Field("spec", 2, &Namespace::spec, "Wanted state, which is only the finalizers.")
      .DefaultJson("{}");
  type.Field("status", 3, &Namespace::status, "Where the namespace is in its life.")
      .DefaultJson("{}");
}

void PodTemplate::Describe(Type<PodTemplate>& type) {
  type.Name("io.k8s.api.core.v1.PodTemplate");
  type.Field("metadata", 1, &PodTemplate::metadata);
  type.Field("template", 2, &PodTemplate::template_, "Blueprint that pods are made from.")
      .DefaultJson("{}");
}

void ReplicationControllerSpec::Describe(Type<ReplicationControllerSpec>& type) {
  type.Name("io.k8s.api.core.v1.ReplicationControllerSpec")
      .Doc("Wanted state of a replication controller.");
  type.Field("minReadySeconds", 4, &ReplicationControllerSpec::min_ready_seconds,
             "Seconds a pod must stay ready to count as available; 0 by default.")
      .OmitZero()
      .Minimum(0);
  type.Field("replicas", 1, &ReplicationControllerSpec::replicas,
             "Wanted number of pods; 0 is allowed.")
      .Default(1)
      .Minimum(0);
  type.Field("selector", 2, &ReplicationControllerSpec::selector,
             "Labels of the pods to count; taken from the template if absent.")
      .MapAtomic();
  type.Field("template", 3, &ReplicationControllerSpec::template_,
             "Blueprint of new pods; existing pods are not changed with it.")
      .Pointer();
}

void ReplicationControllerCondition::Describe(Type<ReplicationControllerCondition>& type) {
  type.Name("io.k8s.api.core.v1.ReplicationControllerCondition")
      .Doc("One finding about a replication controller.");
  type.Field("lastTransitionTime", 3, &ReplicationControllerCondition::last_transition_time);
  type.Field("message", 5, &ReplicationControllerCondition::message);
  type.Field("reason", 4, &ReplicationControllerCondition::reason);
  type.Field("status", 2, &ReplicationControllerCondition::status, "True, False or Unknown.")
      .Required();
  type.Field("type", 1, &ReplicationControllerCondition::type,
             "Kind of finding; ReplicaFailure means that pods could not be made or removed.")
      .Required();
}

void ReplicationControllerStatus::Describe(Type<ReplicationControllerStatus>& type) {
  type.Name("io.k8s.api.core.v1.ReplicationControllerStatus")
      .Doc("Counts of the pods of a replication controller.");
  type.Field("availableReplicas", 5, &ReplicationControllerStatus::available_replicas,
             "Pods that have been ready for at least minReadySeconds.")
      .Minimum(0);
  type.Field("conditions", 6, &ReplicationControllerStatus::conditions,
             "Findings about the controller's work.")
      .ListMap({"type"})
      .PatchMerge("type");
  type.Field("fullyLabeledReplicas", 2, &ReplicationControllerStatus::fully_labeled_replicas,
             "Pods that carry all labels of the template.")
      .Minimum(0);
  type.Field("observedGeneration", 3, &ReplicationControllerStatus::observed_generation,
             "Generation that the controller last acted on.")
      .Minimum(0);
  type.Field("readyReplicas", 4, &ReplicationControllerStatus::ready_replicas,
             "Pods that are ready.")
      .Minimum(0);
  type.Field("replicas", 1, &ReplicationControllerStatus::replicas, "Pods that exist.")
      .Required()
      .Minimum(0);
}

void ReplicationController::Describe(Type<ReplicationController>& type) {
  type.Name("io.k8s.api.core.v1.ReplicationController");
  type.Field("metadata", 1, &ReplicationController::metadata);
  type.Field("spec", 2, &ReplicationController::spec, "Wanted number and kind of pods.")
      .DefaultJson("{}");
  type.Field("status", 3, &ReplicationController::status, "Counts of the pods that exist.")
      .DefaultJson("{}");
}

void ScopedResourceSelectorRequirement::Describe(Type<ScopedResourceSelectorRequirement>& type) {
  type.Name("io.k8s.api.core.v1.ScopedResourceSelectorRequirement")
      .Doc("Requirement on one scope of an object.");
  type.Field("operator", 2, &ScopedResourceSelectorRequirement::operator_,
             "Way of comparing; scopes other than PriorityClass and VolumeAttributesClass allow "
             "Exists only.")
      .Required()
      .Enum({"In", "NotIn", "Exists", "DoesNotExist"});
  type.Field("scopeName", 1, &ScopedResourceSelectorRequirement::scope_name,
             "Scope that is tested.")
      .Required()
      .Enum({"Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "PriorityClass",
             "CrossNamespacePodAffinity", "VolumeAttributesClass"});
  type.Field("values", 3, &ScopedResourceSelectorRequirement::values,
             "At least one for In and NotIn, none for the others.")
      .ListAtomic();
}

void ScopeSelector::Describe(Type<ScopeSelector>& type) {
  type.Name("io.k8s.api.core.v1.ScopeSelector")
      .Atomic()
      .Doc("Picks objects for a quota by scope; all requirements must hold.");
  type.Field("matchExpressions", 1, &ScopeSelector::match_expressions,
             "Requirements on scopes and their values.")
      .ListAtomic();
}

void ResourceQuotaSpec::Describe(Type<ResourceQuotaSpec>& type) {
  type.Name("io.k8s.api.core.v1.ResourceQuotaSpec").Doc("Bounds for a namespace.");
  type.Field("hard", 1, &ResourceQuotaSpec::hard,
             "Most that may be used or created of each named resource.");
  type.Field("scopeSelector", 3, &ResourceQuotaSpec::scope_selector,
             "Further scopes with values; an object must match all of them to count.");
  type.Field("scopes", 2, &ResourceQuotaSpec::scopes,
             "Only objects that match all of these count; empty counts all.")
      .Enum({"Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "PriorityClass",
             "CrossNamespacePodAffinity", "VolumeAttributesClass"})
      .Immutable()
      .ListAtomic();
}

void ResourceQuotaStatus::Describe(Type<ResourceQuotaStatus>& type) {
  type.Name("io.k8s.api.core.v1.ResourceQuotaStatus").Doc("Bounds and use of a quota.");
  type.Field("hard", 1, &ResourceQuotaStatus::hard,
             "Bounds that were in force when use was counted.");
  type.Field("used", 2, &ResourceQuotaStatus::used, "Present total use in the namespace.");
}

void ResourceQuota::Describe(Type<ResourceQuota>& type) {
  type.Name("io.k8s.api.core.v1.ResourceQuota");
  type.Field("metadata", 1, &ResourceQuota::metadata);
  type.Field("spec", 2, &ResourceQuota::spec, "Bounds and what they apply to.").DefaultJson("{}");
  type.Field("status", 3, &ResourceQuota::status, "Bounds in force and present use.")
      .DefaultJson("{}");
}

void Secret::Describe(Type<Secret>& type) {
  type.Name("io.k8s.api.core.v1.Secret");
  type.Field("data", 2, &Secret::data, "Values by key, base64 in JSON; at most 1 MiB together.");
  type.Field("immutable", 5, &Secret::immutable,
             "When true, the data can never change again and this flag cannot be reset.");
  type.Field("metadata", 1, &Secret::metadata);
  type.Field("stringData", 4, &Secret::string_data,
             "Values given as plain text; merged over data when written and never returned.");
  type.Field("type", 3, &Secret::type,
             "Tells what the data is for; some types demand certain keys.")
      .Default("Opaque")
      .Immutable();
}

void ServiceAccount::Describe(Type<ServiceAccount>& type) {
  type.Name("io.k8s.api.core.v1.ServiceAccount");
  type.Field("automountServiceAccountToken", 4, &ServiceAccount::automount_service_account_token,
             "Whether pods of this account get a token mounted; absent means true; a pod can "
             "override it.");
  type.Field("imagePullSecrets", 3, &ServiceAccount::image_pull_secrets,
             "Registry credentials given to pods of this account that name none themselves.")
      .ListAtomic();
  type.Field("metadata", 1, &ServiceAccount::metadata);
  type.Field("secrets", 2, &ServiceAccount::secrets,
             "Secrets that pods may use if the account restricts them by annotation.")
      .ListMap({"name"})
      .PatchMerge("name");
}

}  // namespace kubexms::corev1
