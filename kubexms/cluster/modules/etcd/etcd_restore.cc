#include <fmt/format.h>

#include <algorithm>

#include "kubexms/cluster/modules/etcd/etcd_backup.h"
#include "kubexms/cluster/modules/etcd/etcd_host.h"
#include "kubexms/cluster/modules/etcd/etcd_membership.h"
#include "kubexms/cluster/modules/etcd/etcd_steps.h"
#include "kubexms/cluster/modules/modules.h"
#include "kubexms/cluster/modules/steps.h"

namespace kubexms::cluster {
namespace {

using namespace automation;

constexpr std::chrono::minutes kUnpackTimeout(30);

// Says which run has put a snapshot in the place of the data.
const GetPath kMarker{.path = EtcdPath("restored"), .content = true};

// What the steps of a restoration share. Its directories are beside the data, on one file system,
// and have the name of the run, so that what another one left is never taken for its own.
class Restoration {
 public:
  Restoration(std::string cluster, const ClusterSpec& spec, std::string snapshot)
      : cluster_(std::move(cluster)), spec_(spec), snapshot_(std::move(snapshot)) {}

  const EtcdSpec& etcd() const { return spec_.etcd; }
  const std::string& snapshot() const { return snapshot_; }
  std::string Unpacked(const StepContext& context) const {
    return fmt::format("{}/restored-{}", etcd().data_dir, context.run);
  }
  std::string Before(const StepContext& context) const {
    return fmt::format("{}/before-{}", etcd().data_dir, context.run);
  }
  static bool IsDone(const StepContext& context, const Facts& facts) {
    return facts.Get(kMarker).content == Mark(context);
  }
  static std::string Mark(const StepContext& context) { return context.run + "\n"; }

  // With a token of its own: members of the old etcd that turn up again are not let in.
  std::string UnpackScript(const StepContext& context) const {
    const std::string& name = context.host.name;
    const std::string part = ShellQuote(Unpacked(context) + ".part");
    return fmt::format(
        "rm -rf {0} && {1} && chown -R etcd:etcd {0} && mv -T {0} {2}", part,
        LocalEtcdctl(
            etcd(),
            fmt::format("snapshot restore {} --name {} --data-dir {} --initial-cluster {} "
                        "--initial-cluster-token {}-{} --initial-advertise-peer-urls {}",
                        ShellQuote(snapshot_), name, part, EtcdInitialCluster(spec_), cluster_,
                        context.run, EtcdPeerUrl(etcd(), spec_.Host(name).InternalAddress()))),
        ShellQuote(Unpacked(context)));
  }

  // May have been interrupted anywhere.
  std::string SwapScript(const StepContext& context) const {
    return fmt::format(
        "cd {0} || exit 1; if [ -e {1}/member ]; then "
        "if [ -e member ] && [ ! -e {2} ]; then mv -T member {2} || exit 1; fi; "
        "mv -T {1}/member member || exit 1; fi; rm -rf {1}; [ -e member ]",
        ShellQuote(etcd().data_dir), ShellQuote(Unpacked(context)), ShellQuote(Before(context)));
  }
  std::string SwapBackScript(const StepContext& context) const {
    return fmt::format(
        "cd {0} || exit 0; if [ -e {1} ]; then rm -rf member && mv -T {1} member; fi",
        ShellQuote(etcd().data_dir), ShellQuote(Before(context)));
  }

 private:
  const std::string cluster_;
  const ClusterSpec spec_;
  const std::string snapshot_;  // on the hosts
};
using RestorationPtr = std::shared_ptr<const Restoration>;

class UnpackStep final : public NamedStep {
 public:
  explicit UnpackStep(RestorationPtr restoration)
      : NamedStep("unpack"), restoration_(std::move(restoration)) {}

  Result<std::vector<Operation>> ListQueries(const StepContext& context) const override {
    return std::vector<Operation>{kMarker, GetPath{restoration_->Unpacked(context)}};
  }
  Result<Change> Plan(const StepContext& context, const Facts& facts) const override {
    const std::string unpacked = restoration_->Unpacked(context);
    if (Restoration::IsDone(context, facts) || facts.Get(GetPath{unpacked}).exists()) {
      return Change();
    }
    return Change{.summary = {fmt::format("restore the snapshot to {}", unpacked)},
                  .operations = {RunScript{restoration_->UnpackScript(context)}},
                  .undo = {RemovePath{unpacked, true}, RemovePath{unpacked + ".part", true}}};
  }

