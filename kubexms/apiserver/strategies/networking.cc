#include <optional>

#include "kubexms/apiserver/strategies/builtin.h"
#include "kubexms/apiserver/strategies/fields.h"
#include "kubexms/base/text/ip_range.h"

namespace kubexms {
namespace {

constexpr std::string_view kGroup = "networking.k8s.io";

// A reference to an object in the same namespace.
void ValidateLocalReference(const Field& reference) {
  if (const Field group = reference["apiGroup"]) group.MustBeSubdomain();
  for (std::string_view name : {"kind", "name"}) {
    const Field field = reference[name];
    if (field.MustBeSet()) field.Report(ValidatePathSegmentName(field.Text()));
  }
}

void ValidateBackend(const Field& backend) {
  const Field service = backend["service"];
  const Field resource = backend["resource"];
  if (service && resource)
    return backend.Invalid(Json(""), "cannot set both resource and service backends");
  if (!service && !resource)
    return backend.Invalid(Json(""), "resource or service backend is required");
  if (resource) return ValidateLocalReference(resource);
  const Field name = service["name"];
  if (name.MustBeSet()) name.Report(ValidateDns1035Label(name.Text()));
  const Field number = service["port.number"];
  const Field port_name = service["port.name"];
  if (port_name.empty() && number.Int() == 0) {
    backend.Required("port name or number is required");
  } else if (!port_name.empty() && number.Int() != 0) {
    backend.Invalid(Json(""), "cannot set both port name & port number");
  } else if (!port_name.empty()) {
    port_name.Report(ValidatePortName(port_name.Text()));
  } else {
    number.Between(1, 65535);
  }
}

void ValidatePath(const Field& entry) {
  const Field type = entry["pathType"];
  const Field path = entry["path"];
  if (!type) return type.Required("pathType must be specified");
  type.MustBeOneOf({"Exact", "ImplementationSpecific", "Prefix"});
  const bool exact = type.Text() == "Exact" || type.Text() == "Prefix";
  if ((exact || !path.empty()) && !path.Text().starts_with('/'))
    path.Invalid("must be an absolute path");
  for (std::string_view part : {"//", "/./", "/../", "%2f", "%2F"}) {
    if (exact && path.Text().find(part) != std::string_view::npos)
      path.Invalid("must not contain '" + std::string(part) + "'");
  }
  for (std::string_view end : {"/..", "/."}) {
    if (exact && path.Text().ends_with(end))
      path.Invalid("cannot end with '" + std::string(end) + "'");
  }
  const Field backend = entry["backend"];
  ValidateBackend(backend);
}

class IngressStrategy : public KindStrategy {
 public:
  IngressStrategy() : KindStrategy({.has_status = true, .counts_generations = true}) {}

  void PrepareForCreate(JsonObject& ingress) const override {
    ingress["status"] = JsonObject{{"loadBalancer", JsonObject()}};
  }
  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field spec = root["spec"];
    const Field rules = spec["rules"];
    const Field fallback = spec["defaultBackend"];
    if (rules.empty() && !fallback)
      spec.InvalidAs("null", "either `defaultBackend` or `rules` must be specified");
    if (fallback) ValidateBackend(fallback);
    for (const Field& rule : rules.Items()) ValidateRule(rule);
    const Field certificates = spec["tls"];
    for (const Field& tls : certificates.Items()) {
      const Field hosts = tls["hosts"];
      for (const Field& host : hosts.Items()) ValidateHost(host);
      if (const Field secret = tls["secretName"]; !secret.empty()) secret.MustBeSubdomain();
    }
    if (const Field name = spec["ingressClassName"]) name.MustBeSubdomain();
  }
  void ValidateCreate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const std::string_view annotation = "kubernetes.io/ingress.class";
    const Field annotations = root["metadata.annotations"];
    const Field old_class = annotations.Entry(annotation);
    const Field own_class = root["spec.ingressClassName"];
    if (!old_class || !own_class || old_class.Text() == own_class.Text()) return;
    const FieldPath path("annotations");
    errors.push_back(Invalid(path.Child(annotation), old_class.ToJson(),
                             "must match `ingressClassName` when both are specified"));
  }

