#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ostream>

#include "kubexms/cli/commands.h"
#include "kubexms/cli/commands/cluster_session.h"
#include "kubexms/cli/output.h"
#include "kubexms/cluster/cluster_nodes.h"
#include "kubexms/cluster/cluster_pipeline.h"
#include "kubexms/cluster/modules/etcd/etcd_members.h"
#include "kubexms/cluster/modules/identities.h"

namespace kubexms {
namespace {

using automation::Engine;
using automation::Pipeline;
using automation::RunPlan;
using automation::RunReport;
using cluster::Removal;

using SessionPtr = std::unique_ptr<ClusterSession>;

// Adding hosts must not remove members of etcd unexpectedly.
Result<void> CheckNoMemberLeaves(const RunPlan& plan) {
  const std::optional<std::string> leaving = cluster::FindLeavingMember(plan);
  if (!leaving) return {};
  return Error::BadRequest(
      fmt::format("the configuration also removes {} from etcd; to apply both: kubexms create "
                  "cluster; to remove it only: kubexms remove nodes",
                  *leaving));
}

Result<ExitCode> AddNodes(const Invocation& call) {
  ASSIGN_OR_RETURN(const SessionPtr session, ClusterSession::OpenForPipeline(call));
  if (session->inventory().empty()) {
    return Error::BadRequest(fmt::format(
        "the cluster {} does not exist; to create it with all its hosts: kubexms create cluster",
        session->cluster().metadata.name));
  }
  const std::vector<std::string> new_hosts = session->inventory().NewHosts(session->cluster().spec);
  if (new_hosts.empty()) {
    call.err() << "No new hosts. To show other differences: kubexms diff\n";
    return ExitCode::kDone;
  }
  ASSIGN_OR_RETURN(Pipeline pipeline, session->CreatePipeline());
  pipeline.name = cluster::PipelineName(cluster::PipelineId::kAddNodes);
  ASSIGN_OR_RETURN(const RunPlan plan, session->MakePlan(pipeline));
  RETURN_IF_ERROR(CheckNoMemberLeaves(plan));
  // With -o standard error has only JSON events.
  if (!call.Given("output")) {
    call.err() << fmt::format("New hosts: {}\n", fmt::join(new_hosts, ", "));
  }
  if (call.Given("dry-run")) return PrintRunPlan(call, plan);
  session->PrintWarnings(call, plan);
  if (const auto refused = cluster::CheckPreflight(plan); !refused.ok()) {
    return session->ReportRefusal(call, pipeline, refused.error());
  }
  ASSIGN_OR_RETURN(const RunReport report, session->Apply(pipeline, plan));
  return session->PrintReport(call, report);
}

Result<void> CheckKnown(ClusterSession& session, const Removal& removal) {
  for (const std::string& name : removal.hosts) {
    if (session.runtime().FindHost(name)) continue;
    return Error::BadRequest(fmt::format("{} has no host {}; its hosts are {}",
                                         session.cluster().metadata.name, name,
                                         fmt::join(session.runtime().AllHosts(), ", ")));
  }
  return {};
}

// The consequences for the remaining hosts and the configuration.
void PrintFollowUps(const Invocation& call, const ClusterSession& session, const Removal& removal) {
  const cluster::ClusterSpec& spec = session.cluster().spec;
  const cluster::ClusterSpec rest = cluster::WithoutHosts(session.cluster(), removal.hosts).spec;
  const size_t members = rest.role_groups.etcd.size();
  if (members % 2 == 0 && members < spec.role_groups.etcd.size()) {
    call.err() << fmt::format(
        "etcd has {} members now, which tolerate no more failures than {}; add one.\n", members,
        members - 1);
  }
  std::vector<std::string> listed;
  for (const cluster::HostSpec& host : spec.hosts) {
    if (removal.hosts.contains(host.name)) listed.push_back(host.name);
  }
  if (listed.empty()) return;
  call.err() << fmt::format(
      "Remove {} from {}, and run kubexms create cluster to update /etc/hosts of the others; with "
      "the old file it would add the host again.\n",
      fmt::join(listed, ", "), call.Value("file"));
}

Result<ExitCode> RemoveNodes(const Invocation& call) {
  const std::vector<std::string>& names = call.All("NAME");
  const Removal removal{.hosts = {names.begin(), names.end()}, .lost = call.Given("force")};
  ASSIGN_OR_RETURN(
      const SessionPtr session,
      ClusterSession::OpenForHosts(call, removal.lost ? removal.hosts : std::set<std::string>()));
  RETURN_IF_ERROR(CheckKnown(*session, removal));
  const Pipeline pipeline = cluster::RemovePipeline(session->cluster(), removal);
  ASSIGN_OR_RETURN(RunPlan plan, session->MakePlan(pipeline));
  for (const automation::PlannedStep& step : plan.steps) {
    if (step.error) return step.error->WithContext("nothing was changed: " + step.host);
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
    call.err() << fmt::format(
        "{}This {} {}{}.\nTo confirm, add --yes.\n", plan.steps.empty() ? "" : plan.ToText(),
        removal.lost ? "removes" : "undoes all runs on", fmt::join(removal.hosts, ", "),
        removal.lost ? " from the cluster, without a connection to it"
                     : ", including the data of its etcd");
    return ExitCode::kWrongUsage;
  }
  ASSIGN_OR_RETURN(const RunReport report, cluster::RemoveHosts(session->Context(), removal));
  const ExitCode code = session->PrintReport(call, report);
  if (code == ExitCode::kDone) PrintFollowUps(call, *session, removal);
  return code;
}

std::vector<Flag> AddFlags() {
  std::vector<Flag> flags = PipelineFlags();
  flags.insert(flags.end(), {DryRunFlag(), FullFlag()});
  return flags;
}

std::vector<Flag> RemoveFlags() {
  std::vector<Flag> flags = ClusterFlags();
  flags.insert(flags.end(), {ParallelFlag(), DryRunFlag()});
  flags.push_back({.name = "force", .doc = "do not connect to the hosts, which are lost for good"});
  flags.push_back(YesFlag());
  return flags;
}

}  // namespace

Command AddCommand() {
  return {
      .name = "add",
      .summary = "Add hosts to a cluster",
      .commands = {{.name = "nodes",
                    .summary = "Add the hosts that are new in the configuration",
                    .description =
                        "Run kubexms create cluster, but refuse to remove members of etcd. New\n"
                        "members of etcd join one after the other: each as a learner, which\n"
                        "becomes a voting member when the learner has all data.",
                    .flags = AddFlags(),
                    .run = AddNodes}}};
}

Command RemoveCommand() {
  return {
      .name = "remove",
      .summary = "Remove hosts from a cluster",
      .commands = {{.name = "nodes",
                    .summary = "Undo all runs on hosts, and remove the hosts from the cluster",
                    .description =
                        "Remove hosts from etcd, unless the other members would lose their\n"
                        "majority, and undo all runs on these hosts. The hosts need not be in the\n"
                        "configuration any more. With --force kubexms does not connect to the\n"
                        "hosts: only etcd and the state directory change.",
                    .flags = RemoveFlags(),
                    .arguments = {{.name = "NAME", .doc = "name of a host", .repeated = true}},
                    .run = RemoveNodes}}};
}

}  // namespace kubexms
