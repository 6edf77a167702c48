#include "kubexms/cli/commands/cluster_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <ostream>

#include "kubexms/automation/journal/explanation.h"
#include "kubexms/automation/journal/journal.h"
#include "kubexms/cli/commands/event_output.h"
#include "kubexms/cli/output.h"
#include "kubexms/cluster/artifact/artifact.h"
#include "kubexms/cluster/cluster_pipeline.h"
#include "kubexms/cluster/config/cluster_config.h"
#include "kubexms/cluster/config/cluster_hosts.h"
#include "kubexms/cluster/modules/identities.h"

namespace kubexms {
namespace {

using automation::JournalRecord;
using automation::RunReport;

constexpr int kMaxParallel = 1024;

std::string Home() {
  const char* home = std::getenv("HOME");
  return home ? home : "/root";
}

Result<int> ReadParallel(const std::string& text) {
  int number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size() || number < 1 ||
      number > kMaxParallel) {
    return Error::BadRequest(
        fmt::format("--parallel: \"{}\" is not between 1 and {}", text, kMaxParallel));
  }
  return number;
}

// A path in `file`, relative to the current directory.
std::string RelativeTo(const std::string& file, const std::string& path) {
  if (path.empty()) return path;
  return (std::filesystem::path(file).parent_path() / path).string();
}

// Indents all lines after the first.
std::string Indented(std::string_view text) {
  std::string indented;
  for (const char c : text) {
    indented += c;
    if (c == '\n') indented += "      ";
  }
  return indented;
}

std::string ToText(const std::string& message) {
  std::string text = fmt::format("  {}\n", Indented(message));
  if (const auto known = automation::Explain(message)) {
    text += fmt::format("    probably {}; {}\n", known->cause, known->advice);
  }
  return text;
}

// The hosts of each distinct error. Messages start with the name of their host.
std::map<std::string, std::vector<std::string>> ByMessage(
    const std::map<std::string, Error>& failed_hosts) {
  std::map<std::string, std::vector<std::string>> hosts;
  for (const auto& [host, error] : failed_hosts) {
    std::string_view message = error.message();
    if (message.starts_with(host + ": ")) message.remove_prefix(host.size() + 2);
    hosts[std::string(message)].push_back(host);
  }
  return hosts;
}

}  // namespace

std::vector<Flag> ClusterFlags() {
  return {{.name = "file",
           .letter = 'f',
           .value = "FILE",
           .doc = "configuration file of the cluster",
           .required = true},
          {.name = "state-dir",
           .value = "DIR",
           .doc = "directory for journals and certificates; defaults to ~/.kubexms/clusters/NAME"},
          OutputFlag()};
}

std::vector<Flag> PipelineFlags() {
  std::vector<Flag> flags = ClusterFlags();
  flags.push_back(LimitFlag());
  flags.push_back(ParallelFlag());
  flags.push_back({.name = "artifact",
                   .value = "FILE",
                   .doc = "artifact with packages and images; defaults to spec.artifact"});
  return flags;
}

Flag LimitFlag() {
  return {.name = "limit",
          .value = "HOSTS",
          .doc = "comma-separated names of the hosts to work on; defaults to all"};
}

Flag ParallelFlag() {
  return {.name = "parallel",
          .value = "N",
          .doc = "number of hosts to work on at a time",
          .fallback = "32"};
}

Flag DryRunFlag() { return {.name = "dry-run", .doc = "show the changes without applying them"}; }

Flag YesFlag() { return {.name = "yes", .doc = "confirm the change"}; }

Flag FullFlag() { return {.name = "full", .doc = "show the diffs of all files"}; }

void PrintPlan(const Invocation& call, const automation::RunPlan& plan, bool full) {
  using Detail = automation::RunPlan::Detail;
  call.out() << (call.Given("output") ? FormatObject(plan.ToJson(), call.Value("output"))
                                      : plan.ToText(full ? Detail::kFull : Detail::kSummary));
}

Result<ExitCode> PrintRunPlan(const Invocation& call, const automation::RunPlan& plan) {
  PrintPlan(call, plan, call.Given("full"));
  if (!plan.unreachable.empty()) return ExitCode::kSomeHostsFailed;
  if (cluster::CheckPreflight(plan).ok()) return ExitCode::kDone;
  return Error::BadRequest("preflight checks fail, as the plan shows; the run would be refused");
}

ClusterSession::ClusterSession(const Invocation& call) : file_(call.Value("file")) {}

Result<std::unique_ptr<ClusterSession>> ClusterSession::Open(const Invocation& call) {
  std::unique_ptr<ClusterSession> session(new ClusterSession(call));
  RETURN_IF_ERROR(session->Start(call));
  return session;
}

