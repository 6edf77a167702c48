#include "kubexms/cluster/config/support_matrix.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace kubexms::cluster {
namespace {

// etcd: kubeadm's MinExternalEtcdVersion. containerd: 1.6 is the first with version 1 of CRI, which
// is all that kubelets speak, and 1.35 is the last release that goes with 1.x. Kernel: kubeadm 1.32
// and 1.33 refuse older ones, and later ones only warn. Control groups: a kubelet's failCgroupV1 is
// true from 1.35 on. nftables: NFTablesProxyMode is on from 1.31 on.
constexpr KubernetesSupport kKubernetes[] = {
    {"1.29", "3.4.13", "1.6", "", true, false},    {"1.30", "3.4.13", "1.6", "", true, false},
    {"1.31", "3.5.24", "1.6", "", true, true},     {"1.32", "3.5.24", "1.6", "4.19", true, true},
    {"1.33", "3.5.24", "1.6", "4.19", true, true}, {"1.34", "3.5.24", "1.6", "", true, true},
    {"1.35", "3.5.24", "1.6", "", false, true},    {"1.36", "3.5.24", "2.0", "", false, true},
};

constexpr SystemSupport kSystems[] = {
    {"almalinux", "8"}, {"debian", "11"}, {"rhel", "8"}, {"rocky", "8"}, {"ubuntu", "20.04"},
};

constexpr PluginSupport kPlugins[] = {
    {"calico", "3.29", "1.29", "1.32"},
    {"cilium", "1.18", "1.30", "1.33"},
};

using Numbers = std::array<int, 4>;

Numbers NumbersOf(std::string_view version) {
  // An epoch, as packages have it.
  if (const size_t colon = version.find(':'); colon != std::string_view::npos) {
    version.remove_prefix(colon + 1);
  }
  if (version.starts_with('v')) version.remove_prefix(1);
  Numbers numbers = {};
  const char* at = version.data();
  const char* const end = at + version.size();
  for (int& number : numbers) {
    const std::from_chars_result parsed = std::from_chars(at, end, number);
    if (parsed.ec != std::errc() || parsed.ptr == end || *parsed.ptr != '.') break;
    at = parsed.ptr + 1;
  }
  return numbers;
}

// Whether the text is a version of two or three numbers, and its first two are those of `minor`.
bool IsOf(std::string_view version, std::string_view minor) {
  if (version.starts_with('v')) version.remove_prefix(1);
  if (!version.starts_with(minor)) return false;
  version.remove_prefix(minor.size());
  if (version.empty()) return true;
  return version.size() > 1 && version[0] == '.' &&
         version.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

}  // namespace

bool IsAtLeast(std::string_view version, std::string_view least) {
  return NumbersOf(version) >= NumbersOf(least);
}

std::span<const KubernetesSupport> SupportedKubernetes() { return kKubernetes; }

const KubernetesSupport* FindKubernetes(std::string_view version) {
  const auto* found = std::ranges::find_if(
      kKubernetes, [&](const KubernetesSupport& known) { return IsOf(version, known.version); });
  return found == std::end(kKubernetes) ? nullptr : found;
}

std::span<const SystemSupport> SupportedSystems() { return kSystems; }

const PluginSupport* FindPlugin(std::string_view plugin, std::string_view version) {
  const auto* found = std::ranges::find_if(kPlugins, [&](const PluginSupport& known) {
    return known.plugin == plugin && IsOf(version, known.version);
  });
  return found == std::end(kPlugins) ? nullptr : found;
}

}  // namespace kubexms::cluster
