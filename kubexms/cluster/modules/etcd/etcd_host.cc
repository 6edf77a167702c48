#include "kubexms/cluster/modules/etcd/etcd_host.h"

#include <fmt/format.h>

namespace kubexms::cluster {

std::string EtcdPath(std::string_view file) { return fmt::format("{}/{}", kEtcdDirectory, file); }

std::string EtcdMemberDirectory(const EtcdSpec& etcd) { return etcd.data_dir + "/member"; }

std::string EtcdLogDirectory(const EtcdSpec& etcd) { return EtcdMemberDirectory(etcd) + "/wal"; }

std::string EtcdProgramDirectory(const EtcdSpec& etcd) {
  return etcd.binaries_dir.empty() ? "/usr/bin" : "/usr/local/bin";
}

std::string EtcdUrl(const std::string& address, int port) {
  const bool v6 = address.find(':') != std::string::npos;
  return fmt::format("https://{}{}{}:{}", v6 ? "[" : "", address, v6 ? "]" : "", port);
}

std::string EtcdPeerUrl(const EtcdSpec& etcd, const std::string& address) {
  return EtcdUrl(address, etcd.peer_port);
}

std::string EtcdClientUrl(const EtcdSpec& etcd, const std::string& address) {
  return EtcdUrl(address, etcd.client_port);
}

std::string EtcdInitialCluster(const ClusterSpec& spec) {
  std::vector<std::string> members;
  for (const std::string& name : spec.role_groups.etcd) {
    members.push_back(
        fmt::format("{}={}", name, EtcdPeerUrl(spec.etcd, spec.Host(name).InternalAddress())));
  }
  return fmt::format("{}", fmt::join(members, ","));
}

std::string Etcdctl(const EtcdSpec& etcd, std::span<const std::string> endpoints,
                    std::string_view arguments) {
  return fmt::format("ETCDCTL_API=3 {}/etcdctl --endpoints={} --cacert={} --cert={} --key={} {}",
                     EtcdProgramDirectory(etcd), fmt::join(endpoints, ","), EtcdPath("ca.crt"),
                     EtcdPath("client.crt"), EtcdPath("client.key"), arguments);
}

std::string LocalEtcdctl(const EtcdSpec& etcd, std::string_view arguments) {
  return Etcdctl(etcd, std::vector{EtcdClientUrl(etcd, "127.0.0.1")}, arguments);
}

// Reads the listening ports from the kernel: a connection attempt would be logged by etcd.
std::string ProbeLocalEtcd(const EtcdSpec& etcd, std::string_view arguments) {
  return fmt::format(
      "{{ {{ grep -qsE ':{0:04X} [0-9A-F]+:0000 0A ' /proc/net/tcp /proc/net/tcp6 || "
      "{{ echo 'nobody listens on port {0}' >&2; false; }}; }} && {1}; }}",
      etcd.client_port, LocalEtcdctl(etcd, arguments));
}

// Seconds since boot, which do not depend on the wall clock.
constexpr std::string_view kSeconds = "$(cut -d. -f1 /proc/uptime)";

std::string WaitScript(std::string_view command, std::chrono::seconds timeout,
                       std::string_view otherwise) {
  return fmt::format(
      "end=$(({0} + {1})); until {2}; do if [ {0} -ge $end ]; then {3}; fi; sleep 0.25; done",
      kSeconds, timeout.count(), command, otherwise);
}

// etcd refuses to change its members until all have been connected for five seconds.
std::string UntilEtcdIsReady(std::string_view command, std::chrono::seconds timeout) {
  return fmt::format(
      "end=$(({0} + {1})); until said=$({2} 2>&1); do case $said in "
      "*'already exist'*|*'member not found'*) break ;; "
      "*'unhealthy cluster'*|*'not enough started members'*|*'in sync with leader'*|"
      "*'leader changed'*|*'no leader'*|*'timed out'*|*'deadline exceeded'*|*'too many requests'*) "
      ";; *) printf '%s\\n' \"$said\" >&2; exit 1 ;; esac; "
      "if [ {0} -ge $end ]; then printf '%s\\n' \"$said\" >&2; exit 1; fi; sleep 0.5; done",
      kSeconds, timeout.count(), command);
}

}  // namespace kubexms::cluster