Result<std::unique_ptr<ClusterSession>> ClusterSession::OpenForPipeline(const Invocation& call) {
  ASSIGN_OR_RETURN(std::unique_ptr<ClusterSession> session, Open(call));
  RETURN_IF_ERROR(session->SetLimit(call.List("limit")));
  ASSIGN_OR_RETURN(session->options_.parallel, ReadParallel(call.Value("parallel")));
  session->artifact_ = call.Given("artifact")
                           ? call.Value("artifact")
                           : RelativeTo(session->file_, session->cluster_.spec.artifact);
  return session;
}

Result<std::unique_ptr<ClusterSession>> ClusterSession::OpenForHosts(
    const Invocation& call, const std::set<std::string>& lost) {
  std::unique_ptr<ClusterSession> session(new ClusterSession(call));
  RETURN_IF_ERROR(session->Start(call, lost));
  ASSIGN_OR_RETURN(session->options_.parallel, ReadParallel(call.Value("parallel")));
  return session;
}

Result<void> ClusterSession::SetLimit(const std::vector<std::string>& hosts) {
  limit_ = {hosts.begin(), hosts.end()};
  for (const std::string& name : limit_) {
    if (runtime_->FindHost(name)) continue;
    return Error::BadRequest(fmt::format("--limit: {} has no host {}", file_, name));
  }
  return {};
}

Result<void> ClusterSession::Start(const Invocation& call, const std::set<std::string>& lost) {
  ASSIGN_OR_RETURN(cluster_, cluster::LoadCluster(file_));
  directory_ = call.Given("state-dir")
                   ? call.Value("state-dir")
                   : fmt::format("{}/.kubexms/clusters/{}", Home(), cluster_.metadata.name);
  std::error_code failed;
  if (std::filesystem::create_directories(directory_, failed)) {
    std::filesystem::permissions(directory_, std::filesystem::perms::owner_all, failed);
  }
  if (failed)
    return Error::Internal(fmt::format("cannot create {}: {}", directory_, failed.message()));
  ASSIGN_OR_RETURN(inventory_, cluster::HostInventory::Load(directory_));
  cluster::ClusterSpec known = inventory_->WithKnownHosts(cluster_.spec);
  for (cluster::HostSpec& host : known.hosts) {
    if (!lost.contains(host.name)) continue;
    host.private_key_passphrase = host.password = host.sudo_password = "";
  }
  std::vector<std::string> warnings;
  ASSIGN_OR_RETURN(std::vector<automation::Host> hosts,
                   cluster::ConnectHosts(known, {.cluster_directory = directory_,
                                                 .home = Home(),
                                                 .connections = &connections_,
                                                 .secrets = &secrets_,
                                                 .random = &random_,
                                                 .warnings = &warnings}));
  for (const std::string& warning : warnings) call.err() << "Warning: " << warning << "\n";
  runtime_ = std::make_unique<automation::Runtime>(
      automation::RuntimeOptions{.cluster = cluster_.metadata.name,
                                 .config = ToJson(cluster_),
                                 .hosts = std::move(hosts),
                                 .directory = directory_,
                                 .secrets = &secrets_,
                                 .clock = &clock_,
                                 .random = &random_});
  events_ = MakeEventSink(call, &clock_);
  options_.stop = signals_.token();
  options_.events = events_.get();
  return {};
}

Result<void> ClusterSession::OpenState() {
  ASSIGN_OR_RETURN(state_, cluster::OpenClusterState(cluster_, *runtime_));
  return {};
}

Result<cluster::CreateOptions> ClusterSession::MakeCreateOptions() {
  cluster::CreateOptions options{.limit = limit_, .identity = state_.identity};
  if (!artifact_.empty()) {
    ASSIGN_OR_RETURN(options.artifact, cluster::Artifact::Open(artifact_));
  }
  ASSIGN_OR_RETURN(options.secrets, cluster::EnsureClusterSecrets(
                                        cluster_.spec, cluster::ClusterSecretDirectory(directory_),
                                        secrets_, random_));
  return options;
}

Result<automation::RunPlan> ClusterSession::MakePlan(const automation::Pipeline& pipeline) {
  ASSIGN_OR_RETURN(automation::RunPlan plan,
                   automation::Engine(runtime_.get()).Plan(pipeline, options_));
  if (options_.stop.stop_requested()) return automation::Canceled(pipeline.name);
  return plan;
}

Result<automation::Pipeline> ClusterSession::EtcdRestorePipeline(const std::string& snapshot) {
  RETURN_IF_ERROR(OpenState());
  ASSIGN_OR_RETURN(const cluster::CreateOptions options, MakeCreateOptions());
  return cluster::EtcdRestorePipeline(cluster_, state_.certificates, options, snapshot);
}

Result<RunReport> ClusterSession::Apply(const automation::Pipeline& pipeline,
                                        const automation::RunPlan& plan) {
  return cluster::Converge(Context(), pipeline, {.limit = limit_, .plan = &plan});
}

Result<RunReport> ClusterSession::Resume(const automation::Pipeline& pipeline,
                                         const std::string& run) {
  return cluster::Converge(Context(), pipeline, {.limit = limit_, .resumed_run = run});
}

