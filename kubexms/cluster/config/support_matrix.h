#pragma once

// The support matrix: supported Kubernetes versions with their requirements, and operating systems.
// Data only; preflight gathers the facts.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kubexms::cluster {

// Whether a version is `least` or later, by its numbers: "1:3.4.23+dfsg-4", "v1.34.2",
// "6.1.0-13-amd64". Suffixes are ignored.
bool IsAtLeast(std::string_view version, std::string_view least);

// The requirements of a minor version of Kubernetes, in its newest patch release.
struct KubernetesSupport {
  std::string_view version;  // "1.34"
  std::string_view least_etcd;
  std::string_view least_containerd;
  std::string_view least_kernel;  // empty: any supported one
  bool takes_cgroup_v1;
  bool has_nftables;  // kube-proxy has the mode without a feature gate
};
std::span<const KubernetesSupport> SupportedKubernetes();
// For "1.34", "v1.34" or "v1.34.2"; null when not supported.
const KubernetesSupport* FindKubernetes(std::string_view version);

struct SystemSupport {
  std::string_view name;  // as in /etc/os-release
  std::string_view least_version;
};
std::span<const SystemSupport> SupportedSystems();
// The minimum for every host.
inline constexpr std::string_view kLeastKernel = "4.18";
// The minimum for kube-proxy in nftables mode.
inline constexpr std::string_view kLeastNftablesKernel = "5.13";

// The Kubernetes versions with which the authors of a plugin test one of its minor versions. Others
// may work.
struct PluginSupport {
  std::string_view plugin;
  std::string_view version;  // "1.18"
  std::string_view first_kubernetes;
  std::string_view last_kubernetes;
};
// For "1.18.4" or "v1.18"; null when unknown.
const PluginSupport* FindPlugin(std::string_view plugin, std::string_view version);

}  // namespace kubexms::cluster
