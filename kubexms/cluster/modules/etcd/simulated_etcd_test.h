#pragma once

// The etcd of a simulated fleet: what its members do when their services run, and what etcdctl says
// about it. It knows who is a member and who leads; whether a member has begun is in the files of
// its host, as with a real one.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "kubexms/automation/hosts/simulated_fleet.h"
#include "kubexms/automation/journal/journal.h"
#include "kubexms/base/mutex.h"

namespace kubexms::cluster {

class SimulatedEtcd {
 public:
  // Borrowed.
  explicit SimulatedEtcd(automation::SimulatedFleet* fleet) : fleet_(fleet) {}

  // Nothing when the script is not about etcd.
  std::optional<automation::CommandResult> OperationResult(automation::SimulatedHost& host,
                                                           const std::string& script)
      EXCLUDES(mutex_) {
    if (script.starts_with("# runs that have worked")) return RunsOn(host);
    if (Says(script, "/before-")) return Exchange(host, script);
    if (Says(script, "# let etcd read its old files")) return Result();
    if (script.find("etcdctl --endpoints=") == std::string::npos) return std::nullopt;
    if (Says(script, "snapshot restore ")) return Unpack(host, script);
    if (Says(script, "snapshot status ")) return Result{.output = R"({"revision":1})"};
    MutexLock lock(mutex_);
    Look();
    return Speak(host, script);
  }

