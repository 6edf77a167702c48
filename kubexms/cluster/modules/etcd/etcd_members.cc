#include "kubexms/cluster/modules/etcd/etcd_members.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "kubexms/automation/engine/execution.h"
#include "kubexms/cluster/modules/dynamic_module.h"
#include "kubexms/cluster/modules/etcd/etcd_host.h"
#include "kubexms/cluster/modules/etcd/etcd_steps.h"
#include "kubexms/cluster/modules/modules.h"
#include "kubexms/cluster/modules/steps.h"

namespace kubexms::cluster {
namespace {

using namespace automation;

constexpr int kParallel = 32;
constexpr std::string_view kLeaveTask = "leave ";
constexpr std::chrono::seconds kGatherTimeout(30);
// For etcd to see that its members are connected.
constexpr std::chrono::seconds kReadyTimeout(60);
// For a learner to receive all data.
constexpr std::chrono::minutes kCatchUpTimeout(25);
constexpr std::chrono::minutes kJoinTimeout(30);

class EtcdStateQueries {
 public:
  explicit EtcdStateQueries(const EtcdSpec& etcd)
      : members_{fmt::format(
            "[ -e {} ] && {} && {}", kEtcdUnit,
            ProbeLocalEtcd(etcd, "--command-timeout=3s endpoint health") + " >/dev/null 2>&1",
            LocalEtcdctl(etcd, "member list -w json 2>/dev/null"))},
        data_{EtcdLogDirectory(etcd)} {}

  void Gather(Runner runner, EtcdHostState& state) const {
    const Result<Facts> facts =
        runner.Gather(std::vector<Operation>{members_, unit_, data_, formed_, config_});
    if (!facts.ok()) return;
    state.reachable = true;
    state.set_up = facts->Get(unit_).exists();
    state.has_data = facts->Get(data_).exists();
    state.formed = facts->Get(formed_).exists();
    state.initial_cluster = EtcdSetting(facts->Get(config_).content, "initial-cluster: ");
    const ProbeResult& probe = facts->Get(members_);
    if (probe.exit_code != 0) return;
    Result<EtcdMemberList> list = ParseEtcdMembers(probe.output);
    if (list.ok()) state.members = *std::move(list);
  }

 private:
  const Probe members_;
  const GetPath unit_{std::string(kEtcdUnit)};
  const GetPath data_;
  const GetPath formed_{EtcdPath(kEtcdFormedFile)};
  const GetPath config_{.path = EtcdPath("etcd.yaml"), .content = true};
};

// The queries and commands that the steps for one member share.
class MemberView {
 public:
  // `joined`: client URLs of the members that joined after the facts were gathered.
  MemberView(const EtcdSpec& etcd, std::string host, std::string peer_url,
             const EtcdDecision& decision, std::vector<std::string> joined = {})
      : etcd_(etcd),
        host_(std::move(host)),
        peer_url_(std::move(peer_url)),
        gathered_(decision.members),
        others_(Joined(EtcdEndpoints(decision.members, peer_url_), std::move(joined))),
        list_{EtcdctlCommand("member list -w json 2>/dev/null")},
        health_{EtcdctlCommand("--command-timeout=3s endpoint health -w json 2>/dev/null")},
        status_{ProbeLocalEtcd(etcd, "--command-timeout=3s endpoint status -w json") +
                " 2>/dev/null"},
        data_{EtcdMemberDirectory(etcd)},
        log_{EtcdLogDirectory(etcd)} {}

  const EtcdSpec& etcd() const { return etcd_; }
  const std::string& host() const { return host_; }
  const std::string& peer_url() const { return peer_url_; }
  const Probe& list() const { return list_; }
  const Probe& health() const { return health_; }
  const Probe& status() const { return status_; }
  const GetPath& data() const { return data_; }
  const GetPath& log() const { return log_; }

  // A call of etcdctl on the other members.
  std::string EtcdctlCommand(std::string_view arguments) const {
    return Etcdctl(etcd_, others_, arguments);
  }
  // A change of the members by etcdctl. A member returns its own copy of the member list; the
  // health check afterwards succeeds only once the member has applied the change.
  RunScript EtcdctlScript(std::string_view arguments,
                          std::chrono::seconds timeout = kReadyTimeout) const {
    return {fmt::format("{} || exit 1; {} >/dev/null 2>&1; true",
                        UntilEtcdIsReady(EtcdctlCommand(arguments), timeout),
                        EtcdctlCommand("--command-timeout=3s endpoint health"))};
  }

