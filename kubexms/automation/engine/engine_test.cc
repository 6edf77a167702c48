#include "kubexms/automation/engine/engine.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "kubexms/automation/engine/task_graph.h"
#include "kubexms/automation/hosts/local_connector.h"
#include "kubexms/automation/hosts/simulated_fleet.h"
#include "kubexms/automation/journal/journal.h"
#include "kubexms/base/test_directory_test.h"

namespace kubexms::automation {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

const SimulatedHost::Catalog& Packages() {
  static const SimulatedHost::Catalog kPackages = {
      {"web", {.services = {"web"}, .files = {{"/etc/web.conf", "as packaged\n"}}}}};
  return kPackages;
}

// One attempt at everything, so that a fault is seen.
Task Once(Task task) {
  task.retry.attempts = 1;
  return task;
}

// A pipeline with something of everything.
Pipeline Sample(const std::vector<std::string>& hosts) {
  const auto own_file = [](const StepContext& context) -> Result<std::vector<HostResource>> {
    return std::vector<HostResource>{File{.path = "/etc/own", .content = context.host.name + "\n"}};
  };
  return {
      .name = "sample",
      .modules = {
          MakeModule(
              "os", {Once({.name = "kernel",
                           .steps = {Ensure("parameters",
                                            {Sysctl{"90-x.conf", {{"net.ipv4.ip_forward", "1"}}}}),
                                     Ensure("modules", {KernelModules{"x.conf", {"overlay"}}})},
                           .hosts = hosts}),
                     Once({.name = "names",
                           .steps = {Ensure("hosts", {HostsEntries{"lab", {{"10.0.0.1", "one"}}}})},
                           .hosts = hosts,
                           .after = std::vector<std::string>{}})}),
          MakeModule(
              "web",
              {Once({.name = "install",
                     .steps = {Ensure("package", {Package{"web"}}),
                               Ensure("configure",
                                      {File{.path = "/etc/web.conf", .content = "ours\n"},
                                       Service{.name = "web", .restart_after = {"/etc/web.conf"}}}),
                               Ensure("own file", own_file)},
                     .hosts = hosts}),
               Once({.name = "data",
                     .steps = {Ensure("user", {User{.name = "web"}}),
                               Ensure("directory", {Directory{.path = "/opt/a/b"},
                                                    File{.path = "/opt/a/b/c", .content = "c"}}),
                               Ensure("clean", {Absent{"/etc/legacy"}})},
                     .hosts = hosts})})}};
}

class EngineTest : public ::testing::Test {
 protected:
  Runtime& Use(SimulatedFleet& fleet, Json config = JsonObject()) {
    RuntimeOptions options{.cluster = "lab",
                           .config = std::move(config),
                           .directory = directory_.path(),
                           .secrets = &secrets_,
                           .clock = &clock_,
                           .random = &random_};
    for (const auto& host : fleet.hosts()) {
      options.hosts.push_back({.name = host->name(), .connector = host});
    }
    runtime_ = std::make_unique<Runtime>(std::move(options));
    return *runtime_;
  }
  static void AddLegacy(SimulatedFleet& fleet) {
    for (const auto& host : fleet.hosts()) host->PutFile("/etc/legacy", "old");
  }
  static RunReport Must(Result<RunReport> report) {
    EXPECT_TRUE(report.ok()) << report.error().message();
    return report.ok() ? std::move(*report) : RunReport();
  }
  static RunReport Succeed(Result<RunReport> report) {
    RunReport done = Must(std::move(report));
    EXPECT_TRUE(done.ok()) << (done.error ? done.error->message() : "");
    return done;
  }

  TestDirectory directory_;
  SystemClock clock_;
  SystemRandom random_;
  SecretRegistry secrets_;
  std::unique_ptr<Runtime> runtime_;
};

TEST_F(EngineTest, PlansWithoutChangingAnything) {
  SimulatedFleet fleet(3, Packages());
  Runtime& runtime = Use(fleet);
  const std::string before = fleet.Snapshot();
  const Result<RunPlan> plan = Engine(&runtime).Plan(Sample(runtime.AllHosts()));
  ASSERT_TRUE(plan.ok()) << plan.error().message();
  EXPECT_EQ(fleet.Snapshot(), before);
  EXPECT_EQ(fleet.round_trips(), 3u);
  EXPECT_EQ(plan->checked, 27u);
  EXPECT_EQ(plan->steps.size(), 24u);  // there is nothing to clean
  EXPECT_THAT(plan->ToText(), HasSubstr("web/install: package (host-0001, host-0002, host-0003)\n"
                                        "  install web\n"));
  EXPECT_THAT(plan->ToText(), HasSubstr("+host-0002\n"));
  EXPECT_THAT(plan->Summary(), HasSubstr("24 of 27 steps to apply on 3 hosts"));
}

TEST_F(EngineTest, SecondRunIsUnchangedInOneRoundTripPerHost) {
  SimulatedFleet fleet(3, Packages());
  AddLegacy(fleet);
  Runtime& runtime = Use(fleet);
  Engine engine(&runtime);
  const RunReport first = Succeed(engine.Run(Sample(runtime.AllHosts())));
  EXPECT_EQ(first.changed, 27u);
  const std::string after = fleet.Snapshot();
  const uint64_t changes = fleet.changes();
  const RunReport second = Succeed(engine.Run(Sample(runtime.AllHosts())));
  EXPECT_EQ(second.changed, 0u);
  EXPECT_EQ(second.unchanged, 27u);
  EXPECT_EQ(second.round_trips, 3u);
  EXPECT_EQ(fleet.changes(), changes);
  EXPECT_EQ(fleet.Snapshot(), after);
  EXPECT_THAT(*engine.Runs(), ::testing::UnorderedElementsAre(first.run, second.run));
}

TEST_F(EngineTest, RunPlannedDoesNotRepeatTheQueries) {
  SimulatedFleet fleet(3, Packages());
  Runtime& runtime = Use(fleet);
  Engine engine(&runtime);
  Pipeline pipeline = Sample(runtime.AllHosts());
  int prepared = 0;
  pipeline.pre_run = [&](Runtime&) -> Result<void> {
    ++prepared;
    return {};
  };
  Succeed(engine.Run(pipeline));
  const Result<RunPlan> plan = engine.Plan(pipeline);
  ASSERT_TRUE(plan.ok());
  EXPECT_TRUE(plan->empty());
  const uint64_t asked = fleet.round_trips();
  const RunReport report = Succeed(engine.RunPlanned(pipeline, *plan));
  EXPECT_EQ(fleet.round_trips(), asked);
  EXPECT_EQ(report.round_trips, 3u);
  EXPECT_EQ(report.unchanged, 27u);
  EXPECT_EQ(prepared, 2);
  // A plan with an unreachable host is made again.
  fleet.host(1).SetDown(true);
  const Result<RunPlan> partial = engine.Plan(pipeline);
  ASSERT_EQ(partial->unreachable.size(), 1u);
  fleet.host(1).SetDown(false);
  EXPECT_EQ(Succeed(engine.RunPlanned(pipeline, *partial)).round_trips, 3u);
}

TEST_F(EngineTest, EachHostGetsItsOwnData) {
  SimulatedFleet fleet(50, Packages());
  Runtime& runtime = Use(fleet);
  Succeed(Engine(&runtime).Run(Sample(runtime.AllHosts())));
  for (const auto& host : fleet.hosts()) {
    EXPECT_EQ(host->ReadFile("/etc/own"), host->name() + "\n");
  }
}

// Records all operations that are sent to a host.
class RecordingHost final : public Connector {
 public:
  explicit RecordingHost(std::shared_ptr<SimulatedHost> host) : host_(std::move(host)) {}

