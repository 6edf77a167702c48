#include "kubexms/cluster/config/cluster_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "kubexms/api/names.h"
#include "kubexms/api/schema/defaulting.h"
#include "kubexms/api/schema/field_error.h"
#include "kubexms/api/schema/pruning.h"
#include "kubexms/api/schema/validation.h"
#include "kubexms/base/json/yaml.h"
#include "kubexms/base/secret.h"
#include "kubexms/base/small_file.h"
#include "kubexms/cluster/config/cluster_network.h"
#include "kubexms/cluster/config/support_matrix.h"

namespace kubexms::cluster {
namespace {

constexpr size_t kMaxConfigBytes = 16 << 20;
constexpr size_t kMaxEtcdMembers = 7;

bool IsIpAddress(const std::string& text) { return IpRange::ParseAddress(text).has_value(); }

bool IsIpv4Address(const std::string& text) {
  const std::optional<IpRange> address = IpRange::ParseAddress(text);
  return address && address->is_ipv4();
}

// It becomes part of a file, so nothing that has a meaning there.
bool IsRegistryUrl(std::string_view text) {
  const size_t scheme = text.starts_with("https://") ? 8 : text.starts_with("http://") ? 7 : 0;
  const std::string_view rest = text.substr(scheme);
  return scheme > 0 && !rest.empty() && rest[0] != '/' &&
         std::ranges::all_of(rest, [](unsigned char c) {
           return std::isalnum(c) ||
                  std::string_view("-._~:/[]%").find(c) != std::string_view::npos;
         });
}

// Fields into which users write passwords by mistake.
bool IsSecret(std::string_view field) {
  return field.ends_with("password") || field.ends_with("Password") ||
         field.ends_with("Passphrase");
}

// "https://user:password@host" without what stands before the host.
std::string WithoutUserInfo(std::string text) {
  for (size_t at = text.find("://"); at != std::string::npos; at = text.find("://", at + 3)) {
    const size_t begin = at + 3, end = std::min(text.find_first_of("/ \"", begin), text.size());
    const size_t sign = text.rfind('@', end);
    if (sign == std::string::npos || sign < begin) continue;
    text.replace(begin, sign - begin, kRedacted);
  }
  return text;
}

bool HasUserInfo(const std::string& url) { return WithoutUserInfo(url) != url; }

// Nobody sees a password because it is in the wrong place.
void HideSecrets(std::vector<ErrorCause>& causes) {
  for (ErrorCause& cause : causes) {
    if (cause.reason == "FieldValueRequired") continue;
    cause.message = IsSecret(cause.field)
                        ? "Invalid value: [redacted]: passwords must not be in this file; "
                          "use a reference: env:NAME, file:/path or cmd:command"
                        : WithoutUserInfo(std::move(cause.message));
  }
}

// One error with a line for each cause, in the order of the text.
Error Refuse(std::string_view name, const std::vector<ErrorCause>& causes,
             const YamlPositions& positions) {
  std::multimap<int, std::string> lines;
  for (const ErrorCause& cause : causes) {
    const int line = positions.Find(cause.field).line;
    lines.emplace(line, fmt::format("{}:{}: {}: {}", name, line, cause.field, cause.message));
  }
  std::string message = fmt::format("{} is not a valid cluster; nothing was changed", name);
  for (const auto& [line, text] : lines) message += "\n  " + text;
  return Error(422, "Invalid", message, {.kind = "Cluster", .causes = causes});
}

void CheckKind(const Json& document, std::vector<ErrorCause>& causes) {
  const FieldPath root;
  const auto expect = [&](std::string_view field, const std::string& wanted) {
    if (FindString(document, field) == wanted) return;
    const Json* value = FindMember(document, field);
    causes.push_back(NotSupported(root.Child(field), value ? *value : Json(), {wanted}));
  };
  expect("apiVersion", Cluster::kKind.ApiVersion());
  expect("kind", std::string(Cluster::kKind.kind));
}

// Validates the document by the schema and sets defaults.
std::vector<ErrorCause> CheckDocument(Json& document) {
  std::vector<ErrorCause> causes;
  CheckKind(document, causes);
  std::vector<std::string> unknown;
  const Schema& schema = SchemaOf<Cluster>();
  Prune(document, schema, {.object_meta = &SchemaOf<ObjectMeta>(), .removed = &unknown});
  for (const std::string& path : unknown) {
    causes.push_back({"FieldValueForbidden", "unknown field", path});
  }
  ApplyDefaults(document, schema);
  std::ranges::copy(Validate(document, schema, {.integer_formats = true}),
                    std::back_inserter(causes));
  return causes;
}

class Checker {
 public:
  explicit Checker(const Cluster& cluster) : spec_(cluster.spec) {
    for (const HostSpec& host : spec_.hosts) known_.insert(host.name);
    CheckName(cluster.metadata.name);
    CheckKubernetesVersion();
    CheckAddresses();
    const FieldPath groups = root_.Child("roleGroups");
    CheckGroup(groups.Child("etcd"), spec_.role_groups.etcd);
    CheckGroup(groups.Child("controlPlane"), spec_.role_groups.control_plane);
    CheckGroup(groups.Child("worker"), spec_.role_groups.worker);
    CheckGroup(groups.Child("loadBalancer"), spec_.role_groups.load_balancer);
    CheckEtcd(groups.Child("etcd"));
    CheckEndpoint();
    CheckLoadBalancers(groups);
    CheckRegistries();
    CheckImages();
    CheckBinaries();
    std::ranges::copy(CheckNetwork(spec_), std::back_inserter(causes_));
    CheckAddons();
    CheckUnused();
  }

