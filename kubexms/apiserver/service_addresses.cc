#include "kubexms/apiserver/service_addresses.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "kubexms/api/field_error.h"
#include "kubexms/api/quote.h"
#include "kubexms/api/stored_object.h"
#include "kubexms/apiserver/metadata.h"
#include "kubexms/apiserver/resource.h"

namespace kubexms {
namespace {

// How often a random address is tried before the whole range is looked at.
constexpr int kRandomTries = 32;

std::string IpKey(std::string_view ip) {
  return StoragePrefix("networking.k8s.io", "ipaddresses").append(ip);
}

std::string PortKey(int64_t port) {
  return StoragePrefix("kubexms.io", "nodeports").append(std::to_string(port));
}

std::string IpText(uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24, (address >> 16) & 255, (address >> 8) & 255,
                     address & 255);
}

std::optional<uint32_t> ParseIp(const std::string& text) {
  in_addr address{};
  if (inet_pton(AF_INET, text.c_str(), &address) != 1) return std::nullopt;
  return ntohl(address.s_addr);
}

JsonObject& SpecOf(Json& service) { return ObjectMember(service.get_object(), "spec"); }

const Json& SpecOf(const Json& service) { return MemberOrNull(service, "spec"); }

std::string_view TypeOf(const Json& service) { return FindString(SpecOf(service), "type"); }

bool HasClusterIp(const Json& service) { return TypeOf(service) != "ExternalName"; }

bool HasNodePorts(const Json& service) {
  if (TypeOf(service) == "NodePort") return true;
  if (TypeOf(service) != "LoadBalancer") return false;
  const Json* allocate = FindMember(SpecOf(service), "allocateLoadBalancerNodePorts");
  return allocate == nullptr || !allocate->is_bool() || allocate->get_bool();
}

// The ports of a Service, for reading and for changing.
template <class JsonType>
auto PortsOf(JsonType& service) -> std::vector<JsonType*> {
  std::vector<JsonType*> ports;
  auto* spec = FindMember(service, "spec");
  auto* list = spec == nullptr ? nullptr : FindMember(*spec, "ports");
  if (list == nullptr || !list->is_array()) return ports;
  for (auto& port : list->get_array()) {
    if (port.is_object()) ports.push_back(&port);
  }
  return ports;
}

int64_t NodePortOf(const Json& port) {
  const Json* number = FindMember(port, "nodePort");
  return number != nullptr && number->is_int64() ? number->get_int64() : 0;
}

std::set<int64_t> NodePortsOf(const Json* service) {
  std::set<int64_t> numbers;
  if (service == nullptr) return numbers;
  for (const Json* port : PortsOf(*service)) {
    if (NodePortOf(*port) != 0) numbers.insert(NodePortOf(*port));
  }
  const Json* health = FindMember(SpecOf(*service), "healthCheckNodePort");
  if (health != nullptr && health->is_int64() && health->get_int64() != 0) {
    numbers.insert(health->get_int64());
  }
  return numbers;
}

// Empty when it has none, or is headless.
std::string ClusterIpOf(const Json* service) {
  if (service == nullptr) return {};
  const std::string_view ip = FindString(SpecOf(*service), "clusterIP");
  return ip == "None" ? std::string() : std::string(ip);
}

Error InvalidService(const Json& service, ErrorCause cause) {
  return Error::Invalid("Service", NameOf(service), {std::move(cause)});
}

// The IPAddress object that says who holds the address.
EncodedObject MakeIpAddress(std::string_view ip, const Json& service, Time now, Random& random) {
  const JsonObject address{
      {"apiVersion", "networking.k8s.io/v1"},
      {"kind", "IPAddress"},
      {"metadata", JsonObject{{"name", ip},
                              {"uid", random.Uuid()},
                              {"creationTimestamp", now.ToString()},
                              {"labels", JsonObject{{"ipaddress.kubernetes.io/ip-family", "IPv4"},
                                                    {"ipaddress.kubernetes.io/managed-by",
                                                     "ipallocator.k8s.io"}}}}},
      {"spec", JsonObject{{"parentRef", JsonObject{{"group", ""},
                                                   {"resource", "services"},
                                                   {"namespace", NamespaceOf(service)},
                                                   {"name", NameOf(service)}}}}}};
  return EncodeObject(address);
}

// Drops node ports of a Service that no longer has any, as long as they are the old ones: clients
// send back what they have read.
void ForgetNodePorts(Json& service, const Json* old) {
  const std::set<int64_t> before = NodePortsOf(old);
  for (Json* port : PortsOf(service)) {
    if (before.contains(NodePortOf(*port))) port->get_object().erase("nodePort");
  }
  SpecOf(service).erase("healthCheckNodePort");
}

}  // namespace

