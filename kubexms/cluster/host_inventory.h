#pragma once

// The hosts that kubexms has worked on for a cluster, kept with its journals: what was done to a
// host can be taken back after it has left the configuration, and it is known which hosts are new.

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/base/result.h"
#include "kubexms/cluster/config/cluster_kind.h"

namespace kubexms::cluster {

struct KnownHost : Struct {
  HostSpec host;       // how it was last reached
  bool etcd = false;   // it has etcd, or some of it
  bool ready = false;  // a run has finished on it

  static void Describe(Type<KnownHost>& type);
};

struct KnownHosts : Struct {
  std::vector<KnownHost> hosts;

  static void Describe(Type<KnownHosts>& type);
};

class HostInventory {
 public:
  static std::string PathIn(const std::string& cluster_directory) {
    return cluster_directory + "/hosts.json";
  }
  // An empty one when the cluster's directory has none.
  static Result<HostInventory> Load(const std::string& cluster_directory);

  const std::vector<KnownHost>& hosts() const { return known_.hosts; }
  bool empty() const { return known_.hosts.empty(); }
  // Null when there is none.
  const KnownHost* Find(std::string_view name) const;

  // The configuration with those that are known and no longer in it. Those who have etcd are in
  // its role group.
  ClusterSpec WithKnownHosts(const ClusterSpec& spec) const;
  // Hosts of the configuration on which no run has finished.
  std::vector<std::string> NewHosts(const ClusterSpec& spec) const;
  // Those who have etcd and are to have it no more.
  std::set<std::string> FormerMembers(const ClusterSpec& spec) const;

  // Each of these is on the disk when it returns. Before a run on hosts of the configuration, and
  // once it has succeeded.
  Result<void> AddHosts(const ClusterSpec& spec, const std::vector<std::string>& hosts);
  Result<void> MarkReady(const std::vector<std::string>& hosts);
  Result<void> ClearEtcd(const std::set<std::string>& hosts);
  Result<void> Remove(const std::set<std::string>& hosts);
  // As the hosts themselves say.
  Result<void> Merge(const std::vector<KnownHost>& hosts);

 private:
  explicit HostInventory(std::string path) : path_(std::move(path)) {}
  KnownHost& At(const std::string& name);
  Result<void> Save() const;

  std::string path_;
  KnownHosts known_;
};

// The cluster without some of its hosts.
Cluster WithoutHosts(Cluster cluster, const std::set<std::string>& names);

}  // namespace kubexms::cluster