  Result<std::vector<OperationResult>> Perform(std::span<const Operation> operations,
                                               const PerformOptions& options) override {
    {
      MutexLock lock(mutex_);
      for (const Operation& operation : operations)
        recorded_ += WriteJson(ToJson(operation)) + "\n";
    }
    return host_->Perform(operations, options);
  }
  Result<CommandResult> Exec(const Command& command, const OutputCallback& on_output,
                             std::stop_token stop) override {
    return host_->Exec(command, on_output, stop);
  }
  Result<void> Upload(const UploadRequest& request, std::stop_token stop) override {
    return host_->Upload(request, stop);
  }
  Result<void> Download(const DownloadRequest& request, std::stop_token stop) override {
    return host_->Download(request, stop);
  }
  uint64_t round_trips() const override { return host_->round_trips(); }
  std::string heard() const {
    MutexLock lock(mutex_);
    return recorded_;
  }

 private:
  const std::shared_ptr<SimulatedHost> host_;
  mutable Mutex mutex_;
  std::string recorded_ GUARDED_BY(mutex_);
};

TEST_F(EngineTest, SendsNoDataOfOneHostToAnother) {
  constexpr size_t kHosts = 20;
  SimulatedFleet fleet(kHosts, Packages());
  RuntimeOptions options{.cluster = "lab",
                         .directory = directory_.path(),
                         .secrets = &secrets_,
                         .clock = &clock_,
                         .random = &random_};
  std::vector<std::shared_ptr<RecordingHost>> ears;
  for (const auto& host : fleet.hosts()) {
    // What was there before is in backups and diffs.
    host->PutFile("/etc/own", "before, of " + host->name() + "\n");
    ears.push_back(std::make_shared<RecordingHost>(host));
    options.hosts.push_back({.name = host->name(), .connector = ears.back()});
  }
  Runtime runtime(std::move(options));
  Engine engine(&runtime);
  const Pipeline pipeline = Sample(runtime.AllHosts());
  fleet.host(7).Inject({.kind = FaultKind::kFails, .after_changes = 9});
  const RunReport failed = Must(engine.Run(pipeline));
  ASSERT_EQ(failed.outcome, RunOutcome::kFailed);
  Succeed(engine.Resume(pipeline, failed.run));
  Succeed(engine.Rollback(failed.run));
  for (size_t i = 0; i < kHosts; ++i) {
    const std::string heard = ears[i]->heard() + fleet.host(i).Snapshot();
    EXPECT_EQ(fleet.host(i).ReadFile("/etc/own"), "before, of " + fleet.host(i).name() + "\n");
    for (size_t other = 0; other < kHosts; ++other) {
      if (other == i) continue;
      EXPECT_THAT(heard, Not(HasSubstr(fleet.host(other).name()))) << fleet.host(i).name();
    }
  }
}

TEST_F(EngineTest, RunsOnAThousandHosts) {
  SimulatedFleet fleet(1000, Packages());
  Runtime& runtime = Use(fleet);
  Engine engine(&runtime);
  Succeed(engine.Run(Sample(runtime.AllHosts())));
  const RunReport again = Succeed(engine.Run(Sample(runtime.AllHosts())));
  EXPECT_EQ(again.changed, 0u);
  EXPECT_EQ(again.round_trips, 1000u);
}

// Whatever goes wrong wherever: to resume leads to the same state as if nothing had, and to roll
// back leads to where it began.
class EngineFaultTest : public EngineTest, public ::testing::WithParamInterface<FaultKind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, EngineFaultTest,
                         ::testing::Values(FaultKind::kLostBefore, FaultKind::kLostAfter,
                                           FaultKind::kFails));

TEST_P(EngineFaultTest, ResumesAndRollsBackFromEveryFault) {
  SimulatedFleet reference(2, Packages());
  AddLegacy(reference);
  Runtime& runtime = Use(reference);
  const Pipeline pipeline = Sample(runtime.AllHosts());
  Succeed(Engine(&runtime).Run(pipeline));
  const std::string wanted = reference.Snapshot();
  const int changes = static_cast<int>(reference.host(0).changes());
  ASSERT_GT(changes, 10);
  for (int at = 0; at < changes; ++at) {
    for (const bool resume : {true, false}) {
      SimulatedFleet fleet(2, Packages());
      AddLegacy(fleet);
      const std::string before = fleet.Snapshot();
      Engine engine(&Use(fleet));
      fleet.host(0).Inject({.kind = GetParam(), .after_changes = at});
      const RunReport failed = Must(engine.Run(pipeline));
      ASSERT_EQ(failed.outcome, RunOutcome::kFailed) << at;
      EXPECT_EQ(failed.ExitCode(), 1);
      if (resume) {
        Succeed(engine.Resume(pipeline, failed.run));
        EXPECT_EQ(fleet.Snapshot(), wanted) << "resumed after " << at;
      }
      Succeed(engine.Rollback(failed.run));
      EXPECT_EQ(fleet.Snapshot(), before) << "rolled back after " << at;
    }
  }
}

TEST_F(EngineTest, RollbackCanBeRepeatedAndTheRunNotResumed) {
  SimulatedFleet fleet(2, Packages());
  AddLegacy(fleet);
  const std::string before = fleet.Snapshot();
  Runtime& runtime = Use(fleet);
  Engine engine(&runtime);
  const Pipeline pipeline = Sample(runtime.AllHosts());
  const RunReport run = Succeed(engine.Run(pipeline));
  fleet.host(1).SetDown(true);
  const RunReport half = Must(engine.Rollback(run.run));
  EXPECT_EQ(half.outcome, RunOutcome::kSomeHostsFailed);
  EXPECT_TRUE(half.failed_hosts.contains("host-0002"));
  fleet.host(1).SetDown(false);
  Succeed(engine.Rollback(run.run));
  EXPECT_EQ(fleet.Snapshot(), before);
  EXPECT_EQ(Succeed(engine.Rollback(run.run)).changed, 0u);
  EXPECT_FALSE(engine.Resume(pipeline, run.run).ok());
}

