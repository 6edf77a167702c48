#include "kubexms/cluster/config/cluster_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <sstream>

#include "kubexms/api/schema/field_error.h"

namespace kubexms::cluster {
namespace {

constexpr int kMinServiceBits = 4;   // sixteen addresses, so that there is a tenth
constexpr int kMaxServiceBits = 20;  // as many as API servers keep account of
constexpr int kMaxNodeBits = 16;     // of a range that is parted among hosts
constexpr int kFirstUnprivilegedPort = 1024;

// Ranges that mean something else everywhere.
constexpr std::array<std::string_view, 6> kReserved = {
    "127.0.0.0/8", "169.254.0.0/16", "224.0.0.0/3", "::/127", "fe80::/10", "ff00::/8"};

int DefaultMaskSize(const IpRange& range) { return range.is_ipv4() ? 24 : 64; }

// One check after the other, as they are read; what depends on ranges that are wrong is passed
// over.
class Checker {
 public:
  explicit Checker(const ClusterSpec& spec)
      : spec_(spec), network_(spec.network), hosts_(spec.RuntimeHosts()) {
    const FieldPath pods = root_.Child("podCIDRs"), services = root_.Child("serviceCIDRs");
    pods_ = Ranges(pods, network_.pod_cidrs);
    services_ = Ranges(services, network_.service_cidrs);
    CheckFamilies(services);
    CheckOverlap(services);
    CheckParts(pods);
    CheckServices(services);
    CheckDnsAddress();
    CheckHosts(pods, pods_);
    CheckHosts(services, services_);
    CheckDomain();
    CheckNodePorts();
    CheckPlugin();
  }

  std::vector<ErrorCause> Take() { return std::move(causes_); }

 private:
  using Found = std::vector<std::optional<IpRange>>;

  void Refuse(const FieldPath& path, const std::string& value, std::string_view why) {
    causes_.push_back(Invalid(path, Json(value), why));
  }

  Found Ranges(const FieldPath& list, const std::vector<std::string>& texts) {
    Found ranges;
    for (size_t i = 0; i < texts.size(); ++i) ranges.push_back(RangeOf(list.Index(i), texts[i]));
    if (ranges.size() == 2 && ranges[0] && ranges[1] &&
        ranges[0]->is_ipv4() == ranges[1]->is_ipv4()) {
      Refuse(list.Index(1), texts[1],
             "two ranges must be one of IPv4 and one of IPv6 (dual stack)");
    }
    return ranges;
  }

  std::optional<IpRange> RangeOf(const FieldPath& path, const std::string& text) {
    const std::optional<IpRange> range = IpRange::Parse(text);
    if (!range) {
      Refuse(path, text, "must be a CIDR such as 10.244.0.0/16 or fd00:10:244::/56");
      return std::nullopt;
    }
    if (range->Network() != *range) {
      Refuse(path, text,
             fmt::format("must start with the network address {}", range->Network().ToString()));
      return std::nullopt;
    }
    for (const std::string_view reserved : kReserved) {
      if (!range->Overlaps(*IpRange::Parse(reserved))) continue;
      Refuse(path, text, fmt::format("{} cannot be used for hosts or pods", reserved));
      return std::nullopt;
    }
    return range;
  }

  void CheckFamilies(const FieldPath& services) {
    const auto families = [](const Found& ranges) {
      std::vector<std::string_view> names;
      for (const auto& range : ranges) names.push_back(range ? range->family() : "");
      return names;
    };
    const auto pods = families(pods_), others = families(services_);
    if (std::ranges::count(pods, "") + std::ranges::count(others, "") > 0 || pods == others) return;
    causes_.push_back(Invalid(services, Json(fmt::format("{}", fmt::join(others, ", "))),
                              fmt::format("podCIDRs are of {}: both need the same families in the "
                                          "same order",
                                          fmt::join(pods, ", "))));
  }

  void CheckOverlap(const FieldPath& services) {
    for (size_t i = 0; i < services_.size(); ++i) {
      for (const auto& pods : pods_) {
        if (!services_[i] || !pods || !services_[i]->Overlaps(*pods)) continue;
        Refuse(services.Index(i), network_.service_cidrs[i],
               fmt::format("overlaps with {} of podCIDRs", pods->ToString()));
      }
    }
  }

  // How podCIDRs are parted among the hosts.
  void CheckParts(const FieldPath& pods) {
    const FieldPath path = root_.Child("nodeCIDRMaskSizes");
    const std::vector<int32_t>& sizes = network_.node_cidr_mask_sizes;
    if (!sizes.empty() && sizes.size() != pods_.size()) {
      causes_.push_back(
          Invalid(path, Json(sizes.size()),
                  fmt::format("must have one value for each of the {} podCIDRs", pods_.size())));
      return;
    }
    for (size_t i = 0; i < pods_.size(); ++i) {
      if (!pods_[i]) continue;
      const bool given = !sizes.empty();
      const int size = given ? sizes[i] : DefaultMaskSize(*pods_[i]);
      if (given) {
        CheckPart(path.Index(i), Json(size), *pods_[i], size);
      } else {
        CheckPart(pods.Index(i), Json(network_.pod_cidrs[i]), *pods_[i], size);
      }
    }
  }

