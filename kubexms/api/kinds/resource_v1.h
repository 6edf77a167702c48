#pragma once

// resource.k8s.io/v1: devices of nodes and the claims on them.

#include <string>
#include <vector>

#include "kubexms/api/kinds/core_v1/reference.h"
#include "kubexms/api/meta_v1.h"
#include "kubexms/api/schema/scalars.h"
#include "kubexms/api/schema/type.h"

namespace kubexms::resourcev1 {

struct NetworkDeviceData : Struct {
  std::string hardware_address;
  std::string interface_name;
  std::vector<std::string> ips;

  static void Describe(Type<NetworkDeviceData>& type);
};

struct AllocatedDeviceStatus : Struct {
  std::vector<Condition> conditions;
  RawJson data;
  std::string device;
  std::string driver;
  Optional<NetworkDeviceData> network_data;
  std::string pool;
  std::string share_id;

  static void Describe(Type<AllocatedDeviceStatus>& type);
};

struct OpaqueDeviceConfiguration : Struct {
  std::string driver;
  RawJson parameters;

  static void Describe(Type<OpaqueDeviceConfiguration>& type);
};

struct DeviceAllocationConfiguration : Struct {
  Optional<OpaqueDeviceConfiguration> opaque;
  std::vector<std::string> requests;
  std::string source;

  static void Describe(Type<DeviceAllocationConfiguration>& type);
};

struct DeviceToleration : Struct {
  std::string effect;
  std::string key;
  std::string operator_;
  Optional<int64_t> toleration_seconds;
  std::string value;

  static void Describe(Type<DeviceToleration>& type);
};

struct DeviceRequestAllocationResult : Struct {
  bool admin_access = false;
  std::vector<std::string> binding_conditions;
  std::vector<std::string> binding_failure_conditions;
  StringKeyed<Quantity> consumed_capacity;
  std::string device;
  std::string driver;
  std::string pool;
  std::string request;
  std::string share_id;
  std::vector<DeviceToleration> tolerations;

  static void Describe(Type<DeviceRequestAllocationResult>& type);
};

struct DeviceAllocationResult : Struct {
  std::vector<DeviceAllocationConfiguration> config;
  std::vector<DeviceRequestAllocationResult> results;

  static void Describe(Type<DeviceAllocationResult>& type);
};

struct AllocationResult : Struct {
  Time allocation_timestamp;
  Optional<DeviceAllocationResult> devices;
  Optional<corev1::NodeSelector> node_selector;

  static void Describe(Type<AllocationResult>& type);
};

struct CELDeviceSelector : Struct {
  std::string expression;

  static void Describe(Type<CELDeviceSelector>& type);
};

struct CapacityRequestPolicyRange : Struct {
  Optional<Quantity> max;
  Quantity min;
  Optional<Quantity> step;

  static void Describe(Type<CapacityRequestPolicyRange>& type);
};

struct CapacityRequestPolicy : Struct {
  Optional<Quantity> default_;
  Optional<CapacityRequestPolicyRange> valid_range;
  std::vector<Quantity> valid_values;

  static void Describe(Type<CapacityRequestPolicy>& type);
};

struct CapacityRequirements : Struct {
  StringKeyed<Quantity> requests;

  static void Describe(Type<CapacityRequirements>& type);
};

struct Counter : Struct {
  Quantity value;

  static void Describe(Type<Counter>& type);
};

struct CounterSet : Struct {
  StringKeyed<Counter> counters;
  std::string name;

  static void Describe(Type<CounterSet>& type);
};

struct DeviceAttribute : Struct {
  Optional<bool> bool_;
  Optional<int64_t> int_;
  Optional<std::string> string;
  std::string version;

  static void Describe(Type<DeviceAttribute>& type);
};

struct DeviceCapacity : Struct {
  Optional<CapacityRequestPolicy> request_policy;
  Quantity value;

  static void Describe(Type<DeviceCapacity>& type);
};

struct DeviceCounterConsumption : Struct {
  std::string counter_set;
  StringKeyed<Counter> counters;

  static void Describe(Type<DeviceCounterConsumption>& type);
};

struct DeviceTaint : Struct {
  std::string effect;
  std::string key;
  Time time_added;
  std::string value;

  static void Describe(Type<DeviceTaint>& type);
};

struct Device : Struct {
  bool all_nodes = false;
  bool allow_multiple_allocations = false;
  StringKeyed<DeviceAttribute> attributes;
  std::vector<std::string> binding_conditions;
  std::vector<std::string> binding_failure_conditions;
  bool binds_to_node = false;
  StringKeyed<DeviceCapacity> capacity;
  std::vector<DeviceCounterConsumption> consumes_counters;
  std::string name;
  std::string node_name;
  Optional<corev1::NodeSelector> node_selector;
  std::vector<DeviceTaint> taints;

  static void Describe(Type<Device>& type);
};

struct DeviceClaimConfiguration : Struct {
  Optional<OpaqueDeviceConfiguration> opaque;
  std::vector<std::string> requests;

