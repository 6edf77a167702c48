#pragma once

// How etcd sits on a host: where its files are, the addresses of its members, and how it is spoken
// to. Text in, text out; nothing here talks to a host.

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
// Says that etcd has been healthy once: from then on nobody begins a new one.
inline constexpr std::string_view kEtcdFormedFile = "formed";
// Where etcd itself keeps its data, below spec.etcd.dataDir.
std::string EtcdMemberDirectory(const EtcdSpec& etcd);
// What a member has that has begun; without it the rest is of no use.
std::string EtcdLogDirectory(const EtcdSpec& etcd);
// Where the programs are.
std::string EtcdProgramDirectory(const EtcdSpec& etcd);

// "https://[fd00::1]:2380".
std::string EtcdUrl(const std::string& address, int port);
std::string EtcdPeerUrl(const EtcdSpec& etcd, const std::string& address);
std::string EtcdClientUrl(const EtcdSpec& etcd, const std::string& address);
// "node1=https://10.0.0.1:2380,…" of the members that the configuration wants.
std::string EtcdInitialCluster(const ClusterSpec& spec);

// A call of etcdctl on a host that has the client's certificate. `endpoints` are client URLs.
std::string Etcdctl(const EtcdSpec& etcd, std::span<const std::string> endpoints,
                    std::string_view arguments);
// The same for the member on the host itself.
std::string LocalEtcdctl(const EtcdSpec& etcd, std::string_view arguments);
// The same, to see how that member is: fails at once where nobody listens, for which etcdctl by
// itself waits until its time is over.
std::string ProbeLocalEtcd(const EtcdSpec& etcd, std::string_view arguments);

// A script that tries a command until it succeeds, for some time of the host's, however long each
// attempt takes. After that `otherwise` is run, which ends the script.
std::string WaitScript(std::string_view command, std::chrono::seconds timeout,
                       std::string_view otherwise);

// Tries a command again each half second, as long as etcd says that it cannot do it yet. What has
// been done already counts as done.
std::string UntilEtcdIsReady(std::string_view command, std::chrono::seconds timeout);

}  // namespace kubexms::cluster