  // The current members; on a host that cannot reach etcd yet, those at the start of the run.
  std::vector<EtcdMember> Members(const Facts& facts) const {
    const ProbeResult& list = facts.Get(list_);
    if (list.exit_code != 0) return gathered_;
    Result<EtcdMemberList> members = ParseEtcdMembers(list.output);
    if (!members.ok()) return gathered_;
    return std::move(members->members);
  }
  // The member of this host, or null.
  const EtcdMember* Own(const std::vector<EtcdMember>& members) const {
    return FindEtcdMember(members, peer_url_, host_);
  }
  std::set<std::string> Healthy(const Facts& facts) const {
    Result<std::set<std::string>> healthy = ParseEtcdHealth(facts.Get(health_).output);
    return healthy.ok() ? *std::move(healthy) : std::set<std::string>();
  }

  // Removes the member. Succeeds without a change when etcd cannot be reached: a rollback of the
  // whole etcd stops its members first.
  RunScript UndoAdd() const {
    return {
        fmt::format("{} >/dev/null 2>&1 || exit 0; "
                    "id=$({} | awk -F', ' '$4 == \"{}\" {{ print $1 }}'); [ -z \"$id\" ] || {}",
                    EtcdctlCommand("get kubexms"), EtcdctlCommand("member list"), peer_url_,
                    "{ " + EtcdctlScript("member remove \"$id\"").script + "; }")};
  }

 private:
  static std::vector<std::string> Joined(std::vector<std::string> endpoints,
                                         std::vector<std::string> more) {
    std::ranges::move(more, std::back_inserter(endpoints));
    return endpoints;
  }

