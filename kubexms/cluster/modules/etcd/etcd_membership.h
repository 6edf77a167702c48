#pragma once

// Who is a member of etcd and who is to be one: from what the configuration wants and what the
// hosts and etcd itself say follows who joins, who leaves, and what must not be done. Pure
// decisions; etcd_members.h carries them out.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/base/result.h"

namespace kubexms::cluster {

struct EtcdMember {
  std::string id;    // in hexadecimal, as etcdctl wants it
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

// What `etcdctl member list -w json` says.
Result<EtcdMemberList> ParseEtcdMembers(std::string_view json);
// What `etcdctl endpoint health -w json` says: the client URLs that are healthy.
Result<std::set<std::string>> ParseEtcdHealth(std::string_view json);
// What `etcdctl endpoint status -w json` says about the first endpoint.
struct EtcdStatus {
  std::string member_id;
  std::string leader_id;
  int64_t revision = 0;
};
Result<EtcdStatus> ParseEtcdStatus(std::string_view json);

// The member at a peer URL, or one that has started under this name; null when there is none.
const EtcdMember* FindEtcdMember(const std::vector<EtcdMember>& members,
                                 const std::string& peer_url, const std::string& name);
// Where clients reach those who vote, without the one at `except_peer_url`.
std::vector<std::string> EtcdEndpoints(const std::vector<EtcdMember>& members,
                                       const std::string& except_peer_url = "");
// "node1=https://10.0.0.1:2380,…" with a name for the one that has not started yet.
std::string EtcdInitialCluster(const std::vector<EtcdMember>& members, const std::string& peer_url,
                               const std::string& name);

// What one host looks like: one that is to be a member, or has been one.
struct EtcdHostState {
  std::string host;
  std::string peer_url;
  bool reachable = false;  // the rest is only known then
  bool set_up = false;    // it has our service
  bool has_data = false;
  bool formed = false;                    // etcd has been healthy here once
  std::string initial_cluster;            // of its configuration
  std::optional<EtcdMemberList> members;  // when etcd is healthy here
};

struct EtcdState {
  std::vector<EtcdHostState> wanted;  // in the order of the configuration
  std::vector<EtcdHostState> former;  // they had etcd, and are to have it no more
  // Of the former ones those that will never answer again.
  std::set<std::string> lost;
  // When not empty, only these former ones matter.
  std::set<std::string> limit;
  std::string initial_cluster;  // as the configuration wants it

  // The host must be one of the former.
  const EtcdHostState& Former(const std::string& host) const;
};

// Every host of the situation is in one of the lists at most.
struct EtcdDecision {
  std::vector<EtcdMember> members;  // as etcd says; none when it does not answer
  std::string coordinator;          // a healthy member, of those who stay if one of them is
  std::vector<std::string> member_hosts;   // members already, or of a new etcd
  std::vector<std::string> join;    // one after the other
  std::vector<std::string> leave;   // one after the other, after those who join
  std::vector<std::string> forget;  // members whose host is gone, before those who join
  // By host: why nothing can be done to its etcd now. Those who sit in one that is only begun may
  // be refused too, and then nothing must be done to any.
  std::map<std::string, std::string> refused;

  // Those who are refused and have no seat.
  std::vector<std::string> RefusedOthers() const;
};

// An error when nothing may be done to etcd at all.
Result<EtcdDecision> DecideEtcdMembers(const EtcdState& situation);

// Whether etcd keeps its majority without the member at a peer URL. `healthy` has client URLs.
Result<void> CheckEtcdRemoval(const std::vector<EtcdMember>& members,
                              const std::set<std::string>& healthy, const std::string& peer_url,
                              const std::string& host);

}  // namespace kubexms::cluster
