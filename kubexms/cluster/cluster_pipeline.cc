#include "kubexms/cluster/cluster_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "kubexms/automation/hosts/checksum.h"
#include "kubexms/automation/journal/explanation.h"
#include "kubexms/cluster/cluster_nodes.h"
#include "kubexms/cluster/config/cluster_config.h"
#include "kubexms/cluster/modules/etcd/etcd_backup.h"
#include "kubexms/cluster/modules/identities.h"
#include "kubexms/cluster/modules/modules.h"
#include "kubexms/cluster/modules/steps.h"

namespace kubexms::cluster {

using namespace automation;

namespace {

// The first module that changes hosts: from then on each host says which cluster it belongs to.
ModulePtr StateModule(const ClusterSpec& spec, const ClusterIdentity& identity,
                      const HostSelection& selection) {
  std::vector<Task> tasks;
  if (!identity.uid.empty()) {
    tasks.push_back(
        {.name = "identity", .steps = {MarkHost(identity)}, .hosts = selection.All(spec)});
  }
  return MakeModule(ModuleName(ModuleId::kState), std::move(tasks));
}

}  // namespace

Pipeline CreatePipeline(const Cluster& cluster, const EtcdCertificates& certificates,
                        const CreateOptions& options) {
  const HostSelection selection(options.limit);
  const std::string& name = cluster.metadata.name;
  const ClusterSpec& spec = cluster.spec;
  const bool balances = !selection.Of(spec.role_groups.load_balancer).empty();
  std::vector<std::string> warnings = UnusedSettingWarnings(spec);
  std::ranges::move(VersionWarnings(spec), std::back_inserter(warnings));
  return {
      .name = PipelineName(PipelineId::kCreateCluster),
      .modules = {PreflightModule(spec, options.artifact, selection),
                  StateModule(spec, options.identity, selection), OsModule(name, spec, selection),
                  BinariesModule(spec, options.artifact, selection),
                  EtcdModule(name, spec, certificates, options.artifact, selection),
                  ContainerdModule(spec, options.secrets, options.artifact, selection),
                  HaModule(spec, options.secrets, options.artifact, selection)},
      .groups = {Quorum(std::string(kEtcdGroup), spec.role_groups.etcd), LoadBalancerGroup(spec)},
      .warnings = std::move(warnings),
      .pre_run = [spec, balances, uid = options.identity.uid](Runtime& runtime) -> Result<void> {
        RETURN_IF_ERROR(CheckFleet(spec, runtime, !uid.empty()));
        return balances ? CheckAddressIsFree(spec, runtime) : Result<void>();
      },
      .post_run =
          [spec, balances](Runtime& runtime, const std::optional<Error>& failed) {
            return balances && !failed ? CheckAddressIsHeld(spec, runtime) : Result<void>();
          }};
}

Result<Pipeline> EtcdRestorePipeline(const Cluster& cluster, const EtcdCertificates& certificates,
                                     const CreateOptions& options, const std::string& snapshot) {
  RETURN_IF_ERROR(CheckSnapshotFile(snapshot));
  ASSIGN_OR_RETURN(const std::string sum, Sha256OfFile(snapshot));
  // The name has the checksum, so that a run cannot be resumed with another snapshot.
  return Pipeline{.name = PipelineName(PipelineId::kRestoreEtcd, sum.substr(0, 12)),
                  .modules = {EtcdRestoreModule(cluster.metadata.name, cluster.spec, certificates,
                                                options.artifact, snapshot)},
                  .pre_run = [](Runtime& runtime) { return CheckHostOwnership(runtime); }};
}

Result<void> CheckPreflight(const RunPlan& plan) {
  std::string reasons;
  for (const std::string& unreachable : plan.unreachable) {
    reasons += "\n  " + unreachable;
    if (const auto known = Explain(unreachable)) {
      reasons += fmt::format("\n    probably {}; {}", known->cause, known->advice);
    }
  }
  const std::string preflight = ModuleName(ModuleId::kPreflight);
  for (const PlannedStep& step : plan.steps) {
    if (step.module != preflight || !step.error) continue;
    reasons += fmt::format("\n  {}: {}", step.host, step.error->message());
  }
  if (reasons.empty()) return {};
  return Error::BadRequest("preflight checks failed; nothing was changed" + reasons);
}

namespace {

// The hosts that cannot be rolled back: those that are unreachable, and those of the journals that
// neither the configuration nor the inventory has.
Result<std::set<std::string>> UnreachableHosts(Runtime& runtime) {
  ASSIGN_OR_RETURN(const RunPlan plan, Engine(&runtime).PlanUninstall());
  std::set<std::string> unreachable;
  for (const PlannedStep& step : plan.steps) {
    if (!runtime.FindHost(step.host)) unreachable.insert(step.host);
  }
  const std::vector<HostOwnership> ownership = GatherOwnership(runtime);
  for (size_t i = 0; i < ownership.size(); ++i) {
    if (!ownership[i].reachable) unreachable.insert(runtime.hosts()[i].name);
  }
  return unreachable;
}

Result<void> MarkHostsUndone(Runtime& runtime, const std::set<std::string>& hosts) {
  if (hosts.empty()) return {};
  Engine engine(&runtime);
  ASSIGN_OR_RETURN(const std::vector<std::string> runs, engine.Runs());
  for (const std::string& run : runs) RETURN_IF_ERROR(engine.MarkUndone(run, {.hosts = hosts}));
  return {};
}

void RemoveOwnFiles(Runtime& runtime, const RunOptions& options,
                    const std::set<std::string>& skipped, RunReport& report) {
  for (const Host& host : runtime.hosts()) {
    if (skipped.contains(host.name)) continue;
    const Result<std::vector<OperationResult>> removed =
        runtime.RunnerFor(host, {.stop = options.stop}).Perform(RemovalOfOwnFiles(runtime));
    if (removed.ok()) continue;
    report.outcome = RunOutcome::kSomeHostsFailed;
    report.failed_hosts.emplace(host.name, removed.error().WithContext(host.name));
    report.error = report.failed_hosts.begin()->second;
  }
}

}  // namespace

Result<RunReport> DeleteCluster(Runtime& runtime, const RunOptions& options,
                                const DeleteOptions& delete_options) {
  // The hosts may have the only record of a run that this state directory does not know.
  RETURN_IF_ERROR(CheckHostOwnership(runtime));
  RollbackScope scope{.accept_lost_backups = delete_options.force};
  if (delete_options.force) {
    ASSIGN_OR_RETURN(scope.skipped_hosts, UnreachableHosts(runtime));
    if (delete_options.skipped) *delete_options.skipped = scope.skipped_hosts;
  }
  ASSIGN_OR_RETURN(RunReport all, Engine(&runtime).Uninstall(options, scope));
  all.pipeline = PipelineName(PipelineId::kDeleteCluster);
  if (!all.ok()) return all;
  RemoveOwnFiles(runtime, options, scope.skipped_hosts, all);
  if (!all.ok()) return all;
  RETURN_IF_ERROR(MarkHostsUndone(runtime, scope.skipped_hosts));
  std::error_code ignored;
  std::filesystem::remove(HostInventory::PathIn(runtime.directory()), ignored);
  std::filesystem::remove(IdentityPath(runtime.directory()), ignored);
  for (const std::string& directory : {EtcdCertificateDirectory(runtime.directory()),
                                       ClusterSecretDirectory(runtime.directory())}) {
    std::error_code failed;
    std::filesystem::remove_all(directory, failed);
    if (failed)
      return Error::Internal(fmt::format("cannot remove {}: {}", directory, failed.message()));
  }
  return all;
}

std::string EtcdCertificateDirectory(const std::string& cluster_directory) {
  return cluster_directory + "/pki/etcd";
}

std::string ClusterSecretDirectory(const std::string& cluster_directory) {
  return cluster_directory + "/secrets";
}

}  // namespace kubexms::cluster
