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
  ASSIGN_OR_RETURN(const SessionPtr session, ClusterSession::OpenInParallel(call));
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
                       : fmt::format("take a snapshot from {} to {}\n", member, file));
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

// The run that the same snapshot was put in place by and that has not ended well, or an empty text.
Result<std::string> InterruptedRun(ClusterSession& session, const std::string& pipeline) {
  ASSIGN_OR_RETURN(const std::vector<RunSummary> runs, session.Runs());
  if (runs.empty() || runs.back().pipeline != pipeline) return std::string();
  const bool unfinished = runs.back().state == "failed" || runs.back().state == "interrupted";
  return unfinished ? runs.back().run : std::string();
}

Result<ExitCode> Restore(const Invocation& call) {
  if (call.Given("limit")) {
    return Error::BadRequest("--limit: etcd is restored on all of its members, or on none");
  }
  ASSIGN_OR_RETURN(const SessionPtr session, ClusterSession::OpenInParallel(call));
  ASSIGN_OR_RETURN(const Pipeline pipeline, session->EtcdRestorePipeline(call.Value("from")));
  Engine engine(&session->runtime());
  ASSIGN_OR_RETURN(const RunPlan plan, session->MakePlan(pipeline));
  if (call.Given("dry-run")) {
    PrintPlan(call, plan);
    return plan.unreachable.empty() ? ExitCode::kDone : ExitCode::kSomeHostsFailed;
  }
  if (!call.Given("yes")) {
    call.err() << fmt::format(
        "This stops etcd on {}, and puts {} in the place of its data.\nWhat was written since is "
        "lost. To do it, add --yes.\n",
        fmt::join(session->cluster().spec.role_groups.etcd, ", "), call.Value("from"));
    return ExitCode::kWrongUsage;
  }
  ASSIGN_OR_RETURN(const std::string interrupted, InterruptedRun(*session, pipeline.name));
  RETURN_IF_ERROR(session->inventory().AddHosts(session->cluster().spec,
                                                session->cluster().spec.role_groups.etcd));
  ASSIGN_OR_RETURN(const RunReport report,
                   interrupted.empty() ? engine.Run(pipeline, session->options())
                                       : engine.Resume(pipeline, interrupted, session->options()));
  const ExitCode code = session->PrintReport(call, report);
  if (report.ok() || report.outcome == automation::RunOutcome::kCanceled) return code;
  const Result<RunReport> back = engine.Rollback(report.run, session->options());
  // All members have the new data then: there is no way back, and the same command goes on.
  if (!back.ok() && back.error().IsConflict()) return code;
  if (!back.ok()) return back.error();
  if (!back->ok()) return session->PrintReport(call, *back);
  call.err() << "etcd has the data again that it had before.\n";
  return code;
}

Command BackupCommand() {
  std::vector<Flag> flags = ClusterFlags();
  flags.insert(flags.end(), {LimitFlag(), ParallelFlag(), DryRunFlag()});
  flags.push_back({.name = "to",
                   .value = "FILE",
                   .doc = "where to write it; otherwise etcd-NAME-TIME.db in this directory"});
  return {.name = "backup",
          .summary = "Take a snapshot from a healthy member to this machine",
          .description = "The file is there only when it is whole: its checksum is verified.",
          .flags = std::move(flags),
          .run = BackUp};
}

Command RestoreCommand() {
  std::vector<Flag> flags = ClusterFlags();
  flags.push_back({.name = "from", .value = "FILE", .doc = "the snapshot", .required = true});
  flags.insert(flags.end(), {LimitFlag(), ParallelFlag(), DryRunFlag()});
  flags.push_back({.name = "yes", .doc = "do it, without asking"});
  return {
      .name = "restore",
      .summary = "Make etcd anew from a snapshot",
      .description =
          "All members of the configuration are stopped, get the data of the snapshot, and are\n"
          "started together. The data they had is kept until all are healthy, and brought back\n"
          "when that fails. Interrupted, it goes on when it is called again.",
      .flags = std::move(flags),
      .run = Restore};
}

}  // namespace

Command EtcdCommand() {
  return {.name = "etcd",
          .summary = "Back up a cluster's etcd and restore it",
          .commands = {BackupCommand(), RestoreCommand()}};
}

}  // namespace kubexms
