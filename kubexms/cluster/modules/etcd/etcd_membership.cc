#include "kubexms/cluster/modules/etcd/etcd_membership.h"

#include <fmt/format.h>

#include <algorithm>

#include "kubexms/base/check.h"
#include "kubexms/base/json/json.h"

namespace kubexms::cluster {
namespace {

std::string Hex(const Json* number) {
  if (number && number->is_uint64()) return fmt::format("{:x}", number->get_uint64());
  if (number && number->is_int64()) return fmt::format("{:x}", number->get_int64());
  return "";
}

std::string FirstUrl(const Json& member, std::string_view field) {
  const Json* urls = FindMember(member, field);
  if (!urls || !urls->is_array() || urls->get_array().empty()) return "";
  const Json& first = urls->get_array()[0];
  return first.is_string() ? std::string(AsView(first.get_string())) : "";
}

bool IsTrue(const Json* value) { return value && value->is_bool() && value->get_bool(); }

Result<Json> ParseArray(std::string_view text, std::string_view what) {
  ASSIGN_OR_RETURN(Json document, ParseJson(text));
  if (document.is_array() && !document.get_array().empty()) return document;
  return Error::Internal(fmt::format("etcdctl printed no list of the {}", what));
}

class Decider {
 public:
  explicit Decider(const EtcdState& state) : state_(state) {}

  Result<EtcdDecision> Decide() {
    RETURN_IF_ERROR(FindMembers());
    Result<void> decided = list_         ? DecideWithMajority()
                           : AnyFormed() ? DecideWithoutMajority()
                                         : DecideNew();
    if (!decided.ok()) return decided.error();
    return std::move(decision_);
  }

 private:
  template <class Visit>
  void ForAll(Visit visit) const {
    for (const EtcdHostState& host : state_.wanted) visit(host);
    for (const EtcdHostState& host : state_.former) visit(host);
  }

  bool IsLost(const EtcdHostState& host) const { return state_.lost.contains(host.host); }
  bool IsInLimit(const EtcdHostState& former) const {
    return state_.limit.empty() || state_.limit.contains(former.host);
  }
  bool AnyFormed() const {
    bool formed = false;
    ForAll([&](const EtcdHostState& host) { formed |= host.formed; });
    return formed;
  }

  // The member list of a healthy member. All healthy members must be of the same etcd cluster.
  Result<void> FindMembers() {
    const EtcdHostState* other = nullptr;
    ForAll([&](const EtcdHostState& host) {
      if (!host.members) return;
      if (!list_) list_ = &host;
      if (host.members->cluster_id != list_->members->cluster_id) other = &host;
    });
    if (!other) return {};
    return Error::BadRequest(fmt::format(
        "{} and {} belong to two different etcd clusters; remove one of them from roleGroups.etcd",
        list_->host, other->host));
  }

  Result<void> DecideWithMajority() {
    decision_.members = list_->members->members;
    for (const EtcdHostState& host : state_.wanted) {
      if (host.members && decision_.coordinator.empty()) decision_.coordinator = host.host;
      PlaceWanted(host);
    }
    if (decision_.coordinator.empty()) decision_.coordinator = list_->host;
    for (const EtcdHostState& host : state_.former) {
      if (IsInLimit(host)) RETURN_IF_ERROR(PlaceFormer(host));
    }
    return {};
  }

  void PlaceWanted(const EtcdHostState& host) {
    const EtcdMember* member = FindEtcdMember(decision_.members, host.peer_url, host.host);
    if (member && member->peer_url != host.peer_url) {
      decision_.refused[host.host] = fmt::format(
          "it is a member of etcd at {}, and the configuration has it at {}: remove it from "
          "roleGroups.etcd, apply, and add it again",
          member->peer_url, host.peer_url);
      return;
    }
    // A name without a client URL: a member of the initial cluster that never started.
    const bool is_member =
        member && !member->learner && (member->started() || !member->name.empty());
    const bool lost_data = is_member && member->started() && host.reachable && !host.has_data;
    (is_member && !lost_data ? decision_.member_hosts : decision_.join).push_back(host.host);
  }

