#include "kubexms/cluster/cluster_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "kubexms/automation/checksum.h"
#include "kubexms/automation/explanation.h"
#include "kubexms/cluster/cluster_config.h"
#include "kubexms/cluster/cluster_nodes.h"
#include "kubexms/cluster/etcd_backup.h"
#include "kubexms/cluster/modules.h"
#include "kubexms/cluster/steps.h"

namespace kubexms::cluster {

using namespace automation;

Pipeline CreatePipeline(const Cluster& cluster, const EtcdCertificates& certificates,
                        const CreateOptions& options) {
  const HostChoice choice(options.limit);
  const std::string& name = cluster.metadata.name;
  const ClusterSpec& spec = cluster.spec;
  const bool balances = !choice.Of(spec.role_groups.load_balancer).empty();
  std::vector<std::string> notes = NotesOnUnused(spec);
  std::ranges::move(NotesOnVersions(spec), std::back_inserter(notes));
  return {
      .name = "create cluster",
      .modules = {PreflightModule(spec, options.artifact, choice), OsModule(name, spec, choice),
                  BinariesModule(spec, options.artifact, choice),
                  EtcdModule(name, spec, certificates, options.artifact, choice),
                  ContainerdModule(spec, options.secrets, options.artifact, choice),
                  HaModule(spec, options.secrets, options.artifact, choice)},
      .groups = {Quorum(std::string(kEtcdGroup), spec.role_groups.etcd), LoadBalancerGroup(spec)},
      .notes = std::move(notes),
      .pre_run = [spec, balances](Runtime& runtime) -> Result<void> {
        RETURN_IF_ERROR(CheckFleet(spec, runtime));
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
                                                options.artifact, snapshot)}};
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

Result<RunReport> DeleteCluster(Runtime& runtime, const RunOptions& options) {
  ASSIGN_OR_RETURN(RunReport all, TakeBack(runtime, options, {}));
  if (!all.ok()) return all;
  all.pipeline = "delete cluster";
  for (const Host& host : runtime.hosts()) {
    const Result<std::vector<Answer>> removed =
        host.connector->Perform(RemovalOfOwnFiles(runtime), {.stop = options.stop});
    if (removed.ok()) continue;
    all.outcome = RunOutcome::kSomeHostsFailed;
    all.failed_hosts.emplace(host.name, removed.error().WithContext(host.name));
    all.error = all.failed_hosts.begin()->second;
  }
  if (!all.ok()) return all;
  std::error_code gone;
  std::filesystem::remove(HostInventory::PathIn(runtime.directory()), gone);
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