  void ValidateStatusUpdate(const JsonObject& object, const JsonObject&,
                            FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field points = root["status.loadBalancer.ingress"];
    for (const Field& point : points.Items()) {
      if (const Field ip = point["ip"]; !ip.empty()) ip.Report(ValidateIp(ip.Text()));
      const Field host = point["hostname"];
      if (host.empty()) continue;
      host.MustBeSubdomain();
      if (ValidateIp(host.Text()).empty()) host.Invalid("must be a DNS name, not an IP address");
    }
  }

 private:
  static void ValidateHost(const Field& host) {
    if (host.Text().find('*') != std::string_view::npos) {
      host.Report(ValidateWildcardDns1123Subdomain(host.Text()));
    } else {
      host.MustBeSubdomain();
    }
  }

  static void ValidateRule(const Field& rule) {
    if (const Field host = rule["host"]; !host.empty()) {
      if (ValidateIp(host.Text()).empty()) host.Invalid("must be a DNS name, not an IP address");
      ValidateHost(host);
    }
    if (!rule["http"]) return;
    const Field paths = rule["http.paths"];
    paths.MustBeSet();
    for (const Field& path : paths.Items()) ValidatePath(path);
  }
};

class IngressClassStrategy : public ImmutableFieldsStrategy {
 public:
  IngressClassStrategy()
      : ImmutableFieldsStrategy({.counts_generations = true}, {"spec.controller"}) {}

  void SetDefaults(JsonObject& object) const override {
    if (JsonObject* parameters = FindObject(object, "spec.parameters"))
      SetDefault(*parameters, "scope", "Cluster");
  }

  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field controller = root["spec.controller"];
    if (controller.size() > 250) controller.TooLong(250);
    ValidateDomainPrefixedPath(controller);
    if (const Field parameters = root["spec.parameters"]) ValidateParameters(parameters);
  }

 private:
  static void ValidateParameters(const Field& parameters) {
    ValidateLocalReference(parameters);
    const Field scope = parameters["scope"];
    const Field in = parameters["namespace"];
    if (!scope) return scope.Required();
    scope.MustBeOneOf({"Cluster", "Namespace"});
    if (scope.Text() == "Namespace") {
      if (!in) return in.Required("`parameters.scope` is set to 'Namespace'");
      in.MustBeLabel();
    } else if (scope.Text() == "Cluster" && in) {
      in.Forbidden("`parameters.scope` is set to 'Cluster'");
    }
  }
};

// Whether one network is a proper subset of another. True where that is unknown.
bool IsStrictSubset(std::string_view inner_text, std::string_view outer_text) {
  const std::optional<IpRange> inner = IpRange::Parse(inner_text);
  const std::optional<IpRange> outer = IpRange::Parse(outer_text);
  if (!inner || !outer) return true;
  return outer->Contains(*inner) && inner->prefix() > outer->prefix();
}

void ValidatePolicyPort(const Field& port) {
  port["protocol"].OneOf({"SCTP", "TCP", "UDP"});
  const Field number = port["port"];
  const Field end = port["endPort"];
  if (number) ValidatePortNumberOrName(number);
  if (!end) return;
  if (!number) return end.Invalid("may not be specified when `port` is not specified");
  if (number.IsText()) return end.Invalid("may not be specified when `port` is non-numeric");
  if (end.Int() < number.Int()) end.Invalid("must be greater than or equal to `port`");
  end.Report(ValidatePortNumber(end.Int()));
}

void ValidatePeer(const Field& peer) {
  const Field block = peer["ipBlock"];
  const Field pods = peer["podSelector"];
  const Field namespaces = peer["namespaceSelector"];
  ValidateLabelSelector(pods);
  ValidateLabelSelector(namespaces);
  if (block) {
    const Field range = block["cidr"];
    if (range.MustBeSet()) range.Report(ValidateCidr(range.Text()));
    const Field exceptions = block["except"];
    for (const Field& exception : exceptions.Items()) {
      const Messages problems = ValidateCidr(exception.Text());
      exception.Report(problems);
      if (problems.empty() && !IsStrictSubset(exception.Text(), range.Text()))
        exception.Invalid("must be a strict subset of `cidr`");
    }
  }
  if (block && (pods || namespaces))
    peer.Forbidden("may not specify both ipBlock and another peer");
  if (!block && !pods && !namespaces) peer.Required("must specify a peer");
}