  std::vector<ErrorCause> Take() { return std::move(causes_); }

 private:
  void CheckName(const std::string& name) {
    const FieldPath metadata("metadata"), path = metadata.Child("name");
    if (name.empty()) {
      causes_.push_back(Required(path, "the cluster must have a name"));
      return;
    }
    // The name is part of directories on the hosts, of /etc/hosts and of etcd's cluster token.
    for (const std::string& reason : ValidateDns1123Label(name)) {
      causes_.push_back(Invalid(path, Json(name), reason));
    }
  }

  void CheckKubernetesVersion() {
    const std::string& version = spec_.kubernetes_version;
    if (version.empty()) return;
    const KubernetesSupport* known = FindKubernetes(version);
    if (known == nullptr) {
      std::vector<std::string_view> versions;
      for (const KubernetesSupport& each : SupportedKubernetes()) versions.push_back(each.version);
      causes_.push_back(NotSupported(root_.Child("kubernetesVersion"), Json(version), versions));
    } else if (spec_.network.kube_proxy_mode == "nftables" && !known->has_nftables) {
      const FieldPath network = root_.Child("network");
      causes_.push_back(Invalid(network.Child("kubeProxyMode"), Json("nftables"),
                                fmt::format("kube-proxy of Kubernetes {} does not support it; the "
                                            "first version that does is {}",
                                            known->version, FirstWithNftables())));
    }
  }

  static std::string_view FirstWithNftables() {
    const auto all = SupportedKubernetes();
    return std::ranges::find(all, true, &KubernetesSupport::has_nftables)->version;
  }

  void CheckAddresses() {
    const FieldPath hosts = root_.Child("hosts");
    std::set<std::string> ways, internal;
    for (size_t i = 0; i < spec_.hosts.size(); ++i) {
      const HostSpec& host = spec_.hosts[i];
      const FieldPath path = hosts.Index(i);
      // Behind different bastions the same address can be another host.
      const std::string way = fmt::format("{} {}:{}", host.bastion, host.address, host.port);
      const std::string& address = host.InternalAddress();
      const bool same_way = !ways.insert(way).second;
      if (same_way) causes_.push_back(Duplicate(path.Child("address"), Json(host.address)));
      if (!internal.insert(address).second && !same_way) {
        causes_.push_back(Duplicate(path.Child("internalAddress"), Json(address)));
      }
      if (!host.internal_address.empty() && !IsIpAddress(host.internal_address)) {
        causes_.push_back(
            Invalid(path.Child("internalAddress"), Json(address), "must be an IP address"));
      }
    }
  }