Result<automation::Pipeline> ClusterSession::CreatePipeline() {
  RETURN_IF_ERROR(OpenState());
  ASSIGN_OR_RETURN(const cluster::CreateOptions options, MakeCreateOptions());
  return cluster::CreatePipeline(cluster_, state_.certificates, options);
}

Result<std::vector<RunSummary>> ClusterSession::Runs() {
  ASSIGN_OR_RETURN(const std::vector<std::string> runs, automation::Engine(runtime_.get()).Runs());
  std::vector<RunSummary> summaries;
  for (const std::string& run : runs) {
    ASSIGN_OR_RETURN(const std::vector<JournalRecord> records, JournalOf(run));
    summaries.push_back(automation::Summarize(run, records));
  }
  return summaries;
}

Result<std::vector<JournalRecord>> ClusterSession::JournalOf(const std::string& run) const {
  ASSIGN_OR_RETURN(const std::vector<std::string> runs, automation::Engine(runtime_.get()).Runs());
  if (std::ranges::find(runs, run) == runs.end()) {
    return Error::BadRequest(
        fmt::format("run {} of {} does not exist; to list the runs: kubexms status", run,
                    cluster_.metadata.name));
  }
  return automation::ReadJournal(fmt::format("{}/runs/{}/journal", directory_, run));
}

Result<std::string> ClusterSession::UnfinishedRun(const std::string& wanted) {
  if (!wanted.empty()) {
    RETURN_IF_ERROR(JournalOf(wanted));
    return wanted;
  }
  ASSIGN_OR_RETURN(const std::vector<RunSummary> runs, Runs());
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    if (run->IsUnfinished()) return run->run;
  }
  return Error::BadRequest(fmt::format("{} has no unfinished run; to list the runs: kubexms status",
                                       cluster_.metadata.name));
}

std::string ClusterSession::CommandFor(const Invocation& call, std::string_view command,
                                       const std::string& run) const {
  const std::string where =
      call.Given("state-dir") ? " --state-dir " + call.Value("state-dir") : "";
  // Only resume uses an artifact, and spec.artifact need not be repeated.
  const bool by_flag = artifact_ != RelativeTo(file_, cluster_.spec.artifact);
  const std::string with = by_flag && command == "resume" ? " --artifact " + artifact_ : "";
  return fmt::format("kubexms {} -f {}{}{} {}", command, file_, where, with, run);
}

void ClusterSession::PrintWarnings(const Invocation& call, const automation::RunPlan& plan) {
  warnings_ = plan.warnings;
  if (call.Given("output")) return;
  for (const std::string& warning : plan.DistinctWarnings())
    call.err() << "Warning: " << warning << "\n";
}

Result<ExitCode> ClusterSession::ReportRefusal(const Invocation& call,
                                               const automation::Pipeline& pipeline,
                                               const Error& refused) const {
  if (!call.Given("output")) return refused;
  return PrintReport(
      call,
      {.pipeline = pipeline.name, .outcome = automation::RunOutcome::kFailed, .error = refused});
}

ExitCode ClusterSession::PrintReport(const Invocation& call, const RunReport& report) const {
  const auto pipeline = cluster::ParsePipelineName(report.pipeline);
  const bool resumable =
      !report.ok() && !report.run.empty() && pipeline && cluster::IsResumable(*pipeline);
  const ExitCode exit_code = static_cast<ExitCode>(report.ExitCode());
  if (call.Given("output")) {
    Json json = report.ToJson();
    json.as_object()["warnings"] = JsonArray(warnings_.begin(), warnings_.end());
    if (resumable) {
      json.as_object()["resume"] = CommandFor(call, "resume", report.run);
      json.as_object()["rollback"] = CommandFor(call, "rollback", report.run);
    }
    call.out() << secrets_.Redact(FormatObject(json, call.Value("output")));
    return exit_code;
  }
  if (report.ok()) {
    call.err() << fmt::format("Done: {} steps changed, {} unchanged.\n", report.changed,
                              report.unchanged);
    return exit_code;
  }
  std::string text =
      report.outcome == automation::RunOutcome::kCanceled ? "\nCanceled:\n" : "\nFailed:\n";
  if (report.failed_hosts.empty() && report.error) text += ToText(report.error->message());
  for (const auto& [message, hosts] : ByMessage(report.failed_hosts)) {
    text += ToText(fmt::format("{}: {}", fmt::join(hosts, ", "), message));
  }
  if (resumable) {
    text += fmt::format("\nTo resume:    {}\nTo roll back: {}\n",
                        CommandFor(call, "resume", report.run),
                        CommandFor(call, "rollback", report.run));
  } else if (!report.run.empty()) {
    text += "\nTo resume, repeat the command.\n";
  }
  call.err() << secrets_.Redact(text);
  return exit_code;
}

}  // namespace kubexms
