#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kubexms/apiserver/strategies/builtin.h"
#include "kubexms/apiserver/strategies/fields.h"

namespace kubexms {
namespace {

constexpr int64_t kClientIpTimeout = 10800;
constexpr int64_t kMaxClientIpTimeout = 86400;
constexpr std::string_view kHeadless = "None";

std::string_view TypeOfService(const JsonObject& service) { return TextAt(service, "spec.type"); }

bool NeedsClusterIp(std::string_view type) {
  return type == "ClusterIP" || type == "NodePort" || type == "LoadBalancer";
}
bool MayHaveNodePorts(const JsonObject& spec) {
  const std::string_view type = TextAt(spec, "type");
  return type == "NodePort" || type == "LoadBalancer";
}
bool IsExternallyAccessible(const JsonObject& spec) {
  const std::string_view type = TextAt(spec, "type");
  if (type == "NodePort" || type == "LoadBalancer") return true;
  const Json* ips = Find(spec, "externalIPs");
  return type == "ClusterIP" && ips != nullptr && ips->is_array() && !ips->get_array().empty();
}

void SetSessionAffinityDefaults(JsonObject& spec) {
  const std::string affinity(TextAt(spec, "sessionAffinity"));
  if (affinity == "None") spec.erase("sessionAffinityConfig");
  if (affinity == "ClientIP")
    SetDefault(EnsureObject(spec, "sessionAffinityConfig.clientIP"), "timeoutSeconds",
               kClientIpTimeout);
}

void SetPortDefaults(JsonObject& port) {
  SetDefault(port, "protocol", "TCP");
  const Json* number = Find(port, "port");
  const Json* target = Find(port, "targetPort");
  const bool unset = target == nullptr || (target->is_int64() && target->get_int64() == 0) ||
                     (target->is_string() && target->get_string().empty());
  if (unset && number != nullptr) port["targetPort"] = Json(*number);
}

bool IsIpv6(std::string_view address) { return address.find(':') != std::string_view::npos; }

// The errors of an address that is not reachable from other hosts.
Messages ValidateEndpointIp(std::string_view text) {
  if (Messages problems = ValidateIp(text); !problems.empty()) return problems;
  in6_addr address{};  // for IPv4, the IPv4-mapped IPv6 address
  const std::string mapped = IsIpv6(text) ? std::string(text) : fmt::format("::ffff:{}", text);
  if (inet_pton(AF_INET6, mapped.c_str(), &address) != 1) return {};
  const bool v4 = IN6_IS_ADDR_V4MAPPED(&address);
  const uint8_t* bytes = address.s6_addr + (v4 ? 12 : 0);
  Messages problems;
  if (v4 ? std::all_of(bytes, bytes + 4, [](uint8_t byte) { return byte == 0; })
         : IN6_IS_ADDR_UNSPECIFIED(&address))
    problems.push_back("may not be unspecified (0.0.0.0 or ::)");
  if (v4 ? bytes[0] == 127 : IN6_IS_ADDR_LOOPBACK(&address))
    problems.push_back("may not be in the loopback range (127.0.0.0/8, ::1/128)");
  if (v4 ? bytes[0] == 169 && bytes[1] == 254 : IN6_IS_ADDR_LINKLOCAL(&address))
    problems.push_back("may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  if (v4 ? bytes[0] == 224 && bytes[1] == 0 && bytes[2] == 0 : IN6_IS_ADDR_MC_LINKLOCAL(&address))
    problems.push_back("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
  return problems;
}

// The endpoints of the API server itself, which may have a loopback address.
bool AreApiServerEndpoints(const JsonObject& endpoints) {
  return TextAt(endpoints, "metadata.name") == "kubernetes" &&
         TextAt(endpoints, "metadata.namespace") == "default";
}

void SetClusterIps(JsonObject& spec) {
  const std::string_view cluster_ip = TextAt(spec, "clusterIP");
  const JsonArray* list = FindArray(spec, "clusterIPs");
  const bool no_list = list == nullptr || list->empty();
  if (!cluster_ip.empty() && no_list) {
    JsonArray ips;
    ips.push_back(Json(cluster_ip));
    spec["clusterIPs"] = std::move(ips);
  } else if (cluster_ip.empty() && !no_list && list->front().is_string()) {
    spec["clusterIP"] = Json(list->front());
  }
}

// A client that sets only `clusterIP` also changes clusterIPs.
void SyncClusterIps(JsonObject& spec, const JsonObject& old) {
  if (SameAt(spec, old, "clusterIP") || !SameAt(spec, old, "clusterIPs")) return;
  spec.erase("clusterIPs");
  SetClusterIps(spec);
}

bool NeedsHealthPort(const JsonObject& spec) {
  return TextAt(spec, "type") == "LoadBalancer" && TextAt(spec, "externalTrafficPolicy") == "Local";
}

// Allocated values are preserved where the client omits them.
void PreserveAllocated(JsonObject& spec, const JsonObject& old) {
  if (NeedsClusterIp(TextAt(spec, "type")) && NeedsClusterIp(TextAt(old, "type"))) {
    if (TextAt(spec, "clusterIP").empty()) CopyMember(spec, old, "clusterIP");
    if (Find(spec, "clusterIPs") == nullptr && SameAt(spec, old, "clusterIP"))
      CopyMember(spec, old, "clusterIPs");
    for (std::string_view name : {"ipFamilies", "ipFamilyPolicy"}) {
      if (Find(spec, name) == nullptr) CopyMember(spec, old, name);
    }
  }
  if (NeedsHealthPort(spec) && NeedsHealthPort(old) && IntAt(spec, "healthCheckNodePort") == 0)
    CopyMember(spec, old, "healthCheckNodePort");
}

void PreserveNodePorts(JsonObject& spec, const JsonObject& old) {
  if (!MayHaveNodePorts(spec) || !MayHaveNodePorts(old)) return;
  const Json* old_ports = Find(old, "ports");
  if (old_ports == nullptr || !old_ports->is_array()) return;
  std::set<int64_t> used;
  ForEachObject(spec, "ports", [&](JsonObject& port) { used.insert(IntAt(port, "nodePort")); });
  ForEachObject(spec, "ports", [&](JsonObject& port) {
    if (IntAt(port, "nodePort") != 0) return;
    for (const Json& item : old_ports->get_array()) {
      if (!item.is_object()) continue;
      const JsonObject& before = item.get_object();
      const int64_t number = IntAt(before, "nodePort");
      if (number == 0 || used.contains(number)) continue;
      if (IntAt(port, "port") != IntAt(before, "port") ||
          TextAt(port, "protocol") != TextAt(before, "protocol"))
        continue;
      port["nodePort"] = number;
      used.insert(number);
      return;
    }
  });
}

bool SameNodePorts(const JsonObject& spec, const JsonObject& old) {
  const auto numbers = [](const JsonObject& of) {
    std::vector<int64_t> result;
    const Json* ports = Find(of, "ports");
    if (ports == nullptr || !ports->is_array()) return result;
    for (const Json& port : ports->get_array())
      result.push_back(port.is_object() ? IntAt(port.get_object(), "nodePort") : 0);
    return result;
  };
  return numbers(spec) == numbers(old);
}

// A change of the type removes the fields of the old type that the client did not change.
void DropFieldsOfOldType(JsonObject& spec, const JsonObject& old) {
  const auto drop_if_unchanged = [&](std::string_view name) {
    if (SameAt(spec, old, name)) spec.erase(name);
  };
  const std::string type(TextAt(spec, "type"));
  if (NeedsClusterIp(TextAt(old, "type")) && !NeedsClusterIp(type)) {
    for (std::string_view name :
         {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"})
      drop_if_unchanged(name);
  }
  if (MayHaveNodePorts(old) && !MayHaveNodePorts(spec) && SameNodePorts(spec, old))
    ForEachObject(spec, "ports", [](JsonObject& port) { port.erase("nodePort"); });
  if (TextAt(old, "type") == "LoadBalancer" && type != "LoadBalancer") {
    for (std::string_view name : {"allocateLoadBalancerNodePorts", "loadBalancerClass"})
      drop_if_unchanged(name);
  }
  if (NeedsHealthPort(old) && !NeedsHealthPort(spec)) drop_if_unchanged("healthCheckNodePort");
  if (IsExternallyAccessible(old) && !IsExternallyAccessible(spec))
    drop_if_unchanged("externalTrafficPolicy");
}

void ValidateServicePort(const Field& port, bool name_required, UniqueTexts& names) {
  const Field name = port["name"];
  if (name.empty()) {
    if (name_required) name.Required();
  } else {
    name.MustBeLabel();
    names.Add(name);
  }
  port["port"].Between(1, 65535);
  if (!port["port"]) port["port"].Invalid(Json(0), "must be between 1 and 65535, inclusive");
  port["protocol"].SetAndOneOf({"SCTP", "TCP", "UDP"});
  if (const Field target = port["targetPort"]) ValidatePortNumberOrName(target);
  if (const Field protocol = port["appProtocol"])
    protocol.Report(ValidateQualifiedName(protocol.Text()));
}

void ValidatePorts(const Field& ports, bool may_have_node_ports) {
  UniqueTexts names;
  for (const Field& port : ports.Items()) ValidateServicePort(port, ports.size() > 1, names);
  std::set<std::string> node_ports;
  std::set<std::string> pairs;
  for (const Field& port : ports.Items()) {
    const Field node_port = port["nodePort"];
    const std::string_view protocol = port["protocol"].Text();
    if (node_port.Int() != 0 && !may_have_node_ports)
      node_port.Forbidden("may not be used when `type` is 'ClusterIP'");
    if (node_port.Int() != 0 &&
        !node_ports.insert(fmt::format("{}/{}", protocol, node_port.Int())).second)
      node_port.Duplicate();
    if (!pairs.insert(fmt::format("{}/{}", protocol, port["port"].Int())).second)
      port.Duplicate(JsonObject{{"Name", ""},
                                {"Protocol", protocol},
                                {"AppProtocol", nullptr},
                                {"Port", port["port"].Int()},
                                {"TargetPort", 0},
                                {"NodePort", 0}});
  }
}

void ValidateExternalName(const Field& spec) {
  if (!spec["clusterIPs"].empty())
    spec["clusterIPs"].Forbidden("may not be set for ExternalName services");
  if (!spec["ipFamilies"].empty())
    spec["ipFamilies"].Forbidden("may not be set for ExternalName services");
  if (spec["ipFamilyPolicy"])
    spec["ipFamilyPolicy"].Forbidden("may not be set for ExternalName services");
  const Field name = spec["externalName"];
  std::string_view host = name.Text();
  if (host.ends_with('.')) host.remove_suffix(1);
  if (host.empty()) return name.Required();
  for (const std::string& problem : ValidateDns1123Subdomain(host))
    name.Invalid(Json(host), problem);
}

void ValidateSessionAffinity(const Field& spec) {
  const Field affinity = spec["sessionAffinity"];
  affinity.SetAndOneOf({"ClientIP", "None"});
  const Field config = spec["sessionAffinityConfig"];
  if (affinity.Text() == "None" && config)
    config.Forbidden("must not be set when session affinity is None");
  if (affinity.Text() != "ClientIP") return;
  const Field timeout = spec["sessionAffinityConfig.clientIP.timeoutSeconds"];
  if (timeout && (timeout.Int() <= 0 || timeout.Int() > kMaxClientIpTimeout))
    timeout.Invalid(fmt::format("must be greater than 0 and less than {}", kMaxClientIpTimeout));
}

void ValidateClusterIps(const Field& spec) {
  if (spec["type"].Text() == "ExternalName") return;
  const Field list = spec["clusterIPs"];
  const Field single = spec["clusterIP"];
  if (list.empty()) return;
  const Field first = list.Item(0);
  if (first.Text() != single.Text()) list.Invalid("first value must match `clusterIP`");
  if (list.size() > 2) list.Invalid("may only hold up to 2 values");
  for (const Field& ip : list.Items()) {
    if (ip.Text() == kHeadless) {
      if (list.size() > 1) ip.Invalid("'None' must be the first and only value");
    } else {
      ip.Report(ValidateIp(ip.Text()));
    }
  }
  if (list.size() == 2 && IsIpv6(first.Text()) == IsIpv6(list.Item(1).Text()))
    list.Invalid("may specify no more than one IP for each IP family");
}

void ValidateIpFamilies(const Field& spec) {
  if (spec["type"].Text() == "ExternalName") return;
  const Field families = spec["ipFamilies"];
  const Field ips = spec["clusterIPs"];
  if (families.size() > 2) families.Invalid("may only hold up to 2 values");
  for (size_t i = 0; i < families.size(); ++i) {
    const Field family = families.Item(i);
    family.SetAndOneOf({"IPv4", "IPv6"});
    if (i > 0 && family.Text() == families.Item(i - 1).Text()) family.Duplicate();
    if (i >= ips.size()) continue;
    const Field ip = ips.Item(i);
    if (ip.Text() == kHeadless || IsIpv6(ip.Text()) == (family.Text() == "IPv6")) continue;
    ip.Invalid(ips.ToJson(), fmt::format("expected an {} value as indicated by `ipFamilies[{}]`",
                                         family.Text(), i));
  }
  spec["ipFamilyPolicy"].OneOf({"PreferDualStack", "RequireDualStack", "SingleStack"});
}

// The values of the primary family are immutable; those of the secondary family can be removed.
void ValidateFamilyValuesUpdate(const Field& spec, const Field& old_list,
                                std::string_view list_name, std::string_view item_name) {
  const Field list = spec[list_name];
  if (old_list.empty()) return;
  if (list.empty()) {
    const Field first(nullptr, list.path().Index(0), spec.errors());
    return first.Invalid(Json(JsonArray()), fmt::format("primary {} can not be unset", item_name));
  }
  const size_t kept = list.size() == old_list.size() ? list.size() : 1;
  for (size_t i = 0; i < kept; ++i) {
    if (list.Item(i).Text() != old_list.Item(i).Text())
      list.Item(i).Invalid(list.ToJson(), "may not change once set");
  }
  if (list.size() < old_list.size() && spec["ipFamilyPolicy"].Text() != "SingleStack")
    spec["ipFamilyPolicy"].Invalid(
        fmt::format("must be set to 'SingleStack' when releasing the secondary {}", item_name));
}

void ValidateTypeRules(const Field& spec) {
  const std::string_view type = spec["type"].Text();
  if (type == "ExternalName") return ValidateExternalName(spec);
  if (type == "ClusterIP" || spec["clusterIP"].Text() != kHeadless) return;
  const Field list = spec["clusterIPs"];
  if (list.empty()) return;
  list.Item(0).Invalid(fmt::format("may not be set to 'None' for {} services", type));
}

void ValidateLoadBalancerFields(const Field& spec) {
  const bool balanced = spec["type"].Text() == "LoadBalancer";
  const Field ranges = spec["loadBalancerSourceRanges"];
  if (!balanced) {
    for (std::string_view name :
         {"loadBalancerSourceRanges", "allocateLoadBalancerNodePorts", "loadBalancerClass"}) {
      if (spec[name]) spec[name].Forbidden("may only be used when `type` is 'LoadBalancer'");
    }
    return;
  }
  // Kubernetes reports the field with this capitalization.
  const Field shown(ranges.value(), spec.path().Child("LoadBalancerSourceRanges"), spec.errors());
  for (const Field& range : shown.Items()) range.Report(ValidateCidr(range.Text()));
  if (const Field name = spec["loadBalancerClass"]; name)
    name.Report(ValidateQualifiedName(name.Text()));
  if (!spec["allocateLoadBalancerNodePorts"]) spec["allocateLoadBalancerNodePorts"].Required();
}

void ValidateTrafficPolicies(const Field& spec) {
  const Field external = spec["externalTrafficPolicy"];
  const std::string_view type = spec["type"].Text();
  const bool accessible = type == "NodePort" || type == "LoadBalancer" ||
                          (type == "ClusterIP" && !spec["externalIPs"].empty());
  if (accessible) {
    external.SetAndOneOf({"Cluster", "Local"});
  } else if (!external.empty()) {
    external.Invalid("may only be set for externally-accessible services");
  }
  if (NeedsClusterIp(type)) spec["internalTrafficPolicy"].SetAndOneOf({"Cluster", "Local"});
  const Field health = spec["healthCheckNodePort"];
  const bool checked = type == "LoadBalancer" && external.Text() == "Local";
  if (health.Int() != 0 && !checked)
    health.Invalid(
        "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'");
  spec["trafficDistribution"].OneOf({"PreferClose", "PreferSameNode", "PreferSameZone"});
}

// The load balancer class is immutable.
void ValidateLoadBalancerClassUpdate(const Field& spec, const Field& old) {
  const bool balanced = spec["type"].Text() == "LoadBalancer";
  if (!balanced || old["type"].Text() != "LoadBalancer") return;
  const Field name = spec["loadBalancerClass"];
  if (!name.SameAs(old["loadBalancerClass"])) name.Invalid("may not change once set");
}

class ServiceStrategy : public KindStrategy {
 public:
  ServiceStrategy()
      : KindStrategy({.has_status = true,
                      .allows_create_on_update = true,
                      .validate_name = ValidateDns1035Label}) {}

  void SetDefaults(JsonObject& service) const override {
    JsonObject* spec = FindObject(service, "spec");
    if (spec == nullptr) return;
    SetSessionAffinityDefaults(*spec);
    ForEachObject(*spec, "ports", SetPortDefaults);
    if (IsExternallyAccessible(*spec) && TextAt(*spec, "externalTrafficPolicy").empty())
      (*spec)["externalTrafficPolicy"] = "Cluster";
    if (NeedsClusterIp(TypeOfService(service)))
      SetDefault(*spec, "internalTrafficPolicy", "Cluster");
    if (TypeOfService(service) == "LoadBalancer")
      SetDefault(*spec, "allocateLoadBalancerNodePorts", true);
    ForEachObject(service, "status.loadBalancer.ingress", [](JsonObject& point) {
      if (!TextAt(point, "ip").empty()) SetDefault(point, "ipMode", "VIP");
    });
  }

  void PrepareForCreate(JsonObject& service) const override {
    service["status"] = JsonObject{{"loadBalancer", JsonObject()}};
    JsonObject* spec = FindObject(service, "spec");
    if (spec == nullptr) return;
    SetClusterIps(*spec);
  }

  void PrepareForUpdate(JsonObject& service, const JsonObject& old_service) const override {
    JsonObject* spec = FindObject(service, "spec");
    const JsonObject* old = FindObject(old_service, "spec");
    if (spec == nullptr || old == nullptr) return;
    SyncClusterIps(*spec, *old);
    PreserveAllocated(*spec, *old);
    PreserveNodePorts(*spec, *old);
    DropFieldsOfOldType(*spec, *old);
  }

  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field spec = root["spec"];
    const Field ports = spec["ports"];
    const Field type = spec["type"];
    const bool headless = spec["clusterIP"].Text() == kHeadless;
    if (ports.empty() && !headless && type.Text() != "ExternalName") ports.Required();
    ValidateTypeRules(spec);
    ValidatePorts(ports, type.Text() != "ClusterIP");
    ValidateLabels(spec["selector"]);
    ValidateSessionAffinity(spec);
    ValidateClusterIps(spec);
    ValidateIpFamilies(spec);
    const Field external_ips = spec["externalIPs"];
    for (const Field& ip : external_ips.Items()) ip.Report(ValidateEndpointIp(ip.Text()));
    type.SetAndOneOf({"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"});
    ValidateLoadBalancerFields(spec);
    ValidateTrafficPolicies(spec);
  }

  void ValidateUpdate(const JsonObject& object, const JsonObject& old_object,
                      FieldErrors& errors) const override {
    if (!NeedsClusterIp(TypeOfService(object)) || !NeedsClusterIp(TypeOfService(old_object)))
      return;
    const Field root(object, errors);
    const Field old(old_object);
    const Field spec = root["spec"];
    const Field old_spec = old["spec"];
    const JsonObject* now = FindObject(object, "spec");
    const JsonObject* before = FindObject(old_object, "spec");
    if (now != nullptr && before != nullptr && NeedsHealthPort(*now) && NeedsHealthPort(*before) &&
        !SameAt(*now, *before, "healthCheckNodePort")) {
      spec["healthCheckNodePort"].Forbidden("field is immutable");
    }
    const bool headless =
        spec["clusterIP"].Text() == kHeadless && old_spec["clusterIP"].Text() == kHeadless;
    if (!headless)
      ValidateFamilyValuesUpdate(spec, old_spec["clusterIPs"], "clusterIPs", "clusterIP");
    if (!headless || !spec["selector"].empty() || !old_spec["selector"].empty())
      ValidateFamilyValuesUpdate(spec, old_spec["ipFamilies"], "ipFamilies", "ipFamily");
    ValidateLoadBalancerClassUpdate(spec, old_spec);
  }

  void ValidateStatusUpdate(const JsonObject& object, const JsonObject&,
                            FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field ingress = root["status.loadBalancer.ingress"];
    if (!ingress.empty() && TypeOfService(object) != "LoadBalancer")
      ingress.Forbidden("may only be used when `spec.type` is \"LoadBalancer\"");
    for (const Field& point : ingress.Items()) {
      if (const Field ip = point["ip"]; !ip.empty()) ip.Report(ValidateIp(ip.Text()));
      if (const Field host = point["hostname"]; !host.empty()) host.MustBeSubdomain();
    }
  }
};

class EndpointsStrategy : public KindStrategy {
 public:
  EndpointsStrategy() : KindStrategy({.allows_create_on_update = true}) {}

  void SetDefaults(JsonObject& endpoints) const override {
    ForEachObject(endpoints, "subsets", [](JsonObject& subset) {
      ForEachObject(subset, "ports", [](JsonObject& port) { SetDefault(port, "protocol", "TCP"); });
    });
  }
  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field subsets = root["subsets"];
    const auto validate_ip = AreApiServerEndpoints(object) ? ValidateIp : ValidateEndpointIp;
    for (const Field& subset : subsets.Items()) ValidateSubset(subset, validate_ip);
  }

 private:
  static void ValidateSubset(const Field& subset, Messages (*validate_ip)(std::string_view)) {
    const Field ready = subset["addresses"];
    const Field not_ready = subset["notReadyAddresses"];
    if (ready.empty() && not_ready.empty())
      subset.Required("must specify `addresses` or `notReadyAddresses`");
    for (const Field* list : {&ready, &not_ready}) {
      for (const Field& address : list->Items()) {
        address["ip"].Report(validate_ip(address["ip"].Text()));
        if (const Field host = address["hostname"]; !host.empty()) host.MustBeLabel();
        if (const Field node = address["nodeName"]) node.MustBeSubdomain();
      }
    }
    const Field ports = subset["ports"];
    for (const Field& port : ports.Items()) {
      const Field name = port["name"];
      if (ports.size() > 1 && name.empty()) name.Required();
      if (!name.empty()) name.MustBeLabel();
      port["port"].Between(1, 65535);
      port["protocol"].SetAndOneOf({"SCTP", "TCP", "UDP"});
      if (const Field protocol = port["appProtocol"])
        protocol.Report(ValidateQualifiedName(protocol.Text()));
    }
  }
};

class EndpointSliceStrategy : public ImmutableFieldsStrategy {
 public:
  EndpointSliceStrategy()
      : ImmutableFieldsStrategy({.counts_generations = true}, {"addressType"}) {}

  void SetDefaults(JsonObject& slice) const override {
    ForEachObject(slice, "endpoints",
                  [](JsonObject& endpoint) { SetDefault(endpoint, "conditions", JsonObject()); });
  }
  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field type = root["addressType"];
    type.SetAndOneOf({"FQDN", "IPv4", "IPv6"});
    const Field endpoints = root["endpoints"];
    if (endpoints.size() > kMaxEndpoints) return endpoints.TooMany(kMaxEndpoints);
    const auto validate_ip = AreApiServerEndpoints(object) ? ValidateIp : ValidateEndpointIp;
    for (const Field& endpoint : endpoints.Items())
      ValidateEndpoint(endpoint, type.Text(), validate_ip);
    const Field ports = root["ports"];
    if (ports.size() > kMaxPorts) return ports.TooMany(kMaxPorts);
    UniqueNames(ports);
  }

 private:
  static constexpr size_t kMaxEndpoints = 1000;
  static constexpr size_t kMaxPorts = 20000;
  static constexpr size_t kMaxAddresses = 100;
  static constexpr size_t kMaxHints = 8;

  static void ValidateEndpoint(const Field& endpoint, std::string_view type,
                               Messages (*validate_ip)(std::string_view)) {
    const Field addresses = endpoint["addresses"];
    if (addresses.empty()) addresses.Required("must contain at least 1 address");
    if (addresses.size() > kMaxAddresses) addresses.TooMany(kMaxAddresses);
    for (const Field& address : addresses.Items()) {
      if (type == "FQDN") {
        address.MustBeSubdomain();
        continue;
      }
      const Messages problems = validate_ip(address.Text());
      address.Report(problems);
      if (!problems.empty()) continue;
      if (type == "IPv4" && IsIpv6(address.Text())) address.Invalid("must be a valid IPv4 address");
      if (type == "IPv6" && !IsIpv6(address.Text()))
        address.Invalid("must be a valid IPv6 address");
    }
    if (const Field node = endpoint["nodeName"]) node.MustBeSubdomain();
    if (const Field host = endpoint["hostname"]) host.MustBeLabel();
    const Field zones = endpoint["hints.forZones"];
    if (zones.size() > kMaxHints) zones.TooMany(kMaxHints);
    std::set<std::string_view> seen;
    for (const Field& zone : zones.Items()) {
      const Field name = zone["name"];
      name.Report(ValidateLabelValue(name.Text()));
      if (!seen.insert(name.Text()).second) name.Duplicate(Json(name.Text()));
    }
  }

  static void UniqueNames(const Field& ports) {
    std::set<std::string_view> names;
    for (const Field& port : ports.Items()) {
      const Field name = port["name"];
      if (!name.empty()) name.MustBeLabel();
      if (!names.insert(name.Text()).second) name.Duplicate();
      port["protocol"].SetAndOneOf({"SCTP", "TCP", "UDP"});
      if (const Field protocol = port["appProtocol"])
        protocol.Report(ValidateQualifiedName(protocol.Text()));
    }
  }
};

}  // namespace

void AddServiceStrategies(StrategyTable& table) {
  table.Add("", "Service", std::make_unique<ServiceStrategy>());
  table.Add("", "Endpoints", std::make_unique<EndpointsStrategy>());
  table.Add("discovery.k8s.io", "EndpointSlice", std::make_unique<EndpointSliceStrategy>());
}

}  // namespace kubexms