  const EtcdSpec etcd_;
  const std::string host_;
  const std::string peer_url_;
  const std::vector<EtcdMember> gathered_;
  const std::vector<std::string> others_;
  const Probe list_;
  const Probe health_;
  const Probe status_;
  const GetPath data_;
  const GetPath log_;
};
using ViewPtr = std::shared_ptr<const MemberView>;

Change MakeChange(std::string summary, std::vector<Operation> operations,
                  std::vector<Operation> undo = {}) {
  return {.summary = {std::move(summary)},
          .operations = std::move(operations),
          .undo = std::move(undo)};
}

// A member that has lost its data can only rejoin as a new member.
StepPtr RemoveMemberWithoutData(const ViewPtr& view) {
  return MakeStep("lost member", {view->list(), view->log()},
                  [view](const StepContext&, const Facts& facts) -> Result<Change> {
                    const std::vector<EtcdMember> members = view->Members(facts);
                    const EtcdMember* own = view->Own(members);
                    if (!own || !own->started() || facts.Get(view->log()).exists()) return Change();
                    return MakeChange(
                        fmt::format("remove the member {}, whose data is lost", view->host()),
                        {SetService{.service = std::string(kEtcdService), .active = "stop"},
                         view->EtcdctlScript("member remove " + own->id)});
                  });
}

// etcd refuses to start a new member on the data of a removed one.
StepPtr DeleteFormerData(const ViewPtr& view) {
  return MakeStep("former data", {view->list(), view->data()},
                  [view](const StepContext&, const Facts& facts) -> Result<Change> {
                    const std::vector<EtcdMember> members = view->Members(facts);
                    if (view->Own(members) || !facts.Get(view->data()).exists()) {
                      return Change();
                    }
                    return MakeChange(
                        fmt::format("delete {}, the data of a former member", view->data().path),
                        {SetService{.service = std::string(kEtcdService), .active = "stop"},
                         RemovePath{view->data().path, true}});
                  });
}

StepPtr AddLearner(const ViewPtr& view) {
  return MakeStep(
      "add", {view->list()}, [view](const StepContext&, const Facts& facts) -> Result<Change> {
        const std::vector<EtcdMember> members = view->Members(facts);
        if (view->Own(members)) return Change();
        return MakeChange(fmt::format("add {} to etcd as a learner", view->host()),
                          {view->EtcdctlScript(fmt::format("member add {} --peer-urls={} --learner",
                                                           view->host(), view->peer_url()))},
                          {view->UndoAdd()});
      });
}

// etcd refuses the promotion until the learner has caught up.
StepPtr Promote(const ViewPtr& view) {
  return MakeStep(
      "promote", {view->list()}, [view](const StepContext&, const Facts& facts) -> Result<Change> {
        const std::vector<EtcdMember> members = view->Members(facts);
        const EtcdMember* own = view->Own(members);
        if (own && !own->learner) return Change();
        return MakeChange(
            fmt::format("promote {} once it has caught up", view->host()),
            {view->EtcdctlScript("member promote " + (own ? own->id : ""), kCatchUpTimeout)},
            {view->UndoAdd()});
      });
}

StepPtr RequireMajority(std::string name, const ViewPtr& view) {
  return Require(std::move(name), {view->list(), view->health()},
                 [view](const StepContext&, const Facts& facts) {
                   return CheckEtcdRemoval(view->Members(facts), view->Healthy(facts),
                                           view->peer_url(), view->host());
                 });
}

StepPtr MoveLeader(const ViewPtr& view) {
  return MakeStep(
      "move leader", {view->list(), view->health(), view->status()},
      [view](const StepContext&, const Facts& facts) -> Result<Change> {
        const std::vector<EtcdMember> members = view->Members(facts);
        const EtcdMember* own = view->Own(members);
        const Result<EtcdStatus> status = ParseEtcdStatus(facts.Get(view->status()).output);
        if (!own || !status.ok() || status->leader_id != own->id) return Change();
        const std::set<std::string> healthy = view->Healthy(facts);
        for (const EtcdMember& member : members) {
          if (member.learner || !healthy.contains(member.client_url)) continue;
          const std::string move = LocalEtcdctl(view->etcd(), "move-leader " + member.id);
          return MakeChange(
              fmt::format("move the leadership of etcd from {} to {}", view->host(), member.name),
              {RunScript{UntilEtcdIsReady(move, kReadyTimeout)}});
        }
        return Change();
      });
}

StepPtr RemoveMember(std::string name, const ViewPtr& view) {
  return MakeStep(std::move(name), {view->list()},
                  [view](const StepContext&, const Facts& facts) -> Result<Change> {
                    const std::vector<EtcdMember> members = view->Members(facts);
                    const EtcdMember* own = view->Own(members);
                    if (!own) return Change();
                    return MakeChange(fmt::format("remove {} from etcd", view->host()),
                                      {view->EtcdctlScript("member remove " + own->id)});
                  });
}

StepPtr DeleteData(const ViewPtr& view) {
  return MakeStep("data", {view->data()},
                  [view](const StepContext&, const Facts& facts) -> Result<Change> {
                    if (!facts.Get(view->data()).exists()) return Change();
                    return MakeChange(fmt::format("delete {}", view->data().path),
                                      {RemovePath{view->data().path, true}});
                  });
}

}  // namespace

EtcdState GatherEtcdState(const ClusterSpec& spec, const Runtime& runtime,
                          const std::set<std::string>& lost) {
  EtcdState state{.lost = lost, .initial_cluster = EtcdInitialCluster(spec)};
  for (const std::string& name : spec.role_groups.etcd) {
    state.wanted.push_back(
        {.host = name, .peer_url = EtcdPeerUrl(spec.etcd, spec.Host(name).InternalAddress())});
  }
  for (const std::string& name : runtime.HostsWithRole("etcd")) {
    if (std::ranges::find(spec.role_groups.etcd, name) != spec.role_groups.etcd.end()) continue;
    const std::string address(FindString(runtime.FindHost(name)->variables, "internalAddress"));
    state.former.push_back({.host = name, .peer_url = EtcdPeerUrl(spec.etcd, address)});
  }
  std::vector<EtcdHostState*> present;
  for (auto* hosts : {&state.wanted, &state.former}) {
    for (EtcdHostState& host : *hosts) {
      if (!lost.contains(host.host)) present.push_back(&host);
    }
  }
  const EtcdStateQueries queries(spec.etcd);
  ForEach(present.size(), kParallel, [&](size_t i) {
    const Host* host = runtime.FindHost(present[i]->host);
    if (host) queries.Gather(runtime.RunnerFor(*host, {.timeout = kGatherTimeout}), *present[i]);
  });
  return state;
}

Task RefuseEtcdTask(std::string name, const EtcdDecision& decision,
                    std::vector<std::string> hosts) {
  std::erase_if(hosts, [&](const std::string& host) { return !decision.refused.contains(host); });
  return {.name = std::move(name),
          .steps = {Require("possible", {},
                            [refused = decision.refused](const StepContext& context,
                                                         const Facts&) -> Result<void> {
                              return Error::BadRequest(refused.at(context.host.name));
                            })},
          .hosts = std::move(hosts)};
}

Task JoinEtcdTask(const std::string& cluster, const ClusterSpec& spec, const std::string& host,
                  const EtcdDecision& decision) {
  const std::string peer_url = EtcdPeerUrl(spec.etcd, spec.Host(host).InternalAddress());
  const ViewPtr view = std::make_shared<MemberView>(spec.etcd, host, peer_url, decision);
  const auto bootstrap = [view](const StepContext&, const Facts& facts) -> Result<EtcdBootstrap> {
    return EtcdBootstrap{
        .initial_cluster = EtcdInitialCluster(view->Members(facts), view->peer_url(), view->host()),
        .joins = true};
  };
  return {.name = "join " + host,
          .steps = {RemoveMemberWithoutData(view), DeleteFormerData(view), AddLearner(view),
                    ConfigureEtcd(cluster, spec, {view->list()}, bootstrap), StartEtcd(spec.etcd),
                    Promote(view), WaitForEtcd(spec.etcd), MarkEtcdFormed(cluster)},
          .hosts = {host},
          .group = std::string(kEtcdGroup),
          .timeout = kJoinTimeout};
}

Task LeaveEtcdTask(const EtcdSpec& etcd, const EtcdHostState& host, const EtcdDecision& decision,
                   const std::vector<std::string>& joined) {
  const ViewPtr view =
      std::make_shared<MemberView>(etcd, host.host, host.peer_url, decision, joined);
  return {
      .name = std::string(kLeaveTask) + host.host,
      .steps = {RequireMajority("majority", view), MoveLeader(view), RemoveMember("remove", view),
                WithoutUndo(Ensure("stop", {Service{.name = std::string(kEtcdService),
                                                    .active = false,
                                                    .enabled = false}})),
                DeleteData(view)},
      .hosts = {host.host}};
}

std::optional<std::string> FindLeavingMember(const RunPlan& plan) {
  for (const PlannedStep& step : plan.steps) {
    if (step.module == ModuleName(ModuleId::kEtcd) && step.task.starts_with(kLeaveTask)) {
      return step.host;
    }
  }
  return std::nullopt;
}

Task RemoveLostMemberTask(const EtcdSpec& etcd, const EtcdHostState& host,
                          const EtcdDecision& decision) {
  const ViewPtr view = std::make_shared<MemberView>(etcd, host.host, host.peer_url, decision);
  return {.name = "remove lost member " + host.host,
          .steps = {RequireMajority("majority", view), RemoveMember("remove", view)},
          .hosts = {decision.coordinator}};
}

ModulePtr EtcdLeaveModule(const ClusterSpec& spec, std::set<std::string> hosts,
                          std::set<std::string> lost) {
  return MakeDynamicModule(
      ModuleName(ModuleId::kEtcd), [=](const Runtime& runtime) -> Result<std::vector<Task>> {
        EtcdState state = GatherEtcdState(spec, runtime, lost);
        state.limit = hosts;
        ASSIGN_OR_RETURN(const EtcdDecision decision, DecideEtcdMembers(state));
        std::vector<Task> tasks = {RefuseEtcdTask(
            "members", decision, std::vector<std::string>(hosts.begin(), hosts.end()))};
        for (const std::string& host : decision.remove_lost) {
          tasks.push_back(RemoveLostMemberTask(spec.etcd, state.Former(host), decision));
        }
        for (const std::string& host : decision.leave) {
          tasks.push_back(LeaveEtcdTask(spec.etcd, state.Former(host), decision));
        }
        return tasks;
      });
}

}  // namespace kubexms::cluster
