#include "kubexms/cluster/cluster_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "kubexms/cluster/cluster_state.h"
#include "kubexms/cluster/modules/etcd/etcd_members.h"
#include "kubexms/cluster/modules/identities.h"
#include "kubexms/cluster/modules/steps.h"

namespace kubexms::cluster {
namespace {

using namespace automation;

std::vector<std::string> SelectHosts(const ClusterSpec& spec, const std::set<std::string>& limit) {
  std::vector<std::string> names;
  for (const HostSpec& host : spec.hosts) {
    if (limit.empty() || limit.contains(host.name)) names.push_back(host.name);
  }
  return names;
}

// Adds the result of a rollback after a run to the report of the run.
void Merge(RunReport& report, const RunReport& more) {
  report.changed += more.changed;
  report.round_trips += more.round_trips;
  if (more.ok()) return;
  report.outcome = more.outcome;
  report.error = more.error;
  report.failed_hosts.insert(more.failed_hosts.begin(), more.failed_hosts.end());
}

Result<void> CheckReachable(const Runtime& runtime, const std::set<std::string>& hosts) {
  for (const std::string& name : hosts) {
    const Host* host = runtime.FindHost(name);
    if (!host) return Error::NotFound("hosts", name);
    const Result<ProbeResult> probe = runtime.RunnerFor(*host).Get(Probe{"true"});
    if (probe.ok()) continue;
    return probe.error().WithContext(fmt::format(
        "{} is unreachable, so nothing can be undone there; if it is lost for good, add --force",
        name));
  }
  return {};
}

Result<void> RemoveOwnFiles(const ClusterContext& context, const std::set<std::string>& hosts) {
  for (const std::string& name : hosts) {
    Runner runner = context.runtime->RunnerFor(*context.runtime->FindHost(name),
                                               {.stop = context.options->stop});
    const Result<std::vector<OperationResult>> removed =
        runner.Perform(RemovalOfOwnFiles(*context.runtime));
    if (!removed.ok()) return removed.error().WithContext(name);
  }
  return {};
}

Result<void> MarkRunsUndone(Runtime& runtime, const RollbackScope& scope,
                            const std::string& except) {
  Engine engine(&runtime);
  ASSIGN_OR_RETURN(const std::vector<std::string> runs, engine.Runs());
  for (const std::string& run : runs) {
    if (run != except) RETURN_IF_ERROR(engine.MarkUndone(run, scope));
  }
  return {};
}

Result<RunReport> Execute(Engine& engine, const Pipeline& pipeline, const ConvergeOptions& options,
                          const RunOptions& run_options) {
  if (!options.resumed_run.empty()) {
    return engine.Resume(pipeline, options.resumed_run, run_options);
  }
  return options.plan ? engine.RunPlanned(pipeline, *options.plan, run_options)
                      : engine.Run(pipeline, run_options);
}

}  // namespace

Result<RunReport> Converge(const ClusterContext& context, const Pipeline& pipeline,
                           const ConvergeOptions& options) {
  const ClusterSpec& spec = context.cluster->spec;
  const std::vector<std::string> hosts = SelectHosts(spec, options.limit);
  RETURN_IF_ERROR(context.inventory->AddHosts(spec, hosts));
  Engine engine(context.runtime);
  ASSIGN_OR_RETURN(RunReport report, Execute(engine, pipeline, options, *context.options));
  if (!report.ok()) return report;
  RETURN_IF_ERROR(context.inventory->MarkReady(hosts));
  std::set<std::string> former = context.inventory->FormerMembers(spec);
  if (!options.limit.empty()) {
    std::erase_if(former, [&](const std::string& host) { return !options.limit.contains(host); });
  }
  if (former.empty()) return report;
  const RollbackScope scope{.hosts = former, .module = ModuleName(ModuleId::kEtcd)};
  ASSIGN_OR_RETURN(const RunReport undone, engine.Uninstall(*context.options, scope, report.run));
  Merge(report, undone);
  if (report.ok()) RETURN_IF_ERROR(context.inventory->ClearEtcd(former));
  return report;
}

Pipeline RemovePipeline(const Cluster& cluster, const Removal& removal) {
  const ClusterSpec rest = WithoutHosts(cluster, removal.hosts).spec;
  const std::set<std::string> lost = removal.lost ? removal.hosts : std::set<std::string>();
  return {.name = PipelineName(PipelineId::kRemoveNodes),
          .modules = {EtcdLeaveModule(rest, removal.hosts, lost)},
          .pre_run = [rest, removal](Runtime& runtime) -> Result<void> {
            if (rest.role_groups.etcd.empty()) {
              return Error::BadRequest(
                  "etcd would have no member left, and its data would be lost; to undo everything: "
                  "kubexms delete cluster");
            }
            RETURN_IF_ERROR(CheckHostOwnership(runtime));
            return removal.lost ? Result<void>() : CheckReachable(runtime, removal.hosts);
          }};
}

Result<RunReport> RemoveHosts(const ClusterContext& context, const Removal& removal) {
  const Pipeline pipeline = RemovePipeline(*context.cluster, removal);
  ASSIGN_OR_RETURN(RunReport report, Engine(context.runtime).Run(pipeline, *context.options));
  if (!report.ok()) return report;
  const RollbackScope scope{.hosts = removal.hosts};
  if (removal.lost) {
    RETURN_IF_ERROR(MarkRunsUndone(*context.runtime, scope, report.run));
  } else {
    ASSIGN_OR_RETURN(const RunReport undone,
                     Engine(context.runtime).Uninstall(*context.options, scope, report.run));
    Merge(report, undone);
    if (!report.ok()) return report;
    RETURN_IF_ERROR(RemoveOwnFiles(context, removal.hosts));
  }
  RETURN_IF_ERROR(context.inventory->Remove(removal.hosts));
  return report;
}

}  // namespace kubexms::cluster