  Result<void> PlaceFormer(const EtcdHostState& host) {
    const bool listed = FindEtcdMember(decision_.members, host.peer_url, host.host) != nullptr;
    if (IsLost(host)) {
      if (listed) decision_.remove_lost.push_back(host.host);
    } else if (host.reachable) {
      if (listed || host.set_up || host.has_data) decision_.leave.push_back(host.host);
    } else if (listed) {
      return Error::BadRequest(fmt::format(
          "{0} has to leave etcd and is unreachable; if it is lost for good: kubexms remove nodes "
          "{0} --force",
          host.host));
    }
    return {};
  }

  // The etcd cluster exists and has no majority now. Members with data may be started again.
  Result<void> DecideWithoutMajority() {
    for (const EtcdHostState& host : state_.wanted) {
      decision_.member_hosts.push_back(host.host);
      if (!host.reachable || host.has_data) continue;
      decision_.member_hosts.pop_back();
      decision_.refused[host.host] =
          "etcd has no majority, so no member can join it; repeat the command once its other "
          "members are healthy; if they are lost, restore a backup: kubexms etcd restore";
    }
    for (const EtcdHostState& host : state_.former) {
      if (!IsInLimit(host)) continue;
      const std::string reason =
          "etcd has no majority, so no member can leave it; repair its other members first, or "
          "restore a backup: kubexms etcd restore";
      if (IsLost(host)) return Error::BadRequest(fmt::format("{}: {}", host.host, reason));
      if (host.reachable && host.set_up) decision_.refused[host.host] = reason;
    }
    return {};
  }

  // No etcd cluster exists yet, or its members have never formed one.
  Result<void> DecideNew() {
    std::vector<std::string> unreachable;
    ForAll([&](const EtcdHostState& host) {
      if (!host.reachable && !IsLost(host)) unreachable.push_back(host.host);
    });
    for (const EtcdHostState& host : state_.wanted) {
      decision_.member_hosts.push_back(host.host);
      if (host.reachable && !unreachable.empty()) {
        decision_.refused[host.host] =
            fmt::format("it is unknown whether an etcd cluster exists: {} is unreachable",
                        fmt::join(unreachable, ", "));
      } else if (host.has_data && host.set_up && host.initial_cluster != state_.initial_cluster) {
        decision_.refused[host.host] = fmt::format(
            "an etcd cluster of other members ({}) was started here and never became healthy; "
            "undo that with kubexms rollback, or name the same members",
            host.initial_cluster);
      }
    }
    for (const EtcdHostState& host : state_.former) {
      if (IsInLimit(host) && host.reachable && host.set_up) decision_.leave.push_back(host.host);
    }
    return {};
  }

