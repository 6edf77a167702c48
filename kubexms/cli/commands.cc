#include "kubexms/cli/commands.h"

namespace kubexms {

Command RootCommand() {
  return {
      .name = "kubexms",
      .summary = "A Kubernetes-compatible control plane in one binary",
      .description =
          "A Kubernetes-compatible control plane in one binary.\n"
          "This version has no server yet; the libraries below it come first.",
      .commands =
          {
              CompletionCommand(),
              CompleteCommand(),
              VersionCommand(),
          },
  };
}

}  // namespace kubexms