TEST_F(EngineTest, ResumesOnlyTheSamePipelineAndConfiguration) {
  SimulatedFleet fleet(1, Packages());
  const Pipeline pipeline = Sample({"host-0001"});
  const std::string run = Succeed(Engine(&Use(fleet)).Run(pipeline)).run;
  Runtime& other = Use(fleet, JsonObject{{"version", 2}});
  const Result<RunReport> refused = Engine(&other).Resume(pipeline, run);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message(), HasSubstr("the configuration has changed"));
  EXPECT_FALSE(Engine(&other).Resume(pipeline, "../" + run).ok());
  EXPECT_FALSE(Engine(&other).Resume(pipeline, "never").ok());
}

// Takes down in which order steps act, and how many at a time.
class Recorder {
 public:
  void Enter(const std::string& what) {
    MutexLock lock(mutex_);
    order_.push_back(what);
    most_ = std::max(most_, ++inside_);
  }
  void Leave() {
    MutexLock lock(mutex_);
    --inside_;
  }
  std::vector<std::string> order() const {
    MutexLock lock(mutex_);
    return order_;
  }
  int most() const {
    MutexLock lock(mutex_);
    return most_;
  }
  void Clear() {
    MutexLock lock(mutex_);
    order_.clear();
    most_ = 0;
  }

 private:
  mutable Mutex mutex_;
  std::vector<std::string> order_ GUARDED_BY(mutex_);
  int inside_ GUARDED_BY(mutex_) = 0;
  int most_ GUARDED_BY(mutex_) = 0;
};

// Writes a file on each host once, and records the order.
class RecordedStep final : public Step {
 public:
  RecordedStep(std::string name, Recorder* recorder)
      : name_(std::move(name)), recorder_(recorder) {}
  const std::string& name() const override { return name_; }
  Result<std::vector<Operation>> ListQueries(const StepContext&) const override {
    return std::vector<Operation>{GetPath{"/etc/" + name_}};
  }
  Result<Change> Plan(const StepContext&, const Facts& facts) const override {
    Change change;
    if (!facts.Get(GetPath{"/etc/" + name_}).exists()) change.summary = {"act"};
    return change;
  }
  bool HasAction() const override { return true; }
  Result<void> RunAction(const StepContext& context, Runner& runner, const Change&) const override {
    recorder_->Enter(name_ + " " + context.host.name);
    std::this_thread::yield();
    const Result<Change> made =
        runner.Ensure(std::vector<HostResource>{File{.path = "/etc/" + name_, .content = "x"}});
    recorder_->Leave();
    if (!made.ok()) return made.error();
    return {};
  }

 private:
  const std::string name_;
  Recorder* const recorder_;
};

// Writes a file, optionally as a point of no return.
class FileStep final : public NamedStep {
 public:
  explicit FileStep(bool is_final) : NamedStep("file"), final_(is_final) {}
  Result<std::vector<Operation>> ListQueries(const StepContext&) const override {
    return QueriesFor(file_);
  }
  Result<Change> Plan(const StepContext& context, const Facts& facts) const override {
    ASSIGN_OR_RETURN(Change change, PlanFor(file_, facts, context.backup_directory));
    change.point_of_no_return = final_;
    return change;
  }

 private:
  const std::vector<HostResource> file_ = {File{.path = "/etc/final", .content = "x"}};
  const bool final_;
};

class EngineOrderTest : public EngineTest {
 protected:
  StepPtr RunAction(const std::string& name) {
    return std::make_shared<RecordedStep>(name, &recorder_);
  }
  // Leaves something to undo.
  static StepPtr WithUndo() {
    return Script({.name = "s", .done_when = "done", .script = "do", .undo = "undo"});
  }
  Recorder recorder_;
};

TEST_F(EngineOrderTest, TasksFollowTheirDependencies) {
  SimulatedFleet fleet(2);
  Runtime& runtime = Use(fleet);
  const auto hosts = runtime.AllHosts();
  using Names = std::vector<std::string>;
  const Pipeline pipeline{
      .name = "p",
      .modules = {
          MakeModule(
              "m",
              {{.name = "d", .steps = {RunAction("d")}, .hosts = hosts, .after = Names{"b", "c"}},
               {.name = "a", .steps = {RunAction("a")}, .hosts = hosts, .after = Names{}},
               {.name = "b", .steps = {RunAction("b")}, .hosts = hosts, .after = Names{"a"}},
               {.name = "c", .steps = {RunAction("c")}, .hosts = hosts, .after = Names{"a"}}}),
          MakeModule("n", {{.name = "e", .steps = {RunAction("e")}, .hosts = hosts}})}};
  Succeed(Engine(&runtime).Run(pipeline));
  const std::vector<std::string> order = recorder_.order();
  ASSERT_EQ(order.size(), 10u);
  const auto place = [&](char task, int host) {
    const std::string entry = fmt::format("{} host-000{}", task, host);
    return std::find(order.begin(), order.end(), entry) - order.begin();
  };
  for (int one = 1; one <= 2; ++one) {
    for (int two = 1; two <= 2; ++two) {
      EXPECT_LT(place('a', one), place('b', two));
      EXPECT_LT(place('a', one), place('c', two));
      EXPECT_LT(place('b', one), place('d', two));
      EXPECT_LT(place('c', one), place('d', two));
      EXPECT_LT(place('d', one), place('e', two));
    }
  }
}

TEST_F(EngineOrderTest, ModulesWaitForTheirPredecessors) {
  SimulatedFleet fleet(1);
  Runtime& runtime = Use(fleet);
  using Names = std::vector<std::string>;
  const std::vector<Task> task = {{.name = "t", .hosts = runtime.AllHosts()}};
  const Pipeline pipeline{
      .name = "p",
      .modules = {MakeModule("a", task), MakeModule("b", task, Names{"a"}),
                  MakeModule("empty", {}, Names{"a"}), MakeModule("c", task, Names{"empty"}),
                  MakeModule("d", task, Names{}), MakeModule("e", task)}};
  const std::vector<TaskNode> nodes = BuildGraph(pipeline, runtime).value();
  std::map<std::string, Names> waits;
  for (const TaskNode& node : nodes) {
    Names& after = waits[node.module];
    for (const size_t other : node.after) after.push_back(nodes[other].module);
    std::ranges::sort(after);
  }
  EXPECT_THAT(waits, ElementsAre(Pair("a", Names{}), Pair("b", Names{"a"}), Pair("c", Names{"a"}),
                                 Pair("d", Names{}), Pair("e", Names{"a", "b", "c", "d"})));
}