  void CheckGroup(const FieldPath& path, const std::vector<std::string>& names) {
    std::set<std::string> seen;
    for (size_t i = 0; i < names.size(); ++i) {
      if (!known_.contains(names[i])) {
        causes_.push_back(NotFound(path.Index(i), Json(names[i])));
      } else if (!seen.insert(names[i]).second) {
        causes_.push_back(Duplicate(path.Index(i), Json(names[i])));
      }
      used_.insert(names[i]);
    }
  }

  void CheckEtcd(const FieldPath& path) {
    const std::vector<std::string>& members = spec_.role_groups.etcd;
    if (members.size() % 2 == 0 && !members.empty()) {
      causes_.push_back(Invalid(path, Json(members.size()),
                                "an even number of members survives no more failures than one "
                                "member less; use 1, 3, 5 or 7"));
    }
    if (members.size() > kMaxEtcdMembers) {
      causes_.push_back(TooMany(path, static_cast<int64_t>(members.size()), kMaxEtcdMembers));
    }
    for (size_t i = 0; i < members.size(); ++i) {
      if (!known_.contains(members[i])) continue;
      const std::string& address = spec_.Host(members[i]).InternalAddress();
      if (IsIpAddress(address)) continue;
      causes_.push_back(Invalid(path.Index(i), Json(address),
                                "a member of etcd needs an IP address: give its host an "
                                "internalAddress"));
    }
    if (spec_.etcd.client_port == spec_.etcd.peer_port) {
      const FieldPath etcd = root_.Child("etcd");
      causes_.push_back(Duplicate(etcd.Child("peerPort"), Json(spec_.etcd.peer_port)));
    }
  }

  void CheckEndpoint() {
    const FieldPath endpoint = root_.Child("controlPlaneEndpoint");
    const std::string& address = spec_.control_plane_endpoint.address;
    if (address.empty() && !spec_.role_groups.load_balancer.empty()) {
      causes_.push_back(Required(endpoint.Child("address"),
                                 "load balancers require a shared address that no host has"));
    } else if (address.empty() && spec_.role_groups.control_plane.size() > 1) {
      causes_.push_back(Required(endpoint.Child("address"),
                                 "several control plane hosts require a shared address"));
    }
    if (!address.empty() && !IsIpAddress(address)) {
      causes_.push_back(Invalid(endpoint.Child("address"), Json(address), "must be an IP address"));
    }
  }

  void CheckLoadBalancers(const FieldPath& groups) {
    const RoleGroups& roles = spec_.role_groups;
    if (roles.load_balancer.empty()) return;
    if (roles.control_plane.empty()) {
      causes_.push_back(
          Required(groups.Child("controlPlane"), "load balancers require control plane hosts"));
    }
    CheckVirtualAddress();
    CheckIpAddresses(groups.Child("loadBalancer"), roles.load_balancer, IsIpv4Address, "IPv4");
    CheckIpAddresses(groups.Child("controlPlane"), roles.control_plane, IsIpAddress, "IP");
    CheckEndpointPort(roles.control_plane, "backendPort",
                      spec_.control_plane_endpoint.backend_port);
    CheckEndpointPort(roles.etcd, "etcd.clientPort", spec_.etcd.client_port);
    CheckEndpointPort(roles.etcd, "etcd.peerPort", spec_.etcd.peer_port);
  }

  void CheckVirtualAddress() {
    const std::string& address = spec_.control_plane_endpoint.address;
    if (!IsIpAddress(address)) return;
    const FieldPath endpoint = root_.Child("controlPlaneEndpoint"),
                    path = endpoint.Child("address");
    if (!IsIpv4Address(address)) {
      causes_.push_back(Invalid(path, Json(address), "load balancers require an IPv4 address"));
    }
    for (const HostSpec& host : spec_.hosts) {
      if (host.address != address && host.internal_address != address) continue;
      causes_.push_back(Invalid(path, Json(address),
                                fmt::format("it is {}'s own; the load balancers need one that no "
                                            "host has",
                                            host.name)));
    }
  }