  const EtcdState& state_;
  const EtcdHostState* list_ = nullptr;
  EtcdDecision decision_;
};

}  // namespace

Result<EtcdMemberList> ParseEtcdMembers(std::string_view json) {
  ASSIGN_OR_RETURN(const Json document, ParseJson(json));
  const Json* members = FindMember(document, "members");
  const Json* header = FindMember(document, "header");
  if (!members || !members->is_array() || !header) {
    return Error::Internal("etcdctl printed no list of the members");
  }
  EtcdMemberList list{.cluster_id = Hex(FindMember(*header, "cluster_id"))};
  for (const Json& member : members->get_array()) {
    list.members.push_back({.id = Hex(FindMember(member, "ID")),
                            .name = std::string(FindString(member, "name")),
                            .peer_url = FirstUrl(member, "peerURLs"),
                            .client_url = FirstUrl(member, "clientURLs"),
                            .learner = IsTrue(FindMember(member, "isLearner"))});
  }
  return list;
}

Result<std::set<std::string>> ParseEtcdHealth(std::string_view json) {
  ASSIGN_OR_RETURN(const Json document, ParseArray(json, "health"));
  std::set<std::string> healthy;
  for (const Json& endpoint : document.get_array()) {
    if (IsTrue(FindMember(endpoint, "health"))) healthy.emplace(FindString(endpoint, "endpoint"));
  }
  return healthy;
}

Result<EtcdStatus> ParseEtcdStatus(std::string_view json) {
  ASSIGN_OR_RETURN(const Json document, ParseArray(json, "status"));
  const Json* status = FindMember(document.get_array()[0], "Status");
  const Json* header = status ? FindMember(*status, "header") : nullptr;
  if (!header) return Error::Internal("etcdctl printed no status of etcd");
  const Json* revision = FindMember(*header, "revision");
  return EtcdStatus{.member_id = Hex(FindMember(*header, "member_id")),
                    .leader_id = Hex(FindMember(*status, "leader")),
                    .revision = revision && revision->is_int64() ? revision->get_int64() : 0};
}

const EtcdMember* FindEtcdMember(const std::vector<EtcdMember>& members,
                                 const std::string& peer_url, const std::string& name) {
  const auto at = std::ranges::find(members, peer_url, &EtcdMember::peer_url);
  if (at != members.end()) return &*at;
  const auto named = std::ranges::find(members, name, &EtcdMember::name);
  return named == members.end() ? nullptr : &*named;
}

std::vector<std::string> EtcdEndpoints(const std::vector<EtcdMember>& members,
                                       const std::string& except_peer_url) {
  std::vector<std::string> urls;
  for (const EtcdMember& member : members) {
    if (member.started() && !member.learner && member.peer_url != except_peer_url) {
      urls.push_back(member.client_url);
    }
  }
  return urls;
}

std::string EtcdInitialCluster(const std::vector<EtcdMember>& members, const std::string& peer_url,
                               const std::string& name) {
  std::vector<std::string> entries;
  bool listed = false;
  for (const EtcdMember& member : members) {
    const bool own = member.peer_url == peer_url;
    listed |= own;
    // etcd uses only the URLs of the others, but requires a name for each.
    const std::string& called = own ? name : member.name.empty() ? member.id : member.name;
    entries.push_back(fmt::format("{}={}", called, member.peer_url));
  }
  if (!listed) entries.push_back(fmt::format("{}={}", name, peer_url));
  return fmt::format("{}", fmt::join(entries, ","));
}

std::vector<std::string> EtcdDecision::RefusedOthers() const {
  std::vector<std::string> others;
  for (const auto& [host, reason] : refused) {
    if (std::ranges::find(member_hosts, host) == member_hosts.end()) others.push_back(host);
  }
  return others;
}

const EtcdHostState& EtcdState::Former(const std::string& host) const {
  const auto found = std::ranges::find(former, host, &EtcdHostState::host);
  KUBEXMS_CHECK(found != former.end());
  return *found;
}

Result<EtcdDecision> DecideEtcdMembers(const EtcdState& state) { return Decider(state).Decide(); }

Result<void> CheckEtcdRemoval(const std::vector<EtcdMember>& members,
                              const std::set<std::string>& healthy, const std::string& peer_url,
                              const std::string& host) {
  const EtcdMember* leaving = FindEtcdMember(members, peer_url, host);
  if (!leaving || leaving->learner) return {};
  size_t voters = 0, healthy_voters = 0;
  for (const EtcdMember& member : members) {
    if (member.learner || member.id == leaving->id) continue;
    ++voters;
    healthy_voters += healthy.contains(member.client_url);
  }
  if (voters == 0) {
    return Error::BadRequest(fmt::format(
        "{} is the last member of etcd, and its data would be lost; to undo everything: kubexms "
        "delete cluster",
        host));
  }
  const size_t needed = voters / 2 + 1;
  if (healthy_voters >= needed) return {};
  return Error::BadRequest(
      fmt::format("without {} etcd has {} members, of which {} are healthy and {} must be; repair "
                  "the others first",
                  host, voters, healthy_voters, needed));
}

}  // namespace kubexms::cluster