  void CheckPart(const FieldPath& path, const Json& value, const IpRange& pods, int size) {
    const int bits = pods.is_ipv4() ? 32 : 128;
    const int node_bits = size - pods.prefix(), pod_bits = bits - size;
    const auto refuse = [&](std::string_view why) { causes_.push_back(Invalid(path, value, why)); };
    if (node_bits < 0 || pod_bits < 2) {
      return refuse(
          fmt::format("a host's part of {} is from /{} to /{}, and this is /{}; see "
                      "nodeCIDRMaskSizes",
                      pods.ToString(), pods.prefix(), bits - 2, size));
    }
    if (node_bits > kMaxNodeBits) {
      return refuse(
          fmt::format("{} has more than {} ranges of /{}; choose a smaller one, or a "
                      "smaller nodeCIDRMaskSizes",
                      pods.ToString(), 1 << kMaxNodeBits, size));
    }
    if ((size_t{1} << node_bits) < hosts_.size()) {
      refuse(fmt::format("{} has {} ranges of /{}, and {} hosts require one each", pods.ToString(),
                         1 << node_bits, size, hosts_.size()));
    }
    // The first and the last address of a part are no pod's.
    if (pod_bits < 16 && (1 << pod_bits) - 2 < network_.max_pods_per_node) {
      refuse(
          fmt::format("a range of /{} per host has {} addresses for pods, and maxPodsPerNode is {}",
                      size, (1 << pod_bits) - 2, network_.max_pods_per_node));
    }
  }

  void CheckServices(const FieldPath& services) {
    for (size_t i = 0; i < services_.size(); ++i) {
      if (!services_[i]) continue;
      const int bits = services_[i]->host_bits(), whole = services_[i]->prefix() + bits;
      if (bits >= kMinServiceBits && bits <= kMaxServiceBits) continue;
      Refuse(services.Index(i), network_.service_cidrs[i],
             fmt::format("must be a range from /{} to /{}", whole - kMaxServiceBits,
                         whole - kMinServiceBits));
    }
  }

  void CheckDnsAddress() {
    const FieldPath path = root_.Child("dnsServiceIP");
    const std::string& text = network_.dns_service_ip;
    if (text.empty()) return;
    const std::optional<IpRange> address = IpRange::ParseAddress(text);
    if (!address) return Refuse(path, text, "must be an IP address");
    if (services_.empty() || !services_[0]) return;
    if (!services_[0]->Contains(*address)) {
      return Refuse(path, text, fmt::format("is not in {} of serviceCIDRs", Text(services_[0])));
    }
    if (*address == services_[0]->At(0) || *address == services_[0]->At(1)) {
      Refuse(path, text,
             "the first address of a range is none of a service, and the next one is that of the "
             "API servers");
    }
  }

  // Hosts that run containers reach none of the others within these ranges any more.
  void CheckHosts(const FieldPath& list, const Found& ranges) {
    if (hosts_.empty()) return;
    for (size_t i = 0; i < ranges.size(); ++i) {
      if (!ranges[i]) continue;
      const FieldPath path = list.Index(i);
      for (const HostSpec& host : spec_.hosts) {
        CheckOutside(path, *ranges[i], host.InternalAddress(), host.name);
        if (host.address != host.InternalAddress()) {
          CheckOutside(path, *ranges[i], host.address, host.name);
        }
      }
      CheckOutside(path, *ranges[i], spec_.control_plane_endpoint.address, "controlPlaneEndpoint");
    }
  }

  void CheckOutside(const FieldPath& path, const IpRange& range, const std::string& text,
                    std::string_view whose) {
    const std::optional<IpRange> address = IpRange::ParseAddress(text);
    if (!address || !range.Contains(*address)) return;
    Refuse(
        path, range.ToString(),
        fmt::format("contains {} of {}; choose a range without addresses of hosts", text, whose));
  }

  // The cluster's name server answers for everything below its domain, and knows only services.
  void CheckDomain() {
    const std::string& domain = spec_.control_plane_endpoint.domain;
    const std::string& zone = network_.cluster_domain;
    if (domain.empty() || zone.empty()) return;
    if (domain != zone && !domain.ends_with("." + zone)) return;
    Refuse(
        root_.Child("clusterDomain"), zone,
        fmt::format("pods could not resolve controlPlaneEndpoint.domain {}, which is a subdomain",
                    domain));
  }

