#include "kubexms/apiserver/services/service_addresses.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "kubexms/api/schema/field_error.h"
#include "kubexms/api/stored_object.h"
#include "kubexms/api/values/quote.h"
#include "kubexms/apiserver/resources/metadata.h"
#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/apiserver/services/service_families.h"

namespace kubexms {
namespace {

// How many random addresses are tried before a sequential search, and how many addresses that
// covers: the largest IPv4 range completely.
constexpr int kRandomTries = 32;
constexpr uint64_t kMaxSearched = 1 << 24;

std::string IpKey(std::string_view ip) {
  return StoragePrefix("networking.k8s.io", "ipaddresses").append(ip);
}

std::string PortKey(int64_t port) {
  return StoragePrefix("kubexms.io", "nodeports").append(std::to_string(port));
}

JsonObject& SpecOf(Json& service) { return ObjectMember(service.get_object(), "spec"); }

const Json& SpecOf(const Json& service) { return MemberOrNull(service, "spec"); }

std::string_view TypeOf(const Json& service) { return FindString(SpecOf(service), "type"); }

bool HasClusterIp(const Json& service) { return TypeOf(service) != "ExternalName"; }

bool MayHaveNodePorts(const Json& service) {
  return TypeOf(service) == "NodePort" || TypeOf(service) == "LoadBalancer";
}

// Whether ports without a node port get one.
bool GetsNodePorts(const Json& service) {
  if (TypeOf(service) == "NodePort") return true;
  const Json* allocate = FindMember(SpecOf(service), "allocateLoadBalancerNodePorts");
  return allocate == nullptr || !allocate->is_bool() || allocate->get_bool();
}

// The ports of a Service, const or mutable.
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

bool NeedsHealthPort(const Json& service) {
  return TypeOf(service) == "LoadBalancer" &&
         FindString(SpecOf(service), "externalTrafficPolicy") == "Local";
}

int64_t HealthPortOf(const Json& service) {
  const Json* port = FindMember(SpecOf(service), "healthCheckNodePort");
  return port != nullptr && port->is_int64() ? port->get_int64() : 0;
}

std::set<int64_t> NodePortsOf(const Json* service) {
  std::set<int64_t> numbers;
  if (service == nullptr) return numbers;
  for (const Json* port : PortsOf(*service)) {
    if (NodePortOf(*port) != 0) numbers.insert(NodePortOf(*port));
  }
  if (const int64_t health = HealthPortOf(*service); health != 0) numbers.insert(health);
  return numbers;
}

// The canonical text of an address.
std::string CanonicalIp(const std::string& address) {
  const std::optional<IpRange> parsed = IpRange::ParseAddress(address);
  return parsed ? parsed->Address() : address;
}

// Empty for a headless Service.
std::set<std::string> ClusterIpsOf(const Json* service) {
  if (service == nullptr) return {};
  std::set<std::string> ips;
  for (const std::string& ip : ServiceTexts(*service, "clusterIPs")) {
    if (ip != "None") ips.insert(CanonicalIp(ip));
  }
  return ips;
}

Error InvalidService(const Json& service, ErrorCause cause) {
  return Error::Invalid("Service", NameOf(service), {std::move(cause)});
}

// The IPAddress object, whose parentRef names the Service that holds the address.
EncodedObject MakeIpAddress(std::string_view ip, const Json& service, Time now, Random& random) {
  const JsonObject address{
      {"apiVersion", "networking.k8s.io/v1"},
      {"kind", "IPAddress"},
      {"metadata",
       JsonObject{
           {"name", ip},
           {"uid", random.Uuid()},
           {"creationTimestamp", now.ToString()},
           {"labels", JsonObject{{"ipaddress.kubernetes.io/ip-family", FamilyOf(ip)},
                                 {"ipaddress.kubernetes.io/managed-by", "ipallocator.k8s.io"}}}}},
      {"spec", JsonObject{{"parentRef", JsonObject{{"group", ""},
                                                   {"resource", "services"},
                                                   {"namespace", NamespaceOf(service)},
                                                   {"name", NameOf(service)}}}}}};
  return EncodeObject(address);
}

// Removes the node ports of a Service whose type no longer has any, if they are the old ones:
// clients send back the object they have read.
void DropUnchangedNodePorts(Json& service, const Json* old) {
  const std::set<int64_t> before = NodePortsOf(old);
  for (Json* port : PortsOf(service)) {
    if (before.contains(NodePortOf(*port))) port->get_object().erase("nodePort");
  }
}

}  // namespace

Result<ServiceAddresses> ServiceAddresses::Create(const ServiceAddressOptions& options,
                                                  store::Store& store, Random& random) {
  ASSIGN_OR_RETURN(std::vector<ServiceIpRange> ranges,
                   ParseServiceIpRanges(options.cluster_ip_range));
  return ServiceAddresses(options, std::move(ranges), store, random);
}

ServiceAddresses::ServiceAddresses(const ServiceAddressOptions& options,
                                   std::vector<ServiceIpRange> ranges, store::Store& store,
                                   Random& random)
    : options_(options), ranges_(std::move(ranges)), store_(store), random_(random) {
  for (const ServiceIpRange& range : ranges_) families_.push_back(range.family());
}

Result<store::Transaction> ServiceAddresses::OnWrite(Json& service, const Json* old, Time now,
                                                     store::Transaction transaction) {
  RETURN_IF_ERROR(AssignClusterIps(service, old));
  RETURN_IF_ERROR(AssignNodePorts(service, old));
  RETURN_IF_ERROR(AssignHealthPort(service, old));
  const std::set<std::string> ips = ClusterIpsOf(&service);
  const std::set<std::string> old_ips = ClusterIpsOf(old);
  for (const std::string& ip : ips) {
    if (old_ips.contains(ip)) continue;
    EncodedObject address = MakeIpAddress(ip, service, now, random_);
    transaction =
        std::move(transaction)
            .IfAbsent(IpKey(ip))
            .Put(IpKey(ip), std::move(address.bytes), {.revision_offset = address.version_offset});
  }
  for (const std::string& ip : old_ips) {
    if (!ips.contains(ip)) transaction = std::move(transaction).Delete(IpKey(ip));
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

store::Transaction ServiceAddresses::OnRemove(const Json& service, store::Transaction transaction) {
  for (const std::string& ip : ClusterIpsOf(&service)) {
    transaction = std::move(transaction).Delete(IpKey(ip));
  }
  for (const int64_t port : NodePortsOf(&service)) {
    transaction = std::move(transaction).Delete(PortKey(port));
  }
  return transaction;
}

namespace {

Result<std::set<std::string>> UsedClusterIps(store::Store& store) {
  std::set<std::string> used;
  ASSIGN_OR_RETURN(const store::ListPage services,
                   store.List({.prefix = StoragePrefix("", "services")}));
  for (const store::RecordPtr& record : services.records) {
    const Json service = ParseJson(record->value).value_or({});
    used.merge(ClusterIpsOf(&service));
  }
  return used;
}

}  // namespace

Result<store::Transaction> ServiceAddresses::OnRemoveDamaged(std::string_view namespace_name,
                                                             std::string_view name,
                                                             store::Transaction transaction) {
  ASSIGN_OR_RETURN(const store::ListPage ips, store_.List({.prefix = IpKey("")}));
  std::optional<std::set<std::string>> used;  // by the Services whose documents can be parsed
  for (const store::RecordPtr& record : ips.records) {
    const Json address = ParseJson(record->value).value_or({});
    const Json& parent = MemberOrNull(SpecOf(address), "parentRef");
    if (FindString(parent, "name").empty()) {
      // The damaged address does not name its Service either.
      if (!used) {
        ASSIGN_OR_RETURN(used, UsedClusterIps(store_));
      }
      if (used->contains(std::string(record->key.substr(IpKey("").size())))) continue;
      // Committed separately: they may exceed the limit of one transaction.
      RETURN_IF_ERROR(store_.Commit(store::Transaction()
                                        .IfRevision(std::string(record->key), record->mod_revision)
                                        .Delete(std::string(record->key))));
      continue;
    }
    if (FindString(parent, "resource") == "services" && FindString(parent, "name") == name &&
        FindString(parent, "namespace") == namespace_name) {
      transaction = std::move(transaction).Delete(std::string(record->key));
    }
  }
  ASSIGN_OR_RETURN(const store::ListPage ports,
                   store_.List({.prefix = StoragePrefix("kubexms.io", "nodeports")}));
  for (const store::RecordPtr& record : ports.records) {
    if (record->value == fmt::format("{}/{}", namespace_name, name)) {
      transaction = std::move(transaction).Delete(std::string(record->key));
    }
  }
  return transaction;
}

Result<void> ServiceAddresses::AssignClusterIps(Json& service, const Json* old) {
  if (!HasClusterIp(service)) {
    JsonObject& spec = SpecOf(service);
    for (const std::string_view key : {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
      spec.erase(key);
    }
    return {};
  }
  RETURN_IF_ERROR(ChooseIpFamilies(service, old, families_));
  const std::vector<std::string> requested = ServiceTexts(service, "clusterIPs");
  if (!requested.empty() && requested.front() == "None") return {};
  const std::set<std::string> old_ips = ClusterIpsOf(old);
  JsonArray ips;
  for (const std::string& family : ServiceTexts(service, "ipFamilies")) {
    if (ips.size() < requested.size()) {
      const std::string& ip = requested[ips.size()];
      if (!old_ips.contains(CanonicalIp(ip))) RETURN_IF_ERROR(CheckClusterIp(ip, service));
      ips.push_back(Json(ip));
    } else {
      ASSIGN_OR_RETURN(const std::string ip, FreeClusterIp(RangeOf(family)));
      ips.push_back(Json(ip));
    }
  }
  JsonObject& spec = SpecOf(service);
  spec["clusterIP"] = ips.front();
  spec["clusterIPs"] = std::move(ips);
  return {};
}

// `family` is one that ChooseIpFamilies() has found to be available.
const ServiceIpRange& ServiceAddresses::RangeOf(std::string_view family) const {
  return ranges_.front().family() == family ? ranges_.front() : ranges_.back();
}

// Checks an address that the Service requests and did not have.
Result<void> ServiceAddresses::CheckClusterIp(const std::string& ip, const Json& service) {
  const auto refuse = [&](std::string_view why) {
    return InvalidService(
        service, Invalid(FieldPath("spec.clusterIPs"), MemberOrNull(SpecOf(service), "clusterIPs"),
                         fmt::format("failed to allocate IP {}: {}", ip, why)));
  };
  const ServiceIpRange& range = RangeOf(FamilyOf(ip));
  if (!range.Contains(ip)) {
    return refuse(
        fmt::format("the provided IP ({}) is not in the valid range. The range of valid IPs is {}",
                    ip, range.text()));
  }
  ASSIGN_OR_RETURN(const bool taken, IsTaken(IpKey(CanonicalIp(ip))));
  if (taken) return refuse("provided IP is already allocated");
  return {};
}

Result<void> ServiceAddresses::AssignNodePorts(Json& service, const Json* old) {
  if (!MayHaveNodePorts(service)) {
    DropUnchangedNodePorts(service, old);
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
      if (!GetsNodePorts(service)) continue;
      ASSIGN_OR_RETURN(const int64_t free, FreeNodePort(service));
      port->get_object()["nodePort"] = free;
      continue;
    }
    if (before.contains(wanted)) continue;
    ASSIGN_OR_RETURN(const std::string problem, ExplainNodePort(wanted));
    if (!problem.empty()) return InvalidService(service, Invalid(path, wanted, problem));
  }
  return {};
}

Result<void> ServiceAddresses::AssignHealthPort(Json& service, const Json* old) {
  if (!NeedsHealthPort(service)) {
    SpecOf(service).erase("healthCheckNodePort");
    return {};
  }
  const int64_t wanted = HealthPortOf(service);
  if (wanted == 0) {
    ASSIGN_OR_RETURN(const int64_t free, FreeNodePort(service));
    SpecOf(service)["healthCheckNodePort"] = free;
    return {};
  }
  if (old != nullptr && HealthPortOf(*old) == wanted) return {};
  ASSIGN_OR_RETURN(const std::string problem, ExplainNodePort(wanted));
  if (problem.empty()) return {};
  std::string message =
      fmt::format("failed to allocate requested HealthCheck NodePort {}: {}", wanted, problem);
  ErrorDetails details;
  details.causes = {{.reason = "", .message = message, .field = ""}};
  return Error(500, "InternalError", "Internal error occurred: " + message, std::move(details));
}

// Why the port is not available; empty when it is.
Result<std::string> ServiceAddresses::ExplainNodePort(int64_t port) {
  if (port < options_.first_node_port || port > options_.last_node_port) {
    return fmt::format("provided port is not in the valid range. The range of valid ports is {}-{}",
                       options_.first_node_port, options_.last_node_port);
  }
  ASSIGN_OR_RETURN(const bool taken, IsTaken(PortKey(port)));
  return std::string(taken ? "provided port is already allocated" : "");
}

Result<std::string> ServiceAddresses::FreeClusterIp(const ServiceIpRange& range) {
  for (int i = 0; i < kRandomTries; ++i) {
    std::string ip = range.At(random_.Below(range.size()));
    ASSIGN_OR_RETURN(const bool taken, IsTaken(IpKey(ip)));
    if (!taken) return ip;
  }
  for (uint64_t i = 0; i < std::min(range.size(), kMaxSearched); ++i) {
    std::string ip = range.At(i);
    ASSIGN_OR_RETURN(const bool taken, IsTaken(IpKey(ip)));
    if (!taken) return ip;
  }
  return Error::Internal(
      fmt::format("failed to allocate a serviceIP: range {} is full", range.text()));
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
