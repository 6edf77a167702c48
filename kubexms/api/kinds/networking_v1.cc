#include "kubexms/api/kinds/networking_v1.h"

namespace kubexms::networkingv1 {

void ServiceBackendPort::Describe(Type<ServiceBackendPort>& type) {
  type.Name("io.k8s.api.networking.v1.ServiceBackendPort")
      .Atomic()
      .Doc("A service port by name or by number, not both.");
  type.Field("name", 1, &ServiceBackendPort::name, "Port name; not together with number.");
  type.Field("number", 2, &ServiceBackendPort::number,
             "Port number, 1 to 65535; not together with name.")
      .OmitZero()
      .Minimum(1)
      .Maximum(65535);
}

void IngressServiceBackend::Describe(Type<IngressServiceBackend>& type) {
  type.Name("io.k8s.api.networking.v1.IngressServiceBackend").Doc("A port of a service.");
  type.Field("name", 1, &IngressServiceBackend::name, "Service in the namespace of the Ingress.")
      .Required();
  type.Field("port", 2, &IngressServiceBackend::port, "Port of the service; required.").WriteZero();
}

void IngressBackend::Describe(Type<IngressBackend>& type) {
  type.Name("io.k8s.api.networking.v1.IngressBackend")
      .Doc("Where requests go; either a service or another object.");
  type.Field("resource", 3, &IngressBackend::resource,
             "Object in the same namespace that receives the requests; excludes service.");
  type.Field("service", 4, &IngressBackend::service,
             "Service in the same namespace; not together with resource.");
}

void HTTPIngressPath::Describe(Type<HTTPIngressPath>& type) {
  type.Name("io.k8s.api.networking.v1.HTTPIngressPath")
      .Doc("Sends requests for some paths of a host to a backend.");
  type.Field("backend", 2, &HTTPIngressPath::backend, "Where the requests go.").Required();
  type.Field(
      "path", 1, &HTTPIngressPath::path,
      "Path starting with a slash, without parts such as . or ..; required for Exact and Prefix.");
  type.Field("pathType", 3, &HTTPIngressPath::path_type,
             "Exact compares whole paths, Prefix compares element by element, "
             "ImplementationSpecific is up to the controller.")
      .WriteNull()
      .Required();
}

void HTTPIngressRuleValue::Describe(Type<HTTPIngressRuleValue>& type) {
  type.Name("io.k8s.api.networking.v1.HTTPIngressRuleValue").Doc("The paths of a host.");
  type.Field("paths", 1, &HTTPIngressRuleValue::paths,
             "At least one; the longest match wins, and Exact beats Prefix.")
      .Required()
      .ListAtomic();
}

void ParentReference::Describe(Type<ParentReference>& type) {
  type.Name("io.k8s.api.networking.v1.ParentReference")
      .Doc("The object that an IP address belongs to.");
  type.Field("group", 1, &ParentReference::group, "API group; empty is the core group.");
  type.Field("name", 4, &ParentReference::name).OmitZero().Required();
  type.Field("namespace", 3, &ParentReference::namespace_name, "Empty for cluster-scoped objects.");
  type.Field("resource", 2, &ParentReference::resource, "Resource in the plural, such as services.")
      .OmitZero()
      .Required();
}

void IPAddressSpec::Describe(Type<IPAddressSpec>& type) {
  type.Name("io.k8s.api.networking.v1.IPAddressSpec").Doc("The user of an address.");
  type.Field("parentRef", 1, &IPAddressSpec::parent_ref,
             "Object that the address belongs to, usually a Service.")
      .Pointer()
      .Required()
      .Immutable();
}

void IPAddress::Describe(Type<IPAddress>& type) {
  type.Name("io.k8s.api.networking.v1.IPAddress");
  type.Field("metadata", 1, &IPAddress::metadata);
  type.Field("spec", 2, &IPAddress::spec, "Who uses the address.");
}

void IPBlock::Describe(Type<IPBlock>& type) {
  type.Name("io.k8s.api.networking.v1.IPBlock").Doc("A range of IP addresses, with holes.");
  type.Field("cidr", 1, &IPBlock::cidr, "The range, such as 10.0.0.0/8 or 2001:db8::/32.")
      .Required();
  type.Field("except", 2, &IPBlock::except, "Ranges inside cidr that are left out.").ListAtomic();
}

void IngressRule::Describe(Type<IngressRule>& type) {
  type.Name("io.k8s.api.networking.v1.IngressRule").Doc("The paths of one host.");
  type.Field("host", 1, &IngressRule::host,
             "DNS name, which may start with *. for one more label; empty matches all hosts.");
  type.Field(
      "http", {2, 1}, &IngressRule::http,
      "Paths and their backends; absent sends all requests of the host to the default backend.");
}

void IngressTLS::Describe(Type<IngressTLS>& type) {
  type.Name("io.k8s.api.networking.v1.IngressTLS").Doc("A certificate for some hosts.");
  type.Field("hosts", 1, &IngressTLS::hosts,
             "Hosts the certificate is for; empty leaves that to the controller.")
      .ListAtomic();
  type.Field("secretName", 2, &IngressTLS::secret_name,
             "Secret with certificate and key; empty if TLS is passed through or the controller "
             "has its own.");
}

void IngressSpec::Describe(Type<IngressSpec>& type) {
  type.Name("io.k8s.api.networking.v1.IngressSpec")
      .Doc("Hosts, paths, certificates and backends of an Ingress.");
  type.Field("defaultBackend", 1, &IngressSpec::default_backend,
             "Takes requests that no rule matches; required if there are no rules.");
  type.Field("ingressClassName", 4, &IngressSpec::ingress_class_name,
             "Class whose controller is responsible; absent gets the default class at creation, if "
             "there is one.")
      .Pointer();
  type.Field("rules", 3, &IngressSpec::rules,
             "Hosts and paths; requests without a match go to defaultBackend.")
      .ListAtomic();
  type.Field("tls", 2, &IngressSpec::tls,
             "Certificates by host; with several for a port, the host name in the TLS handshake "
             "decides.")
      .ListAtomic();
}

void IngressPortStatus::Describe(Type<IngressPortStatus>& type) {
  type.Name("io.k8s.api.networking.v1.IngressPortStatus")
      .Doc("State of one port of a load balancer.");
  type.Field("error", 3, &IngressPortStatus::error,
             "Reason for failure in CamelCase, with a domain if specific to a provider; absent "
             "when the port works.")
      .Pointer();
  type.Field("port", 1, &IngressPortStatus::port, "Port number.").Required();
  type.Field("protocol", 2, &IngressPortStatus::protocol, "TCP, UDP or SCTP.").Required();
}

void IngressLoadBalancerIngress::Describe(Type<IngressLoadBalancerIngress>& type) {
  type.Name("io.k8s.api.networking.v1.IngressLoadBalancerIngress")
      .Doc("One address at which an Ingress can be reached.");
  type.Field("hostname", 2, &IngressLoadBalancerIngress::hostname,
             "Set by load balancers that are known by DNS name.");
  type.Field("ip", 1, &IngressLoadBalancerIngress::ip,
             "Set by load balancers that are known by address.");
  type.Field("ports", 4, &IngressLoadBalancerIngress::ports,
             "Ports that are served at the address.")
      .ListAtomic();
}

void IngressLoadBalancerStatus::Describe(Type<IngressLoadBalancerStatus>& type) {
  type.Name("io.k8s.api.networking.v1.IngressLoadBalancerStatus")
      .Doc("Addresses at which an Ingress can be reached.");
  type.Field("ingress", 1, &IngressLoadBalancerStatus::ingress,
             "The addresses; none until a controller has taken up the Ingress.")
      .ListAtomic();
}

void IngressStatus::Describe(Type<IngressStatus>& type) {
  type.Name("io.k8s.api.networking.v1.IngressStatus").Doc("Where an Ingress can be reached.");
  type.Field("loadBalancer", 1, &IngressStatus::load_balancer, "Addresses of the load balancer.")
      .WriteZero();
}

void Ingress::Describe(Type<Ingress>& type) {
  type.Name("io.k8s.api.networking.v1.Ingress");
  type.Field("metadata", 1, &Ingress::metadata);
  type.Field("spec", 2, &Ingress::spec, "Hosts, paths, certificates and backends.");
  type.Field("status", 3, &Ingress::status, "Where the Ingress can be reached.");
}

void IngressClassParametersReference::Describe(Type<IngressClassParametersReference>& type) {
  type.Name("io.k8s.api.networking.v1.IngressClassParametersReference")
      .Doc("An object with more settings for an Ingress class.");
  type.Field("apiGroup", 1, &IngressClassParametersReference::api_group,
             "API group of the object; absent is the core group.")
      .Pointer();
  type.Field("kind", 2, &IngressClassParametersReference::kind).Required();
  type.Field("name", 3, &IngressClassParametersReference::name).Required();
  type.Field("namespace", 5, &IngressClassParametersReference::namespace_name,
             "Required for scope Namespace, forbidden for Cluster.")
      .Pointer();
  type.Field("scope", 4, &IngressClassParametersReference::scope,
             "Whether the object is cluster-scoped or in a namespace; Cluster by default.")
      .WriteNull()
      .Default("Cluster")
      .Enum({"Cluster", "Namespace"});
}

void IngressClassSpec::Describe(Type<IngressClassSpec>& type) {
  type.Name("io.k8s.api.networking.v1.IngressClassSpec")
      .Doc("The controller for Ingresses of a class.");
  type.Field("controller", 1, &IngressClassSpec::controller,
             "Domain-prefixed path that a controller looks for, such as example.com/ingress; at "
             "most 250 characters.")
      .Immutable();
  type.Field("parameters", 2, &IngressClassSpec::parameters,
             "Further settings; absent if the controller needs none.");
}

void IngressClass::Describe(Type<IngressClass>& type) {
  type.Name("io.k8s.api.networking.v1.IngressClass");
  type.Field("metadata", 1, &IngressClass::metadata);
  type.Field("spec", 2, &IngressClass::spec, "Controller and its parameters.");
}

void NetworkPolicyPort::Describe(Type<NetworkPolicyPort>& type) {
  type.Name("io.k8s.api.networking.v1.NetworkPolicyPort")
      .Doc("A port, or a range of ports, of one protocol.");
  type.Field(
          "endPort", 3, &NetworkPolicyPort::end_port,
          "Last port of a range that starts at port, which must then be a number not above this.")
      .Minimum(1)
      .Maximum(65535);
  type.Field("port", 2, &NetworkPolicyPort::port,
             "Port number or the name of a container port; absent is all ports of the protocol.");
  type.Field("protocol", 1, &NetworkPolicyPort::protocol, "TCP (default), UDP or SCTP.")
      .Pointer()
      .Default("TCP")
      .Enum({"TCP", "UDP", "SCTP"});
}

void NetworkPolicyPeer::Describe(Type<NetworkPolicyPeer>& type) {
  type.Name("io.k8s.api.networking.v1.NetworkPolicyPeer")
      .Doc("The other side of some traffic; either an address range or pods.");
  type.Field("ipBlock", 3, &NetworkPolicyPeer::ip_block,
             "Address range; not together with the selectors.");
  type.Field("namespaceSelector", 2, &NetworkPolicyPeer::namespace_selector,
             "Namespaces of the pods; an empty one is all namespaces, absent is the policy's own.");
  type.Field("podSelector", 1, &NetworkPolicyPeer::pod_selector,
             "Pods in the selected namespaces; an empty one or none is all pods.");
}

void NetworkPolicyEgressRule::Describe(Type<NetworkPolicyEgressRule>& type) {
  type.Name("io.k8s.api.networking.v1.NetworkPolicyEgressRule")
      .Doc("Traffic that selected pods may send; peer and port must both match.");
  type.Field("ports", 1, &NetworkPolicyEgressRule::ports, "Destination ports; empty allows all.")
      .ListAtomic();
  type.Field("to", 2, &NetworkPolicyEgressRule::to, "Destinations; empty allows all.").ListAtomic();
}

void NetworkPolicyIngressRule::Describe(Type<NetworkPolicyIngressRule>& type) {
  type.Name("io.k8s.api.networking.v1.NetworkPolicyIngressRule")
      .Doc("Traffic that selected pods may receive; peer and port must both match.");
  type.Field("from", 2, &NetworkPolicyIngressRule::from, "Sources; empty allows all.").ListAtomic();
  type.Field("ports", 1, &NetworkPolicyIngressRule::ports,
             "Ports of the selected pods; empty allows all.")
      .ListAtomic();
}

void NetworkPolicySpec::Describe(Type<NetworkPolicySpec>& type) {
  type.Name("io.k8s.api.networking.v1.NetworkPolicySpec")
      .Doc("Which pods a policy restricts, and what it still allows them.");
  type.Field("egress", 3, &NetworkPolicySpec::egress,
             "What selected pods may send; if Egress applies, empty allows nothing.")
      .ListAtomic();
  type.Field("ingress", 2, &NetworkPolicySpec::ingress,
             "What selected pods may receive; if Ingress applies, empty allows nothing.")
      .ListAtomic();
  type.Field("podSelector", 1, &NetworkPolicySpec::pod_selector,
             "Pods of the namespace that are restricted; empty selects all.");
  type.Field("policyTypes", 4, &NetworkPolicySpec::policy_types,
             "Directions that are restricted; by default Ingress, and also Egress if there are "
             "egress rules.")
      .Enum({"Ingress", "Egress"})
      .ListAtomic();
}

void NetworkPolicy::Describe(Type<NetworkPolicy>& type) {
  type.Name("io.k8s.api.networking.v1.NetworkPolicy");
  type.Field("metadata", 1, &NetworkPolicy::metadata);
  type.Field("spec", 2, &NetworkPolicy::spec, "Which pods, and which traffic they may have.");
}

void ServiceCIDRSpec::Describe(Type<ServiceCIDRSpec>& type) {
  type.Name("io.k8s.api.networking.v1.ServiceCIDRSpec").Doc("Address ranges for cluster IPs.");
  type.Field("cidrs", 1, &ServiceCIDRSpec::cidrs,
             "One range, or one for each IP family; an existing range cannot change, a second "
             "family can be added.")
      .ListAtomic();
}

void ServiceCIDRStatus::Describe(Type<ServiceCIDRStatus>& type) {
  type.Name("io.k8s.api.networking.v1.ServiceCIDRStatus").Doc("State of a range for cluster IPs.");
  type.Field("conditions", 1, &ServiceCIDRStatus::conditions,
             "Ready says whether addresses can be allocated from the range.")
      .ListMap({"type"})
      .PatchMerge("type");
}

void ServiceCIDR::Describe(Type<ServiceCIDR>& type) {
  type.Name("io.k8s.api.networking.v1.ServiceCIDR");
  type.Field("metadata", 1, &ServiceCIDR::metadata);
  type.Field("spec", 2, &ServiceCIDR::spec, "The range for each IP family.");
  type.Field("status", 3, &ServiceCIDR::status, "Whether the range is in use.");
}

}  // namespace kubexms::networkingv1