Result<ServiceAddresses> ServiceAddresses::Create(const ServiceAddressOptions& options,
                                                  store::Store& store, Random& random) {
  const std::string& range = options.cluster_ip_range;
  const size_t slash = std::min(range.find('/'), range.size());
  const std::optional<uint32_t> network = ParseIp(range.substr(0, slash));
  const std::string_view digits = std::string_view(range).substr(std::min(slash + 1, range.size()));
  int bits = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), bits);
  if (!network || end != digits.end() || bits < 8 || bits > 30) {
    return Error::BadRequest(
        fmt::format("the range of cluster IPs must be an IPv4 network of 8 to 30 bits like "
                    "10.96.0.0/12, not {}",
                    Quoted(range)));
  }
  const uint32_t size = uint32_t{1} << (32 - bits);
  // Without the network's own address and the broadcast one.
  return ServiceAddresses(options, (*network & ~(size - 1)) + 1, size - 2, store, random);
}

ServiceAddresses::ServiceAddresses(const ServiceAddressOptions& options, uint32_t first_ip,
                                   uint32_t ip_count, store::Store& store, Random& random)
    : options_(options), first_ip_(first_ip), ip_count_(ip_count), store_(store), random_(random) {}

Result<store::Transaction> ServiceAddresses::Assign(Json& service, const Json* old, Time now,
                                                    store::Transaction transaction) {
  RETURN_IF_ERROR(AssignClusterIp(service, old));
  RETURN_IF_ERROR(AssignNodePorts(service, old));
  const std::string ip = ClusterIpOf(&service);
  const std::string old_ip = ClusterIpOf(old);
  if (ip != old_ip && !ip.empty()) {
    EncodedObject address = MakeIpAddress(ip, service, now, random_);
    transaction =
        std::move(transaction)
            .IfAbsent(IpKey(ip))
            .Put(IpKey(ip), std::move(address.bytes), {.revision_offset = address.version_offset});
  }
  if (ip != old_ip && !old_ip.empty()) {
    transaction = std::move(transaction).Delete(IpKey(old_ip));
  }
  const std::set<int64_t> ports = NodePortsOf(&service);
  const std::set<int64_t> old_ports = NodePortsOf(old);
  const std::string holder = fmt::format("{}/{}", NamespaceOf(service), NameOf(service));
  for (const int64_t port : ports) {
    if (old_ports.contains(port)) continue;
    transaction = std::move(transaction).IfAbsent(PortKey(port)).Put(PortKey(port), holder);
  }
  for (const int64_t port : old_ports) {
    if (!ports.contains(port)) transaction = std::move(transaction).Delete(PortKey(port));
  }
  return transaction;
}

store::Transaction ServiceAddresses::Release(const Json& service,
                                             store::Transaction transaction) const {
  const std::string ip = ClusterIpOf(&service);
  if (!ip.empty()) transaction = std::move(transaction).Delete(IpKey(ip));
  for (const int64_t port : NodePortsOf(&service)) {
    transaction = std::move(transaction).Delete(PortKey(port));
  }
  return transaction;
}