  // Where a group's hosts have to be known by address and not by name.
  void CheckIpAddresses(const FieldPath& group, const std::vector<std::string>& names,
                        bool (*is_good)(const std::string&), std::string_view wanted) {
    for (size_t i = 0; i < names.size(); ++i) {
      if (!known_.contains(names[i])) continue;
      const std::string& address = spec_.Host(names[i]).InternalAddress();
      if (is_good(address)) continue;
      causes_.push_back(Invalid(group.Index(i), Json(address),
                                fmt::format("it needs an {} address: give its host an "
                                            "internalAddress",
                                            wanted)));
    }
  }

  // A load balancer cannot share its port with what else is on its host.
  void CheckEndpointPort(const std::vector<std::string>& others, std::string_view what,
                         int32_t port) {
    const std::vector<std::string>& balancers = spec_.role_groups.load_balancer;
    if (port != spec_.control_plane_endpoint.port) return;
    const auto both = std::ranges::find_first_of(balancers, others);
    if (both == balancers.end()) return;
    const FieldPath endpoint = root_.Child("controlPlaneEndpoint");
    causes_.push_back(Invalid(endpoint.Child("port"), Json(port),
                              fmt::format("{} is a load balancer and has {} too; choose another "
                                          "port, such as 8443",
                                          *both, what)));
  }

  void CheckRegistries() {
    const FieldPath runtime = root_.Child("containerRuntime"), list = runtime.Child("registries");
    const std::vector<RegistrySpec>& registries = spec_.container_runtime.registries;
    for (size_t i = 0; i < registries.size(); ++i) {
      const RegistrySpec& registry = registries[i];
      const FieldPath path = list.Index(i), mirrors = path.Child("mirrors");
      for (size_t j = 0; j < registry.mirrors.size(); ++j) {
        if (IsRegistryUrl(registry.mirrors[j])) continue;
        causes_.push_back(Invalid(mirrors.Index(j), Json(registry.mirrors[j]),
                                  "must be a URL such as https://mirror.example:5000"));
      }
      if (registry.username.empty() != registry.password.empty()) {
        causes_.push_back(Required(path.Child(registry.username.empty() ? "username" : "password"),
                                   "username and password must both be set"));
      }
      if (registry.plain_http && !registry.ca_file.empty()) {
        causes_.push_back(Invalid(path.Child("caFile"), Json(registry.ca_file),
                                  "must not be set with plainHTTP, which has no TLS"));
      }
    }
  }

  void CheckImages() {
    const FieldPath runtime = root_.Child("containerRuntime"), list = runtime.Child("images");
    const std::vector<ImageSpec>& images = spec_.container_runtime.images;
    for (size_t i = 0; i < images.size(); ++i) {
      const FieldPath path = list.Index(i);
      const std::string registry = images[i].name.substr(0, images[i].name.find('/'));
      if (registry.find_first_of(".:") == std::string::npos && registry != "localhost") {
        causes_.push_back(
            Invalid(path.Child("name"), Json(images[i].name),
                    fmt::format("must start with a registry: docker.io/{}{}",
                                registry == images[i].name ? "library/" : "", images[i].name)));
      }
      CheckSources(path.Child("sources"), images[i].sources);
    }
  }

  void CheckBinaries() {
    constexpr std::array<std::string_view, 4> kGroups = {"etcd", "controlPlane", "worker",
                                                         "loadBalancer"};
    const FieldPath list = root_.Child("binaries");
    std::set<std::string> paths;
    for (size_t i = 0; i < spec_.binaries.size(); ++i) {
      const BinarySpec& binary = spec_.binaries[i];
      const FieldPath path = list.Index(i), groups = path.Child("roleGroups");
      if (!paths.insert(binary.path).second) {
        causes_.push_back(Duplicate(path.Child("path"), Json(binary.path)));
      }
      for (size_t j = 0; j < binary.role_groups.size(); ++j) {
        if (std::ranges::find(kGroups, binary.role_groups[j]) != kGroups.end()) continue;
        causes_.push_back(NotSupported(groups.Index(j), Json(binary.role_groups[j]), kGroups));
      }
      CheckSources(path.Child("sources"), binary.sources);
    }
  }