TEST_F(EngineOrderTest, ReportsAllProblemsOfAPipeline) {
  SimulatedFleet fleet(1);
  Runtime& runtime = Use(fleet);
  using Names = std::vector<std::string>;
  const Pipeline pipeline{
      .name = "p",
      .modules = {MakeModule("m", {{.name = "a", .hosts = {"nobody"}, .after = Names{"b"}},
                                   {.name = "b", .after = Names{"a"}},
                                   {.name = "c", .after = Names{"z"}, .group = "g"}}),
                  MakeModule("n", {}, Names{"later"}), MakeModule("later", {})}};
  const Result<RunPlan> plan = Engine(&runtime).Plan(pipeline);
  ASSERT_FALSE(plan.ok());
  for (const char* part : {"unknown host \"nobody\"", "waits for itself", "waits for \"z\"",
                           "unknown group \"g\"", "waits for \"later\""}) {
    EXPECT_THAT(plan.error().message(), HasSubstr(part));
  }
}

TEST_F(EngineOrderTest, ParallelismIsBounded) {
  SimulatedFleet fleet(20);
  Runtime& runtime = Use(fleet);
  const auto run = [&](const std::string& name, int task_bound, int run_bound) {
    const Pipeline pipeline{.name = "p",
                            .modules = {MakeModule("m", {{.name = "t",
                                                          .steps = {RunAction(name)},
                                                          .hosts = runtime.AllHosts(),
                                                          .parallel = task_bound}})}};
    Succeed(Engine(&runtime).Run(pipeline, {.parallel = run_bound}));
  };
  run("serial", 1, 8);
  EXPECT_EQ(recorder_.most(), 1);
  const std::vector<std::string> order = recorder_.order();
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  run("few", 0, 3);
  EXPECT_LE(recorder_.most(), 3);
}

TEST_F(EngineOrderTest, NeverDisruptsAQuorum) {
  SimulatedFleet fleet(5);
  Runtime& runtime = Use(fleet);
  Pipeline pipeline{.name = "p",
                    .modules = {MakeModule("m", {{.name = "t",
                                                  .steps = {RunAction("x")},
                                                  .hosts = runtime.AllHosts(),
                                                  .group = "etcd"}})},
                    .groups = {Quorum("etcd", runtime.AllHosts())}};
  EXPECT_EQ(pipeline.groups[0].max_unavailable, 2);
  Succeed(Engine(&runtime).Run(pipeline));
  EXPECT_LE(recorder_.most(), 2);
  // With two of five gone, no third one may be touched.
  SimulatedFleet other(5);
  Runtime& second = Use(other);
  other.host(0).SetDown(true);
  other.host(3).SetDown(true);
  const RunReport report = Must(Engine(&second).Run(pipeline, {.max_failed_hosts = 4}));
  EXPECT_FALSE(report.ok());
  EXPECT_EQ(other.changes(), 0u);
  EXPECT_THAT(report.failed_hosts.at("host-0002").message(), HasSubstr("repair them first"));
}

TEST_F(EngineOrderTest, RollbackRespectsUndoParallel) {
  SimulatedFleet fleet(12);
  Runtime& runtime = Use(fleet);
  for (const auto& host : fleet.hosts()) {
    host->SetScriptHandler([this](SimulatedHost& at, const std::string& script) {
      if (script == "undo") {
        recorder_.Enter(at.name());
        std::this_thread::yield();
        recorder_.Leave();
      }
      if (script == "do") at.PutFile("/tmp/done", "");
      return CommandResult{.exit_code = script == "done" && !at.ReadFile("/tmp/done") ? 1 : 0};
    });
  }
  const auto most_of = [&](Task task) {
    recorder_.Clear();
    for (const auto& host : fleet.hosts()) {
      EXPECT_TRUE(host->Perform({RemovePath{"/tmp/done"}}).ok());
    }
    task.name = "t";
    task.steps = {WithUndo()};
    task.hosts = runtime.AllHosts();
    const Pipeline pipeline{.name = "p",
                            .modules = {MakeModule("m", {std::move(task)})},
                            .groups = {{.name = "g", .hosts = runtime.AllHosts()}}};
    const RunReport report = Succeed(Engine(&runtime).Run(pipeline));
    Succeed(Engine(&runtime).Rollback(report.run));
    EXPECT_EQ(recorder_.order().size(), fleet.size());
    return recorder_.most();
  };
  EXPECT_EQ(most_of({.undo_parallel = 1}), 1);
  EXPECT_EQ(most_of({.parallel = 1}), 1);
  EXPECT_EQ(most_of({.group = "g"}), 1);
  EXPECT_LE(most_of({.parallel = 1, .undo_parallel = 3}), 3);
}

TEST_F(EngineTest, RefusesARollbackAfterThePointOfNoReturn) {
  SimulatedFleet fleet(1);
  Runtime& runtime = Use(fleet);
  const auto pipeline = [&](bool is_final) {
    return Pipeline{.name = "p",
                    .modules = {MakeModule("m", {{.name = "t",
                                                  .steps = {std::make_shared<FileStep>(is_final)},
                                                  .hosts = runtime.AllHosts()}})}};
  };
  Engine engine(&runtime);
  const std::string before = fleet.Snapshot();
  const RunReport report = Succeed(engine.Run(pipeline(true)));
  const Result<RunReport> refused = engine.Rollback(report.run);
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(refused.error().IsConflict());
  EXPECT_THAT(refused.error().message(), HasSubstr("has passed its point of no return"));
  EXPECT_FALSE(engine.PlanRollback(report.run).ok());
  const RunPlan plan = engine.PlanUninstall().value();
  EXPECT_THAT(plan.ToText(), HasSubstr("undo: write /etc/final"));
  Succeed(engine.Uninstall({}));
  EXPECT_EQ(fleet.Snapshot(), before);
  EXPECT_TRUE(engine.PlanUninstall()->steps.empty());
}

TEST_F(EngineTest, PlanShowsRestartsCausedByEarlierSteps) {
  SimulatedFleet fleet(1, Packages());
  Runtime& runtime = Use(fleet);
  const auto pipeline = [&](const std::string& text) {
    const Service service{.name = "web", .restart_after = {"/etc/app.conf"}};
    return Pipeline{.name = "p",
                    .modules = {MakeModule(
                        "m", {{.name = "files",
                               .steps = {Ensure("package", {Package{"web"}}),
                                         Ensure("file", {File{"/etc/app.conf", text}})},
                               .hosts = runtime.AllHosts()},
                              {.name = "serve",
                               .steps = {Ensure("service", {service}), Ensure("again", {service})},
                               .hosts = runtime.AllHosts()}})}};
  };
  Engine engine(&runtime);
  Succeed(engine.Run(pipeline("one")));
  EXPECT_TRUE(engine.Plan(pipeline("one"))->empty());
  const RunPlan plan = engine.Plan(pipeline("two")).value();
  EXPECT_THAT(plan.Summary(), HasSubstr("2 of 4 steps to apply on 1 hosts; restarts web on "));
  EXPECT_EQ(Succeed(engine.Run(pipeline("two"))).changed, 2u);
  const RunPlan back = engine.PlanRollback(engine.Runs()->back()).value();
  EXPECT_THAT(back.Summary(), HasSubstr("restarts web on "));
}

