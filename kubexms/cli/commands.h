#pragma once

// The commands of the binary, each defined by a function in a file in kubexms/cli/commands. To add
// a command, declare the function here and list the command in RootCommand().

#include "kubexms/cli/command.h"

namespace kubexms {

// `kubexms` with all its commands.
Command RootCommand();

Command AddCommand();
Command AdoptCommand();
Command ArtifactCommand();
Command AuditCommand();
Command CompletionCommand();
// The hidden command that the completion scripts call.
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
