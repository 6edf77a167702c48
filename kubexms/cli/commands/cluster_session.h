#pragma once

// The common part of all cluster commands: the configuration, its hosts, and the state directory
// with the cluster's journals and certificates.

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kubexms/automation/engine/engine.h"
#include "kubexms/automation/hosts/ssh_connector.h"
#include "kubexms/automation/journal/run_history.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/random.h"
#include "kubexms/base/secret.h"
#include "kubexms/base/threads/stop.h"
#include "kubexms/cli/command.h"
#include "kubexms/cluster/cluster_nodes.h"
#include "kubexms/cluster/cluster_pipeline.h"
#include "kubexms/cluster/config/cluster_kind.h"
#include "kubexms/cluster/host_inventory.h"
#include "kubexms/cluster/modules/etcd_certificates.h"

namespace kubexms {

// -f, --state-dir and -o, for every cluster command.
std::vector<Flag> ClusterFlags();
// The same with --limit, --parallel and --artifact, for commands that plan a pipeline.
std::vector<Flag> PipelineFlags();

// Single flags for the others.
Flag LimitFlag();
Flag ParallelFlag();
Flag DryRunFlag();
// --yes, for commands that destroy data and only describe that without it.
Flag YesFlag();

// --full, for commands that show a plan.
Flag FullFlag();
// Prints a plan in the format of -o.
void PrintPlan(const Invocation& call, const automation::RunPlan& plan, bool full = false);

// Prints a plan as --full says. Fails when preflight would refuse the run; the plan has the
// reasons.
Result<ExitCode> PrintRunPlan(const Invocation& call, const automation::RunPlan& plan);

using automation::RunSummary;

class ClusterSession {
 public:
  // Reads and validates the file of -f, and creates the state directory. Connects to no host.
  static Result<std::unique_ptr<ClusterSession>> Open(const Invocation& call);
  // The same for a command with PipelineFlags().
  static Result<std::unique_ptr<ClusterSession>> OpenForPipeline(const Invocation& call);
  // The same for a command with ParallelFlag(). The passwords of `lost` hosts are not resolved.
  static Result<std::unique_ptr<ClusterSession>> OpenForHosts(
      const Invocation& call, const std::set<std::string>& lost = {});

  const cluster::Cluster& cluster() const { return cluster_; }
  automation::Runtime& runtime() { return *runtime_; }
  const automation::RunOptions& options() const { return options_; }
  // The hosts of --limit; empty: all.
  const std::set<std::string>& limit() const { return limit_; }
  Result<void> SetLimit(const std::vector<std::string>& hosts);
  // Plans a pipeline. Fails when the user has canceled it.
  Result<automation::RunPlan> MakePlan(const automation::Pipeline& pipeline);
  // The pipeline of the configuration and --limit. Issues missing certificates.
  Result<automation::Pipeline> CreatePipeline();
  // The pipeline that restores etcd from a snapshot.
  Result<automation::Pipeline> EtcdRestorePipeline(const std::string& snapshot);
  // Runs a pipeline of CreatePipeline(): applies a plan of it, or resumes a run.
  Result<automation::RunReport> Apply(const automation::Pipeline& pipeline,
                                      const automation::RunPlan& plan);
  Result<automation::RunReport> Resume(const automation::Pipeline& pipeline,
                                       const std::string& run);
  cluster::HostInventory& inventory() { return *inventory_; }
  cluster::ClusterContext Context() { return {runtime_.get(), &cluster_, &*inventory_, &options_}; }
  // All runs, oldest first.
  Result<std::vector<RunSummary>> Runs();
  // The records of one of them.
  Result<std::vector<automation::JournalRecord>> JournalOf(const std::string& run) const;
  // `wanted`, or else the newest unfinished run.
  Result<std::string> UnfinishedRun(const std::string& wanted);

  // Prints the warnings of a plan that will be applied; with -o they are part of the report
  // instead.
  void PrintWarnings(const Invocation& call, const automation::RunPlan& plan);
  // The result of a run that was refused before its start: an error, or a report with -o.
  Result<ExitCode> ReportRefusal(const Invocation& call, const automation::Pipeline& pipeline,
                                 const Error& refused) const;
  // Prints the result of a run: on `err` with causes and the next commands, or with -o on `out`.
  ExitCode PrintReport(const Invocation& call, const automation::RunReport& report) const;

 private:
  explicit ClusterSession(const Invocation& call);
  Result<void> Start(const Invocation& call, const std::set<std::string>& lost = {});
  // Loads the identity and the certificates of the cluster.
  Result<void> OpenState();
  Result<cluster::CreateOptions> MakeCreateOptions();
  // "kubexms COMMAND -f … RUN".
  std::string CommandFor(const Invocation& call, std::string_view command,
                         const std::string& run) const;

  const StopSignals signals_;
  SystemClock clock_;
  SystemRandom random_;
  SecretRegistry secrets_;
  automation::SshConnections connections_;
  const std::string file_;
  std::string directory_;
  std::set<std::string> limit_;
  cluster::Cluster cluster_;
  cluster::OpenedState state_;
  std::string artifact_;  // its path; empty: none
  std::optional<cluster::HostInventory> inventory_;
  std::unique_ptr<automation::EventSink> events_;
  std::unique_ptr<automation::Runtime> runtime_;
  automation::RunOptions options_;
  std::vector<std::string> warnings_;
};

}  // namespace kubexms
