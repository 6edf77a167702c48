#include "kubexms/cli/commands.h"

namespace kubexms {

Command RootCommand() {
  return {
      .name = "kubexms",
      .summary = "Run Kubernetes-compatible control planes and manage clusters of hosts",
      .description =
          "Run a Kubernetes-compatible API server and its controllers, run the controllers for "
          "any\n"
          "Kubernetes cluster, and create and change clusters of hosts over SSH.",
      .commands =
          {
              AddCommand(),        AdoptCommand(),    ArtifactCommand(), AuditCommand(),
              CompletionCommand(), CompleteCommand(), CrdCommand(),      CreateCommand(),
              DeleteCommand(),     DiffCommand(),     EtcdCommand(),     LabCommand(),
              ManagerCommand(),    NewCommand(),      PlanCommand(),     RemoveCommand(),
              RequestsCommand(),   ResumeCommand(),   RollbackCommand(), ServerCommand(),
              StatusCommand(),     VersionCommand(),
          },
  };
}

}  // namespace kubexms