  void CheckSources(const FieldPath& list, const std::vector<SourceSpec>& sources) {
    std::set<std::string> architectures;
    for (size_t i = 0; i < sources.size(); ++i) {
      const SourceSpec& source = sources[i];
      const FieldPath path = list.Index(i);
      const int given = !source.file.empty() + !source.url.empty() + !source.command.empty();
      if (given != 1) causes_.push_back(Required(path, "one of file, url and command"));
      CheckUrl(path.Child("url"), source.url);
      if (!source.url.empty() && source.sha256.empty()) {
        causes_.push_back(Required(path.Child("sha256"), "downloads require a checksum"));
      }
      if (!architectures.insert(source.architecture).second) {
        causes_.push_back(Duplicate(path.Child("architecture"), Json(source.architecture)));
      }
    }
  }

  void CheckAddons() {
    const FieldPath list = root_.Child("addons");
    for (size_t i = 0; i < spec_.addons.size(); ++i) {
      const AddonSpec& addon = spec_.addons[i];
      const FieldPath path = list.Index(i), manifests = path.Child("manifests");
      if (addon.manifests.empty() != static_cast<bool>(addon.chart)) {
        causes_.push_back(Required(path, "one of manifests and chart"));
      }
      for (size_t j = 0; j < addon.manifests.size(); ++j) {
        CheckManifest(manifests.Index(j), addon.manifests[j]);
      }
      if (addon.chart) CheckChart(path.Child("chart"), *addon.chart);
    }
  }

  // The file is shown to people and copied to hosts.
  void CheckUrl(const FieldPath& path, const std::string& url) {
    if (!HasUserInfo(url)) return;
    causes_.push_back(Invalid(path, Json(url), "must not have a user or a password"));
  }

  void CheckManifest(const FieldPath& path, const ManifestSpec& manifest) {
    CheckUrl(path.Child("url"), manifest.url);
    if (manifest.file.empty() == manifest.url.empty()) {
      causes_.push_back(Required(path, "one of file and url"));
    }
    if (!manifest.url.empty() && manifest.sha256.empty()) {
      causes_.push_back(Required(path.Child("sha256"), "downloads require a checksum"));
    }
  }

  void CheckChart(const FieldPath& path, const ChartSpec& chart) {
    CheckUrl(path.Child("repository"), chart.repository);
    const bool somewhere = !chart.repository.empty();
    if (somewhere != chart.file.empty()) {
      causes_.push_back(Required(path, "one of file and repository"));
    }
    if (somewhere && chart.name.empty()) {
      causes_.push_back(Required(path.Child("name"), "name of the chart in the repository"));
    }
    if (somewhere && chart.version.empty()) {
      causes_.push_back(Required(path.Child("version"), "required for reproducible clusters"));
    }
    if (!chart.values.text.empty() && !chart.values.text.starts_with('{')) {
      causes_.push_back(
          TypeInvalid(path.Child("values"), Json(chart.values.text), "must be an object"));
    }
  }

  void CheckUnused() {
    const FieldPath hosts = root_.Child("hosts");
    for (size_t i = 0; i < spec_.hosts.size(); ++i) {
      const FieldPath path = hosts.Index(i);
      const std::string& name = spec_.hosts[i].name;
      if (used_.contains(name)) continue;
      causes_.push_back(Invalid(path.Child("name"), Json(name), "is in none of the roleGroups"));
    }
  }

