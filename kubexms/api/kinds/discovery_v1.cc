#include "kubexms/api/kinds/discovery_v1.h"

namespace kubexms::discoveryv1 {

void EndpointConditions::Describe(Type<EndpointConditions>& type) {
  type.Name("io.k8s.api.discovery.v1.EndpointConditions")
      .Doc("Readiness of a backend; each value may be unknown.");
  type.Field("ready", &EndpointConditions::ready,
             "Whether to send traffic; absent counts as true, and a terminating backend is "
             "normally false.");
  type.Field("serving", &EndpointConditions::serving,
             "Like ready, but ignoring that the backend is terminating; absent is read as ready.");
  type.Field("terminating", &EndpointConditions::terminating,
             "Whether the backend is being shut down; absent counts as false.");
}

void ForNode::Describe(Type<ForNode>& type) {
  type.Name("io.k8s.api.discovery.v1.ForNode").Doc("A node that a backend is meant for.");
  type.Field("name", &ForNode::name, "Node name.").Required();
}

void ForZone::Describe(Type<ForZone>& type) {
  type.Name("io.k8s.api.discovery.v1.ForZone").Doc("A zone that a backend is meant for.");
  type.Field("name", &ForZone::name, "Zone name.").Required();
}

void EndpointHints::Describe(Type<EndpointHints>& type) {
  type.Name("io.k8s.api.discovery.v1.EndpointHints")
      .Doc("Which clients a backend is meant for, to keep traffic close.");
  type.Field("forNodes", &EndpointHints::for_nodes,
             "Nodes whose clients should use this backend; at most 8.")
      .ListAtomic();
  type.Field("forZones", &EndpointHints::for_zones,
             "Zones whose clients should use this backend; at most 8.")
      .ListAtomic();
}

void Endpoint::Describe(Type<Endpoint>& type) {
  type.Name("io.k8s.api.discovery.v1.Endpoint").Doc("One backend of a service, usually a pod.");
  type.Field("addresses", &Endpoint::addresses,
             "Addresses of this backend, 1 to 100, of the slice's type; proxies use the first.")
      .Required()
      .ListSet();
  type.Field("conditions", &Endpoint::conditions, "Whether the backend should get traffic.");
  type.Field("deprecatedTopology", &Endpoint::deprecated_topology,
             "Leftover of the v1beta1 version; ignored.");
  type.Field("hints", &Endpoint::hints, "Where the backend is best used from.");
  type.Field("hostname", &Endpoint::hostname,
             "Name of the backend within the service's domain, a DNS label.");
  type.Field("nodeName", &Endpoint::node_name, "Node that the backend runs on.");
  type.Field("targetRef", &Endpoint::target_ref, "The object behind the addresses, usually a Pod.");
  type.Field("zone", &Endpoint::zone, "Zone that the backend is in.");
}

void EndpointPort::Describe(Type<EndpointPort>& type) {
  type.Name("io.k8s.api.discovery.v1.EndpointPort")
      .Atomic()
      .Doc("A port that all backends of a slice listen on.");
  type.Field("appProtocol", &EndpointPort::app_protocol,
             "Protocol spoken on top, such as http, kubernetes.io/h2c or example.com/x; absent is "
             "unspecified.");
  type.Field("name", &EndpointPort::name,
             "Same as the port name in the service; unique in the slice, empty by default.")
      .Default("");
  type.Field("port", &EndpointPort::port,
             "Port number; absent is for consumers to interpret, often as all ports.");
  type.Field("protocol", &EndpointPort::protocol, "TCP (default), UDP or SCTP.")
      .Default("TCP")
      .Enum({"TCP", "UDP", "SCTP"});
}

void EndpointSlice::Describe(Type<EndpointSlice>& type) {
  type.Name("io.k8s.api.discovery.v1.EndpointSlice");
  type.Field("addressType", &EndpointSlice::address_type, "What all addresses of the slice are.")
      .Required()
      .Enum({"IPv4", "IPv6", "FQDN"})
      .Immutable();
  type.Field("endpoints", &EndpointSlice::endpoints, "The backends; at most 1000.")
      .Required()
      .ListAtomic();
  type.Field("metadata", &EndpointSlice::metadata);
  type.Field("ports", &EndpointSlice::ports,
             "Ports of every backend; at most 100, none means that there are no ports to use.")
      .ListAtomic();
}

}  // namespace kubexms::discoveryv1
