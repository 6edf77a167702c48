#pragma once

// networking.k8s.io/v1: Ingress, NetworkPolicy and the address ranges of services.

#include <string>
#include <vector>

#include "kubexms/api/kinds/core_v1/reference.h"
#include "kubexms/api/meta_v1.h"
#include "kubexms/api/schema/scalars.h"
#include "kubexms/api/schema/type.h"

namespace kubexms::networkingv1 {

struct ServiceBackendPort : Struct {
  std::string name;
  Optional<int32_t> number;

  static void Describe(Type<ServiceBackendPort>& type);
};

struct IngressServiceBackend : Struct {
  std::string name;
  Optional<ServiceBackendPort> port;

  static void Describe(Type<IngressServiceBackend>& type);
};

struct IngressBackend : Struct {
  Optional<corev1::TypedLocalObjectReference> resource;
  Optional<IngressServiceBackend> service;

  static void Describe(Type<IngressBackend>& type);
};

struct HTTPIngressPath : Struct {
  IngressBackend backend;
  std::string path;
  std::string path_type;

  static void Describe(Type<HTTPIngressPath>& type);
};

struct HTTPIngressRuleValue : Struct {
  std::vector<HTTPIngressPath> paths;

  static void Describe(Type<HTTPIngressRuleValue>& type);
};

struct ParentReference : Struct {
  std::string group;
  std::string name;
  std::string namespace_name;
  std::string resource;

  static void Describe(Type<ParentReference>& type);
};

struct IPAddressSpec : Struct {
  ParentReference parent_ref;

  static void Describe(Type<IPAddressSpec>& type);
};

struct IPAddress : Struct {
  static constexpr KindName kKind{
      .group = "networking.k8s.io",
      .version = "v1",
      .kind = "IPAddress",
      .scope = Scope::kCluster,
      .doc = "Marks one service IP address as taken; its name is the address.",
      .short_names = "ip"};

  ObjectMeta metadata;
  IPAddressSpec spec;

  static void Describe(Type<IPAddress>& type);
};

struct IPBlock : Struct {
  std::string cidr;
  std::vector<std::string> except;

  static void Describe(Type<IPBlock>& type);
};

struct IngressRule : Struct {
  std::string host;
  Optional<HTTPIngressRuleValue> http;

  static void Describe(Type<IngressRule>& type);
};

struct IngressTLS : Struct {
  std::vector<std::string> hosts;
  std::string secret_name;

  static void Describe(Type<IngressTLS>& type);
};

struct IngressSpec : Struct {
  Optional<IngressBackend> default_backend;
  std::string ingress_class_name;
  std::vector<IngressRule> rules;
  std::vector<IngressTLS> tls;

  static void Describe(Type<IngressSpec>& type);
};

struct IngressPortStatus : Struct {
  std::string error;
  int32_t port = 0;
  std::string protocol;

  static void Describe(Type<IngressPortStatus>& type);
};

struct IngressLoadBalancerIngress : Struct {
  std::string hostname;
  std::string ip;
  std::vector<IngressPortStatus> ports;

  static void Describe(Type<IngressLoadBalancerIngress>& type);
};

struct IngressLoadBalancerStatus : Struct {
  std::vector<IngressLoadBalancerIngress> ingress;

  static void Describe(Type<IngressLoadBalancerStatus>& type);
};

struct IngressStatus : Struct {
  Optional<IngressLoadBalancerStatus> load_balancer;

  static void Describe(Type<IngressStatus>& type);
};

struct Ingress : Struct {
  static constexpr KindName kKind{
      .group = "networking.k8s.io",
      .version = "v1",
      .kind = "Ingress",
      .doc = "Routes HTTP requests from outside to services, by host and path.",
      .short_names = "ing"};

  ObjectMeta metadata;
  IngressSpec spec;
  IngressStatus status;

  static void Describe(Type<Ingress>& type);
};

struct IngressClassParametersReference : Struct {
  std::string api_group;
  std::string kind;
  std::string name;
  std::string namespace_name;
  std::string scope;

  static void Describe(Type<IngressClassParametersReference>& type);
};

struct IngressClassSpec : Struct {
  std::string controller;
  Optional<IngressClassParametersReference> parameters;

  static void Describe(Type<IngressClassSpec>& type);
};

struct IngressClass : Struct {
  static constexpr KindName kKind{
      .group = "networking.k8s.io",
      .version = "v1",
      .kind = "IngressClass",
      .scope = Scope::kCluster,
      .doc = "Names an Ingress controller, so that each Ingress can choose one."};

  ObjectMeta metadata;
  IngressClassSpec spec;

  static void Describe(Type<IngressClass>& type);
};

struct NetworkPolicyPort : Struct {
  Optional<int32_t> end_port;
  Optional<IntOrString> port;
  std::string protocol;

  static void Describe(Type<NetworkPolicyPort>& type);
};

struct NetworkPolicyPeer : Struct {
  Optional<IPBlock> ip_block;
  Optional<LabelSelector> namespace_selector;
  Optional<LabelSelector> pod_selector;

  static void Describe(Type<NetworkPolicyPeer>& type);
};

struct NetworkPolicyEgressRule : Struct {
  std::vector<NetworkPolicyPort> ports;
  std::vector<NetworkPolicyPeer> to;

  static void Describe(Type<NetworkPolicyEgressRule>& type);
};

struct NetworkPolicyIngressRule : Struct {
  std::vector<NetworkPolicyPeer> from;
  std::vector<NetworkPolicyPort> ports;

  static void Describe(Type<NetworkPolicyIngressRule>& type);
};

struct NetworkPolicySpec : Struct {
  std::vector<NetworkPolicyEgressRule> egress;
  std::vector<NetworkPolicyIngressRule> ingress;
  LabelSelector pod_selector;
  std::vector<std::string> policy_types;

  static void Describe(Type<NetworkPolicySpec>& type);
};

struct NetworkPolicy : Struct {
  static constexpr KindName kKind{.group = "networking.k8s.io",
                                  .version = "v1",
                                  .kind = "NetworkPolicy",
                                  .doc =
                                      "Restricts the network traffic of the pods it selects; "
                                      "several add up in what they allow.",
                                  .short_names = "netpol"};

  ObjectMeta metadata;
  NetworkPolicySpec spec;

  static void Describe(Type<NetworkPolicy>& type);
};

struct ServiceCIDRSpec : Struct {
  std::vector<std::string> cidrs;

  static void Describe(Type<ServiceCIDRSpec>& type);
};

struct ServiceCIDRStatus : Struct {
  std::vector<Condition> conditions;

  static void Describe(Type<ServiceCIDRStatus>& type);
};

struct ServiceCIDR : Struct {
  static constexpr KindName kKind{.group = "networking.k8s.io",
                                  .version = "v1",
                                  .kind = "ServiceCIDR",
                                  .scope = Scope::kCluster,
                                  .doc = "A range from which services get their cluster IPs."};

  ObjectMeta metadata;
  ServiceCIDRSpec spec;
  ServiceCIDRStatus status;

  static void Describe(Type<ServiceCIDR>& type);
};

}  // namespace kubexms::networkingv1
