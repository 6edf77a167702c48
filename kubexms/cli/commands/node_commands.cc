#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ostream>

#include "kubexms/cli/commands.h"
#include "kubexms/cli/commands/cluster_session.h"
#include "kubexms/cli/output.h"
#include "kubexms/cluster/cluster_nodes.h"
#include "kubexms/cluster/cluster_pipeline.h"

namespace kubexms {
namespace {

using automation::Engine;
using automation::Pipeline;
using automation::RunPlan;
using automation::RunReport;
using cluster::Removal;

using SessionPtr = std::unique_ptr<ClusterSession>;

// Those who add hosts do not expect that others leave.
Result<void> CheckNobodyLeaves(const RunPlan& plan) {
  for (const automation::PlannedStep& step : plan.steps) {
    if (step.module != "etcd" || !step.task.starts_with("leave ")) continue;
    return Error::BadRequest(fmt::format(
        "the configuration also takes {} out of etcd; kubexms create cluster does both, kubexms "
        "remove nodes that alone",
        step.host));
  }
  return {};
}

Result<ExitCode> AddNodes(const Invocation& call) {
  ASSIGN_OR_RETURN(const SessionPtr session, ClusterSession::OpenForWork(call));
  if (session->inventory().empty()) {
    return Error::BadRequest(fmt::format(
        "there is no cluster {} yet; kubexms create cluster makes it, with all its hosts",
        session->cluster().metadata.name));
  }
  const std::vector<std::string> fresh = session->inventory().NewHosts(session->cluster().spec);
  if (fresh.empty()) {
    call.err() << "There are no new hosts; kubexms diff shows what else differs.\n";
    return ExitCode::kDone;
  }
  ASSIGN_OR_RETURN(Pipeline pipeline, session->CreatePipeline());
  pipeline.name = cluster::kAddNodes;
  ASSIGN_OR_RETURN(RunPlan plan, session->MakePlan(pipeline));
  RETURN_IF_ERROR(CheckNobodyLeaves(plan));
  plan.warnings.push_back(fmt::format("new hosts: {}", fmt::join(fresh, ", ")));
  if (call.Given("dry-run")) return ShowPlanOf(call, plan);
  session->PrintWarnings(call, plan);
  if (const auto refused = cluster::CheckPreflight(plan); !refused.ok()) {
    return session->ReportRefusal(call, pipeline, refused.error());
  }
  session->options().plan = &plan;
  ASSIGN_OR_RETURN(const RunReport report, session->Converge(pipeline));
  return session->PrintReport(call, report);
}

Result<void> CheckKnown(ClusterSession& session, const Removal& removal) {
  for (const std::string& name : removal.hosts) {
    if (session.runtime().FindHost(name)) continue;
    return Error::BadRequest(fmt::format("there is no host {} in {}; there are {}", name,
                                         session.cluster().metadata.name,
                                         fmt::join(session.runtime().AllHosts(), ", ")));
  }
  return {};
}

// What the operator has to know beforehand and afterwards.
void AdviseOnRest(const Invocation& call, const ClusterSession& session, const Removal& removal) {
  const cluster::ClusterSpec& spec = session.cluster().spec;
  const cluster::ClusterSpec rest = cluster::WithoutHosts(session.cluster(), removal.hosts).spec;
  const size_t members = rest.role_groups.etcd.size();
  if (members % 2 == 0 && members < spec.role_groups.etcd.size()) {
    call.err() << fmt::format(
        "etcd is left with {} members, which survive no more failures than {}; add one.\n", members,
        members - 1);
  }
  std::vector<std::string> listed;
  for (const cluster::HostSpec& host : spec.hosts) {
    if (removal.hosts.contains(host.name)) listed.push_back(host.name);
  }
  if (listed.empty()) return;
  call.err() << fmt::format(
      "Take {} out of {}: kubexms create cluster would bring it back. It also lets the other hosts "
      "forget its name.\n",
      fmt::join(listed, ", "), call.Value("file"));
}

Result<ExitCode> RemoveNodes(const Invocation& call) {
  if (call.Given("limit")) {
    return Error::BadRequest(
        "--limit: name the hosts that are to leave; no others are touched, apart from etcd's list "
        "of members");
  }
  const std::vector<std::string>& names = call.All("NAME");
  const Removal removal{.hosts = {names.begin(), names.end()}, .lost = call.Given("force")};
  ASSIGN_OR_RETURN(
      const SessionPtr session,
      ClusterSession::OpenInParallel(call, removal.lost ? removal.hosts : std::set<std::string>()));
  RETURN_IF_ERROR(CheckKnown(*session, removal));
  const Pipeline pipeline = cluster::RemovePipeline(session->cluster(), removal);
  ASSIGN_OR_RETURN(RunPlan plan, session->MakePlan(pipeline));
  for (const automation::PlannedStep& step : plan.steps) {
    if (step.error) return step.error->WithContext("nothing was done: " + step.host);
  }
  if (!removal.lost) {
    ASSIGN_OR_RETURN(RunPlan undone,
                     Engine(&session->runtime()).PlanUninstall({.hosts = removal.hosts}));
    plan.checked += undone.checked;
    std::ranges::move(undone.steps, std::back_inserter(plan.steps));
  }
  if (call.Given("dry-run")) {
    PrintPlan(call, plan);
    return ExitCode::kDone;
  }
  if (!call.Given("yes")) {
    call.err() << fmt::format("{}This {} {}{}.\nTo do it, add --yes.\n",
                              plan.steps.empty() ? "" : plan.ToText(),
                              removal.lost ? "forgets" : "takes back everything that was done to",
                              fmt::join(removal.hosts, ", "),
                              removal.lost ? ", without asking it" : ", with the data of its etcd");
    return ExitCode::kWrongUsage;
  }
  ASSIGN_OR_RETURN(const RunReport report, cluster::RemoveHosts(session->Work(), removal));
  const ExitCode code = session->PrintReport(call, report);
  if (code == ExitCode::kDone) AdviseOnRest(call, *session, removal);
  return code;
}

std::vector<Flag> AddFlags() {
  std::vector<Flag> flags = ClusterWorkFlags();
  flags.insert(flags.end(), {DryRunFlag(), FullFlag()});
  return flags;
}

std::vector<Flag> RemoveFlags() {
  std::vector<Flag> flags = ClusterFlags();
  flags.insert(flags.end(), {LimitFlag(), ParallelFlag(), DryRunFlag()});
  flags.push_back({.name = "force", .doc = "the hosts are gone for good: nobody asks them"});
  flags.push_back({.name = "yes", .doc = "do it, without asking"});
  return flags;
}

}  // namespace

Command AddCommand() {
  return {
      .name = "add",
      .summary = "Bring new hosts into a cluster",
      .commands = {{.name = "nodes",
                    .summary = "Bring in the hosts that are new in the configuration",
                    .description =
                        "Does what kubexms create cluster would do, and refuses to let anybody\n"
                        "leave etcd. New members of etcd join one after the other: each gets\n"
                        "all data first and only then counts.",
                    .flags = AddFlags(),
                    .run = AddNodes}}};
}

Command RemoveCommand() {
  return {
      .name = "remove",
      .summary = "Take hosts out of a cluster",
      .commands = {{.name = "nodes",
                    .summary = "Take back everything that was done to hosts, and forget them",
                    .description =
                        "A host that is a member of etcd leaves it first, if the others keep\n"
                        "their majority. The host may be in the configuration still or not any\n"
                        "more. With --force it is gone for good: the others forget it, and\n"
                        "nobody tries to reach it.",
                    .flags = RemoveFlags(),
                    .arguments = {{.name = "NAME", .doc = "of a host", .repeated = true}},
                    .run = RemoveNodes}}};
}

}  // namespace kubexms