  void CheckNodePorts() {
    const std::string& text = network_.node_ports;
    int from = 0, to = 0;
    const size_t dash = text.find('-');
    if (dash == std::string::npos) return;
    std::from_chars(text.data(), text.data() + dash, from);
    std::from_chars(text.data() + dash + 1, text.data() + text.size(), to);
    const FieldPath path = root_.Child("nodePorts");
    if (from < kFirstUnprivilegedPort || from > to || to > 65535) {
      return Refuse(
          path, text,
          fmt::format("must be a range of ports from {} to 65535", kFirstUnprivilegedPort));
    }
    const ControlPlaneEndpoint& endpoint = spec_.control_plane_endpoint;
    const std::pair<std::string_view, int> others[] = {
        {"controlPlaneEndpoint.port", endpoint.port},
        {"controlPlaneEndpoint.backendPort", endpoint.backend_port},
        {"etcd.clientPort", spec_.etcd.client_port},
        {"etcd.peerPort", spec_.etcd.peer_port}};
    for (const auto& [field, port] : others) {
      if (port < from || port > to) continue;
      Refuse(path, text, fmt::format("contains port {} of {}", port, field));
    }
  }

  void CheckPlugin() {
    const NetworkPluginSpec& plugin = network_.plugin;
    const FieldPath path = root_.Child("plugin"), settings = path.Child("settings");
    if (!plugin.settings.text.empty() && !plugin.settings.text.starts_with('{')) {
      causes_.push_back(TypeInvalid(settings, Json(plugin.settings.text), "must be an object"));
    }
    if (plugin.name == "none" && !plugin.settings.text.empty()) {
      causes_.push_back(Forbidden(settings, "requires a plugin"));
    }
    if (plugin.name == "none" && !plugin.version.empty()) {
      causes_.push_back(Forbidden(path.Child("version"), "requires a plugin"));
    }
    if (plugin.name == "flannel" && network_.kube_proxy_mode == "none") {
      Refuse(root_.Child("kubeProxyMode"), "none", "flannel requires kube-proxy");
    }
  }

  static std::string Text(const std::optional<IpRange>& range) { return range->ToString(); }

  const ClusterSpec& spec_;
  const NetworkSpec& network_;
  const std::vector<std::string> hosts_;
  const FieldPath spec_path_ = FieldPath("spec");
  const FieldPath root_ = spec_path_.Child("network");
  Found pods_, services_;
  std::vector<ErrorCause> causes_;
};

}  // namespace

std::vector<ErrorCause> CheckNetwork(const ClusterSpec& spec) { return Checker(spec).Take(); }

bool IsPodInterface(std::string_view name) {
  constexpr std::array<std::string_view, 5> kNames = {"cni0", "kube-ipvs0", "nodelocaldns",
                                                      "kube-bridge", "ovn0"};
  constexpr std::array<std::string_view, 6> kPrefixes = {"flannel", "cali",    "vxlan.calico",
                                                         "lxc_",    "cilium_", "weave"};
  return std::ranges::find(kNames, name) != kNames.end() ||
         std::ranges::any_of(kPrefixes,
                             [&](std::string_view prefix) { return name.starts_with(prefix); });
}

std::vector<HostNetwork> ParseHostNetworks(std::string_view text) {
  std::vector<HostNetwork> networks;
  std::istringstream lines{std::string(text)};
  for (std::string kind, device, range; lines >> kind >> device >> range;) {
    const std::optional<IpRange> parsed = IpRange::Parse(range);
    if (!parsed || parsed->prefix() == 0 || IsPodInterface(device)) continue;
    networks.push_back({device, *parsed, kind == "route"});
  }
  return networks;
}

NetworkFindings CompareNetworks(const NetworkSpec& network, const std::vector<HostNetwork>& has) {
  NetworkFindings findings;
  const auto compare = [&](std::string_view field, const std::string& text) {
    const std::optional<IpRange> range = IpRange::Parse(text);
    if (!range) return;
    for (const HostNetwork& other : has) {
      const std::string there =
          fmt::format("{} ({})", other.range.Network().ToString(), other.device);
      if (!range->Overlaps(other.range)) continue;
      // A wider route is still there for all the rest.
      if (other.routed && !range->Contains(other.range)) {
        findings.warnings.push_back(
            fmt::format("it has a route to {}; what is in {} there cannot be reached any more once "
                        "it is spec.network.{}",
                        there, text, field));
        continue;
      }
      findings.errors.push_back(
          fmt::format("its network {} overlaps with {} of spec.network.{}; choose another range",
                      there, text, field));
    }
    const bool same_family = std::ranges::any_of(has, [&](const HostNetwork& other) {
      return !other.routed && other.range.is_ipv4() == range->is_ipv4();
    });
    if (!same_family && !has.empty() && field == "podCIDRs") {
      findings.errors.push_back(
          fmt::format("it has no address of {}, and spec.network.podCIDRs "
                      "has {}",
                      range->family(), text));
    }
  };
  for (const std::string& pods : network.pod_cidrs) compare("podCIDRs", pods);
  for (const std::string& services : network.service_cidrs) compare("serviceCIDRs", services);
  return findings;
}

}  // namespace kubexms::cluster
