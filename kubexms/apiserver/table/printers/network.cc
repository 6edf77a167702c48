// Columns of services, endpoints and ingresses.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "kubexms/apiserver/table/printers/printer.h"

namespace kubexms::printers {
namespace {

// Lists of addresses and ports show this many and the number of further ones.
constexpr size_t kShown = 3;

// The addresses or host names of a load balancer, in order.
std::vector<std::string> LoadBalancerAddresses(JsonView object) {
  std::set<std::string> addresses;
  for (const JsonView& ingress : object["status"]["loadBalancer"]["ingress"].Items()) {
    const std::string_view address =
        ingress["ip"].Text().empty() ? ingress["hostname"].Text() : ingress["ip"].Text();
    if (!address.empty()) addresses.emplace(address);
  }
  return {addresses.begin(), addresses.end()};
}

constexpr Column kServiceColumns[] = {
    kName,
    Text("Type", "The type of the service."),
    Text("Cluster-IP", "The IP address inside the cluster."),
    Text("External-IP", "The external addresses."),
    Text("Port(s)", "The ports and node ports."),
    kAge,
    Wide("Selector", "The label selector of the pods of the service."),
};

std::string ExternalAddress(JsonView service) {
  const JsonView spec = service["spec"];
  const std::string_view type = spec["type"].Text();
  const std::string external = JoinTexts(spec["externalIPs"]);
  if (type == "ExternalName") return std::string(spec["externalName"].Text());
  if (type == "ClusterIP" || type == "NodePort") return external.empty() ? "<none>" : external;
  if (type != "LoadBalancer") return "<unknown>";
  std::vector<std::string> addresses = LoadBalancerAddresses(service);
  if (!external.empty()) addresses.push_back(external);
  return addresses.empty() ? "<pending>" : fmt::format("{}", fmt::join(addresses, ","));
}

// "80/TCP,443:30443/TCP".
std::string ServicePorts(JsonView ports) {
  std::string text;
  for (const JsonView& port : ports.Items()) {
    if (!text.empty()) text += ',';
    text += port["port"].ToText();
    if (port["nodePort"].Number() > 0) text.append(":").append(port["nodePort"].ToText());
    text.append("/").append(port["protocol"].Text());
  }
  return text.empty() ? "<none>" : text;
}

std::string_view ClusterAddress(JsonView spec) {
  for (const JsonView& address : spec["clusterIPs"].Items()) return address.Text();
  const std::string_view address = spec["clusterIP"].Text();
  return address.empty() ? "<none>" : address;
}

void PrintService(JsonView object, Row& row) {
  const JsonView spec = object["spec"];
  row.Add(Name(object), spec["type"].Text(), ClusterAddress(spec), ExternalAddress(object),
          ServicePorts(spec["ports"]), row.Age(object), FormatLabels(spec["selector"]));
}

constexpr Column kEndpointsColumns[] = {
    kName,
    Text("Endpoints", "The addresses and ports of the pods."),
    kAge,
};

// "10.0.0.1:80", "[fd00::1]:80".
std::string JoinHostPort(std::string_view host, JsonView port) {
  const bool brackets = host.find(':') != std::string_view::npos;
  return fmt::format("{}{}{}:{}", brackets ? "[" : "", host, brackets ? "]" : "", port.Number());
}

std::vector<std::string> EndpointsOf(JsonView subset) {
  std::vector<std::string> endpoints;
  const std::vector<JsonView> addresses = subset["addresses"].Items();
  const std::vector<JsonView> ports = subset["ports"].Items();
  if (ports.empty()) {
    for (const JsonView& address : addresses) endpoints.emplace_back(address["ip"].Text());
  }
  for (const JsonView& port : ports) {
    for (const JsonView& address : addresses) {
      endpoints.push_back(JoinHostPort(address["ip"].Text(), port["port"]));
    }
  }
  return endpoints;
}

void PrintEndpoints(JsonView object, Row& row) {
  std::vector<std::string> endpoints;
  for (const JsonView& subset : object["subsets"].Items()) {
    std::ranges::move(EndpointsOf(subset), std::back_inserter(endpoints));
  }
  const bool none = object["subsets"].empty();
  row.Add(Name(object), none ? "<none>" : JoinFirst(endpoints, kShown), row.Age(object));
}

constexpr Column kEndpointSliceColumns[] = {
    kName,
    Text("AddressType", "The type of the addresses: IPv4, IPv6 or FQDN."),
    Text("Ports", "The ports of every endpoint."),
    Text("Endpoints", "The addresses of the pods."),
    kAge,
};

std::string OrUnset(std::string text) {
  if (text.empty()) text = "<unset>";
  return text;
}

std::string SlicePorts(JsonView slice) {
  std::vector<std::string> ports;
  for (const JsonView& port : slice["ports"].Items()) {
    ports.push_back(port["port"] ? port["port"].ToText() : port["name"].ToText("*"));
  }
  return OrUnset(JoinFirst(ports, kShown));
}

std::string SliceAddresses(JsonView slice) {
  std::vector<std::string> addresses;
  for (const JsonView& endpoint : slice["endpoints"].Items()) {
    for (const JsonView& address : endpoint["addresses"].Items()) {
      addresses.emplace_back(address.Text());
    }
  }
  return OrUnset(JoinFirst(addresses, kShown));
}

void PrintEndpointSlice(JsonView object, Row& row) {
  row.Add(Name(object), object["addressType"].Text(), SlicePorts(object), SliceAddresses(object),
          row.Age(object));
}

constexpr Column kIngressColumns[] = {
    kName,
    Text("Class", "The ingress class."),
    Text("Hosts", "The host names of the rules."),
    Text("Address", "The addresses of the load balancer."),
    Text("Ports", "The ports of the load balancer."),
    kAge,
};

// The hosts of the first rules that have one, and the number of further rules.
std::string IngressHosts(JsonView rules) {
  std::vector<std::string> hosts;
  bool more = false;
  for (const JsonView& rule : rules.Items()) {
    if (hosts.size() == kShown) more = true;
    if (!more && !rule["host"].Text().empty()) hosts.emplace_back(rule["host"].Text());
  }
  if (hosts.empty()) return "*";
  const std::string shown = fmt::format("{}", fmt::join(hosts, ","));
  return more ? fmt::format("{} + {} more...", shown, rules.size() - kShown) : shown;
}

void PrintIngress(JsonView object, Row& row) {
  const JsonView spec = object["spec"];
  row.Add(Name(object), spec["ingressClassName"].Text("<none>"), IngressHosts(spec["rules"]),
          fmt::format("{}", fmt::join(LoadBalancerAddresses(object), ",")),
          spec["tls"].empty() ? "80" : "80, 443", row.Age(object));
}

constexpr Column kIngressClassColumns[] = {
    kName,
    Text("Controller", "The controller that serves ingresses of this class."),
    Text("Parameters", "The object with the parameters of the class."),
    kAge,
};

// "Settings.example.com/internal".
std::string IngressParameters(JsonView parameters) {
  if (!parameters) return "<none>";
  std::string text(parameters["kind"].Text());
  if (parameters["apiGroup"]) text.append(".").append(parameters["apiGroup"].Text());
  return text.append("/").append(parameters["name"].Text());
}

void PrintIngressClass(JsonView object, Row& row) {
  const JsonView spec = object["spec"];
  row.Add(Name(object), spec["controller"].Text(), IngressParameters(spec["parameters"]),
          row.Age(object));
}

constexpr Column kNetworkPolicyColumns[] = {
    kName,
    Text("Pod-Selector", "The label selector of the pods that the policy applies to."),
    kAge,
};

void PrintNetworkPolicy(JsonView object, Row& row) {
  row.Add(Name(object), FormatSelector(object["spec"]["podSelector"]), row.Age(object));
}

constexpr Column kIpAddressColumns[] = {
    kName,
    Text("ParentRef", "The object that holds the address."),
};

// "services/default/kubernetes", "gateways.example.com/edge".
std::string ParentReference(JsonView parent) {
  std::string text(parent["resource"].Text());
  for (const std::string_view field : {"group", "namespace", "name"}) {
    const std::string_view part = parent[field].Text();
    if (!part.empty()) text.append(field == "group" ? "." : "/").append(part);
  }
  return text;
}

void PrintIpAddress(JsonView object, Row& row) {
  row.Add(Name(object), ParentReference(object["spec"]["parentRef"]));
}

constexpr Column kServiceCidrColumns[] = {
    kName,
    Text("CIDRs", "The ranges of the cluster IPs of services."),
    kAge,
};

void PrintServiceCidr(JsonView object, Row& row) {
  row.Add(Name(object), JoinTexts(object["spec"]["cidrs"]), row.Age(object));
}

constexpr Printer kPrinters[] = {
    {"", "v1", "Endpoints", kEndpointsColumns, PrintEndpoints},
    {"", "v1", "Service", kServiceColumns, PrintService},
    {"discovery.k8s.io", "v1", "EndpointSlice", kEndpointSliceColumns, PrintEndpointSlice},
    {"networking.k8s.io", "v1", "IPAddress", kIpAddressColumns, PrintIpAddress},
    {"networking.k8s.io", "v1", "Ingress", kIngressColumns, PrintIngress},
    {"networking.k8s.io", "v1", "IngressClass", kIngressClassColumns, PrintIngressClass},
    {"networking.k8s.io", "v1", "NetworkPolicy", kNetworkPolicyColumns, PrintNetworkPolicy},
    {"networking.k8s.io", "v1", "ServiceCIDR", kServiceCidrColumns, PrintServiceCidr},
};

}  // namespace

std::span<const Printer> NetworkPrinters() { return kPrinters; }

}  // namespace kubexms::printers
