#include "kubexms/api/kinds/core_v1/service.h"

namespace kubexms::corev1 {

void ClientIPConfig::Describe(Type<ClientIPConfig>& type) {
  type.Name("io.k8s.api.core.v1.ClientIPConfig")
      .Doc("Settings of session affinity by client address.");
  type.Field("timeoutSeconds", 1, &ClientIPConfig::timeout_seconds,
             "How long, in seconds, an idle client retains its backend; 10800 (three hours) unless "
             "set.")
      .Default(10800)
      .Minimum(1)
      .Maximum(86400);
}

void EndpointAddress::Describe(Type<EndpointAddress>& type) {
  type.Name("io.k8s.api.core.v1.EndpointAddress").Atomic().Doc("One address behind a service.");
  type.Field("hostname", 3, &EndpointAddress::hostname,
             "DNS label of the endpoint under a headless service.");
  type.Field("ip", 1, &EndpointAddress::ip,
             "Address of the endpoint; loopback and link-local addresses are refused.")
      .Required();
  type.Field("nodeName", 4, &EndpointAddress::node_name, "Node that hosts the endpoint, if any.")
      .Pointer();
  type.Field("targetRef", 2, &EndpointAddress::target_ref,
             "Object that provides the endpoint, usually a pod.");
}

void EndpointPort::Describe(Type<EndpointPort>& type) {
  type.Name("io.k8s.api.core.v1.EndpointPort")
      .Atomic()
      .Doc("A port offered by all addresses of a subset.");
  type.Field("appProtocol", 4, &EndpointPort::app_protocol,
             "Application protocol hint, such as http or kubernetes.io/h2c.")
      .Pointer();
  type.Field("name", 1, &EndpointPort::name,
             "Same name as the service port; may be empty only for a single port.");
  type.Field("port", 2, &EndpointPort::port, "Port number on the endpoint.")
      .Required()
      .Minimum(1)
      .Maximum(65535);
  type.Field("protocol", 3, &EndpointPort::protocol, "Transport protocol; TCP unless set.")
      .Default("TCP")
      .Enum({"TCP", "UDP", "SCTP"});
}

void EndpointSubset::Describe(Type<EndpointSubset>& type) {
  type.Name("io.k8s.api.core.v1.EndpointSubset")
      .Doc("Addresses that offer the same ports; each address combines with each port.");
  type.Field("addresses", 1, &EndpointSubset::addresses, "Addresses that are ready for traffic.")
      .ListAtomic();
  type.Field("notReadyAddresses", 2, &EndpointSubset::not_ready_addresses,
             "Addresses that should not receive traffic yet or any more.")
      .ListAtomic();
  type.Field("ports", 3, &EndpointSubset::ports, "Ports open on every address.").ListAtomic();
}

void Endpoints::Describe(Type<Endpoints>& type) {
  type.Name("io.k8s.api.core.v1.Endpoints");
  type.Field("metadata", 1, &Endpoints::metadata);
  type.Field("subsets", 2, &Endpoints::subsets,
             "Groups of addresses with equal ports; the union of all groups is the full set.")
      .ListAtomic();
}

void PortStatus::Describe(Type<PortStatus>& type) {
  type.Name("io.k8s.api.core.v1.PortStatus").Doc("State of one port of a load balancer.");
  type.Field("error", 3, &PortStatus::error,
             "Why the port does not work, in CamelCase; absent if it works.")
      .Pointer();
  type.Field("port", 1, &PortStatus::port, "Port of the service that is meant.").Required();
  type.Field("protocol", 2, &PortStatus::protocol, "Transport protocol of the port.").Required();
}

void LoadBalancerIngress::Describe(Type<LoadBalancerIngress>& type) {
  type.Name("io.k8s.api.core.v1.LoadBalancerIngress").Doc("One entry point of a load balancer.");
  type.Field("hostname", 2, &LoadBalancerIngress::hostname,
             "DNS name of the entry point; used by balancers that are reached by name.");
  type.Field("ip", 1, &LoadBalancerIngress::ip, "Address of the entry point.");
  type.Field(
          "ipMode", 3, &LoadBalancerIngress::ip_mode,
          "Whether packets arrive with the balancer's address (VIP) or are re-sent by it (Proxy).")
      .Pointer()
      .Enum({"VIP", "Proxy"});
  type.Field("ports", 4, &LoadBalancerIngress::ports,
             "State of single service ports; an error means that the port is not served.")
      .ListAtomic();
}

void LoadBalancerStatus::Describe(Type<LoadBalancerStatus>& type) {
  type.Name("io.k8s.api.core.v1.LoadBalancerStatus").Doc("Where a load balancer can be reached.");
  type.Field("ingress", 1, &LoadBalancerStatus::ingress,
             "Entry points; empty as long as the balancer is not ready.")
      .ListAtomic();
}

void ServicePort::Describe(Type<ServicePort>& type) {
  type.Name("io.k8s.api.core.v1.ServicePort").Doc("One port that a service offers.");
  type.Field("appProtocol", 6, &ServicePort::app_protocol,
             "Application protocol hint for proxies, such as http or kubernetes.io/ws.")
      .Pointer();
  type.Field("name", 1, &ServicePort::name,
             "Name of the port; required and unique if there are several.");
  type.Field("nodePort", 5, &ServicePort::node_port,
             "Port on every node for NodePort and LoadBalancer; 0 lets the server choose from its "
             "range.")
      .OmitZero()
      .Minimum(0)
      .Maximum(65535);
  type.Field("port", 3, &ServicePort::port, "Port under which the service is reached.")
      .Required()
      .Minimum(1)
      .Maximum(65535);
  type.Field("protocol", 2, &ServicePort::protocol, "Transport protocol; TCP unless set.")
      .Default("TCP")
      .Enum({"TCP", "UDP", "SCTP"});
  type.Field("targetPort", 4, &ServicePort::target_port,
             "Number or name of the port on the pods; equals port unless set.")
      .WriteZero();
}

void SessionAffinityConfig::Describe(Type<SessionAffinityConfig>& type) {
  type.Name("io.k8s.api.core.v1.SessionAffinityConfig").Doc("Settings of session affinity.");
  type.Field("clientIP", 1, &SessionAffinityConfig::client_ip,
             "Settings of affinity by client address.");
}

KUBEXMS_DEFINE_SPECIAL_MEMBERS(ServiceSpec);
void ServiceSpec::Describe(Type<ServiceSpec>& type) {
  type.Name("io.k8s.api.core.v1.ServiceSpec").Doc("What a service offers, to whom and how.");
  type.Field("allocateLoadBalancerNodePorts", 20, &ServiceSpec::allocate_load_balancer_node_ports,
             "Whether a LoadBalancer service also gets node ports; true for that type unless set.");
  type.Field("clusterIP", 3, &ServiceSpec::cluster_ip,
             "Virtual address; empty lets the server choose, None makes the service headless; "
             "fixed once given.");
  type.Field("clusterIPs", 18, &ServiceSpec::cluster_ips,
             "Virtual addresses, at most one for each IP family; the first equals clusterIP.")
      .ListAtomic();
  type.Field("externalIPs", 5, &ServiceSpec::external_ips,
             "Outside addresses for which nodes accept traffic; routing them there is up to you.")
      .ListAtomic();
  type.Field("externalName", 10, &ServiceSpec::external_name,
             "DNS name to which an ExternalName service is an alias.");
  type.Field("externalTrafficPolicy", 11, &ServiceSpec::external_traffic_policy,
             "Local preserves the client address and uses pods of the receiving node only; Cluster "
             "spreads.")
      .Enum({"Cluster", "Local"});
  type.Field(
          "healthCheckNodePort", 12, &ServiceSpec::health_check_node_port,
          "Port for health checks of load balancers with policy Local; 0 lets the server choose.")
      .OmitZero();
  type.Field("internalTrafficPolicy", 22, &ServiceSpec::internal_traffic_policy,
             "Local sends traffic from inside the cluster only to pods of the same node.")
      .Pointer()
      .Enum({"Cluster", "Local"});
  type.Field("ipFamilies", 19, &ServiceSpec::ip_families,
             "IP families of the service in order; filled in from ipFamilyPolicy and the cluster.")
      .Enum({"IPv4", "IPv6"})
      .ListAtomic();
  type.Field(
          "ipFamilyPolicy", 17, &ServiceSpec::ip_family_policy,
          "One family, two if the cluster has them, or two without fail; SingleStack unless set.")
      .Pointer()
      .Enum({"SingleStack", "PreferDualStack", "RequireDualStack"});
  type.Field("loadBalancerClass", 21, &ServiceSpec::load_balancer_class,
             "Which load balancer controller shall serve; absent means the default one; fixed once "
             "set.")
      .Pointer();
  type.Field("loadBalancerIP", 8, &ServiceSpec::load_balancer_ip,
             "Wanted address of the load balancer; deprecated and ignored by many providers.");
  type.Field("loadBalancerSourceRanges", 9, &ServiceSpec::load_balancer_source_ranges,
             "Client address ranges the load balancer lets in; empty lets in all.")
      .ListAtomic();
  type.Field("ports", 1, &ServiceSpec::ports,
             "Ports of the service; required unless it is headless or of type ExternalName.")
      .ListMap({"port", "protocol"})
      .PatchMerge("port");
  type.Field(
      "publishNotReadyAddresses", 13, &ServiceSpec::publish_not_ready_addresses,
      "Publishes pods even if they are not ready; meant for peer discovery; false by default.");
  type.Field("selector", 2, &ServiceSpec::selector,
             "Labels of the pods behind the service; empty means that endpoints are managed "
             "elsewhere.")
      .MapAtomic();
  type.Field("sessionAffinity", 7, &ServiceSpec::session_affinity,
             "ClientIP always sends a client to the same pod; None spreads each connection.")
      .Default("None")
      .Enum({"ClientIP", "None"});
  type.Field("sessionAffinityConfig", 14, &ServiceSpec::session_affinity_config,
             "Settings of the session affinity; dropped when the affinity is None.");
  type.Field("trafficDistribution", 23, &ServiceSpec::traffic_distribution,
             "Preference for nearby pods; absent treats all pods alike.")
      .Pointer()
      .Enum({"PreferClose", "PreferSameZone", "PreferSameNode"});
  type.Field("type", 4, &ServiceSpec::type,
             "How the service is exposed; each of the first three types includes the one before.")
      .Default("ClusterIP")
      .Enum({"ClusterIP", "NodePort", "LoadBalancer", "ExternalName"});
}

void ServiceStatus::Describe(Type<ServiceStatus>& type) {
  type.Name("io.k8s.api.core.v1.ServiceStatus").Doc("Observed state of a service.");
  type.Field("conditions", 2, &ServiceStatus::conditions, "Findings about the service.")
      .ListMap({"type"})
      .PatchMerge("type");
  type.Field("loadBalancer", 1, &ServiceStatus::load_balancer,
             "Entry points of the load balancer; empty for other types.")
      .WriteZero()
      .DefaultJson("{}");
}

void Service::Describe(Type<Service>& type) {
  type.Name("io.k8s.api.core.v1.Service");
  type.Field("metadata", 1, &Service::metadata);
  type.Field("spec", 2, &Service::spec, "What the service offers and how traffic reaches it.")
      .DefaultJson("{}");
  type.Field("status", 3, &Service::status, "State of the load balancer, if there is one.")
      .DefaultJson("{}");
}

}  // namespace kubexms::corev1
