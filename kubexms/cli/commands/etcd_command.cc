#include <fmt/format.h>

#include <ostream>

#include "kubexms/automation/journal/timestamp.h"
#include "kubexms/cli/commands.h"
#include "kubexms/cli/commands/cluster_session.h"
#include "kubexms/cli/output.h"
#include "kubexms/cluster/modules/etcd/etcd_backup.h"

namespace kubexms {
namespace {

using automation::Engine;
using automation::Pipeline;
using automation::RunPlan;
using automation::RunReport;

using SessionPtr = std::unique_ptr<ClusterSession>;

Result<ExitCode> BackUp(const Invocation& call) {
  ASSIGN_OR_RETURN(const SessionPtr session, ClusterSession::OpenForHosts(call));
  RETURN_IF_ERROR(session->SetLimit(call.List("limit")));
  const cluster::ClusterSpec& spec = session->cluster().spec;
  const cluster::EtcdBackupOptions options{.limit = session->limit(),
                                           .parallel = session->options().parallel,
                                           .stop = session->options().stop};
  const std::string file =
      call.Given("to")
          ? call.Value("to")
          : fmt::format("etcd-{}-{}.db", session->cluster().metadata.name,
                        automation::FormatTimeForName(session->runtime().clock().Now()));
  if (call.Given("dry-run")) {
    ASSIGN_OR_RETURN(const std::string member,
                     cluster::PlanEtcdBackup(spec, session->runtime(), file, options));
    call.out() << (call.Given("output")
                       ? FormatObject(JsonObject{{"file", file}, {"member", member}},
                                      call.Value("output"))
                       : fmt::format("save a snapshot of {} to {}\n", member, file));
    return ExitCode::kDone;
  }
  ASSIGN_OR_RETURN(const cluster::EtcdSnapshot snapshot,
                   cluster::BackUpEtcd(spec, session->runtime(), file, options));
  if (call.Given("output")) {
    call.out() << FormatObject(JsonObject{{"file", file},
                                          {"member", snapshot.member},
                                          {"revision", snapshot.revision},
                                          {"keys", snapshot.keys},
                                          {"bytes", snapshot.bytes}},
                               call.Value("output"));
    return ExitCode::kDone;
  }
  call.err() << fmt::format("Wrote {}: revision {}, {} keys, {} bytes, from {}.\n", file,
                            snapshot.revision, snapshot.keys, snapshot.bytes, snapshot.member);
  return ExitCode::kDone;
}

// The newest run, if it is an unfinished one of this pipeline; otherwise empty.
Result<std::string> FindUnfinishedRun(ClusterSession& session, const std::string& pipeline) {
  ASSIGN_OR_RETURN(const std::vector<RunSummary> runs, session.Runs());
  if (runs.empty() || runs.back().pipeline != pipeline) return std::string();
  return runs.back().IsUnfinished() ? runs.back().run : std::string();
}

Result<ExitCode> Restore(const Invocation& call) {
  ASSIGN_OR_RETURN(const SessionPtr session, ClusterSession::OpenForHosts(call));
  ASSIGN_OR_RETURN(const Pipeline pipeline, session->EtcdRestorePipeline(call.Value("from")));
  Engine engine(&session->runtime());
  ASSIGN_OR_RETURN(const RunPlan plan, session->MakePlan(pipeline));
  if (call.Given("dry-run")) {
    PrintPlan(call, plan);
    return plan.unreachable.empty() ? ExitCode::kDone : ExitCode::kSomeHostsFailed;
  }
  if (!call.Given("yes")) {
    call.err() << fmt::format(
        "This stops etcd on {}, and replaces its data by {}.\nAll later writes are lost. To "
        "confirm, add --yes.\n",
        fmt::join(session->cluster().spec.role_groups.etcd, ", "), call.Value("from"));
    return ExitCode::kWrongUsage;
  }
  ASSIGN_OR_RETURN(const std::string interrupted, FindUnfinishedRun(*session, pipeline.name));
  RETURN_IF_ERROR(session->inventory().AddHosts(session->cluster().spec,
                                                session->cluster().spec.role_groups.etcd));
  ASSIGN_OR_RETURN(const RunReport report,
                   interrupted.empty() ? engine.Run(pipeline, session->options())
                                       : engine.Resume(pipeline, interrupted, session->options()));
  const ExitCode code = session->PrintReport(call, report);
  if (report.ok() || report.outcome == automation::RunOutcome::kCanceled) return code;
  const Result<RunReport> back = engine.Rollback(report.run, session->options());
  // The run has passed its point of no return; the same command resumes it.
  if (!back.ok() && back.error().IsConflict()) return code;
  if (!back.ok()) return back.error();
  if (!back->ok()) return session->PrintReport(call, *back);
  call.err() << "Rolled back: etcd has its previous data.\n";
  return code;
}

Command BackupCommand() {
  std::vector<Flag> flags = ClusterFlags();
  flags.insert(flags.end(), {LimitFlag(), ParallelFlag(), DryRunFlag()});
  flags.push_back({.name = "to",
                   .value = "FILE",
                   .doc = "file to write; defaults to etcd-NAME-TIME.db in the current directory"});
  return {
      .name = "backup",
      .summary = "Save a snapshot of a healthy member to this machine",
      .description =
          "Save a snapshot of a healthy member to this machine. The file appears only after the\n"
          "checksum was verified.",
      .flags = std::move(flags),
      .run = BackUp};
}

Command RestoreCommand() {
  std::vector<Flag> flags = ClusterFlags();
  flags.push_back(
      {.name = "from", .value = "FILE", .doc = "snapshot to restore", .required = true});
  flags.insert(flags.end(), {ParallelFlag(), DryRunFlag(), YesFlag()});
  return {
      .name = "restore",
      .summary = "Restore etcd from a snapshot",
      .description =
          "Stop all members of the configuration, replace their data, and start them together.\n"
          "The previous data is retained until all members are healthy, and restored when that\n"
          "fails. After an interruption, repeat the command to resume.",
      .flags = std::move(flags),
      .run = Restore};
}

}  // namespace

Command EtcdCommand() {
  return {.name = "etcd",
          .summary = "Back up and restore etcd of a cluster",
          .commands = {BackupCommand(), RestoreCommand()}};
}

}  // namespace kubexms