TEST_F(EngineTest, LostBackupFailsTheRollback) {
  SimulatedFleet fleet(1);
  Runtime& runtime = Use(fleet);
  fleet.host(0).PutFile("/etc/app.conf", "mine");
  const Pipeline pipeline{
      .name = "p",
      .modules = {MakeModule("m", {{.name = "t",
                                    .steps = {Ensure("file", {File{"/etc/app.conf", "yours"}})},
                                    .hosts = runtime.AllHosts()}})}};
  Engine engine(&runtime);
  const RunReport report = Succeed(engine.Run(pipeline));
  ASSERT_TRUE(fleet.host(0).Perform({RemovePath{runtime.host_directory() + "/runs", true}}).ok());
  for (int i = 0; i < 2; ++i) {
    const RunReport lost = engine.Rollback(report.run).value();
    EXPECT_FALSE(lost.ok());
    ASSERT_TRUE(lost.error);
    EXPECT_THAT(lost.error->message(), HasSubstr("the backup of /etc/app.conf is lost"));
  }
  EXPECT_FALSE(engine.Uninstall({})->ok());
  Succeed(engine.Uninstall({}, {.accept_lost_backups = true}));
  EXPECT_EQ(fleet.host(0).ReadFile("/etc/app.conf"), "yours");
  EXPECT_TRUE(engine.PlanUninstall()->steps.empty());
}

TEST_F(EngineTest, UninstallRestoresTheStateBeforeTheFirstRun) {
  SimulatedHost::Catalog catalog = Packages();
  SimulatedFleet fleet(2, catalog);
  Runtime& runtime = Use(fleet);
  for (const auto& host : fleet.hosts()) host->PutFile("/etc/app.conf", "mine");
  const std::string before = fleet.Snapshot();
  const auto pipeline = [&](const std::string& text, const std::string& user) {
    return Pipeline{
        .name = "p",
        .modules = {MakeModule(
            "m", {{.name = "t",
                   .steps = {Ensure("file", {File{"/etc/app.conf", text}}),
                             Ensure("user", {User{.name = "app", .shell = user}}),
                             Ensure("service", {Package{"web"}, Service{.name = "web"}})},
                   .hosts = runtime.AllHosts()}})}};
  };
  Engine engine(&runtime);
  Succeed(engine.Run(pipeline("one", "/bin/a")));
  Succeed(engine.Run(pipeline("two", "/bin/b")));
  const std::string second = engine.Runs()->back();
  Succeed(engine.Run(pipeline("three", "/bin/c")));
  // What the second run kept nobody needs.
  const std::string kept = runtime.host_directory() + "/runs/" + second;
  ASSERT_TRUE(fleet.host(0).Perform({RemovePath{kept, true}}).ok());
  const uint64_t changes = fleet.changes();
  Succeed(engine.Uninstall({}));
  EXPECT_EQ(fleet.Snapshot(), before);
  // The file, the user, the service and the package, once each.
  EXPECT_EQ(fleet.changes() - changes, 2 * 4u);
  EXPECT_TRUE(engine.PlanUninstall()->steps.empty());
  Succeed(engine.Uninstall({}));
}

TEST_F(EngineTest, UninstallSkipsHosts) {
  SimulatedFleet fleet(2);
  Runtime& runtime = Use(fleet);
  const std::string before = fleet.host(0).Snapshot();
  const Pipeline pipeline{
      .name = "p",
      .modules = {MakeModule("m", {{.name = "t",
                                    .steps = {Ensure("file", {File{"/etc/app.conf", "x"}})},
                                    .hosts = runtime.AllHosts()}})}};
  Engine engine(&runtime);
  Succeed(engine.Run(pipeline));
  fleet.host(1).SetDown(true);
  EXPECT_EQ(engine.Uninstall({})->outcome, RunOutcome::kSomeHostsFailed);
  EXPECT_EQ(fleet.host(0).Snapshot(), before);
  Succeed(engine.Uninstall({}, {.skipped_hosts = {fleet.host(1).name()}}));
}

TEST_F(EngineTest, RedactionDoesNotChangeUndoData) {
  SimulatedFleet fleet(1);
  Runtime& runtime = Use(fleet);
  fleet.host(0).PutFile("/etc/app.conf", "mine");
  const std::string before = fleet.Snapshot();
  for (const char* word : {"/etc/app.conf", "backup", "restore file", "host-0001", "RestorePath"}) {
    secrets_.Add(word);
  }
  const Pipeline pipeline{
      .name = "p",
      .modules = {
          MakeModule("m", {{.name = "t",
                            .steps = {Ensure("restore file", {File{"/etc/app.conf", "yours"}})},
                            .hosts = runtime.AllHosts()}})}};
  Engine engine(&runtime);
  const RunReport report = Succeed(engine.Run(pipeline));
  Succeed(engine.Rollback(report.run));
  EXPECT_EQ(fleet.Snapshot(), before);
}

TEST_F(EngineTest, PostRunReceivesTheErrorAndNeverReplacesIt) {
  SimulatedFleet fleet(1, Packages());
  Runtime& runtime = Use(fleet);
  Pipeline pipeline = Sample(runtime.AllHosts());
  std::string seen;
  pipeline.post_run = [&](Runtime&, const std::optional<Error>& error) -> Result<void> {
    seen = error ? error->message() : "none";
    return Error::Internal("of its own");
  };
  fleet.host(0).Inject({.message = "the cause"});
  const RunReport failed = Must(Engine(&runtime).Run(pipeline));
  EXPECT_THAT(seen, HasSubstr("the cause"));
  EXPECT_THAT(failed.error->message(), HasSubstr("the cause"));
  EXPECT_THAT(failed.post_run_error->message(), HasSubstr("of its own"));
  const RunReport second = Must(Engine(&runtime).Resume(pipeline, failed.run));
  EXPECT_EQ(seen, "none");
  EXPECT_FALSE(second.ok());
  pipeline.pre_run = [](Runtime&) -> Result<void> { return Error::Internal("not today"); };
  const uint64_t changes = fleet.changes();
  EXPECT_FALSE(Must(Engine(&runtime).Run(pipeline)).ok());
  EXPECT_EQ(seen, "PreRun: not today");
  EXPECT_EQ(fleet.changes(), changes);
}

class DisabledModule final : public Module {
 public:
  const std::string& name() const override { return name_; }
  bool IsEnabled(const Runtime& runtime) const override {
    return FindMember(runtime.config(), "extra") != nullptr;
  }
  Result<std::vector<Task>> Tasks(const Runtime& runtime) const override {
    return std::vector<Task>{{.name = "t",
                              .steps = {Ensure("s", {File{.path = "/etc/extra"}})},
                              .hosts = runtime.AllHosts()}};
  }

 private:
  const std::string name_ = "extra";
};

