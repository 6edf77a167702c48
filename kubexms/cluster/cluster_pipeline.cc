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
#include "kubexms/cluster/modules/modules.h"
#include "kubexms/cluster/modules/steps.h"

namespace kubexms::cluster {

using namespace automation;

namespace {

// Before anything else, so that whoever comes next sees whose the host is.
ModulePtr StateModule(const ClusterSpec& spec, const ClusterIdentity& identity,
                      const HostSelection& selection) {
  std::vector<Task> tasks;
  if (!identity.uid.empty()) {
    tasks.push_back({.name = "identity", .steps = {MarkHost(identity)}, .hosts = selection.All(spec)});
  }
  return MakeModule("state", std::move(tasks));
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
      .name = "create cluster",
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
  // Its name says which snapshot, so that no other one can go on with it.
  return Pipeline{.name = fmt::format("etcd restore {}", sum.substr(0, 12)),
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
  for (const PlannedStep& step : plan.steps) {
    if (step.module != "preflight" || !step.error) continue;
    reasons += fmt::format("\n  {}: {}", step.host, step.error->message());
  }
  if (reasons.empty()) return {};
  return Error::BadRequest("the hosts are not ready; nothing was done" + reasons);
}

namespace {

// The hosts of which nobody expects an answer: those that give none, and those that the journals
// have and nobody knows how to reach.
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
        host.connector->Perform(RemovalOfOwnFiles(runtime), {.stop = options.stop});
    if (removed.ok()) continue;
    report.outcome = RunOutcome::kSomeHostsFailed;
    report.failed_hosts.emplace(host.name, removed.error().WithContext(host.name));
    report.error = report.failed_hosts.begin()->second;
  }
}

}  // namespace

Result<RunReport> DeleteCluster(Runtime& runtime, const RunOptions& options,
                                const DeleteOptions& how) {
  // What is on the hosts is the only record of what an unknown run did: it must not be removed.
  RETURN_IF_ERROR(CheckHostOwnership(runtime));
  RollbackScope scope{.accept_lost_backups = how.force};
  if (how.force) {
    ASSIGN_OR_RETURN(scope.skipped_hosts, UnreachableHosts(runtime));
    if (how.skipped) *how.skipped = scope.skipped_hosts;
  }
  ASSIGN_OR_RETURN(RunReport all, Engine(&runtime).Uninstall(options, scope));
  all.pipeline = "delete cluster";
  if (!all.ok()) return all;
  RemoveOwnFiles(runtime, options, scope.skipped_hosts, all);
  if (!all.ok()) return all;
  RETURN_IF_ERROR(MarkHostsUndone(runtime, scope.skipped_hosts));
  std::error_code lost;
  std::filesystem::remove(HostInventory::PathIn(runtime.directory()), lost);
  std::filesystem::remove(IdentityPath(runtime.directory()), lost);
  for (const std::string& directory : {EtcdCertificateDirectory(runtime.directory()),
                                       ClusterSecretDirectory(runtime.directory())}) {
    std::error_code failed;
    std::filesystem::remove_all(directory, failed);
    if (failed) return Error::Internal(fmt::format("remove {}: {}", directory, failed.message()));
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
