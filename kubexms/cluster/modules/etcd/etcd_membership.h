#pragma once

// Decides which hosts join and leave etcd, and which changes are refused, from the configuration
// and the facts of hosts and etcd. Pure functions; etcd_members.h applies the decisions.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/base/result.h"

namespace kubexms::cluster {

struct EtcdMember {
  std::string id;    // in hexadecimal, as etcdctl expects it
  std::string name;  // empty until a member that was added has started
  std::string peer_url;
  std::string client_url;  // empty until it has started
  bool learner = false;

  bool started() const { return !client_url.empty(); }
};

struct EtcdMemberList {
  std::string cluster_id;
  std::vector<EtcdMember> members;
};

// Parses `etcdctl member list -w json`.
Result<EtcdMemberList> ParseEtcdMembers(std::string_view json);
// Parses `etcdctl endpoint health -w json`: the client URLs of healthy members.
Result<std::set<std::string>> ParseEtcdHealth(std::string_view json);
// The first endpoint of `etcdctl endpoint status -w json`.
struct EtcdStatus {
  std::string member_id;
  std::string leader_id;
  int64_t revision = 0;
};
Result<EtcdStatus> ParseEtcdStatus(std::string_view json);

// The member with the peer URL, or else with the name; null when there is none.
const EtcdMember* FindEtcdMember(const std::vector<EtcdMember>& members,
                                 const std::string& peer_url, const std::string& name);
// The client URLs of the voting members, without the one at `except_peer_url`.
std::vector<std::string> EtcdEndpoints(const std::vector<EtcdMember>& members,
                                       const std::string& except_peer_url = "");
// "node1=https://10.0.0.1:2380,…" with a name for the one that has not started yet.
std::string EtcdInitialCluster(const std::vector<EtcdMember>& members, const std::string& peer_url,
                               const std::string& name);

// The etcd state of one host that is or was in the role group.
struct EtcdHostState {
  std::string host;
  std::string peer_url;
  bool reachable = false;  // otherwise the other fields are not set
  bool set_up = false;     // has the service of kubexms
  bool has_data = false;
  bool formed = false;                    // etcd has been healthy on it once
  std::string initial_cluster;            // in its configuration file
  std::optional<EtcdMemberList> members;  // if its member is healthy
};

struct EtcdState {
  std::vector<EtcdHostState> wanted;  // in the order of the configuration
  std::vector<EtcdHostState> former;  // have etcd, and are no longer in the role group
  // The former hosts that no longer exist.
  std::set<std::string> lost;
  // If not empty, other former hosts are ignored.
  std::set<std::string> limit;
  std::string initial_cluster;  // by the configuration

  // The host must be in `former`.
  const EtcdHostState& Former(const std::string& host) const;
};

// Every host is in at most one of the lists.
struct EtcdDecision {
  std::vector<EtcdMember> members;        // empty when etcd is not available
  std::string coordinator;                // a healthy member, if possible one that stays
  std::vector<std::string> member_hosts;  // members, or initial members of a new etcd cluster
  std::vector<std::string> join;          // one after the other
  std::vector<std::string> leave;         // one after the other, after `join`
  std::vector<std::string> remove_lost;   // members of lost hosts, before `join`
  // The reason, by host. If a member of a cluster that has never formed is refused, no member must
  // be changed.
  std::map<std::string, std::string> refused;

  // The refused hosts that are not in `member_hosts`.
  std::vector<std::string> RefusedOthers() const;
};

// Fails when no change of etcd is allowed.
Result<EtcdDecision> DecideEtcdMembers(const EtcdState& state);

// Fails when etcd would lose its majority without the member at a peer URL. `healthy` has client
// URLs.
Result<void> CheckEtcdRemoval(const std::vector<EtcdMember>& members,
                              const std::set<std::string>& healthy, const std::string& peer_url,
                              const std::string& host);

}  // namespace kubexms::cluster
