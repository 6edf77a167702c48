#pragma once

// discovery.k8s.io/v1: EndpointSlice, the endpoints of a service in pieces.

#include <string>
#include <vector>

#include "kubexms/api/kinds/core_v1/reference.h"
#include "kubexms/api/meta_v1.h"
#include "kubexms/api/schema/type.h"

namespace kubexms::discoveryv1 {

struct EndpointConditions : Struct {
  Optional<bool> ready;
  Optional<bool> serving;
  Optional<bool> terminating;

  static void Describe(Type<EndpointConditions>& type);
};

struct ForNode : Struct {
  std::string name;

  static void Describe(Type<ForNode>& type);
};

struct ForZone : Struct {
  std::string name;

  static void Describe(Type<ForZone>& type);
};

struct EndpointHints : Struct {
  std::vector<ForNode> for_nodes;
  std::vector<ForZone> for_zones;

  static void Describe(Type<EndpointHints>& type);
};

struct Endpoint : Struct {
  std::vector<std::string> addresses;
  Optional<EndpointConditions> conditions;
  StringMap deprecated_topology;
  Optional<EndpointHints> hints;
  std::string hostname;
  std::string node_name;
  Optional<corev1::ObjectReference> target_ref;
  std::string zone;

  static void Describe(Type<Endpoint>& type);
};

struct EndpointPort : Struct {
  std::string app_protocol;
  Optional<std::string> name;
  Optional<int32_t> port;
  std::string protocol;

  static void Describe(Type<EndpointPort>& type);
};

struct EndpointSlice : Struct {
  static constexpr KindName kKind{
      .group = "discovery.k8s.io",
      .version = "v1",
      .kind = "EndpointSlice",
      .doc = "Some of the backends of a service; label kubernetes.io/service-name says of which."};

  std::string address_type;
  std::vector<Endpoint> endpoints;
  ObjectMeta metadata;
  std::vector<EndpointPort> ports;

  static void Describe(Type<EndpointSlice>& type);
};

}  // namespace kubexms::discoveryv1