TEST_F(EngineTest, SkipsADisabledModule) {
  SimulatedFleet fleet(1);
  const Pipeline pipeline{.name = "p", .modules = {std::make_shared<DisabledModule>()}};
  Succeed(Engine(&Use(fleet)).Run(pipeline));
  EXPECT_FALSE(fleet.host(0).ReadFile("/etc/extra").has_value());
  Succeed(Engine(&Use(fleet, JsonObject{{"extra", true}})).Run(pipeline));
  EXPECT_TRUE(fleet.host(0).ReadFile("/etc/extra").has_value());
}

TEST_F(EngineTest, RetriesAfterALostConnection) {
  SimulatedFleet fleet(1, Packages());
  Runtime& runtime = Use(fleet);
  const Pipeline pipeline{
      .name = "p",
      .modules = {MakeModule(
          "m", {{.name = "t",
                 .steps = {Ensure("s", {File{.path = "/etc/x"}})},
                 .hosts = runtime.AllHosts(),
                 .retry = {.attempts = 2, .first_pause = std::chrono::milliseconds(1)}}})}};
  fleet.host(0).Inject({.kind = FaultKind::kLostBefore});
  Succeed(Engine(&runtime).Run(pipeline));
  EXPECT_TRUE(fleet.host(0).ReadFile("/etc/x").has_value());
}

TEST_F(EngineTest, StepThatIsNotVerifiedHasFailed) {
  SimulatedFleet fleet(1);
  fleet.host(0).SetScriptHandler([](SimulatedHost&, const std::string& script) {
    return CommandResult{.exit_code = script == "check" ? 1 : 0};
  });
  Runtime& runtime = Use(fleet);
  const Pipeline pipeline{
      .name = "p",
      .modules = {MakeModule(
          "m", {{.name = "t",
                 .steps = {Script({.name = "s", .done_when = "check", .script = "do it"})},
                 .hosts = runtime.AllHosts()}})}};
  const RunReport report = Must(Engine(&runtime).Run(pipeline));
  EXPECT_THAT(report.error->message(),
              HasSubstr("host-0001: m/t: s: applied, but the host still differs"));
}

TEST_F(EngineTest, WarningsAreInThePlanAndChangeNothing) {
  SimulatedFleet fleet(2);
  Runtime& runtime = Use(fleet);
  const Pipeline pipeline{
      .name = "p",
      .modules = {MakeModule(
          "m", {{.name = "t",
                 .steps = {Warn("a", {GetSystemFacts{}},
                                [](const StepContext&, const Facts& facts) {
                                  return std::vector{facts.Get(GetSystemFacts{}).os + " is fine"};
                                })},
                 .hosts = runtime.AllHosts()}})}};
  const RunPlan plan = Engine(&runtime).Plan(pipeline).value();
  EXPECT_TRUE(plan.empty());
  EXPECT_THAT(plan.warnings, ElementsAre("host-0001: debian is fine", "host-0002: debian is fine"));
  EXPECT_THAT(plan.ToText(), HasSubstr("warning: host-0001, host-0002: debian is fine\n"));
  EXPECT_EQ(Succeed(Engine(&runtime).Run(pipeline)).changed, 0u);
}

TEST_F(EngineTest, FailedRequirementEndsTheRunBeforeAnyChange) {
  SimulatedFleet fleet(2, Packages());
  fleet.host(1).Listen(6443);
  Runtime& runtime = Use(fleet);
  Pipeline pipeline = Sample(runtime.AllHosts());
  pipeline.modules.insert(
      pipeline.modules.begin(),
      MakeModule("preflight",
                 {{.name = "ports",
                   .steps = {Require("6443 is free", {GetPort{6443}},
                                     [](const StepContext&, const Facts& facts) -> Result<void> {
                                       if (!facts.Get(GetPort{6443}).listening) return {};
                                       return Error::Internal("port 6443 is taken");
                                     })},
                   .hosts = runtime.AllHosts()}}));
  const RunReport report = Must(Engine(&runtime).Run(pipeline));
  EXPECT_THAT(report.error->message(), HasSubstr("host-0002: preflight/ports: 6443 is free"));
  EXPECT_EQ(fleet.changes(), 0u);
}

TEST_F(EngineTest, ContinuesWithoutFailedHostsUpToTheLimit) {
  SimulatedFleet fleet(3, Packages());
  fleet.host(1).SetDown(true);
  Runtime& runtime = Use(fleet);
  const Pipeline pipeline = Sample(runtime.AllHosts());
  EXPECT_EQ(Must(Engine(&runtime).Run(pipeline)).ExitCode(), 1);
  EXPECT_EQ(fleet.changes(), 0u);
  const RunReport report = Must(Engine(&runtime).Run(pipeline, {.max_failed_hosts = 1}));
  EXPECT_EQ(report.ExitCode(), 3);
  EXPECT_TRUE(fleet.host(2).ReadFile("/opt/a/b/c").has_value());
  fleet.host(1).SetDown(false);
  Succeed(Engine(&runtime).Resume(pipeline, report.run));
  EXPECT_TRUE(fleet.host(1).ReadFile("/opt/a/b/c").has_value());
}

TEST_F(EngineTest, RespectsTheLockOfAnotherRunUntilItIsStale) {
  SimulatedFleet fleet(1, Packages());
  Runtime& runtime = Use(fleet);
  const std::string lock = runtime.host_directory() + "/lock";
  ASSERT_TRUE(fleet.host(0).Perform({AcquireLock{.path = lock, .owner = "run other"}}).ok());
  const RunReport refused = Must(Engine(&runtime).Run(Sample(runtime.AllHosts())));
  EXPECT_THAT(refused.error->message(), HasSubstr("locked by run other"));
  EXPECT_EQ(fleet.changes(), 0u);
  fleet.host(0).Advance(std::chrono::minutes(5));
  Succeed(Engine(&runtime).Resume(Sample(runtime.AllHosts()), refused.run));
}

TEST_F(EngineTest, ResumedRunReleasesItsFormerLocks) {
  SimulatedFleet fleet(2, Packages());
  fleet.host(1).SetDown(true);
  Runtime& runtime = Use(fleet);
  RunOptions options{.max_failed_hosts = 1};
  const RunReport report = Must(Engine(&runtime).Run(Sample(runtime.AllHosts()), options));
  ASSERT_EQ(report.failed_hosts.size(), 1u);
  const AcquireLock held{.path = runtime.host_directory() + "/lock", .owner = "run " + report.run};
  ASSERT_TRUE(fleet.host(0).Perform({held}).ok());
  fleet.host(1).SetDown(false);
  Succeed(Engine(&runtime).Resume(Sample(runtime.AllHosts()), report.run));
  for (const int host : {0, 1}) {
    const AcquireLock other{.path = held.path, .owner = "another", .required = true};
    EXPECT_TRUE(fleet.host(host).Perform({other}).ok()) << host;
  }
}

