#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <ostream>

#include "kubexms/automation/journal/explanation.h"
#include "kubexms/cli/commands.h"
#include "kubexms/cli/commands/cluster_session.h"
#include "kubexms/cli/output.h"
#include "kubexms/cluster/cluster_adoption.h"
#include "kubexms/cluster/cluster_pipeline.h"
#include "kubexms/cluster/config/cluster_config.h"
#include "kubexms/cluster/modules/identities.h"

namespace kubexms {
namespace {

using automation::Engine;
using automation::Pipeline;
using automation::RunPlan;
using automation::RunReport;

using SessionPtr = std::unique_ptr<ClusterSession>;

Result<ExitCode> ShowPlan(const Invocation& call) {
  ASSIGN_OR_RETURN(const SessionPtr session, ClusterSession::OpenForPipeline(call));
  ASSIGN_OR_RETURN(const Pipeline pipeline, session->CreatePipeline());
  ASSIGN_OR_RETURN(const RunPlan plan, session->MakePlan(pipeline));
  return PrintRunPlan(call, plan);
}

Result<ExitCode> ShowDiff(const Invocation& call) {
  ASSIGN_OR_RETURN(const SessionPtr session, ClusterSession::OpenForPipeline(call));
  ASSIGN_OR_RETURN(const Pipeline pipeline, session->CreatePipeline());
  ASSIGN_OR_RETURN(const RunPlan plan, session->MakePlan(pipeline));
  PrintPlan(call, plan, call.Given("full"));
  if (!plan.unreachable.empty()) return ExitCode::kSomeHostsFailed;
  return plan.empty() ? ExitCode::kDone : ExitCode::kDiffers;
}

Result<ExitCode> CreateCluster(const Invocation& call) {
  if (call.Given("dry-run")) return ShowPlan(call);
  ASSIGN_OR_RETURN(const SessionPtr session, ClusterSession::OpenForPipeline(call));
  ASSIGN_OR_RETURN(const Pipeline pipeline, session->CreatePipeline());
  ASSIGN_OR_RETURN(const RunPlan plan, session->MakePlan(pipeline));
  session->PrintWarnings(call, plan);
  if (const auto refused = cluster::CheckPreflight(plan); !refused.ok()) {
    return session->ReportRefusal(call, pipeline, refused.error());
  }
  ASSIGN_OR_RETURN(const RunReport report, session->Apply(pipeline, plan));
  return session->PrintReport(call, report);
}

Result<ExitCode> DeleteCluster(const Invocation& call) {
  ASSIGN_OR_RETURN(const SessionPtr session, ClusterSession::OpenForHosts(call));
  if (call.Given("dry-run")) {
    ASSIGN_OR_RETURN(RunPlan plan, Engine(&session->runtime()).PlanUninstall());
    plan.pipeline = cluster::PipelineName(cluster::PipelineId::kDeleteCluster);
    PrintPlan(call, plan);
    return ExitCode::kDone;
  }
  if (!call.Given("yes")) {
    ASSIGN_OR_RETURN(const std::vector<RunSummary> runs, session->Runs());
    size_t steps = 0;
    for (const RunSummary& run : runs) steps += run.steps;
    call.err() << fmt::format(
        "This undoes {} steps of {} runs on the hosts of {}, including the data of its etcd.\n"
        "To confirm, add --yes.\n",
        steps, runs.size(), session->cluster().metadata.name);
    return ExitCode::kWrongUsage;
  }
  std::set<std::string> skipped;
  ASSIGN_OR_RETURN(const RunReport report,
                   cluster::DeleteCluster(session->runtime(), session->options(),
                                          {.force = call.Given("force"), .skipped = &skipped}));
  const ExitCode code = session->PrintReport(call, report);
  if (!skipped.empty()) {
    call.err() << fmt::format("Skipped: {}. Nothing was undone on these hosts.\n",
                              fmt::join(skipped, ", "));
  } else if (code == ExitCode::kSomeHostsFailed && !call.Given("force")) {
    call.err() << "To continue without hosts that are lost for good, add --force.\n";
  }
  return code;
}

Result<ExitCode> ResumeRun(const Invocation& call) {
  ASSIGN_OR_RETURN(const SessionPtr session, ClusterSession::OpenForPipeline(call));
  ASSIGN_OR_RETURN(const std::string run, session->UnfinishedRun(call.Value("RUN")));
  ASSIGN_OR_RETURN(Pipeline pipeline, session->CreatePipeline());
  ASSIGN_OR_RETURN(const std::vector<RunSummary> runs, session->Runs());
  const auto found = std::ranges::find(runs, run, &RunSummary::run);
  if (found != runs.end()) {
    const auto id = cluster::ParsePipelineName(found->pipeline);
    if (!id || !cluster::IsResumable(*id)) {
      return Error::BadRequest(fmt::format("run {} is of \"{}\"; to resume it, repeat that command",
                                           run, found->pipeline));
    }
    // add nodes has the modules of create cluster.
    pipeline.name = found->pipeline;
  }
  if (call.Given("dry-run")) {
    ASSIGN_OR_RETURN(const RunPlan plan, session->MakePlan(pipeline));
    if (!call.Given("output")) call.err() << fmt::format("Resumes run {}.\n", run);
    return PrintRunPlan(call, plan);
  }
  ASSIGN_OR_RETURN(const RunReport report, session->Resume(pipeline, run));
  return session->PrintReport(call, report);
}

Result<ExitCode> RollBackRun(const Invocation& call) {
  ASSIGN_OR_RETURN(const SessionPtr session, ClusterSession::OpenForHosts(call));
  RETURN_IF_ERROR(session->SetLimit(call.List("limit")));
  ASSIGN_OR_RETURN(const std::string run, session->UnfinishedRun(call.Value("RUN")));
  RETURN_IF_ERROR(cluster::CheckHostOwnership(session->runtime()));
  Engine engine(&session->runtime());
  const automation::RollbackScope scope{.hosts = session->limit()};
  if (call.Given("dry-run")) {
    ASSIGN_OR_RETURN(const RunPlan plan, engine.PlanRollback(run, scope));
    PrintPlan(call, plan);
    return ExitCode::kDone;
  }
  ASSIGN_OR_RETURN(const RunReport report, engine.Rollback(run, session->options(), scope));
  return session->PrintReport(call, report);
}

Result<ExitCode> ShowRun(const Invocation& call, const ClusterSession& session,
                         const std::string& run) {
  ASSIGN_OR_RETURN(const std::vector<automation::JournalRecord> records, session.JournalOf(run));
  const RunSummary summary = automation::Summarize(run, records);
  const auto timeline = automation::TimelineOf(records);
  if (call.Given("output")) {
    call.out() << FormatObject(automation::ToJson(summary, timeline), call.Value("output"));
    return ExitCode::kDone;
  }
  call.out() << fmt::format("{} of {}: {}, {} steps in effect\n\n", summary.pipeline,
                            session.cluster().metadata.name,
                            automation::RunStateName(summary.state), summary.steps)
             << automation::ToText(timeline);
  if (const auto known = automation::Explain(summary.message)) {
    call.out() << fmt::format("\nprobably {}; {}\n", known->cause, known->advice);
  }
  return ExitCode::kDone;
}

Result<ExitCode> ShowStatus(const Invocation& call) {
  ASSIGN_OR_RETURN(const SessionPtr session, ClusterSession::Open(call));
  if (call.Given("RUN")) return ShowRun(call, *session, call.Value("RUN"));
  ASSIGN_OR_RETURN(const std::vector<RunSummary> runs, session->Runs());
  if (call.Given("output")) {
    JsonArray array;
    for (const RunSummary& run : runs) array.push_back(automation::ToJson(run));
    call.out() << FormatObject(array, call.Value("output"));
    return ExitCode::kDone;
  }
  if (runs.empty()) {
    call.err() << fmt::format("No runs. To create the cluster: kubexms create cluster -f {}\n",
                              call.Value("file"));
    return ExitCode::kDone;
  }
  call.out() << fmt::format("{:<24} {:<16} {:<12} {:>5}  {}\n", "RUN", "PIPELINE", "STATE", "STEPS",
                            "STARTED");
  for (const RunSummary& run : runs) {
    call.out() << fmt::format("{:<24} {:<16} {:<12} {:>5}  {}\n", run.run, run.pipeline,
                              automation::RunStateName(run.state), run.steps, run.started);
    if (!run.message.empty()) call.out() << "    " << run.message << "\n";
  }
  return ExitCode::kDone;
}

Result<ExitCode> CreateConfig(const Invocation& call) {
  const std::string text = cluster::SampleConfig(call.Value("name"), call.List("hosts"));
  RETURN_IF_ERROR(cluster::ParseCluster(text, "--hosts"));
  if (!call.Given("file")) {
    call.out() << text;
    return ExitCode::kDone;
  }
  const std::string path = call.Value("file");
  if (std::ifstream(path)) {
    return Error::BadRequest(fmt::format("{} exists and is not overwritten", path));
  }
  if (!(std::ofstream(path) << text)) {
    return Error::Internal(fmt::format("cannot write {}", path));
  }
  call.err() << fmt::format("Wrote {}. Next: kubexms plan -f {}\n", path, path);
  return ExitCode::kDone;
}

Result<ExitCode> Adopt(const Invocation& call) {
  {
    ASSIGN_OR_RETURN(const SessionPtr first, ClusterSession::OpenForHosts(call));
    ASSIGN_OR_RETURN(const cluster::ClusterIdentity identity,
                     cluster::FindIdentity(first->runtime()));
    if (call.Given("dry-run")) {
      call.out() << (call.Given("output")
                         ? FormatObject(ToJson(identity), call.Value("output"))
                         : fmt::format("adopt the cluster {} (uid {}) with {} hosts\n",
                                       identity.name, identity.uid, identity.hosts.size()));
      return ExitCode::kDone;
    }
    RETURN_IF_ERROR(cluster::StoreHosts(identity, first->runtime().directory()));
  }
  // A new session, with the hosts that only the cluster's marker lists.
  ASSIGN_OR_RETURN(const SessionPtr session, ClusterSession::OpenForHosts(call));
  ASSIGN_OR_RETURN(const cluster::Adoption adoption,
                   cluster::AdoptCluster(session->cluster(), session->runtime(),
                                         {.skip_unreachable_hosts = call.Given("force")}));
  if (call.Given("output")) {
    const auto array = [](const std::vector<std::string>& names) {
      return JsonArray(names.begin(), names.end());
    };
    call.out() << FormatObject(JsonObject{{"name", adoption.identity.name},
                                          {"uid", adoption.identity.uid},
                                          {"runs", array(adoption.runs)},
                                          {"unreachable", array(adoption.unreachable)}},
                               call.Value("output"));
    return adoption.unreachable.empty() ? ExitCode::kDone : ExitCode::kSomeHostsFailed;
  }
  call.err() << fmt::format("Adopted the cluster {} (uid {}) into {}: {} runs.\n",
                            adoption.identity.name, adoption.identity.uid,
                            session->runtime().directory(), adoption.runs.size());
  if (adoption.unreachable.empty()) return ExitCode::kDone;
  call.err() << fmt::format(
      "Unreachable: {}. Repeat the command when they are reachable; until then their runs cannot "
      "be undone.\n",
      fmt::join(adoption.unreachable, ", "));
  return ExitCode::kSomeHostsFailed;
}

std::vector<Flag> With(std::vector<Flag> flags, const std::vector<Flag>& more) {
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

Argument RunArgument() {
  return {.name = "RUN",
          .doc = "id of the run; defaults to the newest unfinished run",
          .optional = true};
}

Command CreateClusterCommand() {
  return {.name = "cluster",
          .summary = "Create a cluster from hosts, or apply changes of its configuration",
          .description =
              "Apply the configuration to the hosts: preflight checks, operating systems, etcd,\n"
              "container runtime and load balancers. Unchanged parts are not touched. When a run\n"
              "fails, kubexms resume continues the run and kubexms rollback undoes the run.",
          .flags = With(PipelineFlags(), {DryRunFlag(), FullFlag()}),
          .run = CreateCluster};
}

Command CreateConfigCommand() {
  return {
      .name = "config",
      .summary = "Write an example configuration",
      .flags = {{.name = "hosts",
                 .value = "ADDRESSES",
                 .doc = "comma-separated addresses of the hosts",
                 .fallback = "192.0.2.1,192.0.2.2,192.0.2.3"},
                {.name = "name", .value = "NAME", .doc = "name of the cluster", .fallback = "my"},
                {.name = "file",
                 .letter = 'f',
                 .value = "FILE",
                 .doc = "file to write; defaults to standard output"}},
      .run = CreateConfig};
}

}  // namespace

Command CreateCommand() {
  return {.name = "create",
          .summary = "Create clusters and configurations",
          .commands = {CreateClusterCommand(), CreateConfigCommand()}};
}

Command AdoptCommand() {
  return {
      .name = "adopt",
      .summary = "Adopt the state of a cluster from its hosts",
      .commands = {
          {.name = "cluster",
           .summary = "Copy the state of a cluster from its hosts to this machine",
           .description =
               "Restore a state directory that is empty or older than the last run, for an\n"
               "operator with the configuration and access to the hosts. Reads the certificate\n"
               "authority and the certificates of etcd, the list of hosts and their journals from\n"
               "the hosts. Changes no host.",
           .flags = With(ClusterFlags(),
                         {ParallelFlag(),
                          DryRunFlag(),
                          {.name = "force", .doc = "continue without unreachable hosts"}}),
           .run = Adopt}}};
}

Command DeleteCommand() {
  return {.name = "delete",
          .summary = "Delete clusters",
          .commands = {
              {.name = "cluster",
               .summary = "Undo all runs on the hosts of a cluster",
               .description =
                   "Undo all runs from their journals, and restore the state of the hosts before\n"
                   "the first run. To remove single hosts, use kubexms remove nodes.",
               .flags = With(ClusterFlags(), {ParallelFlag(),
                                              DryRunFlag(),
                                              {.name = "force",
                                               .doc = "continue without unreachable hosts, and "
                                                      "where undo data is lost"},
                                              YesFlag()}),
               .run = DeleteCluster}}};
}

Command PlanCommand() {
  return {.name = "plan",
          .summary = "Show the changes that create cluster would apply",
          .flags = With(PipelineFlags(), {FullFlag()}),
          .run = ShowPlan};
}

Command DiffCommand() {
  return {.name = "diff",
          .summary = "Show how hosts differ from the configuration",
          .description =
              "Show how hosts differ from the configuration. Exits with 2 when hosts differ, and\n"
              "with 3 when hosts are unreachable.",
          .flags = With(PipelineFlags(), {FullFlag()}),
          .run = ShowDiff};
}

Command ResumeCommand() {
  return {.name = "resume",
          .summary = "Resume a run that failed or was interrupted",
          .flags = With(PipelineFlags(), {DryRunFlag(), FullFlag()}),
          .arguments = {RunArgument()},
          .run = ResumeRun};
}

Command RollbackCommand() {
  return {.name = "rollback",
          .summary = "Roll back a run",
          .flags = With(ClusterFlags(), {LimitFlag(), ParallelFlag(), DryRunFlag()}),
          .arguments = {RunArgument()},
          .run = RollBackRun};
}

Command StatusCommand() {
  return {.name = "status",
          .summary = "List the runs of a cluster, or show the timeline of a run",
          .description =
              "List the runs of a cluster, or show the timeline of a run. Reads the journals of\n"
              "this machine, and connects to no host.",
          .flags = ClusterFlags(),
          .arguments = {{.name = "RUN", .doc = "id of the run to show", .optional = true}},
          .run = ShowStatus};
}

}  // namespace kubexms
