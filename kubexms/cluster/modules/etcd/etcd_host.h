#pragma once

// The files, URLs and commands of etcd on a host. Text only; no code here calls a host.

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/cluster/config/cluster_kind.h"

namespace kubexms::cluster {

inline constexpr std::string_view kEtcdDirectory = "/etc/kubexms/etcd";
inline constexpr std::string_view kEtcdUnit = "/etc/systemd/system/kubexms-etcd.service";

// A file below kEtcdDirectory.
std::string EtcdPath(std::string_view file);
// Marks that etcd has been healthy once: from then on no new etcd cluster is formed.
inline constexpr std::string_view kEtcdFormedFile = "formed";
// The data of the member, below spec.etcd.dataDir.
std::string EtcdMemberDirectory(const EtcdSpec& etcd);
// The write-ahead log, which every started member has; without it the other data is useless.
std::string EtcdLogDirectory(const EtcdSpec& etcd);
// The directory of the programs.
std::string EtcdProgramDirectory(const EtcdSpec& etcd);

// "https://[fd00::1]:2380".
std::string EtcdUrl(const std::string& address, int port);
std::string EtcdPeerUrl(const EtcdSpec& etcd, const std::string& address);
std::string EtcdClientUrl(const EtcdSpec& etcd, const std::string& address);
// "node1=https://10.0.0.1:2380,…" of the configured members.
std::string EtcdInitialCluster(const ClusterSpec& spec);

// A call of etcdctl on a host with the client certificate. `endpoints` are client URLs.
std::string Etcdctl(const EtcdSpec& etcd, std::span<const std::string> endpoints,
                    std::string_view arguments);
// The same for the member on the host itself.
std::string LocalEtcdctl(const EtcdSpec& etcd, std::string_view arguments);
// The same for a health check: fails at once when the port is closed, where etcdctl would wait
// until its timeout.
std::string ProbeLocalEtcd(const EtcdSpec& etcd, std::string_view arguments);

// A script that repeats a command until it succeeds or the timeout has passed by the clock of the
// host; then it runs `otherwise`, which must exit.
std::string WaitScript(std::string_view command, std::chrono::seconds timeout,
                       std::string_view otherwise);

// Repeats a command every half second while etcd reports a transient condition. "Already done"
// counts as success.
std::string UntilEtcdIsReady(std::string_view command, std::chrono::seconds timeout);

}  // namespace kubexms::cluster
