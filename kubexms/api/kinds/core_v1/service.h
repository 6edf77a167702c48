#pragma once

// core/v1: Service and Endpoints.

#include <string>
#include <vector>

#include "kubexms/api/kinds/core_v1/reference.h"
#include "kubexms/api/meta_v1.h"
#include "kubexms/api/schema/scalars.h"
#include "kubexms/api/schema/type.h"

namespace kubexms::corev1 {

struct ClientIPConfig : Struct {
  Optional<int32_t> timeout_seconds;

  static void Describe(Type<ClientIPConfig>& type);
};

struct EndpointAddress : Struct {
  std::string hostname;
  std::string ip;
  std::string node_name;
  Optional<ObjectReference> target_ref;

  static void Describe(Type<EndpointAddress>& type);
};

struct EndpointPort : Struct {
  std::string app_protocol;
  std::string name;
  int32_t port = 0;
  std::string protocol;

  static void Describe(Type<EndpointPort>& type);
};

struct EndpointSubset : Struct {
  std::vector<EndpointAddress> addresses;
  std::vector<EndpointAddress> not_ready_addresses;
  std::vector<EndpointPort> ports;

  static void Describe(Type<EndpointSubset>& type);
};

struct Endpoints : Struct {
  static constexpr KindName kKind{
      .version = "v1",
      .kind = "Endpoints",
      .doc = "Addresses behind a service of the same name; superseded by EndpointSlice.",
      .plural = "endpoints",
      .short_names = "ep"};

  ObjectMeta metadata;
  std::vector<EndpointSubset> subsets;

  static void Describe(Type<Endpoints>& type);
};

struct PortStatus : Struct {
  std::string error;
  int32_t port = 0;
  std::string protocol;

  static void Describe(Type<PortStatus>& type);
};

struct LoadBalancerIngress : Struct {
  std::string hostname;
  std::string ip;
  std::string ip_mode;
  std::vector<PortStatus> ports;

  static void Describe(Type<LoadBalancerIngress>& type);
};

struct LoadBalancerStatus : Struct {
  std::vector<LoadBalancerIngress> ingress;

  static void Describe(Type<LoadBalancerStatus>& type);
};

struct ServicePort : Struct {
  std::string app_protocol;
  std::string name;
  Optional<int32_t> node_port;
  int32_t port = 0;
  std::string protocol;
  Optional<IntOrString> target_port;

  static void Describe(Type<ServicePort>& type);
};

struct SessionAffinityConfig : Struct {
  Optional<ClientIPConfig> client_ip;

  static void Describe(Type<SessionAffinityConfig>& type);
};

struct ServiceSpec : Struct {
  Optional<bool> allocate_load_balancer_node_ports;
  std::string cluster_ip;
  std::vector<std::string> cluster_ips;
  std::vector<std::string> external_ips;
  std::string external_name;
  std::string external_traffic_policy;
  Optional<int32_t> health_check_node_port;
  std::string internal_traffic_policy;
  std::vector<std::string> ip_families;
  std::string ip_family_policy;
  std::string load_balancer_class;
  std::string load_balancer_ip;
  std::vector<std::string> load_balancer_source_ranges;
  std::vector<ServicePort> ports;
  bool publish_not_ready_addresses = false;
  StringMap selector;
  std::string session_affinity;
  Optional<SessionAffinityConfig> session_affinity_config;
  std::string traffic_distribution;
  std::string type;

  KUBEXMS_DECLARE_SPECIAL_MEMBERS(ServiceSpec);
  static void Describe(Type<ServiceSpec>& type);
};

struct ServiceStatus : Struct {
  std::vector<Condition> conditions;
  Optional<LoadBalancerStatus> load_balancer;

  static void Describe(Type<ServiceStatus>& type);
};

struct Service : Struct {
  static constexpr KindName kKind{
      .version = "v1",
      .kind = "Service",
      .doc = "A stable address and name in front of a changing set of pods.",
      .short_names = "svc",
      .categories = "all"};

  ObjectMeta metadata;
  ServiceSpec spec;
  ServiceStatus status;

  static void Describe(Type<Service>& type);
};

}  // namespace kubexms::corev1
