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

namespace kubexms {
namespace {

using automation::Engine;
using automation::Pipeline;
using automation::RunPlan;
using automation::RunReport;

using SessionPtr = std::unique_ptr<ClusterSession>;

Result<ExitCode> ShowPlan(const Invocation& call) {
  ASSIGN_OR_RETURN(const SessionPtr session, ClusterSession::OpenForWork(call));
  ASSIGN_OR_RETURN(const Pipeline pipeline, session->CreatePipeline());
  ASSIGN_OR_RETURN(const RunPlan plan, session->MakePlan(pipeline));
  return ShowPlanOf(call, plan);
}

Result<ExitCode> ShowDiff(const Invocation& call) {
  ASSIGN_OR_RETURN(const SessionPtr session, ClusterSession::OpenForWork(call));
  ASSIGN_OR_RETURN(const Pipeline pipeline, session->CreatePipeline());
  ASSIGN_OR_RETURN(const RunPlan plan, session->MakePlan(pipeline));
  PrintPlan(call, plan, call.Given("full"));
  if (!plan.unreachable.empty()) return ExitCode::kSomeHostsFailed;
  return plan.empty() ? ExitCode::kDone : ExitCode::kWrongUsage;
}

Result<ExitCode> CreateCluster(const Invocation& call) {
  if (call.Given("dry-run")) return ShowPlan(call);
  ASSIGN_OR_RETURN(const SessionPtr session, ClusterSession::OpenForWork(call));
  ASSIGN_OR_RETURN(const Pipeline pipeline, session->CreatePipeline());
  ASSIGN_OR_RETURN(const RunPlan plan, session->MakePlan(pipeline));
  session->PrintWarnings(call, plan);
  if (const auto refused = cluster::CheckPreflight(plan); !refused.ok()) {
    return session->ReportRefusal(call, pipeline, refused.error());
  }
  session->options().plan = &plan;
  ASSIGN_OR_RETURN(const RunReport report, session->Converge(pipeline));
  return session->PrintReport(call, report);
}

Result<ExitCode> DeleteCluster(const Invocation& call) {
  if (call.Given("limit")) {
    return Error::BadRequest(
        "--limit: a cluster is deleted as a whole; kubexms remove nodes takes single hosts out");
  }
  ASSIGN_OR_RETURN(const SessionPtr session, ClusterSession::OpenInParallel(call));
  if (call.Given("dry-run")) {
    ASSIGN_OR_RETURN(RunPlan plan, Engine(&session->runtime()).PlanUninstall());
    plan.pipeline = "delete cluster";
    PrintPlan(call, plan);
    return ExitCode::kDone;
  }
  if (!call.Given("yes")) {
    ASSIGN_OR_RETURN(const std::vector<RunSummary> runs, session->Runs());
    size_t steps = 0;
    for (const RunSummary& run : runs) steps += run.steps;
    call.err() << fmt::format(
        "This takes back {} steps of {} runs on the hosts of {}, with the data of its etcd.\n"
        "To do it, add --yes.\n",
        steps, runs.size(), session->cluster().metadata.name);
    return ExitCode::kWrongUsage;
  }
  std::set<std::string> skipped;
  ASSIGN_OR_RETURN(const RunReport report,
                   cluster::DeleteCluster(session->runtime(), session->options(),
                                          {.force = call.Given("force"), .skipped = &skipped}));
  const ExitCode code = session->PrintReport(call, report);
  if (!skipped.empty()) {
    call.err() << fmt::format("Skipped: {}. What was done there stays there.\n",
                              fmt::join(skipped, ", "));
  } else if (code == ExitCode::kSomeHostsFailed && !call.Given("force")) {
    call.err() << "To go on without hosts that are gone for good, add --force.\n";
  }
  return code;
}

Result<ExitCode> ResumeRun(const Invocation& call) {
  ASSIGN_OR_RETURN(const SessionPtr session, ClusterSession::OpenForWork(call));
  ASSIGN_OR_RETURN(const std::string run, session->UnfinishedRun(call.Value("RUN")));
  ASSIGN_OR_RETURN(Pipeline pipeline, session->CreatePipeline());
  ASSIGN_OR_RETURN(const std::vector<RunSummary> runs, session->Runs());
  const auto found = std::ranges::find(runs, run, &RunSummary::run);
  // It is the same work under another name.
  if (found != runs.end() && found->pipeline == cluster::kAddNodes) pipeline.name = found->pipeline;
  if (found != runs.end() && found->pipeline != pipeline.name) {
    return Error::BadRequest(fmt::format(
        "run {} is one of \"{}\": repeat that command, and it goes on", run, found->pipeline));
  }
  if (call.Given("dry-run")) {
    ASSIGN_OR_RETURN(RunPlan plan, session->MakePlan(pipeline));
    plan.warnings.push_back(fmt::format("this goes on with run {}", run));
    return ShowPlanOf(call, plan);
  }
  ASSIGN_OR_RETURN(const RunReport report, session->Converge(pipeline, run));
  return session->PrintReport(call, report);
}

Result<ExitCode> RollBackRun(const Invocation& call) {
  ASSIGN_OR_RETURN(const SessionPtr session, ClusterSession::OpenInParallel(call));
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
  call.out() << fmt::format("{} of {}: {}, {} steps stand\n\n", summary.pipeline,
                            session.cluster().metadata.name, summary.state, summary.steps)
             << automation::ToText(timeline);
  if (const auto known = automation::Explain(summary.message)) {
    call.out() << fmt::format("\nprobably {}; {}\n", known->cause, known->advice);
  }
  return ExitCode::kDone;
}

Result<ExitCode> ShowStatus(const Invocation& call) {
  for (const char* flag : {"limit", "parallel"}) {
    if (!call.Given(flag)) continue;
    return Error::BadRequest(fmt::format(
        "--{}: no host is asked; what is shown is in the journals of this machine", flag));
  }
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
    call.err() << "There has been no run; kubexms create cluster makes the first.\n";
    return ExitCode::kDone;
  }
  call.out() << fmt::format("{:<24} {:<16} {:<12} {:>5}  {}\n", "RUN", "PIPELINE", "STATE", "STEPS",
                            "STARTED");
  for (const RunSummary& run : runs) {
    call.out() << fmt::format("{:<24} {:<16} {:<12} {:>5}  {}\n", run.run, run.pipeline, run.state,
                              run.steps, run.started);
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
    return Error::BadRequest(fmt::format("{} is there already, and is not overwritten", path));
  }
  if (!(std::ofstream(path) << text)) {
    return Error::Internal(fmt::format("{} cannot be written", path));
  }
  call.err() << fmt::format("Wrote {}. Next: kubexms plan -f {}\n", path, path);
  return ExitCode::kDone;
}

Result<ExitCode> Adopt(const Invocation& call) {
  {
    ASSIGN_OR_RETURN(const SessionPtr first, ClusterSession::OpenInParallel(call));
    ASSIGN_OR_RETURN(const cluster::ClusterIdentity identity,
                     cluster::FindIdentity(first->runtime()));
    if (call.Given("dry-run")) {
      call.out() << (call.Given("output")
                         ? FormatObject(ToJson(identity), call.Value("output"))
                         : fmt::format("adopt the cluster {} with the uid {} and {} hosts\n",
                                       identity.name, identity.uid, identity.hosts.size()));
      return ExitCode::kDone;
    }
    RETURN_IF_ERROR(cluster::StoreHosts(identity, first->runtime().directory()));
  }
  // With the hosts that only the cluster itself knows.
  ASSIGN_OR_RETURN(const SessionPtr session, ClusterSession::OpenInParallel(call));
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
  call.err() << fmt::format("Adopted the cluster {} with the uid {}: {} runs, in {}.\n",
                            adoption.identity.name, adoption.identity.uid, adoption.runs.size(),
                            session->runtime().directory());
  if (adoption.unreachable.empty()) return ExitCode::kDone;
  call.err() << fmt::format(
      "{} did not answer: repeat the command when they do, or what was done there stays there.\n",
      fmt::join(adoption.unreachable, ", "));
  return ExitCode::kSomeHostsFailed;
}

std::vector<Flag> With(std::vector<Flag> flags, const std::vector<Flag>& more) {
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

Argument RunArgument() {
  return {.name = "RUN", .doc = "otherwise the newest that is not done", .optional = true};
}

Command CreateClusterCommand() {
  return {.name = "cluster",
          .summary = "Make a cluster of hosts, or what changed in its configuration",
          .description =
              "Makes the hosts what the configuration says: checks them, sets up their operating\n"
              "systems and etcd. What is true already is left alone. If it fails, kubexms resume\n"
              "goes on and kubexms rollback takes it back.",
          .flags = With(ClusterWorkFlags(), {DryRunFlag(), FullFlag()}),
          .run = CreateCluster};
}

Command CreateConfigCommand() {
  return {.name = "config",
          .summary = "Write a configuration to begin with",
          .flags = {{.name = "hosts",
                     .value = "ADDRESSES",
                     .doc = "of the hosts, with commas between",
                     .fallback = "192.0.2.1,192.0.2.2,192.0.2.3"},
                    {.name = "name", .value = "NAME", .doc = "of the cluster", .fallback = "my"},
                    {.name = "file",
                     .letter = 'f',
                     .value = "FILE",
                     .doc = "where to write it; otherwise it is printed"}},
          .run = CreateConfig};
}

}  // namespace

Command CreateCommand() {
  return {.name = "create",
          .summary = "Make clusters, and configurations of them",
          .commands = {CreateClusterCommand(), CreateConfigCommand()}};
}

Command AdoptCommand() {
  return {
      .name = "adopt",
      .summary = "Bring the state of clusters from their hosts to this machine",
      .commands = {
          {.name = "cluster",
           .summary = "Bring the state of a cluster from its hosts to this machine",
           .description =
               "For an operator who has the configuration and may log in to the hosts, and whose\n"
               "state directory is empty or older than the last run: reads the authority and the\n"
               "certificates of etcd, the list of hosts and their journals. Changes no host.",
           .flags = With(ClusterFlags(),
                         {ParallelFlag(),
                          DryRunFlag(),
                          {.name = "force", .doc = "go on without hosts that do not answer"}}),
           .run = Adopt}}};
}

Command DeleteCommand() {
  return {.name = "delete",
          .summary = "Take clusters back",
          .commands = {
              {.name = "cluster",
               .summary = "Take back everything that was done to the hosts of a cluster",
               .description = "Takes back all runs from their journals, to the state before the\n"
                              "first of them. What kubexms did not change stays.",
               .flags = With(ClusterFlags(), {LimitFlag(),
                                              ParallelFlag(),
                                              DryRunFlag(),
                                              {.name = "force",
                                               .doc = "go on without hosts that do not answer, and "
                                                      "where undo data is lost"},
                                              {.name = "yes", .doc = "do it, without asking"}}),
               .run = DeleteCluster}}};
}

Command PlanCommand() {
  return {.name = "plan",
          .summary = "Show what create cluster would do now, and do nothing",
          .flags = With(ClusterWorkFlags(), {DryRunFlag(), FullFlag()}),
          .run = ShowPlan};
}

Command DiffCommand() {
  return {.name = "diff",
          .summary = "Show how hosts differ from their configuration",
          .description = "Exits with 2 when they differ and with 3 when hosts do not answer.",
          .flags = With(ClusterWorkFlags(), {DryRunFlag(), FullFlag()}),
          .run = ShowDiff};
}

Command ResumeCommand() {
  return {.name = "resume",
          .summary = "Go on with a run that failed or was interrupted",
          .flags = With(ClusterWorkFlags(), {DryRunFlag(), FullFlag()}),
          .arguments = {RunArgument()},
          .run = ResumeRun};
}

Command RollbackCommand() {
  return {.name = "rollback",
          .summary = "Take back what a run did",
          .flags = With(ClusterFlags(), {LimitFlag(), ParallelFlag(), DryRunFlag()}),
          .arguments = {RunArgument()},
          .run = RollBackRun};
}

Command StatusCommand() {
  return {.name = "status",
          .summary = "Show the runs of a cluster and how they ended, or what one did and when",
          .flags = With(ClusterFlags(), {LimitFlag(), ParallelFlag(), DryRunFlag()}),
          .arguments = {{.name = "RUN", .doc = "the one to show", .optional = true}},
          .run = ShowStatus};
}

}  // namespace kubexms