TEST_F(EngineTest, NewRunReleasesLocksOfKilledRuns) {
  SimulatedFleet fleet(1, Packages());
  Runtime& runtime = Use(fleet);
  SecretRegistry secrets;
  const std::string killed = "20240101-120000-000-x7k2p";
  const JournalRecord begun{.type = JournalRecord::Type::kRun, .run = killed, .pipeline = "other"};
  directory_.Write("runs/" + killed + "/journal", WriteRecord(begun, secrets) + "\n");
  const AcquireLock held{.path = runtime.host_directory() + "/lock", .owner = "run " + killed};
  ASSERT_TRUE(fleet.host(0).Perform({held}).ok());
  Succeed(Engine(&runtime).Run(Sample(runtime.AllHosts())));
}

TEST_F(EngineTest, ExplainsAFailure) {
  SimulatedFleet fleet(1, Packages());
  fleet.host(0).SetDiskFull(true);
  Runtime& runtime = Use(fleet);
  const RunReport report = Must(Engine(&runtime).Run(Sample(runtime.AllHosts())));
  const Json json = report.ToJson();
  EXPECT_EQ(FindString(json, "outcome"), "Failed");
  EXPECT_EQ(FindString(json, "cause"), "a file system of the host is full");
  EXPECT_THAT(std::string(FindString(json, "error")),
              HasSubstr("host-0001: os/kernel: parameters: write file /etc/sysctl.d/90-x.conf"));
}

class StopAfter final : public EventSink {
 public:
  explicit StopAfter(int changes) : left_(changes) {}
  void OnEvent(const Event& event) override {
    if (event.type == Event::Type::kStepChanged && --left_ == 0) stop_.request_stop();
  }
  std::stop_token token() const { return stop_.get_token(); }

 private:
  std::atomic<int> left_;
  std::stop_source stop_;
};

TEST_F(EngineTest, StopsCleanlyAndCanBeResumed) {
  SimulatedFleet fleet(2, Packages());
  Runtime& runtime = Use(fleet);
  const Pipeline pipeline = Sample(runtime.AllHosts());
  StopAfter sink(3);
  const RunReport stopped =
      Must(Engine(&runtime).Run(pipeline, {.stop = sink.token(), .events = &sink}));
  EXPECT_EQ(stopped.outcome, RunOutcome::kCanceled);
  EXPECT_EQ(stopped.ExitCode(), 1);
  EXPECT_LT(stopped.changed, 16u);
  Succeed(Engine(&runtime).Resume(pipeline, stopped.run));
}

TEST_F(EngineTest, CanceledRunIsNotSucceeded) {
  SimulatedFleet fleet(1, Packages());
  Runtime& runtime = Use(fleet);
  std::stop_source stopped;
  stopped.request_stop();
  const Pipeline pipeline = Sample(runtime.AllHosts());
  const Result<RunPlan> plan = Engine(&runtime).Plan(pipeline);
  ASSERT_TRUE(plan.ok());
  const RunReport report =
      Must(Engine(&runtime).RunPlanned(pipeline, *plan, {.stop = stopped.get_token()}));
  EXPECT_EQ(report.outcome, RunOutcome::kCanceled);
  EXPECT_EQ(fleet.changes(), 0u);
  const auto records = ReadJournal(directory_.File("runs/" + report.run + "/journal"));
  ASSERT_TRUE(records.ok());
  EXPECT_EQ(records->back().message, "the run: canceled");
  Succeed(Engine(&runtime).Resume(pipeline, report.run));
}

// Records the types of the events it receives.
class Listener final : public EventSink {
 public:
  void OnEvent(const Event& event) override {
    MutexLock lock(mutex_);
    ++counts_[event.type];
  }
  int count(Event::Type type) const {
    MutexLock lock(mutex_);
    const auto found = counts_.find(type);
    return found == counts_.end() ? 0 : found->second;
  }

 private:
  mutable Mutex mutex_;
  std::map<Event::Type, int> counts_ GUARDED_BY(mutex_);
};

TEST_F(EngineTest, EmitsEventsForEveryTaskAndHost) {
  SimulatedFleet fleet(3, Packages());
  Runtime& runtime = Use(fleet);
  Engine engine(&runtime);
  const Pipeline pipeline = Sample(runtime.AllHosts());
  Listener run;
  const std::string id = Succeed(engine.Run(pipeline, {.events = &run})).run;
  EXPECT_EQ(run.count(Event::Type::kTaskPlanned), 4);
  EXPECT_EQ(run.count(Event::Type::kTaskStarted), 12);
  EXPECT_EQ(run.count(Event::Type::kHostFinished), 12);
  EXPECT_EQ(run.count(Event::Type::kTaskFinished), 4);
  Listener back;
  Succeed(engine.Rollback(id, {.events = &back}));
  EXPECT_EQ(back.count(Event::Type::kTaskPlanned), 4);
  EXPECT_EQ(back.count(Event::Type::kHostFinished), 12);
  EXPECT_EQ(back.count(Event::Type::kStepChanged), 24);
  EXPECT_EQ(back.count(Event::Type::kRunFinished), 1);
  Listener nothing;
  Succeed(engine.Rollback(id, {.events = &nothing}));
  EXPECT_EQ(nothing.count(Event::Type::kRunStarted), 0);
}

TEST_F(EngineTest, ReportsProgressOfPlanning) {
  SimulatedFleet fleet(3, Packages());
  Runtime& runtime = Use(fleet);
  Listener planning;
  ASSERT_TRUE(Engine(&runtime).Plan(Sample(runtime.AllHosts()), {.events = &planning}).ok());
  EXPECT_EQ(planning.count(Event::Type::kPlanStarted), 1);
  EXPECT_EQ(planning.count(Event::Type::kHostChecked), 3);
  EXPECT_EQ(planning.count(Event::Type::kPlanFinished), 1);
}

TEST_F(EngineTest, JobIsStartedOncePerAttempt) {
  for (const FaultKind kind : {FaultKind::kLostBefore, FaultKind::kLostAfter}) {
    for (int at = 0; at < 2; ++at) {
      SimulatedFleet fleet(1);
      std::atomic<int> runs = 0;
      fleet.host(0).SetScriptHandler([&](SimulatedHost& host, const std::string& script) {
        if (script == "check") return CommandResult{.exit_code = host.ReadFile("/done") ? 0 : 1};
        ++runs;
        host.PutFile("/done", "");
        return CommandResult{};
      });
      Runtime& runtime = Use(fleet);
      const Pipeline pipeline{
          .name = "p",
          .modules = {MakeModule(
              "m",
              {{.name = "t",
                .steps = {Script(
                    {.name = "s", .done_when = "check", .script = "take long", .survives = true})},
                .hosts = runtime.AllHosts(),
                .retry = {.first_pause = std::chrono::milliseconds(1)}}})}};
      fleet.host(0).Inject({.kind = kind, .after_changes = at});
      Succeed(Engine(&runtime).Run(pipeline));
      EXPECT_EQ(runs, 1);
    }
  }
}

