#pragma once

// What goes with what: the versions of Kubernetes that a configuration may name and what each needs
// of its hosts, and the operating systems. SystemFacts as data; who asks the hosts is preflight.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kubexms::cluster {

// Whether a version is `least` or a later one, by its numbers: "1:3.4.23+dfsg-4", "v1.34.2",
// "6.1.0-13-amd64". What follows the numbers does not count.
bool IsAtLeast(std::string_view version, std::string_view least);

// What hosts need for a minor version of Kubernetes, in its newest patch.
struct KubernetesSupport {
  std::string_view version;  // "1.34"
  std::string_view least_etcd;
  std::string_view least_containerd;
  std::string_view least_kernel;  // empty: any that is supported at all
  bool takes_cgroup_v1;
  bool has_nftables;  // a kube-proxy of that mode, without a feature gate
};
std::span<const KubernetesSupport> SupportedKubernetes();
// Of "1.34", "v1.34" or "v1.34.2"; null when it is none of them.
const KubernetesSupport* FindKubernetes(std::string_view version);

struct SystemSupport {
  std::string_view name;  // as in /etc/os-release
  std::string_view least_version;
};
std::span<const SystemSupport> SupportedSystems();
// The kernel that a host needs whatever it is for.
inline constexpr std::string_view kLeastKernel = "4.18";
// For a kube-proxy of this mode.
inline constexpr std::string_view kLeastNftablesKernel = "5.13";

// The versions of Kubernetes that the makers of a plugin test one of its minor versions with. With
// others it may work.
struct PluginSupport {
  std::string_view plugin;
  std::string_view version;  // "1.18"
  std::string_view first_kubernetes;
  std::string_view last_kubernetes;
};
// Of "1.18.4" or "v1.18"; null when nothing is known.
const PluginSupport* FindPlugin(std::string_view plugin, std::string_view version);

}  // namespace kubexms::cluster
