#include "kubexms/api/kinds/discovery_v1.h"

namespace kubexms::discoveryv1 {

void EndpointConditions::Describe(Type<EndpointConditions>& type) {
  type.Name("io.k8s.api.discovery.v1.EndpointConditions")
      .Doc("Readiness of a backend; each value may be unknown.");
  type.Field("ready", 1, &EndpointConditions::ready,
             "Whether to send traffic; absent counts as true, and a terminating backend is "
             "normally false.");
  type.Field("serving", 2, &EndpointConditions::serving,
             "Like ready, but ignoring that the backend is terminating; absent is read as ready.");
  type.Field("terminating", 3, &EndpointConditions::terminating,
             "Whether the backend is being shut down; absent counts as false.");
}

void ForNode::Describe(Type<ForNode>& type) {
  type.Name("io.k8s.api.discovery.v1.ForNode").Doc("A node that a backend is meant for.");
  type.Field("name", 1, &ForNode::name, "Node name.").Required();
}

void ForZone::Describe(Type<ForZone>& type) {
  type.Name("io.k8s.api.discovery.v1.ForZone").Doc("A zone that a backend is meant for.");
  type.Field("name", 1, &ForZone::name, "Zone name.").Required();
}

void EndpointHints::Describe(Type<EndpointHints>& type) {
  type.Name("io.k8s.api.discovery.v1.EndpointHints")
      .Doc("The clients that should use an endpoint, so that traffic stays local.");
  type.Field("forNodes", 2, &EndpointHints::for_nodes,
             "Nodes whose clients should use this backend; at most 8.")
      .ListAtomic();
  type.Field("forZones", 1, &EndpointHints::for_zones,
             "Zones whose clients should use this backend; at most 8.")
      .ListAtomic();
}

void Endpoint::Describe(Type<Endpoint>& type) {
  type.Name("io.k8s.api.discovery.v1.Endpoint").Doc("One backend of a service, usually a pod.");
  type.Field("addresses", 1, &Endpoint::addresses,
             "Addresses of this backend, 1 to 100, of the slice's type; proxies use the first.")
      .Required()
      .ListSet();
  type.Field("conditions", 2, &Endpoint::conditions, "Whether the backend should get traffic.")
      .WriteZero();
  type.Field("deprecatedTopology", 5, &Endpoint::deprecated_topology,
             "Leftover of the v1beta1 version; ignored.");
  type.Field("hints", 8, &Endpoint::hints, "Where the backend is best used from.");
  type.Field("hostname", 3, &Endpoint::hostname,
             "Name of the backend within the service's domain, a DNS label.")
      .Pointer();
  type.Field("nodeName", 6, &Endpoint::node_name, "Node that the backend runs on.").Pointer();
  type.Field("targetRef", 4, &Endpoint::target_ref,
             "The object behind the addresses, usually a Pod.");
  type.Field("zone", 7, &Endpoint::zone, "Zone that the backend is in.").Pointer();
}

void EndpointPort::Describe(Type<EndpointPort>& type) {
  type.Name("io.k8s.api.discovery.v1.EndpointPort")
      .Atomic()
      .Doc("A port that all backends of a slice listen on.");
  type.Field("appProtocol", 4, &EndpointPort::app_protocol,
             "Protocol spoken on top, such as http, kubernetes.io/h2c or example.com/x; absent is "
             "unspecified.")
      .Pointer();
  type.Field("name", 1, &EndpointPort::name,
             "Same as the port name in the service; unique in the slice, empty by default.")
      .Default("");
  type.Field("port", 3, &EndpointPort::port,
             "Port number; absent is for consumers to interpret, often as all ports.");
  type.Field("protocol", 2, &EndpointPort::protocol, "TCP (default), UDP or SCTP.")
      .Pointer()
      .Default("TCP")
      .Enum({"TCP", "UDP", "SCTP"});
}

void EndpointSlice::Describe(Type<EndpointSlice>& type) {
  type.Name("io.k8s.api.discovery.v1.EndpointSlice");
  type.Field("addressType", 4, &EndpointSlice::address_type, "What all addresses of the slice are.")
      .Required()
      .Enum({"IPv4", "IPv6", "FQDN"})
      .Immutable();
  type.Field("endpoints", 2, &EndpointSlice::endpoints, "The backends; at most 1000.")
      .Required()
      .ListAtomic();
  type.Field("metadata", 1, &EndpointSlice::metadata);
  type.Field("ports", 3, &EndpointSlice::ports,
             "Ports of every backend; at most 100, none means that there are no ports to use.")
      .WriteZero()
      .ListAtomic();
}

}  // namespace kubexms::discoveryv1
