#include "kubexms/cluster/cluster_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "kubexms/cluster/cluster_state.h"
#include "kubexms/cluster/modules/etcd/etcd_members.h"
#include "kubexms/cluster/modules/steps.h"

namespace kubexms::cluster {
namespace {

using namespace automation;

std::vector<std::string> Chosen(const ClusterSpec& spec, const std::set<std::string>& limit) {
  std::vector<std::string> names;
  for (const HostSpec& host : spec.hosts) {
    if (limit.empty() || limit.contains(host.name)) names.push_back(host.name);
  }
  return names;
}

// What was done after a run belongs to it.
void Add(RunReport& report, const RunReport& more) {
  report.changed += more.changed;
  report.round_trips += more.round_trips;
  if (more.ok()) return;
  report.outcome = more.outcome;
  report.error = more.error;
  report.failed_hosts.insert(more.failed_hosts.begin(), more.failed_hosts.end());
}

Result<void> CheckTheyAnswer(const Runtime& runtime, const std::set<std::string>& hosts) {
  for (const std::string& name : hosts) {
    const Host* host = runtime.FindHost(name);
    if (!host) return Error::NotFound("hosts", name);
    const Result<std::vector<OperationResult>> facts = host->connector->Perform({Probe{"true"}});
    if (facts.ok()) continue;
    return facts.error().WithContext(fmt::format(
        "{} does not answer, so that nothing can be taken back there; if it is gone for good, add "
        "--force",
        name));
  }
  return {};
}

Result<void> RemoveOwnFiles(const ClusterContext& work, const std::set<std::string>& hosts) {
  for (const std::string& name : hosts) {
    const Result<std::vector<OperationResult>> removed = work.runtime->FindHost(name)->connector->Perform(
        RemovalOfOwnFiles(*work.runtime), {.stop = work.options->stop});
    if (!removed.ok()) return removed.error().WithContext(name);
  }
  return {};
}

Result<void> MarkRunsUndone(Runtime& runtime, const RollbackScope& scope, const std::string& except) {
  Engine engine(&runtime);
  ASSIGN_OR_RETURN(const std::vector<std::string> runs, engine.Runs());
  for (const std::string& run : runs) {
    if (run != except) RETURN_IF_ERROR(engine.MarkUndone(run, scope));
  }
  return {};
}

}  // namespace

Result<RunReport> Converge(const ClusterContext& work, const Pipeline& pipeline,
                           const std::set<std::string>& limit, const std::string& resumed) {
  const ClusterSpec& spec = work.cluster->spec;
  const std::vector<std::string> hosts = Chosen(spec, limit);
  RETURN_IF_ERROR(work.inventory->AddHosts(spec, hosts));
  Engine engine(work.runtime);
  ASSIGN_OR_RETURN(RunReport report, resumed.empty()
                                         ? engine.Run(pipeline, *work.options)
                                         : engine.Resume(pipeline, resumed, *work.options));
  if (!report.ok()) return report;
  RETURN_IF_ERROR(work.inventory->MarkReady(hosts));
  std::set<std::string> former = work.inventory->FormerMembers(spec);
  if (!limit.empty()) {
    std::erase_if(former, [&](const std::string& host) { return !limit.contains(host); });
  }
  if (former.empty()) return report;
  ASSIGN_OR_RETURN(
      const RunReport taken,
      engine.Uninstall(*work.options, {.hosts = former, .module = "etcd"}, report.run));
  Add(report, taken);
  if (report.ok()) RETURN_IF_ERROR(work.inventory->ClearEtcd(former));
  return report;
}

Pipeline RemovePipeline(const Cluster& cluster, const Removal& removal) {
  const ClusterSpec rest = WithoutHosts(cluster, removal.hosts).spec;
  const std::set<std::string> lost = removal.lost ? removal.hosts : std::set<std::string>();
  return {.name = "remove nodes",
          .modules = {EtcdLeaveModule(rest, removal.hosts, lost)},
          .pre_run = [rest, removal](Runtime& runtime) -> Result<void> {
            if (rest.role_groups.etcd.empty()) {
              return Error::BadRequest(
                  "etcd would have no member left, and its data would be lost; kubexms delete "
                  "cluster takes everything back");
            }
            RETURN_IF_ERROR(CheckHostOwnership(runtime));
            return removal.lost ? Result<void>() : CheckTheyAnswer(runtime, removal.hosts);
          }};
}

Result<RunReport> RemoveHosts(const ClusterContext& work, const Removal& removal) {
  const Pipeline pipeline = RemovePipeline(*work.cluster, removal);
  ASSIGN_OR_RETURN(RunReport report, Engine(work.runtime).Run(pipeline, *work.options));
  if (!report.ok()) return report;
  const RollbackScope scope{.hosts = removal.hosts};
  if (removal.lost) {
    RETURN_IF_ERROR(MarkRunsUndone(*work.runtime, scope, report.run));
  } else {
    ASSIGN_OR_RETURN(const RunReport taken,
                     Engine(work.runtime).Uninstall(*work.options, scope, report.run));
    Add(report, taken);
    if (!report.ok()) return report;
    RETURN_IF_ERROR(RemoveOwnFiles(work, removal.hosts));
  }
  RETURN_IF_ERROR(work.inventory->Remove(removal.hosts));
  return report;
}

}  // namespace kubexms::cluster
