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
  return Error::Internal(fmt::format("what etcdctl says about the {} is not a list", what));
}

class Decider {
 public:
  explicit Decider(const EtcdState& situation) : situation_(situation) {}

  Result<EtcdDecision> Decide() {
    RETURN_IF_ERROR(FindMembers());
    Result<void> decided = list_ ? DecideServing() : AnyFormed() ? DecideDown() : DecideNew();
    if (!decided.ok()) return decided.error();
    return std::move(decision_);
  }

 private:
  template <class Visit>
  void ForAll(Visit visit) const {
    for (const EtcdHostState& sighting : situation_.wanted) visit(sighting);
    for (const EtcdHostState& sighting : situation_.former) visit(sighting);
  }

  bool IsGone(const EtcdHostState& sighting) const {
    return situation_.lost.contains(sighting.host);
  }
  bool Matters(const EtcdHostState& former) const {
    return situation_.limit.empty() || situation_.limit.contains(former.host);
  }
  bool AnyFormed() const {
    bool formed = false;
    ForAll([&](const EtcdHostState& sighting) { formed |= sighting.formed; });
    return formed;
  }

  // The members, when one of them is healthy; all that are must tell of the same etcd.
  Result<void> FindMembers() {
    const EtcdHostState* other = nullptr;
    ForAll([&](const EtcdHostState& sighting) {
      if (!sighting.members) return;
      if (!list_) list_ = &sighting;
      if (sighting.members->cluster_id != list_->members->cluster_id) other = &sighting;
    });
    if (!other) return {};
    return Error::BadRequest(fmt::format(
        "{} and {} belong to two different etcds; take one of them out of roleGroups.etcd",
        list_->host, other->host));
  }

  Result<void> DecideServing() {
    decision_.members = list_->members->members;
    for (const EtcdHostState& host : situation_.wanted) {
      if (host.members && decision_.coordinator.empty()) decision_.coordinator = host.host;
      PlaceWanted(host);
    }
    if (decision_.coordinator.empty()) decision_.coordinator = list_->host;
    for (const EtcdHostState& host : situation_.former) {
      if (Matters(host)) RETURN_IF_ERROR(PlaceFormer(host));
    }
    return {};
  }

  void PlaceWanted(const EtcdHostState& host) {
    const EtcdMember* member = FindEtcdMember(decision_.members, host.peer_url, host.host);
    if (member && member->peer_url != host.peer_url) {
      decision_.refused[host.host] = fmt::format(
          "it is a member of etcd at {}, and the configuration wants it at {}: take it out of "
          "roleGroups.etcd first, and add it again afterwards",
          member->peer_url, host.peer_url);
      return;
    }
    // A name without a client URL has one that was there from the beginning and never started.
    const bool seated = member && !member->learner && (member->started() || !member->name.empty());
    const bool lost = seated && member->started() && host.reachable && !host.has_data;
    (seated && !lost ? decision_.member_hosts : decision_.join).push_back(host.host);
  }

  Result<void> PlaceFormer(const EtcdHostState& host) {
    const bool listed = FindEtcdMember(decision_.members, host.peer_url, host.host) != nullptr;
    if (IsGone(host)) {
      if (listed) decision_.forget.push_back(host.host);
    } else if (host.reachable) {
      if (listed || host.set_up || host.has_data) decision_.leave.push_back(host.host);
    } else if (listed) {
      return Error::BadRequest(fmt::format(
          "{0} is to leave etcd and does not answer; if it is gone for good: kubexms remove nodes "
          "{0} --force",
          host.host));
    }
    return {};
  }

  // It has been there, and has no majority now. Who has data may be started again.
  Result<void> DecideDown() {
    for (const EtcdHostState& host : situation_.wanted) {
      decision_.member_hosts.push_back(host.host);
      if (!host.reachable || host.has_data) continue;
      decision_.member_hosts.pop_back();
      decision_.refused[host.host] =
          "etcd has no majority, so that nobody can join it; once its other members are healthy, "
          "run this again; if they are lost, kubexms etcd restore begins anew from a backup";
    }
    for (const EtcdHostState& host : situation_.former) {
      if (!Matters(host)) continue;
      const std::string reason =
          "etcd has no majority, so that no member can leave it; mend it first, or begin anew from "
          "a backup with kubexms etcd restore";
      if (IsGone(host)) return Error::BadRequest(fmt::format("{}: {}", host.host, reason));
      if (host.reachable && host.set_up) decision_.refused[host.host] = reason;
    }
    return {};
  }

  // There is none yet, or it was only begun.
  Result<void> DecideNew() {
    std::vector<std::string> silent;
    ForAll([&](const EtcdHostState& host) {
      if (!host.reachable && !IsGone(host)) silent.push_back(host.host);
    });
    for (const EtcdHostState& host : situation_.wanted) {
      decision_.member_hosts.push_back(host.host);
      if (host.reachable && !silent.empty()) {
        decision_.refused[host.host] =
            fmt::format("whether there is an etcd already is not known: {} does not answer",
                        fmt::join(silent, ", "));
      } else if (host.has_data && host.set_up &&
                 host.initial_cluster != situation_.initial_cluster) {
        decision_.refused[host.host] = fmt::format(
            "an etcd of other members was begun here ({}) and never became healthy; take that "
            "back with kubexms rollback, or name the same members",
            host.initial_cluster);
      }
    }
    for (const EtcdHostState& host : situation_.former) {
      if (Matters(host) && host.reachable && host.set_up) decision_.leave.push_back(host.host);
    }
    return {};
  }

  const EtcdState& situation_;
  const EtcdHostState* list_ = nullptr;
  EtcdDecision decision_;
};

}  // namespace

Result<EtcdMemberList> ParseEtcdMembers(std::string_view json) {
  ASSIGN_OR_RETURN(const Json document, ParseJson(json));
  const Json* members = FindMember(document, "members");
  const Json* header = FindMember(document, "header");
  if (!members || !members->is_array() || !header) {
    return Error::Internal("what etcdctl says about the members is not a list");
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
  if (!header) return Error::Internal("etcdctl does not tell the status of etcd");
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
    // Only the URLs of the others matter, but each needs some name.
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

Result<EtcdDecision> DecideEtcdMembers(const EtcdState& situation) {
  return Decider(situation).Decide();
}

Result<void> CheckEtcdRemoval(const std::vector<EtcdMember>& members,
                              const std::set<std::string>& healthy, const std::string& peer_url,
                              const std::string& host) {
  const EtcdMember* leaving = FindEtcdMember(members, peer_url, host);
  if (!leaving || leaving->learner) return {};
  size_t voters = 0, well = 0;
  for (const EtcdMember& member : members) {
    if (member.learner || member.id == leaving->id) continue;
    ++voters;
    well += healthy.contains(member.client_url);
  }
  if (voters == 0) {
    return Error::BadRequest(fmt::format(
        "{} is the last member of etcd, and its data would be lost; kubexms delete cluster takes "
        "everything back",
        host));
  }
  const size_t needed = voters / 2 + 1;
  if (well >= needed) return {};
  return Error::BadRequest(
      fmt::format("without {} etcd has {} members, of which {} are healthy and {} have to be; mend "
                  "the others first",
                  host, voters, well, needed));
}

}  // namespace kubexms::cluster
