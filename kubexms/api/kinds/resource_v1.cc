#include "kubexms/api/kinds/resource_v1.h"

namespace kubexms::resourcev1 {

void NetworkDeviceData::Describe(Type<NetworkDeviceData>& type) {
  type.Name("io.k8s.api.resource.v1.NetworkDeviceData")
      .Doc("Interface and addresses of a network device.");
  type.Field("hardwareAddress", 3, &NetworkDeviceData::hardware_address,
             "Hardware address of the interface, such as a MAC.");
  type.Field("interfaceName", 1, &NetworkDeviceData::interface_name,
             "Name of the interface inside the pod.");
  type.Field(
          "ips", 2, &NetworkDeviceData::ips,
          "Addresses of the interface with their prefix length, such as 192.0.2.5/24; at most 16.")
      .ListAtomic();
}

void AllocatedDeviceStatus::Describe(Type<AllocatedDeviceStatus>& type) {
  type.Name("io.k8s.api.resource.v1.AllocatedDeviceStatus")
      .Doc("What a driver reports about a device in use by a claim.");
  type.Field("conditions", 4, &AllocatedDeviceStatus::conditions,
             "State of the device as its driver sees it; at most 8.")
      .WriteZero()
      .ListMap({"type"});
  type.Field("data", 5, &AllocatedDeviceStatus::data,
             "Free-form data of the driver, at most 10 kB.");
  type.Field("device", 3, &AllocatedDeviceStatus::device, "Device within the pool.").Required();
  type.Field("driver", 1, &AllocatedDeviceStatus::driver, "DNS name of the driver.").Required();
  type.Field("networkData", 6, &AllocatedDeviceStatus::network_data,
             "For network devices: interface and addresses.");
  type.Field("pool", 2, &AllocatedDeviceStatus::pool, "Pool that the device is in.").Required();
  type.Field("shareID", 7, &AllocatedDeviceStatus::share_id,
             "Which share of the device this is; only for devices that several claims can use.")
      .Pointer();
}

void OpaqueDeviceConfiguration::Describe(Type<OpaqueDeviceConfiguration>& type) {
  type.Name("io.k8s.api.resource.v1.OpaqueDeviceConfiguration")
      .Doc("Settings that only one driver understands.");
  type.Field("driver", 1, &OpaqueDeviceConfiguration::driver,
             "DNS name of the driver; others ignore the settings.")
      .Required();
  type.Field("parameters", 2, &OpaqueDeviceConfiguration::parameters,
             "The settings, any JSON object of at most 10 kB; apiVersion and kind tell the driver "
             "its form.")
      .Required();
}

void DeviceAllocationConfiguration::Describe(Type<DeviceAllocationConfiguration>& type) {
  type.Name("io.k8s.api.resource.v1.DeviceAllocationConfiguration")
      .Doc("Settings for a driver that came with an allocation.");
  type.Field("opaque", {3, 1}, &DeviceAllocationConfiguration::opaque,
             "Settings only the driver understands.");
  type.Field("requests", 2, &DeviceAllocationConfiguration::requests,
             "Requests the settings are for; empty is all.")
      .ListAtomic();
  type.Field("source", 1, &DeviceAllocationConfiguration::source,
             "Whether the settings come from the device class or from the claim.")
      .Required()
      .Enum({"FromClass", "FromClaim"});
}

void DeviceToleration::Describe(Type<DeviceToleration>& type) {
  type.Name("io.k8s.api.resource.v1.DeviceToleration")
      .Doc("Taints that a request accepts on its devices.");
  type.Field("effect", 4, &DeviceToleration::effect, "Effect to accept; empty is all.")
      .Enum({"NoSchedule", "NoExecute"});
  type.Field("key", 1, &DeviceToleration::key,
             "Taint key to accept; empty with operator Exists is all keys.");
  type.Field("operator", 2, &DeviceToleration::operator_,
             "Equal (default) compares the value, Exists accepts any.")
      .Default("Equal")
      .Enum({"Exists", "Equal"});
  type.Field("tolerationSeconds", 5, &DeviceToleration::toleration_seconds,
             "Seconds to put up with NoExecute before eviction; absent is for ever, 0 or less is "
             "not at all.");
  type.Field("value", 3, &DeviceToleration::value,
             "Taint value to accept; must be empty for Exists.");
}

void DeviceRequestAllocationResult::Describe(Type<DeviceRequestAllocationResult>& type) {
  type.Name("io.k8s.api.resource.v1.DeviceRequestAllocationResult")
      .Doc("One device that was given to a request.");
  type.Field("adminAccess", 5, &DeviceRequestAllocationResult::admin_access,
             "True if the device was given for administration, without taking it from others.")
      .Pointer();
  type.Field("bindingConditions", 7, &DeviceRequestAllocationResult::binding_conditions,
             "Copied from the device: conditions to wait for before a pod is bound.")
      .ListAtomic();
  type.Field("bindingFailureConditions", 8,
             &DeviceRequestAllocationResult::binding_failure_conditions,
             "Copied from the device: conditions that give the allocation up.")
      .ListAtomic();
  type.Field("consumedCapacity", 10, &DeviceRequestAllocationResult::consumed_capacity,
             "Capacity taken from a device that is shared, by name.");
  type.Field("device", 4, &DeviceRequestAllocationResult::device, "Device within the pool.")
      .Required();
  type.Field("driver", 2, &DeviceRequestAllocationResult::driver, "DNS name of the driver.")
      .Required();
  type.Field("pool", 3, &DeviceRequestAllocationResult::pool, "Pool that the device is in.")
      .Required();
  type.Field("request", 1, &DeviceRequestAllocationResult::request,
             "Request that was met, as request or request/subrequest.")
      .Required();
  type.Field("shareID", 9, &DeviceRequestAllocationResult::share_id,
             "Identifies this share of a device that several claims use.")
      .Pointer();
  type.Field("tolerations", 6, &DeviceRequestAllocationResult::tolerations,
             "Copied from the request: taints that the allocation puts up with.")
      .ListAtomic();
}

void DeviceAllocationResult::Describe(Type<DeviceAllocationResult>& type) {
  type.Name("io.k8s.api.resource.v1.DeviceAllocationResult")
      .Doc("Devices given to a claim, with their settings.");
  type.Field("config", 2, &DeviceAllocationResult::config,
             "Settings from the classes and then from the claim.")
      .ListAtomic();
  type.Field("results", 1, &DeviceAllocationResult::results, "The devices, one entry each.")
      .ListAtomic();
}

void AllocationResult::Describe(Type<AllocationResult>& type) {
  type.Name("io.k8s.api.resource.v1.AllocationResult")
      .Doc("What was given to a claim, and where it can be used.");
  type.Field("allocationTimestamp", 5, &AllocationResult::allocation_timestamp,
             "When the claim was allocated; absent when not recorded.")
      .Pointer();
  type.Field("devices", 1, &AllocationResult::devices, "The devices that were chosen.").WriteZero();
  type.Field("nodeSelector", 3, &AllocationResult::node_selector,
             "Nodes from which the devices can be used; absent is all nodes.");
}

void CELDeviceSelector::Describe(Type<CELDeviceSelector>& type) {
  type.Name("io.k8s.api.resource.v1.CELDeviceSelector").Doc("A CEL test on a device.");
  type.Field("expression", 1, &CELDeviceSelector::expression,
             "CEL expression on device.driver, device.attributes and device.capacity with a "
             "boolean result; an error stops allocation.")
      .Required();
}

void CapacityRequestPolicyRange::Describe(Type<CapacityRequestPolicyRange>& type) {
  type.Name("io.k8s.api.resource.v1.CapacityRequestPolicyRange").Doc("A range of allowed amounts.");
  type.Field("max", 2, &CapacityRequestPolicyRange::max,
             "Largest amount; absent is all that the device has.");
  type.Field("min", 1, &CapacityRequestPolicyRange::min,
             "Smallest amount; lower requests are raised to it.")
      .Pointer()
      .Required();
  type.Field("step", 3, &CapacityRequestPolicyRange::step,
             "Amounts are min plus a multiple of this, rounded up; absent allows any.");
}

void CapacityRequestPolicy::Describe(Type<CapacityRequestPolicy>& type) {
  type.Name("io.k8s.api.resource.v1.CapacityRequestPolicy")
      .Doc("How much of a shared device's capacity one request may take.");
  type.Field("default", 1, &CapacityRequestPolicy::default_,
             "Amount taken when the request names none.")
      .WriteNull();
  type.Field("validRange", 4, &CapacityRequestPolicy::valid_range,
             "Amounts between two limits are allowed; not together with validValues.");
  type.Field(
          "validValues", 3, &CapacityRequestPolicy::valid_values,
          "The only amounts that are allowed, ascending; requests are rounded up to one of them.")
      .ListAtomic();
}

void CapacityRequirements::Describe(Type<CapacityRequirements>& type) {
  type.Name("io.k8s.api.resource.v1.CapacityRequirements")
      .Doc("How much capacity of a device a request needs.");
  type.Field("requests", 1, &CapacityRequirements::requests,
             "Amount by capacity name; a device with less is passed over.");
}

void Counter::Describe(Type<Counter>& type) {
  type.Name("io.k8s.api.resource.v1.Counter").Doc("An amount of something that devices share.");
  type.Field("value", 1, &Counter::value, "How much there is, or how much is used.").Required();
}

void CounterSet::Describe(Type<CounterSet>& type) {
  type.Name("io.k8s.api.resource.v1.CounterSet")
      .Doc(
          "Named amounts that the devices of a slice draw on, such as memory of a partitioned "
          "card.");
  type.Field("counters", 2, &CounterSet::counters,
             "Amounts by name; at most 32 in all sets of the slice.")
      .OmitZero()
      .Required();
  type.Field("name", 1, &CounterSet::name, "DNS label, unique in the pool.").Required();
}

void DeviceAttribute::Describe(Type<DeviceAttribute>& type) {
  type.Name("io.k8s.api.resource.v1.DeviceAttribute")
      .Doc("A property of a device; exactly one of the fields is set.");
  type.Field("bool", 3, &DeviceAttribute::bool_, "True or false.");
  type.Field("int", 2, &DeviceAttribute::int_, "A number.");
  type.Field("string", 4, &DeviceAttribute::string, "Text of at most 64 characters.");
  type.Field("version", 5, &DeviceAttribute::version,
             "A semantic version of at most 64 characters, such as 1.2.3.")
      .Pointer();
}

void DeviceCapacity::Describe(Type<DeviceCapacity>& type) {
  type.Name("io.k8s.api.resource.v1.DeviceCapacity")
      .Doc("An amount that a device has, and how it may be shared out.");
  type.Field("requestPolicy", 2, &DeviceCapacity::request_policy,
             "Limits for single requests; only for devices that several claims can use.");
  type.Field("value", 1, &DeviceCapacity::value, "How much the device has.").Required();
}

void DeviceCounterConsumption::Describe(Type<DeviceCounterConsumption>& type) {
  type.Name("io.k8s.api.resource.v1.DeviceCounterConsumption")
      .Doc("The amounts that a device consumes from a set of shared counters.");
  type.Field("counterSet", 1, &DeviceCounterConsumption::counter_set, "Name of the set.")
      .Required();
  type.Field("counters", 2, &DeviceCounterConsumption::counters, "Amounts taken, by counter name.")
      .OmitZero()
      .Required();
}

void DeviceTaint::Describe(Type<DeviceTaint>& type) {
  type.Name("io.k8s.api.resource.v1.DeviceTaint")
      .Doc("Mark on a device that repels claims without a matching toleration.");
  type.Field("effect", 3, &DeviceTaint::effect,
             "NoSchedule prevents new allocations; NoExecute also evicts pods that use the device.")
      .Required()
      .Enum({"NoSchedule", "NoExecute"});
  type.Field("key", 1, &DeviceTaint::key, "Label key by which tolerations find the taint.")
      .Required();
  type.Field("timeAdded", 4, &DeviceTaint::time_added,
             "When the taint was added; filled in with the present time if absent.")
      .Pointer();
  type.Field("value", 2, &DeviceTaint::value, "Label value of the key; may be empty.");
}

void Device::Describe(Type<Device>& type) {
  type.Name("io.k8s.api.resource.v1.Device").Doc("One device that a driver offers.");
  type.Field(
          "allNodes", 7, &Device::all_nodes,
          "True if every node can use the device; only with perDeviceNodeSelection in the slice.")
      .Pointer();
  type.Field("allowMultipleAllocations", 12, &Device::allow_multiple_allocations,
             "True if several claims may use the device at the same time.")
      .Pointer();
  type.Field("attributes", 2, &Device::attributes,
             "Properties for selection, by name; a name without a domain belongs to the driver.");
  type.Field("bindingConditions", 10, &Device::binding_conditions,
             "Conditions, at most 4, that must be true on the device before a pod is bound; empty "
             "does not wait.")
      .ListAtomic();
  type.Field("bindingFailureConditions", 11, &Device::binding_failure_conditions,
             "Conditions, at most 4, any of which being true gives the allocation up.")
      .ListAtomic();
  type.Field("bindsToNode", 9, &Device::binds_to_node,
             "True if using the device ties the claim to the node that was picked.")
      .Pointer();
  type.Field("capacity", 3, &Device::capacity,
             "Amounts the device has, by name; a name without a domain belongs to the driver.");
  type.Field("consumesCounters", 4, &Device::consumes_counters,
             "Amounts that the device consumes from shared counters while in use.")
      .ListAtomic();
  type.Field("name", 1, &Device::name, "DNS label, unique in the pool.").Required();
  type.Field("nodeName", 5, &Device::node_name,
             "The one node that can use the device; only with perDeviceNodeSelection in the slice.")
      .Pointer();
  type.Field("nodeSelector", 6, &Device::node_selector,
             "Nodes that can use the device; only with perDeviceNodeSelection in the slice.");
  type.Field("taints", 8, &Device::taints,
             "Taints that repel claims without a matching toleration; at most 4.")
      .ListAtomic();
}

void DeviceClaimConfiguration::Describe(Type<DeviceClaimConfiguration>& type) {
  type.Name("io.k8s.api.resource.v1.DeviceClaimConfiguration")
      .Doc("Settings of a claim for the driver of its devices.");
  type.Field("opaque", {2, 1}, &DeviceClaimConfiguration::opaque,
             "Settings only the driver understands.");
  type.Field("requests", 1, &DeviceClaimConfiguration::requests,
             "Requests the settings are for, as request or request/subrequest; empty is all.")
      .ListAtomic();
}

void DeviceConstraint::Describe(Type<DeviceConstraint>& type) {
  type.Name("io.k8s.api.resource.v1.DeviceConstraint")
      .Doc("What must hold across the devices of some requests.");
  type.Field("distinctAttribute", 3, &DeviceConstraint::distinct_attribute,
             "Attribute, as domain/name, in which all the devices must differ.")
      .Pointer();
  type.Field("matchAttribute", 2, &DeviceConstraint::match_attribute,
             "Attribute, as domain/name, in which all the devices must agree.")
      .Pointer();
  type.Field("requests", 1, &DeviceConstraint::requests,
             "Requests the constraint is about; empty is all of the claim.")
      .ListAtomic();
}

void DeviceSelector::Describe(Type<DeviceSelector>& type) {
  type.Name("io.k8s.api.resource.v1.DeviceSelector").Doc("A test on devices.");
  type.Field("cel", 1, &DeviceSelector::cel, "The test in CEL; required.");
}

void ExactDeviceRequest::Describe(Type<ExactDeviceRequest>& type) {
  type.Name("io.k8s.api.resource.v1.ExactDeviceRequest")
      .Doc("Devices of one class, all chosen in the same way.");
  type.Field("adminAccess", 5, &ExactDeviceRequest::admin_access,
             "True for access alongside other users; needs a namespace labelled for it. Absent is "
             "ordinary use.")
      .Pointer();
  type.Field("allocationMode", 3, &ExactDeviceRequest::allocation_mode,
             "ExactCount (default) allocates count devices; All allocates every matching device.")
      .Default("ExactCount")
      .Enum({"ExactCount", "All"});
  type.Field("capacity", 7, &ExactDeviceRequest::capacity,
             "Amounts that each device must be able to give.");
  type.Field("count", 4, &ExactDeviceRequest::count,
             "How many devices; only for ExactCount, then 1 by default.")
      .OmitZero()
      .Minimum(0);
  type.Field("deviceClassName", 1, &ExactDeviceRequest::device_class_name,
             "Class that the devices must belong to.")
      .Required();
  type.Field("selectors", 2, &ExactDeviceRequest::selectors,
             "Tests that a device must pass in addition to those of its class.")
      .ListAtomic();
  type.Field("tolerations", 6, &ExactDeviceRequest::tolerations,
             "Taints of devices that are acceptable.")
      .ListAtomic();
}

void DeviceSubRequest::Describe(Type<DeviceSubRequest>& type) {
  type.Name("io.k8s.api.resource.v1.DeviceSubRequest").Doc("One alternative of a request.");
  type.Field("allocationMode", 4, &DeviceSubRequest::allocation_mode,
             "ExactCount (default) allocates count devices; All allocates every matching device.")
      .Default("ExactCount")
      .Enum({"ExactCount", "All"});
  type.Field("capacity", 7, &DeviceSubRequest::capacity,
             "Amounts that each device must be able to give.");
  type.Field("count", 5, &DeviceSubRequest::count,
             "How many devices; only for ExactCount, then 1 by default.")
      .OmitZero()
      .Minimum(0);
  type.Field("deviceClassName", 2, &DeviceSubRequest::device_class_name,
             "Class that the devices must belong to.")
      .Required();
  type.Field("name", 1, &DeviceSubRequest::name,
             "DNS label, unique in the request; referred to as request/subrequest.")
      .Required();
  type.Field("selectors", 3, &DeviceSubRequest::selectors,
             "Tests that a device must pass in addition to those of its class.")
      .ListAtomic();
  type.Field("tolerations", 6, &DeviceSubRequest::tolerations,
             "Taints of devices that are acceptable.")
      .ListAtomic();
}

void DeviceRequest::Describe(Type<DeviceRequest>& type) {
  type.Name("io.k8s.api.resource.v1.DeviceRequest")
      .Doc("One request within a claim; either exact or a list of alternatives.");
  type.Field("exactly", 2, &DeviceRequest::exactly,
             "The one way to meet the request; not together with firstAvailable.");
  type.Field("firstAvailable", 3, &DeviceRequest::first_available,
             "Alternatives in order of preference, at most 8; the first that can be met is taken.")
      .ListAtomic();
  type.Field("name", 1, &DeviceRequest::name,
             "DNS label by which containers, constraints and settings refer to the request.")
      .Required();
}

void DeviceClaim::Describe(Type<DeviceClaim>& type) {
  type.Name("io.k8s.api.resource.v1.DeviceClaim")
      .Doc("The devices that are wanted, with constraints and settings.");
  type.Field("config", 3, &DeviceClaim::config,
             "Settings for the drivers of the devices; at most 32.")
      .ListAtomic();
  type.Field("constraints", 2, &DeviceClaim::constraints,
             "What must hold across several devices; at most 32.")
      .ListAtomic();
  type.Field("requests", 1, &DeviceClaim::requests,
             "The devices that are wanted; at most 32, all of which must be met.")
      .WriteZero()
      .ListAtomic();
}

void DeviceClassConfiguration::Describe(Type<DeviceClassConfiguration>& type) {
  type.Name("io.k8s.api.resource.v1.DeviceClassConfiguration")
      .Doc("Settings of a class for the driver of its devices.");
  type.Field("opaque", {1, 1}, &DeviceClassConfiguration::opaque,
             "Settings only the driver understands.");
}

void DeviceClassSpec::Describe(Type<DeviceClassSpec>& type) {
  type.Name("io.k8s.api.resource.v1.DeviceClassSpec")
      .Doc("Which devices belong to a class, and how they are set up.");
  type.Field("config", 2, &DeviceClassSpec::config,
             "Settings for every device claimed through the class; at most 32.")
      .ListAtomic();
  type.Field("extendedResourceName", 4, &DeviceClassSpec::extended_resource_name,
             "Extended resource, such as example.com/gpu, by which containers can ask for devices "
             "of this class.")
      .Pointer();
  type.Field("selectors", 1, &DeviceClassSpec::selectors,
             "Tests that a device must all pass to belong to the class; none accepts every device.")
      .ListAtomic();
}

void DeviceClass::Describe(Type<DeviceClass>& type) {
  type.Name("io.k8s.api.resource.v1.DeviceClass");
  type.Field("metadata", 1, &DeviceClass::metadata);
  type.Field("spec", 2, &DeviceClass::spec,
             "Which devices belong to the class, and their settings.")
      .Required();
}

void ResourceClaimSpec::Describe(Type<ResourceClaimSpec>& type) {
  type.Name("io.k8s.api.resource.v1.ResourceClaimSpec").Doc("What a claim asks for.");
  type.Field("devices", 1, &ResourceClaimSpec::devices, "The devices that are wanted.").WriteZero();
}

void ResourceClaimConsumerReference::Describe(Type<ResourceClaimConsumerReference>& type) {
  type.Name("io.k8s.api.resource.v1.ResourceClaimConsumerReference")
      .Doc("An object, usually a Pod, that may use a claim.");
  type.Field("apiGroup", 1, &ResourceClaimConsumerReference::api_group,
             "API group; empty is the core group.");
  type.Field("name", 4, &ResourceClaimConsumerReference::name).Required();
  type.Field("resource", 3, &ResourceClaimConsumerReference::resource,
             "Resource in the plural, such as pods.")
      .Required();
  type.Field("uid", 5, &ResourceClaimConsumerReference::uid,
             "Identity of the one object that is meant.")
      .Required();
}

void ResourceClaimStatus::Describe(Type<ResourceClaimStatus>& type) {
  type.Name("io.k8s.api.resource.v1.ResourceClaimStatus").Doc("What a claim got, and who uses it.");
  type.Field("allocation", 1, &ResourceClaimStatus::allocation,
             "What was given; absent while the claim is waiting. Cannot be changed, only removed.");
  type.Field("devices", 4, &ResourceClaimStatus::devices,
             "Reports of the drivers about the devices.")
      .ListMap({"driver", "device", "pool", "shareID"});
  type.Field("reservedFor", 2, &ResourceClaimStatus::reserved_for,
             "Who may use the devices now, at most 256; while any is listed, the allocation stays.")
      .ListMap({"uid"})
      .PatchMerge("uid");
}

void ResourceClaim::Describe(Type<ResourceClaim>& type) {
  type.Name("io.k8s.api.resource.v1.ResourceClaim");
  type.Field("metadata", 1, &ResourceClaim::metadata);
  type.Field("spec", 2, &ResourceClaim::spec, "The devices that are wanted.")
      .Required()
      .Immutable();
  type.Field("status", 3, &ResourceClaim::status, "The devices that were given, and to whom.");
}

void ResourceClaimTemplateSpec::Describe(Type<ResourceClaimTemplateSpec>& type) {
  type.Name("io.k8s.api.resource.v1.ResourceClaimTemplateSpec")
      .Doc("Labels, annotations and spec of the claims made from a template.");
  type.Field("metadata", 1, &ResourceClaimTemplateSpec::metadata,
             "Labels and annotations for the claims; nothing else may be set.");
  type.Field("spec", 2, &ResourceClaimTemplateSpec::spec, "Spec of the claims, copied unchanged.")
      .Required();
}

void ResourceClaimTemplate::Describe(Type<ResourceClaimTemplate>& type) {
  type.Name("io.k8s.api.resource.v1.ResourceClaimTemplate");
  type.Field("metadata", 1, &ResourceClaimTemplate::metadata);
  type.Field("spec", 2, &ResourceClaimTemplate::spec, "The claims to create.")
      .Required()
      .Immutable();
}

void ResourcePool::Describe(Type<ResourcePool>& type) {
  type.Name("io.k8s.api.resource.v1.ResourcePool").Doc("The pool that a slice is part of.");
  type.Field("generation", 2, &ResourcePool::generation,
             "Counts changes of the pool; only slices with the highest number are used.")
      .Required()
      .Minimum(0);
  type.Field("name", 1, &ResourcePool::name,
             "Path of DNS names; unique for the driver, often the node name.")
      .Required()
      .Immutable();
  type.Field("resourceSliceCount", 3, &ResourcePool::resource_slice_count,
             "How many slices make up the pool in this generation; until all are there it is "
             "incomplete.")
      .Required()
      .Minimum(1);
}

void ResourceSliceSpec::Describe(Type<ResourceSliceSpec>& type) {
  type.Name("io.k8s.api.resource.v1.ResourceSliceSpec")
      .Doc("Devices of one pool; exactly one field says which nodes can use them.");
  type.Field("allNodes", 5, &ResourceSliceSpec::all_nodes,
             "True if every node can use the devices.")
      .Pointer();
  type.Field("devices", 6, &ResourceSliceSpec::devices,
             "The devices, at most 128, or 64 if any has taints or uses counters.")
      .WriteZero()
      .ListAtomic();
  type.Field("driver", 1, &ResourceSliceSpec::driver, "DNS name of the driver.")
      .Required()
      .Immutable();
  type.Field("nodeName", 3, &ResourceSliceSpec::node_name, "The one node that can use the devices.")
      .Pointer()
      .Immutable();
  type.Field("nodeSelector", 4, &ResourceSliceSpec::node_selector,
             "Nodes that can use the devices; one term only.");
  type.Field("perDeviceNodeSelection", 7, &ResourceSliceSpec::per_device_node_selection,
             "True if each device says for itself which nodes can use it.")
      .Pointer();
  type.Field("pool", 2, &ResourceSliceSpec::pool, "The pool that the slice is part of.").Required();
  type.Field("sharedCounters", 8, &ResourceSliceSpec::shared_counters,
             "Counters that devices of the slice draw on.")
      .ListAtomic();
}

void ResourceSlice::Describe(Type<ResourceSlice>& type) {
  type.Name("io.k8s.api.resource.v1.ResourceSlice");
  type.Field("metadata", 1, &ResourceSlice::metadata);
  type.Field("spec", 2, &ResourceSlice::spec, "The devices and where they can be used.").Required();
}

}  // namespace kubexms::resourcev1