  const ClusterSpec& spec_;
  const FieldPath root_ = FieldPath("spec");
  std::set<std::string> known_, used_;
  std::vector<ErrorCause> causes_;
};

}  // namespace

std::vector<ErrorCause> CheckCluster(const Cluster& cluster) { return Checker(cluster).Take(); }

Result<Cluster> ParseCluster(std::string_view text, std::string_view name) {
  std::vector<std::string> duplicates;
  Result<YamlDocument> parsed = ParseYamlOne(text, {.duplicates = &duplicates, .positions = true});
  if (!parsed.ok()) return parsed.error().WithContext(name);
  std::vector<ErrorCause> causes = CheckDocument(parsed->value);
  for (const std::string& path : duplicates) {
    causes.push_back({"FieldValueDuplicate", "duplicate field", path});
  }
  // Of a document with the wrong types no more can be said.
  Result<Cluster> cluster = FromJson<Cluster>(parsed->value);
  if (cluster.ok()) {
    for (ErrorCause& cause : CheckCluster(*cluster)) {
      if (std::ranges::find(causes, cause.field, &ErrorCause::field) == causes.end()) {
        causes.push_back(std::move(cause));
      }
    }
  }
  HideSecrets(causes);
  if (!causes.empty()) return Refuse(name, causes, parsed->positions);
  return cluster;
}

Result<Cluster> LoadCluster(const std::string& path) {
  ASSIGN_OR_RETURN(const std::optional<std::string> text, ReadSmallFile(path, kMaxConfigBytes));
  if (!text) {
    return Error::BadRequest(
        fmt::format("{} does not exist; to write an example: kubexms create config", path));
  }
  return ParseCluster(*text, path);
}

std::vector<std::string> UnusedSettingWarnings(const ClusterSpec& spec) {
  std::vector<std::string> warnings;
  if (!spec.kubernetes_version.empty()) {
    warnings.push_back(fmt::format(
        "spec.kubernetesVersion ({}) is only used for preflight checks: nothing installs "
        "Kubernetes yet",
        spec.kubernetes_version));
  }
  Json defaults = JsonObject();
  ApplyDefaults(defaults, SchemaOf<NetworkSpec>());
  const Json network = ToJson(spec.network);
  std::vector<std::string> fields;
  for (const auto& [key, value] : network.as_object()) {
    // The kernel of the hosts knows of those already.
    if (key == "nodePorts") continue;
    const Json* unchanged = FindMember(defaults, key);
    if (!unchanged || !JsonEqual(value, *unchanged)) fields.emplace_back(key);
  }
  if (!fields.empty()) {
    warnings.push_back(
        fmt::format("spec.network ({}) is validated and not used yet: nothing sets up "
                    "the control plane and the network of pods yet",
                    fmt::join(fields, ", ")));
  }
  std::vector<std::string> addons;
  for (const AddonSpec& addon : spec.addons) {
    if (addon.enabled) addons.push_back(addon.name);
  }
  if (!addons.empty()) {
    warnings.push_back(
        fmt::format("spec.addons ({}) is validated and not used yet: nothing installs "
                    "them yet",
                    fmt::join(addons, ", ")));
  }
  return warnings;
}

std::vector<std::string> VersionWarnings(const ClusterSpec& spec) {
  const KubernetesSupport* kubernetes = FindKubernetes(spec.kubernetes_version);
  const NetworkPluginSpec& plugin = spec.network.plugin;
  const PluginSupport* tested = FindPlugin(plugin.name, plugin.version);
  if (kubernetes == nullptr || tested == nullptr) return {};
  if (IsAtLeast(kubernetes->version, tested->first_kubernetes) &&
      IsAtLeast(tested->last_kubernetes, kubernetes->version)) {
    return {};
  }
  return {
      fmt::format("spec.network.plugin ({} {}) is tested by its authors with Kubernetes {} to {}, "
                  "and not with {}",
                  plugin.name, plugin.version, tested->first_kubernetes, tested->last_kubernetes,
                  kubernetes->version)};
}

std::string SampleConfig(std::string_view cluster, const std::vector<std::string>& addresses) {
  std::string hosts;
  std::vector<std::string> names;
  for (const std::string& address : addresses) {
    names.push_back(fmt::format("node{}", names.size() + 1));
    hosts += fmt::format("    - name: {}\n      address: {}\n", names.back(), address);
    if (names.size() > 1) continue;
    hosts +=
        "      # user: root             # or a user with sudo\n"
        "      # port: 22\n"
        "      # privateKeyPath: ~/.ssh/id_ed25519\n"
        "      # privateKeyPassphrase: env:KEY_PASSPHRASE   # of an encrypted key\n"
        "      # password: env:NODE_PASSWORD   # or file:/path, or cmd:command\n"
        "      # internalAddress: 10.0.0.1     # for connections between the hosts\n"
        "      # bastion: user@gateway:22\n"
        "      # hostKey: SHA256:…             # defaults to trust on first use\n";
  }
  const size_t servers = names.size() < 3 ? std::min<size_t>(names.size(), 1) : 3;
  const std::string first =
      fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<long>(servers), ", "));
  return fmt::format(
      "# A cluster, for kubexms create cluster -f FILE.\n"
      "apiVersion: {}\n"
      "kind: Cluster\n"
      "metadata:\n"
      "  name: {}\n"
      "spec:\n"
      "  # kubernetesVersion: \"1.34\"  # preflight checks the hosts for it\n"
      "  # The hosts; their order applies everywhere.\n"
      "  hosts:\n{}"
      "  # The roles of the hosts, by name.\n"
      "  roleGroups:\n"
      "    etcd: [{}]  # 1, 3, 5 or 7\n"
      "    controlPlane: [{}]\n"
      "    worker: [{}]\n"
      "  # The address of the API servers; required for several control plane hosts.\n"
      "  {}controlPlaneEndpoint:\n"
      "  {}  domain: api.{}.example\n"
      "  {}  address: {}\n"
      "  # For load balancers: roleGroups.loadBalancer, and an address that no host "
      "has.\n"
      "  # loadBalancer:\n"
      "  #   interface: eth0            # defaults to the interface of the host's address\n"
      "  #   healthCheckPath: /readyz   # defaults to a TCP check\n"
      "  # containerRuntime:\n"
      "  #   dataRoot: /var/lib/containerd\n"
      "  #   sandboxImage: registry.k8s.io/pause:3.10.1\n"
      "  #   registries:\n"
      "  #     - name: docker.io\n"
      "  #       mirrors: [https://mirror.example:5000]\n"
      "  #     - name: mirror.example:5000\n"
      "  #       caFile: ./mirror-ca.crt\n"
      "  #       username: puller\n"
      "  #       password: env:MIRROR_PASSWORD\n"
      "  #   images:                  # from the artifact, for hosts without internet\n"
      "  #     - name: registry.k8s.io/pause:3.10.1\n"
      "  #       sources: [{{file: ./pause.tar}}]   # by docker save\n"
      "  # binaries:\n"
      "  #   - name: crictl\n"
      "  #     path: /usr/local/bin/crictl\n"
      "  #     sources: [{{architecture: amd64, file: ./crictl}}]\n"
      "  # etcd:\n"
      "  #   dataDir: /var/lib/etcd\n"
      "  #   binariesDir: ./bin     # instead of the packages of the distribution\n"
      "  #   backup: {{schedule: daily, keep: 7}}  # snapshots on the members\n"
      "  # network:                 # validated, not used yet\n"
      "  #   podCIDRs: [10.244.0.0/16]      # dual stack: a second, IPv6 range, also for services\n"
      "  #   serviceCIDRs: [10.96.0.0/12]\n"
      "  #   clusterDomain: cluster.local\n"
      "  #   dnsServiceIP: 10.96.0.10\n"
      "  #   nodePorts: 30000-32767\n"
      "  #   kubeProxyMode: iptables        # or nftables, ipvs, none\n"
      "  #   plugin: {{name: flannel}}        # or calico, cilium, kube-ovn, none\n"
      "  # addons:                  # validated, not used yet\n"
      "  #   - name: metrics-server\n"
      "  #     namespace: kube-system\n"
      "  #     manifests: [{{file: ./metrics-server.yaml}}]\n"
      "  #   - name: ingress\n"
      "  #     chart: {{repository: \"https://charts.example\", name: ingress, version: 1.2.3}}\n"
      "  # system:\n"
      "  #   setHostnames: true\n"
      "  #   configureKernel: true  # swap off, modules, parameters\n"
      "  #   sysctl: {{vm.swappiness: \"1\"}}\n"
      "  #   timezone: UTC\n"
      "  #   ntpServers: [ntp.example.com]\n"
      "  # preflight:\n"
      "  #   minMemoryMiB: 900\n"
      "  #   minDiskMiB: 2048\n"
      "  #   maxClockSkewSeconds: 30\n"
      "  #   maxDiskSyncMilliseconds: 100\n"
      "  # artifact: ./cluster.artifact   # for hosts without internet: kubexms artifact build\n",
      Cluster::kKind.ApiVersion(), cluster, hosts, first, first, fmt::join(names, ", "),
      servers > 1 ? "" : "# ", servers > 1 ? "" : "# ", cluster, servers > 1 ? "" : "# ",
      addresses.empty() ? "" : addresses[0]);
}

}  // namespace kubexms::cluster