  static void Describe(Type<DeviceClaimConfiguration>& type);
};

struct DeviceConstraint : Struct {
  std::string distinct_attribute;
  std::string match_attribute;
  std::vector<std::string> requests;

  static void Describe(Type<DeviceConstraint>& type);
};

struct DeviceSelector : Struct {
  Optional<CELDeviceSelector> cel;

  static void Describe(Type<DeviceSelector>& type);
};

struct ExactDeviceRequest : Struct {
  bool admin_access = false;
  std::string allocation_mode;
  Optional<CapacityRequirements> capacity;
  Optional<int64_t> count;
  std::string device_class_name;
  std::vector<DeviceSelector> selectors;
  std::vector<DeviceToleration> tolerations;

  static void Describe(Type<ExactDeviceRequest>& type);
};

struct DeviceSubRequest : Struct {
  std::string allocation_mode;
  Optional<CapacityRequirements> capacity;
  Optional<int64_t> count;
  std::string device_class_name;
  std::string name;
  std::vector<DeviceSelector> selectors;
  std::vector<DeviceToleration> tolerations;

  static void Describe(Type<DeviceSubRequest>& type);
};

struct DeviceRequest : Struct {
  Optional<ExactDeviceRequest> exactly;
  std::vector<DeviceSubRequest> first_available;
  std::string name;

  static void Describe(Type<DeviceRequest>& type);
};

struct DeviceClaim : Struct {
  std::vector<DeviceClaimConfiguration> config;
  std::vector<DeviceConstraint> constraints;
  std::vector<DeviceRequest> requests;

  static void Describe(Type<DeviceClaim>& type);
};

struct DeviceClassConfiguration : Struct {
  Optional<OpaqueDeviceConfiguration> opaque;

  static void Describe(Type<DeviceClassConfiguration>& type);
};

struct DeviceClassSpec : Struct {
  std::vector<DeviceClassConfiguration> config;
  std::string extended_resource_name;
  std::vector<DeviceSelector> selectors;

  static void Describe(Type<DeviceClassSpec>& type);
};

struct DeviceClass : Struct {
  static constexpr KindName kKind{
      .group = "resource.k8s.io",
      .version = "v1",
      .kind = "DeviceClass",
      .scope = Scope::kCluster,
      .doc = "A sort of device that administrators offer and claims ask for by name."};

  ObjectMeta metadata;
  DeviceClassSpec spec;

  static void Describe(Type<DeviceClass>& type);
};

struct ResourceClaimSpec : Struct {
  Optional<DeviceClaim> devices;

  static void Describe(Type<ResourceClaimSpec>& type);
};

struct ResourceClaimConsumerReference : Struct {
  std::string api_group;
  std::string name;
  std::string resource;
  std::string uid;

  static void Describe(Type<ResourceClaimConsumerReference>& type);
};

struct ResourceClaimStatus : Struct {
  Optional<AllocationResult> allocation;
  std::vector<AllocatedDeviceStatus> devices;
  std::vector<ResourceClaimConsumerReference> reserved_for;

  static void Describe(Type<ResourceClaimStatus>& type);
};

struct ResourceClaim : Struct {
  static constexpr KindName kKind{.group = "resource.k8s.io",
                                  .version = "v1",
                                  .kind = "ResourceClaim",
                                  .doc = "Asks for devices and records which ones were given."};

  ObjectMeta metadata;
  ResourceClaimSpec spec;
  ResourceClaimStatus status;

  static void Describe(Type<ResourceClaim>& type);
};

struct ResourceClaimTemplateSpec : Struct {
  ObjectMeta metadata;
  ResourceClaimSpec spec;

  static void Describe(Type<ResourceClaimTemplateSpec>& type);
};

struct ResourceClaimTemplate : Struct {
  static constexpr KindName kKind{
      .group = "resource.k8s.io",
      .version = "v1",
      .kind = "ResourceClaimTemplate",
      .doc = "A pattern from which each pod that names it gets a claim of its own."};

  ObjectMeta metadata;
  ResourceClaimTemplateSpec spec;

  static void Describe(Type<ResourceClaimTemplate>& type);
};

struct ResourcePool : Struct {
  int64_t generation = 0;
  std::string name;
  int64_t resource_slice_count = 0;

  static void Describe(Type<ResourcePool>& type);
};

struct ResourceSliceSpec : Struct {
  bool all_nodes = false;
  std::vector<Device> devices;
  std::string driver;
  std::string node_name;
  Optional<corev1::NodeSelector> node_selector;
  bool per_device_node_selection = false;
  ResourcePool pool;
  std::vector<CounterSet> shared_counters;

  static void Describe(Type<ResourceSliceSpec>& type);
};

struct ResourceSlice : Struct {
  static constexpr KindName kKind{.group = "resource.k8s.io",
                                  .version = "v1",
                                  .kind = "ResourceSlice",
                                  .scope = Scope::kCluster,
                                  .doc = "Devices that a driver offers on a node, or on several."};

  ObjectMeta metadata;
  ResourceSliceSpec spec;

  static void Describe(Type<ResourceSlice>& type);
};

}  // namespace kubexms::resourcev1
