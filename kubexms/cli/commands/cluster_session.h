#pragma once

// What the commands about clusters have in common: the configuration, the hosts it names, and the
// directory in which a cluster's journals and certificates are.

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

// -f, --state-dir and -o, of every command about a cluster.
std::vector<Flag> ClusterFlags();
// The same with --limit, --parallel and --artifact, for those that plan and run.
std::vector<Flag> ClusterWorkFlags();

// Its own --limit, --parallel and --dry-run, for the others.
Flag LimitFlag();
Flag ParallelFlag();
Flag DryRunFlag();

// --full, for those that show how files change.
Flag FullFlag();
// A plan as -o says.
void PrintPlan(const Invocation& call, const automation::RunPlan& plan, bool full = false);

// The plan of a run with --full, and whether the run would begin: why not is in the plan.
Result<ExitCode> ShowPlanOf(const Invocation& call, const automation::RunPlan& plan);

using automation::RunSummary;

class ClusterSession {
 public:
  // Reads the file of -f, refuses it as a whole if need be, and makes the cluster's directory.
  // Nothing is connected yet.
  static Result<std::unique_ptr<ClusterSession>> Open(const Invocation& call);
  // The same for a command with ClusterWorkFlags().
  static Result<std::unique_ptr<ClusterSession>> OpenForWork(const Invocation& call);
  // The same for a command with a --parallel alone. Of hosts that are `gone` passwords are not
  // needed.
  static Result<std::unique_ptr<ClusterSession>> OpenInParallel(
      const Invocation& call, const std::set<std::string>& lost = {});

  const cluster::Cluster& cluster() const { return cluster_; }
  automation::Runtime& runtime() { return *runtime_; }
  automation::RunOptions& options() { return options_; }
  // The hosts of --limit; none: all.
  const std::set<std::string>& limit() const { return limit_; }
  Result<void> SetLimit(const std::vector<std::string>& hosts);
  // What a pipeline would do now.
  Result<automation::RunPlan> MakePlan(const automation::Pipeline& pipeline);
  // As the configuration and --limit want it. Issues certificates that are missing.
  Result<automation::Pipeline> CreatePipeline();
  // Makes etcd anew from a snapshot.
  Result<automation::Pipeline> EtcdRestorePipeline(const std::string& snapshot);
  // Carries out what CreatePipeline() made: a new run, or one that is not done.
  Result<automation::RunReport> Converge(const automation::Pipeline& pipeline,
                                         const std::string& resumed = "");
  cluster::HostInventory& inventory() { return *inventory_; }
  // For what the library does with hosts that are known.
  cluster::ClusterContext Work() { return {runtime_.get(), &cluster_, &*inventory_, &options_}; }
  // All runs, oldest first.
  Result<std::vector<RunSummary>> Runs();
  // What one of them has written down.
  Result<std::vector<automation::JournalRecord>> JournalOf(const std::string& run) const;
  // `wanted`, or the newest that is not done.
  Result<std::string> UnfinishedRun(const std::string& wanted);

  // Tells the notes of a plan that is to be carried out: to people now, to programs in the report.
  void PrintWarnings(const Invocation& call, const automation::RunPlan& plan);
  // A run that was refused before it began: the error to people, a report to programs.
  Result<ExitCode> ReportRefusal(const Invocation& call, const automation::Pipeline& pipeline,
                               const Error& refused) const;
  // Tells how a run ended: to people on `err`, with the cause and what to do next, or to programs
  // on `out`, when -o is given.
  ExitCode PrintReport(const Invocation& call, const automation::RunReport& report) const;

 private:
  explicit ClusterSession(const Invocation& call);
  Result<void> Start(const Invocation& call, const std::set<std::string>& lost = {});
  // What CreatePipeline() needs of the state directory.
  Result<void> OpenState();
  Result<cluster::CreateOptions> OptionsForCreate();
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
