#include "kubexms/cli/commands.h"

namespace kubexms {

Command RootCommand() {
  return {
      .name = "kubexms",
      .summary = "A Kubernetes-compatible control plane in one binary",
      .description = "A Kubernetes-compatible control plane in one binary.",
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
