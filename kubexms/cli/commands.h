#pragma once

// The commands of the binary, each made by a function in a file of its own. A new command is a
// declaration here and a line in RootCommand().

#include "kubexms/cli/command.h"

namespace kubexms {

// `kubexms` itself, with all commands below it.
Command RootCommand();

Command AddCommand();
Command AdoptCommand();
Command ArtifactCommand();
Command AuditCommand();
Command CompletionCommand();
// What the completion scripts call.
Command CompleteCommand();
Command CrdCommand();
Command LabCommand();
Command CreateCommand();
Command DeleteCommand();
Command DiffCommand();
Command EtcdCommand();
Command ManagerCommand();
Command NewCommand();
Command PlanCommand();
Command RemoveCommand();
Command RequestsCommand();
Command ResumeCommand();
Command RollbackCommand();
Command ServerCommand();
Command StatusCommand();
Command VersionCommand();

}  // namespace kubexms
