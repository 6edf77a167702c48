#pragma once

// The inventory: the hosts that runs of a cluster have changed, stored with its journals. So a host
// can be rolled back after it was removed from the configuration, and new hosts are recognized.

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/base/result.h"
#include "kubexms/cluster/config/cluster_kind.h"

namespace kubexms::cluster {

struct KnownHost : Struct {
  HostSpec host;       // as last configured
  bool etcd = false;   // has etcd, complete or not
  bool ready = false;  // a run has succeeded on it

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
  // Empty when the state directory has none.
  static Result<HostInventory> Load(const std::string& cluster_directory);

  const std::vector<KnownHost>& hosts() const { return known_.hosts; }
  bool empty() const { return known_.hosts.empty(); }
  // Null when the inventory does not have it.
  const KnownHost* Find(std::string_view name) const;

  // The configuration with the hosts of the inventory that are no longer in it. Those with etcd are
  // in its role group.
  ClusterSpec WithKnownHosts(const ClusterSpec& spec) const;
  // Hosts of the configuration on which no run has succeeded.
  std::vector<std::string> NewHosts(const ClusterSpec& spec) const;
  // Hosts that have etcd and are no longer in its role group.
  std::set<std::string> FormerMembers(const ClusterSpec& spec) const;

  // All changes are durable on return. AddHosts is called before a run, MarkReady after its
  // success.
  Result<void> AddHosts(const ClusterSpec& spec, const std::vector<std::string>& hosts);
  Result<void> MarkReady(const std::vector<std::string>& hosts);
  Result<void> ClearEtcd(const std::set<std::string>& hosts);
  Result<void> Remove(const std::set<std::string>& hosts);
  // Adds hosts or replaces their entries, for adoption.
  Result<void> Merge(const std::vector<KnownHost>& hosts);

 private:
  explicit HostInventory(std::string path) : path_(std::move(path)) {}
  KnownHost& At(const std::string& name);
  Result<void> Save() const;

  std::string path_;
  KnownHosts known_;
};

// The cluster without the named hosts.
Cluster WithoutHosts(Cluster cluster, const std::set<std::string>& names);

}  // namespace kubexms::cluster