TEST_F(EngineTest, FailedJobIsRunAgain) {
  SimulatedFleet fleet(1);
  bool broken = true;
  fleet.host(0).SetScriptHandler([&](SimulatedHost& host, const std::string& script) {
    if (script == "check") return CommandResult{.exit_code = host.ReadFile("/done") ? 0 : 1};
    if (broken) return CommandResult{.exit_code = 3, .error_output = "not today"};
    host.PutFile("/done", "");
    return CommandResult{};
  });
  Runtime& runtime = Use(fleet);
  const Pipeline pipeline{
      .name = "p",
      .modules = {MakeModule(
          "m", {{.name = "t",
                 .steps = {Script(
                     {.name = "s", .done_when = "check", .script = "take long", .survives = true})},
                 .hosts = runtime.AllHosts()}})}};
  const RunReport failed = Must(Engine(&runtime).Run(pipeline));
  EXPECT_THAT(failed.error->message(), HasSubstr("run script take long: exit code 3: not today"));
  broken = false;
  Succeed(Engine(&runtime).Resume(pipeline, failed.run));
}

TEST_F(EngineTest, OneProcessAtATimeChangesACluster) {
  SimulatedFleet fleet(1, Packages());
  Runtime& runtime = Use(fleet);
  const auto held = ClusterLock::Acquire(directory_.File("lock"), "run first (process 1)");
  ASSERT_TRUE(held.ok());
  const Result<RunReport> refused = Engine(&runtime).Run(Sample(runtime.AllHosts()));
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message(), HasSubstr("run first (process 1)"));
}

TEST_F(EngineTest, SecretsAreInNoJournalEventOrReport) {
  SimulatedFleet fleet(1, Packages());
  Runtime& runtime = Use(fleet);
  secrets_.Add("hunter2hunter2");
  const Pipeline pipeline{
      .name = "p",
      .modules = {MakeModule(
          "m", {Once({.name = "t",
                      .steps = {Ensure("s", {File{.path = "/etc/x",
                                                  .content = "password=hunter2hunter2\n"}}),
                                Script({.name = "fails",
                                        .done_when = "false",
                                        .script = "login hunter2hunter2"})},
                      .hosts = runtime.AllHosts()})})}};
  const RunPlan plan = Engine(&runtime).Plan(pipeline).value();
  EXPECT_THAT(plan.ToText(), AllOf(HasSubstr("[redacted]"), Not(HasSubstr("hunter2hunter2"))));
  const RunReport report = Must(Engine(&runtime).Run(pipeline));
  EXPECT_FALSE(report.ok());
  const std::string journal = directory_.Read("runs/" + report.run + "/journal");
  EXPECT_THAT(journal, Not(HasSubstr("hunter2hunter2")));
  for (const Event& event : report.timeline) {
    EXPECT_THAT(WriteJson(ToJson(event)), Not(HasSubstr("hunter2hunter2")));
  }
  EXPECT_EQ(fleet.host(0).ReadFile("/etc/x"), "password=hunter2hunter2\n");
}

class EngineKillTest : public ::testing::Test {
 protected:
  static constexpr int kFiles = 12;

  // The whole program: a run, or its continuation, on this machine's files.
  Result<RunReport> Program(const std::string& resume) {
    SystemClock clock;
    SystemRandom random;
    SecretRegistry secrets;
    Host host{.name = "here", .connector = MakeLocalConnector({}, &random)};
    Runtime runtime({.cluster = "kill",
                     .hosts = {host},
                     .directory = operator_.path(),
                     .host_directory = host_.File("kubexms"),
                     .secrets = &secrets,
                     .clock = &clock,
                     .random = &random});
    std::vector<StepPtr> steps = {Ensure("directory", {OurDirectory()})};
    for (int i = 0; i < kFiles; ++i) {
      steps.push_back(Ensure(fmt::format("file {}", i),
                             {OurFile(fmt::format("d/{}", i), fmt::format("content {}", i))}));
    }
    steps.push_back(Ensure("existing", {OurFile("existing", "new")}));
    const Pipeline pipeline{
        .name = "p",
        .modules = {MakeModule("m", {{.name = "t", .steps = steps, .hosts = {"here"}}})}};
    if (resume.empty()) return Engine(&runtime).Run(pipeline);
    return resume == "rollback" ? Engine(&runtime).Rollback(Engine(&runtime).Runs()->back())
                                : Engine(&runtime).Resume(pipeline, resume);
  }
  File OurFile(const std::string& name, const std::string& content) const {
    const std::string user = User();
    return {.path = host_.File(name), .content = content, .owner = user, .group = Group()};
  }
  Directory OurDirectory() const {
    return {.path = host_.File("d"), .owner = User(), .group = Group()};
  }
  static std::string User() { return Id("-un"); }
  static std::string Group() { return Id("-gn"); }
  static std::string Id(const char* flag) {
    std::string text;
    const auto ran = MakeLocalTransport()->Execute(
        {.command_line = fmt::format("id {}", flag),
         .on_output = [&](OutputStream, std::string_view bytes) { text += bytes; }});
    EXPECT_TRUE(ran.ok());
    if (!text.empty()) text.pop_back();
    return text;
  }
  // Starts the program and kills it once its journal has so many lines.
  void RunAndKill(int lines) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) ::_exit(Program("").ok() ? 0 : 1);
    while (JournalLines() < lines && ::waitpid(child, nullptr, WNOHANG) == 0) {
      std::this_thread::yield();
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  std::string RunName() const {
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(operator_.File("runs"), none)) {
      return entry.path().filename();
    }
    return {};
  }
  int JournalLines() const {
    const std::string text = operator_.Read("runs/" + RunName() + "/journal");
    return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
  }

  TestDirectory operator_;
  TestDirectory host_;
};

class EngineKillAtTest : public EngineKillTest, public ::testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Lines, EngineKillAtTest, ::testing::Values(1, 2, 3, 8, 15, 24, 29));

TEST_P(EngineKillAtTest, KilledRunCanBeResumedAndRolledBack) {
  host_.Write("existing", "old");
  RunAndKill(GetParam());
  const Result<RunReport> resumed = Program(RunName());
  ASSERT_TRUE(resumed.ok()) << resumed.error().message();
  EXPECT_TRUE(resumed->ok()) << resumed->error->message();
  for (int i = 0; i < kFiles; ++i) {
    EXPECT_EQ(host_.Read(fmt::format("d/{}", i)), fmt::format("content {}", i));
  }
  EXPECT_EQ(host_.Read("existing"), "new");
  EXPECT_FALSE(host_.Has("kubexms/lock"));
  const Result<RunReport> back = Program("rollback");
  ASSERT_TRUE(back.ok() && back->ok());
  EXPECT_EQ(host_.Read("existing"), "old");
  EXPECT_FALSE(host_.Has("d"));
}

}  // namespace
}  // namespace kubexms::automation
