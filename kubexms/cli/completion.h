#pragma once

// Shell completion. The scripts are small: they hand the words typed so far to the hidden command
// `kubexms __complete`, which answers from the same descriptions that parsing and --help use.

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

// What may stand in place of the last of `words`; the words before it are complete. The program's
// own name is not among them.
std::vector<Candidate> Complete(const Command& root, const std::vector<std::string>& words);

// The script for "bash", "zsh" or "fish"; another shell is a bug of the caller.
std::string_view CompletionScript(std::string_view shell);

}  // namespace kubexms
