#include "kubexms/controller/manager/program.h"

#include <CLI/CLI.hpp>
#include <iostream>

#include "kubexms/api/crd/crd.h"
#include "kubexms/base/json/yaml.h"
#include "kubexms/base/threads/stop.h"
#include "kubexms/client/credentials/kubeconfig.h"
#include "kubexms/controller/manager/manager_process.h"
#include "kubexms/controller/manager/rbac.h"
#include "kubexms/controller/requests/audit_record.h"

namespace kubexms {
namespace {

constexpr std::string_view kDefaultEndpoints = "127.0.0.1:8081";

struct Flags {
  std::string kubeconfig;
  std::string context;
  std::string namespace_name;
  std::string config;
  std::vector<std::string> settings;
  bool leader_elect = false;
  bool print_crds = false;
  bool print_rbac = false;
};

void Declare(Flags& flags, CLI::App& app) {
  app.add_option("--kubeconfig", flags.kubeconfig,
                 "path of the kubeconfig; defaults to $KUBECONFIG, ~/.kube/config or the service "
                 "account of the pod");
  app.add_option("--context", flags.context,
                 "context of the kubeconfig; defaults to its current context");
  app.add_option("--namespace", flags.namespace_name,
                 "namespace of the Lease, which defaults to that of the pod or of the context, and "
                 "of the printed ServiceAccount, which defaults to \"default\"");
  app.add_option("--config", flags.config, "path of the configuration file (YAML)");
  app.add_option("--set", flags.settings,
                 "override one field of the configuration: controllers.NAME.maxRetries=4, "
                 "endpointsAddress=0.0.0.0:8081, log.level=debug; may be repeated");
  app.add_flag("--leader-elect", flags.leader_elect,
               "enable leader election, so that only one replica reconciles");
  app.add_flag("--print-crds", flags.print_crds,
               "print the CustomResourceDefinitions of the program and exit");
  app.add_flag("--print-rbac", flags.print_rbac, "print the RBAC roles of the program and exit");
}

void Print(const std::vector<Json>& objects) {
  for (const Json& object : objects) std::cout << "---\n" << WriteYaml(object);
}

void PrintManifests(const ManagerProgram& program, const Flags& flags) {
  std::vector<Json> objects;
  if (flags.print_crds) {
    for (const TypeInfo* kind : program.kinds) {
      Json crd = MakeCrd(*kind);
      objects.push_back(program.record_creators ? WithRecordedCreators(std::move(crd)) : crd);
    }
  }
  if (flags.print_rbac) {
    const RoleOptions options{
        .name = program.name,
        .namespace_name = flags.namespace_name.empty() ? "default" : flags.namespace_name};
    for (Json& object : RolesFor(program.controllers, options))
      objects.push_back(std::move(object));
  }
  Print(objects);
}

Result<void> Serve(const ManagerProgram& program, const Flags& flags, std::stop_token stop) {
  std::vector<std::string> settings = flags.settings;
  if (flags.leader_elect) settings.push_back("leaderElection.enabled=true");
  ASSIGN_OR_RETURN(ManagerConfiguration configuration,
                   ManagerConfiguration::ReadFile(flags.config, settings));
  ASSIGN_OR_RETURN(ClientConfig server,
                   LoadClientConfig({.kubeconfig = flags.kubeconfig, .context = flags.context}));
  ManagerOptions defaults{.endpoints_address = std::string(kDefaultEndpoints)};
  if (configuration.leader_election.enabled.value_or(false)) {
    const std::string& namespace_name =
        flags.namespace_name.empty() ? server.namespace_name : flags.namespace_name;
    defaults.leader_election = LeaderElectionOptions{.namespace_name = namespace_name};
  }
  ASSIGN_OR_RETURN(const auto process,
                   ManagerProcess::Make(program.name, std::move(configuration), std::move(server)));
  Manager manager(process->Complete(std::move(defaults)));
  for (const Controller& controller : program.controllers) manager.Add(controller);
  if (program.setup) program.setup(manager);
  return manager.Run(std::move(stop));
}

}  // namespace

int RunManagerProgram(int argc, char** argv, const ManagerProgram& program) {
  Flags flags;
  CLI::App app(program.description, program.name);
  Declare(flags, app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    return code == 0 ? 0 : 2;
  }
  if (flags.print_crds || flags.print_rbac) {
    PrintManifests(program, flags);
    return 0;
  }
  const StopSignals signals;
  const Result<void> served = Serve(program, flags, signals.token());
  if (served.ok()) return 0;
  std::cerr << "error: " << served.error().message() << "\n";
  return 1;
}

}  // namespace kubexms
