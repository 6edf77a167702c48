#pragma once

// Shell completion. The shell scripts pass the typed words to the hidden command
// `kubexms __complete`, which computes the candidates from the command descriptions.

#include <string>
#include <string_view>
#include <vector>

#include "kubexms/cli/command.h"

namespace kubexms {

struct Candidate {
  std::string word;
  std::string doc;

  bool operator==(const Candidate&) const = default;
};

// The candidates for the last of `words`, which may be incomplete. `words` does not contain the
// program's name.
std::vector<Candidate> Complete(const Command& root, const std::vector<std::string>& words);

// The script for `shell`, which must be "bash", "zsh" or "fish".
std::string_view CompletionScript(std::string_view shell);

}  // namespace kubexms