void ValidatePolicyRules(const Field& rules, std::string_view peers_name) {
  for (const Field& rule : rules.Items()) {
    const Field ports = rule["ports"];
    for (const Field& port : ports.Items()) ValidatePolicyPort(port);
    const Field peers = rule[peers_name];
    for (const Field& peer : peers.Items()) ValidatePeer(peer);
  }
}

class NetworkPolicyStrategy : public KindStrategy {
 public:
  NetworkPolicyStrategy() : KindStrategy({.counts_generations = true}) {}

  void SetDefaults(JsonObject& policy) const override {
    JsonObject* spec = FindObject(policy, "spec");
    if (spec == nullptr) return;
    SetDefault(*spec, "podSelector", JsonObject());
    const JsonArray* given = FindArray(*spec, "policyTypes");
    if (given != nullptr && !given->empty()) return;
    JsonArray types;
    types.push_back("Ingress");
    const JsonArray* egress = FindArray(*spec, "egress");
    if (egress != nullptr && !egress->empty()) types.push_back("Egress");
    (*spec)["policyTypes"] = std::move(types);
  }
  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field spec = root["spec"];
    const Field selector = spec["podSelector"];
    ValidateLabelSelector(selector);
    const Field ingress = spec["ingress"];
    ValidatePolicyRules(ingress, "from");
    const Field egress = spec["egress"];
    ValidatePolicyRules(egress, "to");
    const Field types = spec["policyTypes"];
    if (types.size() > 2) types.Invalid("may not specify more than two policyTypes");
    for (const Field& type : types.Items()) type.OneOf({"Egress", "Ingress"});
  }
};

class IpAddressStrategy : public ImmutableFieldsStrategy {
 public:
  IpAddressStrategy()
      : ImmutableFieldsStrategy({.validate_name = ValidateIp}, {"spec.parentRef"}) {}

  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field parent = root["spec.parentRef"];
    if (!parent) return parent.Required();
    if (const Field group = parent["group"]; !group.empty()) group.MustBeSubdomain();
    for (std::string_view name : {"resource", "name"}) {
      const Field field = parent[name];
      if (field.MustBeSet()) field.Report(ValidatePathSegmentName(field.Text()));
    }
    if (const Field in = parent["namespace"]; !in.empty())
      in.Report(ValidatePathSegmentName(in.Text()));
  }
};

class ServiceCidrStrategy : public ImmutableFieldsStrategy {
 public:
  ServiceCidrStrategy()
      : ImmutableFieldsStrategy({.has_status = true, .status_retains_metadata = true},
                                {"spec.cidrs"}) {}

  void PrepareForCreate(JsonObject& range) const override { range["status"] = JsonObject(); }
  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field ranges = root["spec.cidrs"];
    ranges.MustBeSet("at least one CIDR required");
    for (const Field& range : ranges.Items()) range.Report(ValidateCidr(range.Text()));
    if (!IsOneOfEachFamily(ranges))
      ranges.Invalid(
          "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and "
          "2001:db8::/64");
  }
};

}  // namespace

void AddNetworkingStrategies(StrategyTable& table) {
  table.Add(kGroup, "Ingress", std::make_unique<IngressStrategy>());
  table.Add(kGroup, "IngressClass", std::make_unique<IngressClassStrategy>());
  table.Add(kGroup, "NetworkPolicy", std::make_unique<NetworkPolicyStrategy>());
  table.Add(kGroup, "IPAddress", std::make_unique<IpAddressStrategy>());
  table.Add(kGroup, "ServiceCIDR", std::make_unique<ServiceCidrStrategy>());
}

}  // namespace kubexms
