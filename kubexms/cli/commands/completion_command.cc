#include <ostream>

#include "kubexms/cli/commands.h"
#include "kubexms/cli/completion.h"

namespace kubexms {
namespace {

Result<ExitCode> PrintScript(const Invocation& call) {
  call.out() << CompletionScript(call.Value("SHELL"));
  return ExitCode::kDone;
}

Result<ExitCode> PrintCandidates(const Invocation& call) {
  for (const Candidate& candidate : Complete(call.root(), call.All("WORD"))) {
    call.out() << candidate.word << '\t' << candidate.doc << '\n';
  }
  return ExitCode::kDone;
}

}  // namespace

Command CompletionCommand() {
  return {
      .name = "completion",
      .summary = "Print the completion script for a shell",
      .description =
          "Print the completion script for a shell. To load the script in every new shell:\n\n"
          "  bash:  echo 'source <(kubexms completion bash)' >> ~/.bashrc\n"
          "  zsh:   echo 'source <(kubexms completion zsh)' >> ~/.zshrc\n"
          "  fish:  kubexms completion fish > ~/.config/fish/completions/kubexms.fish",
      .arguments = {{.name = "SHELL",
                     .doc = "name of the shell",
                     .choices = {"bash", "zsh", "fish"}}},
      .run = PrintScript,
  };
}

Command CompleteCommand() {
  return {
      .name = "__complete",
      .summary = "Print the completion candidates for the last word",
      .arguments = {{.name = "WORD",
                     .doc = "typed words; the last may be incomplete",
                     .optional = true,
                     .repeated = true}},
      .run = PrintCandidates,
      .hidden = true,
  };
}

}  // namespace kubexms
