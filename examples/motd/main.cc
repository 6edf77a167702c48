// A custom module and pipeline: manages a message of the day on this machine.
//
//   motd plan DIRECTORY       show the changes
//   motd apply DIRECTORY      apply the changes
//   motd rollback DIRECTORY   undo all runs
//
// The message is DIRECTORY/motd; journals and locks are in DIRECTORY/state. Run it as root.

#include <kubexms/automation.h>

#include <filesystem>
#include <iostream>

namespace {

using namespace kubexms;
using namespace kubexms::automation;

// The message names its host, so the resources are a function of the host.
Pipeline MessageOfTheDay(const Runtime& runtime, const std::string& directory) {
  const auto message =
      [directory](const StepContext& context) -> Result<std::vector<HostResource>> {
    return std::vector<HostResource>{
        Directory{.path = directory},
        File{.path = directory + "/motd", .content = "Welcome to " + context.host.name + ".\n"}};
  };
  return {.name = "motd",
          .modules = {MakeModule("motd", {{.name = "write",
                                           .steps = {Ensure("message", message)},
                                           .hosts = runtime.AllHosts()}})}};
}

int Fail(const Error& error) {
  std::cerr << "error: " << error.message() << "\n";
  return 1;
}

int ShowPlan(Engine& engine, const Pipeline& pipeline) {
  const Result<RunPlan> plan = engine.Plan(pipeline);
  if (!plan.ok()) return Fail(plan.error());
  std::cout << plan->ToText();
  return 0;
}

int Finish(const Result<RunReport>& report) {
  if (!report.ok()) return Fail(report.error());
  if (report->error) return Fail(*report->error);
  std::cout << report->changed << " changed, " << report->unchanged << " unchanged\n";
  return report->ExitCode();
}

// Undoes the last run first, so that the state before the first run is restored.
int RollBackAllRuns(Engine& engine) {
  const Result<std::vector<std::string>> runs = engine.Runs();
  if (!runs.ok()) return Fail(runs.error());
  for (auto run = runs->rbegin(); run != runs->rend(); ++run) {
    if (const int code = Finish(engine.Rollback(*run)); code != 0) return code;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: motd plan|apply|rollback DIRECTORY\n";
    return 2;
  }
  const std::string command = argv[1];
  const std::string directory = std::filesystem::absolute(argv[2]);
  std::filesystem::create_directories(directory + "/state");

  SystemClock clock;
  SystemRandom random;
  SecretRegistry secrets;
  Runtime runtime(
      {.cluster = "motd",
       .hosts = {{.name = "this-machine", .connector = MakeLocalConnector({}, &random)}},
       .directory = directory + "/state",
       .host_directory = directory + "/state/host",
       .secrets = &secrets,
       .clock = &clock,
       .random = &random});
  Engine engine(&runtime);
  const Pipeline pipeline = MessageOfTheDay(runtime, directory);
  if (command == "plan") return ShowPlan(engine, pipeline);
  if (command == "apply") return Finish(engine.Run(pipeline));
  if (command == "rollback") return RollBackAllRuns(engine);
  std::cerr << "error: unknown command '" << command << "'\n";
  return 2;
}