  // "host-0001 host-0002*": those who vote, with a star for one who does not.
  std::string Members() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    Look();
    std::set<std::string> names;
    for (const auto& [id, member] : members_) {
      names.insert(member.name + (member.learner ? "*" : ""));
    }
    return fmt::format("{}", fmt::join(names, " "));
  }
  bool Healthy() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    Look();
    return HasMajority();
  }
  // The host whose member leads.
  std::string Leader() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    Look();
    return leader_ ? members_[leader_].name : "";
  }

 private:
  struct Member {
    std::string name;
    std::string peer;
    std::string client;
    bool learner = false;
    bool serves = false;
  };
  using Result = automation::CommandResult;

  static constexpr const char* kData = "/var/lib/etcd/member/wal";

  // The runs that the host's journal is about.
  static Result RunsOn(automation::SimulatedHost& host) {
    std::set<std::string> runs;
    const auto records =
        automation::ParseJournal(host.ReadFile("/var/lib/kubexms/lab/journal").value_or(""));
    if (!records.ok()) return Fail(records.error().message());
    for (const automation::JournalRecord& record : *records) runs.insert(record.run);
    return {.output = fmt::format("{}{}", fmt::join(runs, "\n"), runs.empty() ? "" : "\n")};
  }
  static Result Fail(const std::string& why) { return {.exit_code = 1, .error_output = why}; }
  static bool Says(const std::string& script, std::string_view text) {
    return script.find(text) != std::string::npos;
  }
  // The word that follows `text`.
  static std::string After(const std::string& script, const std::string& text) {
    const size_t at = script.find(text);
    if (at == std::string::npos) return "";
    const std::string rest = script.substr(at + text.size());
    return rest.substr(0, rest.find_first_of(" \"\n"));
  }
  static std::string Setting(const std::string& config, const std::string& key) {
    const std::string line = After("\n" + config, "\n" + key + ": ");
    return line.substr(0, line.find(','));
  }
  static std::vector<std::string> Split(const std::string& text) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
    return parts;
  }
  static uint64_t Id(const std::string& hex) {
    uint64_t id = 0;
    std::from_chars(hex.data(), hex.data() + hex.size(), id, 16);
    return id;
  }

  Member* AtPeer(const std::string& peer) REQUIRES(mutex_) {
    for (auto& [id, member] : members_) {
      if (member.peer == peer) return &member;
    }
    return nullptr;
  }
  uint64_t IdOf(const Member* member) REQUIRES(mutex_) {
    for (auto& [id, other] : members_) {
      if (&other == member) return id;
    }
    return 0;
  }

  // Data of a snapshot, which makes another etcd: "restored TOKEN MEMBERS".
  static Result Unpack(automation::SimulatedHost& host, const std::string& script) {
    const std::string directory = script.substr(script.rfind(' ') + 1);
    host.PutFile(directory + "/member/wal",
                 fmt::format("restored {} {}", After(script, "--initial-cluster-token "),
                             After(script, "--initial-cluster ")));
    return {};
  }
  // The data in the place of other data, or back.
  static Result Exchange(automation::SimulatedHost& host, const std::string& script) {
    const bool back = Says(script, "rm -rf member && mv");
    const std::string from = After(script, "if [ -e ");
    const std::string data = back ? from : from.substr(0, from.rfind('/'));
    const std::string before = back ? data : After(script, "[ ! -e ");
    const auto content = host.ReadFile(back ? data + "/wal" : data + "/member/wal");
    if (!content) return {};
    const auto old = host.ReadFile(kData);
    if (!back && old && !host.ReadFile(before + "/wal")) host.PutFile(before + "/wal", *old);
    host.PutFile(kData, *content);
    return {.exit_code = host.Perform({automation::RemovePath{data, true}}).ok() ? 0 : 1};
  }

  bool Runs(automation::SimulatedHost& host) const {
    const auto state = host.Perform({automation::GetService{"kubexms-etcd"}});
    return state.ok() && std::get<automation::ServiceState>((*state)[0]).active;
  }

  // The etcd that most of those who run have data of: the first one, or one of a snapshot. Members
  // of two of them never agree.
  void ChooseEtcd() REQUIRES(mutex_) {
    std::map<std::string, std::string> seen;  // tokens and members
    for (const auto& host : fleet_->hosts()) {
      const std::optional<std::string> data = host->ReadFile(kData);
      if (!data || !Runs(*host)) continue;
      seen[After(*data, "restored ")] = data->substr(data->rfind(' ') + 1);
    }
    mixed_ = seen.size() > 1;
    if (seen.size() != 1 || seen.begin()->first == token_) return;
    others_[token_] = std::move(members_);
    token_ = seen.begin()->first;
    members_ = others_[token_];
    if (members_.empty() && !token_.empty()) AddMembers(seen.begin()->second);
  }
  void AddMembers(const std::string& all) REQUIRES(mutex_) {
    for (const std::string& entry : Split(all)) {
      const size_t equals = entry.find('=');
      members_[++next_id_] = {.name = entry.substr(0, equals), .peer = entry.substr(equals + 1)};
    }
  }

  // Lets everybody do what a member does by itself.
  void Look() REQUIRES(mutex_) {
    bool any_data = false;
    for (const auto& host : fleet_->hosts()) any_data |= host->ReadFile(kData).has_value();
    if (!any_data) members_.clear(), others_.clear(), token_.clear(), next_id_ = 0xa0;
    ChooseEtcd();
    for (auto& [id, member] : members_) member.serves = false;
    for (const auto& host : fleet_->hosts()) {
      if (Runs(*host)) Run(*host);
    }
    const auto leader = members_.find(leader_);
    if (leader != members_.end() && leader->second.serves) return;
    leader_ = 0;
    for (const auto& [id, member] : members_) {
      if (!leader_ && member.serves && !member.learner) leader_ = id;
    }
  }

  void Run(automation::SimulatedHost& host) REQUIRES(mutex_) {
    const std::string config = host.ReadFile("/etc/kubexms/etcd/etcd.yaml").value_or("");
    const std::optional<std::string> data = host.ReadFile(kData);
    const std::string name = Setting(config, "name");
    Member* member = nullptr;
    if (data && data->starts_with("restored ")) {
      member = AtPeer(Setting(config, "initial-advertise-peer-urls"));
    } else if (data) {
      const auto found = members_.find(Id(*data));
      if (found != members_.end()) member = &found->second;
    } else {
      member = Begin(config);
      if (member) host.PutFile(kData, fmt::format("{:x}", IdOf(member)));
    }
    if (!member) return;
    member->name = name;
    member->client = Setting(config, "advertise-client-urls");
    member->serves = true;
  }

  // The member that a host without data becomes, if etcd lets it.
  Member* Begin(const std::string& config) REQUIRES(mutex_) {
    const std::string all = After("\n" + config, "\ninitial-cluster: ");
    const std::string peer = Setting(config, "initial-advertise-peer-urls");
    if (Setting(config, "initial-cluster-state") == "new") {
      if (members_.empty()) {
        AddMembers(all);
      }
      Member* member = AtPeer(peer);
      return member && member->client.empty() ? member : nullptr;
    }
    std::set<std::string> wanted, listed;
    for (const std::string& entry : Split(all)) wanted.insert(entry.substr(entry.find('=') + 1));
    for (const auto& [id, member] : members_) listed.insert(member.peer);
    return wanted == listed ? AtPeer(peer) : nullptr;
  }

  bool HasMajority() REQUIRES(mutex_) {
    size_t voters = 0, serving = 0;
    for (const auto& [id, member] : members_) {
      voters += !member.learner;
      serving += !member.learner && member.serves;
    }
    return !mixed_ && voters > 0 && serving >= voters / 2 + 1;
  }

  // The member on the host, if it runs.
  Member* Local(automation::SimulatedHost& host) REQUIRES(mutex_) {
    for (auto& [id, member] : members_) {
      if (member.name == host.name() && member.serves) return &member;
    }
    return nullptr;
  }

  Result List() REQUIRES(mutex_) {
    std::string text;
    for (const auto& [id, member] : members_) {
      text += fmt::format(R"({}{{"ID":{},"name":"{}","peerURLs":["{}"],"clientURLs":[{}]{}}})",
                          text.empty() ? "" : ",", id, member.name, member.peer,
                          member.client.empty() ? "" : "\"" + member.client + "\"",
                          member.learner ? R"(,"isLearner":true)" : "");
    }
    return {.output = fmt::format(R"({{"header":{{"cluster_id":7}},"members":[{}]}})", text)};
  }

  Result Health(const std::vector<std::string>& endpoints) REQUIRES(mutex_) {
    std::string text;
    for (const std::string& endpoint : endpoints) {
      bool well = false;
      for (const auto& [id, member] : members_) {
        well |= member.client == endpoint && member.serves && HasMajority();
      }
      text += fmt::format(R"({}{{"endpoint":"{}","health":{}}})", text.empty() ? "" : ",", endpoint,
                          well);
    }
    return {.output = "[" + text + "]"};
  }

  Result Status(Member& local) REQUIRES(mutex_) {
    return {.output = fmt::format(
                R"([{{"Status":{{"header":{{"member_id":{},"revision":1}},"leader":{}}}}}])",
                IdOf(&local), leader_)};
  }

  Result Change(const std::string& script) REQUIRES(mutex_) {
    if (!HasMajority()) {
      return Says(script, "|| exit 0") ? Result() : Fail("etcdserver: request timed out");
    }
    if (Says(script, "member add ")) {
      for (const auto& [id, member] : members_) {
        if (member.learner) return Fail("etcdserver: too many learner members in cluster");
      }
      members_[++next_id_] = {.peer = After(script, "--peer-urls="), .learner = true};
      return {};
    }
    // Written for awk when it is an undo.
    Member* undone = AtPeer(After(script, "$4 == \""));
    const uint64_t id = Says(script, "$4 == ")           ? IdOf(undone)
                        : Says(script, "member remove ") ? Id(After(script, "member remove "))
                                                         : Id(After(script, "member promote "));
    const auto found = members_.find(id);
    if (found == members_.end()) {
      return Says(script, "$4 == ") ? Result() : Fail("etcdserver: member not found");
    }
    if (Says(script, "member promote ")) {
      if (!found->second.serves) return Fail("can only promote a learner in sync with leader");
      found->second.learner = false;
      return {};
    }
    members_.erase(found);
    return {};
  }

  Result Speak(automation::SimulatedHost& host, const std::string& script) REQUIRES(mutex_) {
    const std::vector<std::string> endpoints = Split(After(script, "--endpoints="));
    const bool is_local = !endpoints.empty() && Says(endpoints[0], "127.0.0.1");
    Member* local = Local(host);
    if (is_local && Says(script, "move-leader ")) {
      if (!local || IdOf(local) != leader_) return Fail("no leader endpoint found");
      leader_ = Id(After(script, "move-leader "));
      return {};
    }
    if (is_local && !local) return Fail("connection refused");
    const bool asks_health = Says(script, "endpoint health");
    if (is_local && !asks_health && Says(script, "endpoint status")) return Status(*local);
    if (is_local && (local->learner || !HasMajority())) return Fail("is unhealthy");
    if (Says(script, "-w json") && Says(script, "member list")) return List();
    if (Says(script, "endpoint health -w json")) return Health(endpoints);
    const bool changes = Says(script, "member add ") || Says(script, "member remove ") ||
                         Says(script, "member promote ");
    return changes ? Change(script) : Result{.output = "is healthy"};
  }

  automation::SimulatedFleet* const fleet_;
  Mutex mutex_;
  std::map<uint64_t, Member> members_ GUARDED_BY(mutex_);
  uint64_t next_id_ GUARDED_BY(mutex_) = 0xa0;
  uint64_t leader_ GUARDED_BY(mutex_) = 0;
  std::string token_ GUARDED_BY(mutex_);  // of the snapshot that it was made of; empty: of none
  bool mixed_ GUARDED_BY(mutex_) = false;
  std::map<std::string, std::map<uint64_t, Member>> others_ GUARDED_BY(mutex_);  // by token
};

}  // namespace kubexms::cluster