 private:
  const RestorationPtr restoration_;
};

StepPtr Stop() {
  const std::vector<HostResource> stopped = {
      Service{.name = std::string(kEtcdService), .active = false}};
  std::vector<Operation> queries = QueriesFor(stopped);
  queries.emplace_back(kMarker);
  return MakeStep("stop", std::move(queries),
                  [stopped](const StepContext& context, const Facts& facts) -> Result<Change> {
                    if (Restoration::IsDone(context, facts)) return Change();
                    return PlanFor(stopped, facts, context.backup_directory);
                  });
}

StepPtr Swap(const RestorationPtr& restoration) {
  return MakeStep(
      "exchange", {kMarker},
      [restoration](const StepContext& context, const Facts& facts) -> Result<Change> {
        if (Restoration::IsDone(context, facts)) return Change();
        const std::vector<HostResource> mark = {File{.path = kMarker.path,
                                                     .content = Restoration::Mark(context),
                                                     .owner = "etcd",
                                                     .group = "etcd"}};
        ASSIGN_OR_RETURN(Change change, PlanFor(mark, facts, context.backup_directory));
        change.summary = {fmt::format("put the snapshot in the place of {}",
                                      EtcdMemberDirectory(restoration->etcd()))};
        change.files.clear();
        change.operations.insert(change.operations.begin(),
                                 RunScript{restoration->SwapScript(context)});
        change.undo.emplace_back(RunScript{restoration->SwapBackScript(context)});
        return change;
      });
}

Result<void> CheckRestored(const ClusterSpec& spec, const Facts& facts, const Probe& snapshot,
                           const Probe& status, const Probe& list) {
  ASSIGN_OR_RETURN(const Json wanted, ParseJson(facts.Get(snapshot).output));
  ASSIGN_OR_RETURN(const EtcdStatus is, ParseEtcdStatus(facts.Get(status).output));
  ASSIGN_OR_RETURN(const EtcdMemberList members, ParseEtcdMembers(facts.Get(list).output));
  const Json* revision = FindMember(wanted, "revision");
  if (revision && revision->is_int64() && is.revision < revision->get_int64()) {
    return Error::Internal(fmt::format("it is at revision {}, and the snapshot is of revision {}",
                                       is.revision, revision->get_int64()));
  }
  if (members.members.size() == spec.role_groups.etcd.size()) return {};
  return Error::Internal(fmt::format("it has {} members, and {} were to be", members.members.size(),
                                     spec.role_groups.etcd.size()));
}

StepPtr Verify(const RestorationPtr& restoration, const ClusterSpec& spec) {
  const Probe snapshot{LocalEtcdctl(spec.etcd, fmt::format("snapshot status {} -w json 2>/dev/null",
                                                           ShellQuote(restoration->snapshot())))};
  const Probe status{ProbeLocalEtcd(spec.etcd, "endpoint status -w json") + " 2>/dev/null"};
  const Probe list{ProbeLocalEtcd(spec.etcd, "member list -w json") + " 2>/dev/null"};
  return MakeStep("verify", {snapshot, status, list},
                  [=](const StepContext& context, const Facts& facts) -> Result<Change> {
                    // Nothing can be seen yet in a plan.
                    if (context.run == "plan") return Change();
                    RETURN_IF_ERROR(CheckRestored(spec, facts, snapshot, status, list));
                    return Change();
                  });
}

class DiscardStep final : public NamedStep {
 public:
  explicit DiscardStep(RestorationPtr restoration)
      : NamedStep("what was before"), restoration_(std::move(restoration)) {}

  Result<std::vector<Operation>> ListQueries(const StepContext& context) const override {
    return std::vector<Operation>{GetPath{restoration_->Before(context)},
                                  GetPath{restoration_->snapshot()}};
  }
  Result<Change> Plan(const StepContext& context, const Facts& facts) const override {
    Change change;
    for (const std::string& path : {restoration_->Before(context), restoration_->snapshot()}) {
      if (!facts.Get(GetPath{path}).exists()) continue;
      change.summary.push_back(fmt::format("delete {}", path));
      change.operations.emplace_back(RemovePath{path, true});
    }
    // A member without its old data could not join those that go back to theirs.
    change.point_of_no_return = true;
    return change;
  }

 private:
  const RestorationPtr restoration_;
};

}  // namespace

std::vector<Task> RestoreEtcdTasks(const std::string& cluster, const ClusterSpec& spec,
                                   const Runtime& runtime, const std::string& snapshot) {
  const std::string path = runtime.host_directory() + "/restore.db";
  const auto restoration = std::make_shared<Restoration>(cluster, spec, path);
  const std::vector<std::string>& hosts = spec.role_groups.etcd;
  return {
      {.name = "snapshot",
       .steps = {EnsureUploaded("upload", {{.source = snapshot, .path = path, .mode = "0600"}}),
                 std::make_shared<UnpackStep>(restoration)},
       .hosts = hosts,
       .timeout = kUnpackTimeout},
      {.name = "stop", .steps = {Stop()}, .hosts = hosts, .parallel = kEtcdStopParallel},
      {.name = "exchange", .steps = {Swap(restoration)}, .hosts = hosts},
      {.name = "start",
       .steps = {StartEtcd(spec.etcd)},
       .hosts = hosts,
       .undo_parallel = kEtcdStopParallel},
      {.name = "serve",
       .steps = {WaitForEtcd(spec.etcd), Verify(restoration, spec), MarkEtcdFormed(cluster)},
       .hosts = hosts},
      {.name = "discard", .steps = {std::make_shared<DiscardStep>(restoration)}, .hosts = hosts}};
}

}  // namespace kubexms::cluster
