#include "kubexms/cli/commands.h"

namespace kubexms {

Command RootCommand() {
  return {
      .name = "kubexms",
      .summary = "A Kubernetes-compatible control plane in one binary",
      .description = "A Kubernetes-compatible control plane in one binary.",
      .commands =
          {
              ArtifactCommand(),
              AuditCommand(),
              CompletionCommand(),
              CompleteCommand(),
              CrdCommand(),
              CreateCommand(),
              DeleteCommand(),
              DiffCommand(),
              LabCommand(),
              ManagerCommand(),
              NewCommand(),
              PlanCommand(),
              RequestsCommand(),
              ResumeCommand(),
              RollbackCommand(),
              ServerCommand(),
              StatusCommand(),
              VersionCommand(),
          },
  };
}

}  // namespace kubexms