Result<void> ServiceAddresses::AssignClusterIp(Json& service, const Json* old) {
  JsonObject& spec = SpecOf(service);
  if (!HasClusterIp(service)) {
    for (const std::string_view key : {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
      spec.erase(key);
    }
    return {};
  }
  std::string ip(FindString(SpecOf(std::as_const(service)), "clusterIP"));
  if (ip.empty()) ip = ClusterIpOf(old);
  const FieldPath spec_path("spec");
  const FieldPath path = spec_path.Child("clusterIPs");
  if (ip.empty()) {
    ASSIGN_OR_RETURN(ip, FreeClusterIp());
  } else if (ip != "None" && ip != ClusterIpOf(old)) {
    const std::optional<uint32_t> address = ParseIp(ip);
    if (!address || *address < first_ip_ || *address >= first_ip_ + ip_count_) {
      return InvalidService(
          service,
          Invalid(path, JsonArray{ip},
                  fmt::format("failed to allocate IP {}: the provided IP ({}) is not in the valid "
                              "range. The range of valid IPs is {}",
                              ip, ip, options_.cluster_ip_range)));
    }
    ASSIGN_OR_RETURN(const bool taken, IsTaken(IpKey(ip)));
    if (taken) {
      return InvalidService(
          service,
          Invalid(path, JsonArray{ip},
                  fmt::format("failed to allocate IP {}: provided IP is already allocated", ip)));
    }
  }
  spec["clusterIP"] = ip;
  spec["clusterIPs"] = JsonArray{ip};
  spec["ipFamilies"] = JsonArray{"IPv4"};
  if (!spec.contains("ipFamilyPolicy")) spec["ipFamilyPolicy"] = "SingleStack";
  return {};
}

Result<void> ServiceAddresses::AssignNodePorts(Json& service, const Json* old) {
  if (!HasNodePorts(service)) {
    ForgetNodePorts(service, old);
    return {};
  }
  const std::set<int64_t> before = NodePortsOf(old);
  const FieldPath spec("spec");
  const FieldPath ports = spec.Child("ports");
  size_t index = 0;
  for (Json* port : PortsOf(service)) {
    const FieldPath port_path = ports.Index(index++);
    const FieldPath path = port_path.Child("nodePort");
    const int64_t wanted = NodePortOf(*port);
    if (wanted == 0) {
      ASSIGN_OR_RETURN(const int64_t free, FreeNodePort(service));
      port->get_object()["nodePort"] = free;
      continue;
    }
    if (before.contains(wanted)) continue;
    if (wanted < options_.first_node_port || wanted > options_.last_node_port) {
      return InvalidService(
          service,
          Invalid(path, wanted,
                  fmt::format("provided port is not in the valid range. The range of valid "
                              "ports is {}-{}",
                              options_.first_node_port, options_.last_node_port)));
    }
    ASSIGN_OR_RETURN(const bool taken, IsTaken(PortKey(wanted)));
    if (taken) {
      return InvalidService(service, Invalid(path, wanted, "provided port is already allocated"));
    }
  }
  return {};
}

Result<std::string> ServiceAddresses::FreeClusterIp() {
  for (int i = 0; i < kRandomTries; ++i) {
    std::string ip = IpText(first_ip_ + static_cast<uint32_t>(random_.Below(ip_count_)));
    ASSIGN_OR_RETURN(const bool taken, IsTaken(IpKey(ip)));
    if (!taken) return ip;
  }
  for (uint32_t i = 0; i < ip_count_; ++i) {
    std::string ip = IpText(first_ip_ + i);
    ASSIGN_OR_RETURN(const bool taken, IsTaken(IpKey(ip)));
    if (!taken) return ip;
  }
  return Error::Internal(
      fmt::format("failed to allocate a serviceIP: range {} is full", options_.cluster_ip_range));
}

Result<int64_t> ServiceAddresses::FreeNodePort(const Json& service) {
  const std::set<int64_t> own = NodePortsOf(&service);
  const int64_t count = options_.last_node_port - options_.first_node_port + 1;
  const auto is_free = [&](int64_t port) -> Result<bool> {
    if (own.contains(port)) return false;
    ASSIGN_OR_RETURN(const bool taken, IsTaken(PortKey(port)));
    return !taken;
  };
  for (int i = 0; i < kRandomTries; ++i) {
    const int64_t port = options_.first_node_port +
                         static_cast<int64_t>(random_.Below(static_cast<uint64_t>(count)));
    ASSIGN_OR_RETURN(const bool free, is_free(port));
    if (free) return port;
  }
  for (int64_t port = options_.first_node_port; port <= options_.last_node_port; ++port) {
    ASSIGN_OR_RETURN(const bool free, is_free(port));
    if (free) return port;
  }
  return Error::Internal("failed to allocate a nodePort: range is full");
}

Result<bool> ServiceAddresses::IsTaken(const std::string& key) {
  ASSIGN_OR_RETURN(const store::RecordPtr record, store_.Get(key));
  return record != nullptr;
}

}  // namespace kubexms
