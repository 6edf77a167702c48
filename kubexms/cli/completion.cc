#include "kubexms/cli/completion.h"

#include <algorithm>

namespace kubexms {
namespace {

// bash splits words at "=": the script joins the pieces and replaces only the last one.
constexpr std::string_view kBash =
    R"(# kubexms completion for bash:  source <(kubexms completion bash)
_kubexms() {
  local word line glued= words=()
  for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
    if [[ ( $word == '=' || $glued ) && ${#words[@]} -gt 0 ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
    if [[ $word == '=' ]]; then glued=1; else glued=; fi
  done
  COMPREPLY=()
  while IFS= read -r line; do
    line=${line%%$'\t'*}
    COMPREPLY+=("${line#*=}")
  done < <("${COMP_WORDS[0]}" __complete -- "${words[@]}" 2>/dev/null)
}
complete -o default -F _kubexms kubexms
)";

constexpr std::string_view kZsh = R"(#compdef kubexms
# kubexms completion for zsh:  source <(kubexms completion zsh)
_kubexms() {
  local line
  local -a candidates
  "${words[1]}" __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null | while IFS= read -r line; do
    candidates+=("${${line//:/\\:}/$'\t'/:}")
  done
  if (( ${#candidates} )); then _describe 'kubexms' candidates; else _files; fi
}
compdef _kubexms kubexms
)";

constexpr std::string_view kFish =
    R"(# kubexms completion for fish:  kubexms completion fish | source
function __kubexms_complete
  set -l words (commandline -opc) (commandline -ct)
  $words[1] __complete -- $words[2..-1] 2>/dev/null
end
complete -c kubexms -a '(__kubexms_complete)'
)";

bool StartsWith(std::string_view word, std::string_view prefix) {
  return word.substr(0, prefix.size()) == prefix;
}

// The flag of a word like "--output", "--output=json" or "-o"; null for an unknown flag.
const Flag* FindFlag(const Command& command, std::string_view word) {
  const std::string_view name = word.substr(0, word.find('='));
  const auto found =
      std::find_if(command.flags.begin(), command.flags.end(), [&](const Flag& flag) {
        return name == "--" + flag.name || (name.size() == 2 && name[1] == flag.letter);
      });
  return found == command.flags.end() || !StartsWith(word, "-") ? nullptr : &*found;
}

bool TakesNextWord(const Command& command, std::string_view word) {
  const Flag* flag = FindFlag(command, word);
  return flag != nullptr && !flag->value.empty() && word.find('=') == std::string_view::npos;
}

class Completer {
 public:
  explicit Completer(const Command& root) : command_(&root) {}

  // Advances past a complete word.
  void Advance(std::string_view word) {
    if (value_expected_) {
      value_expected_ = false;
    } else if (!flags_ended_ && StartsWith(word, "-")) {
      flags_ended_ = word == "--";
      value_expected_ = TakesNextWord(*command_, word);
      last_flag_ = word;
    } else if (const Command* child = command_->Find(word); child != nullptr) {
      command_ = child;
    } else {
      ++arguments_passed_;
    }
  }

  std::vector<Candidate> Finish(std::string_view prefix) const {
    if (value_expected_) return Matching(prefix, ChoicesOf(FindFlag(*command_, last_flag_)));
    if (!flags_ended_ && StartsWith(prefix, "-")) return FinishFlag(prefix);
    std::vector<Candidate> all;
    for (const Command& child : command_->commands) {
      if (!child.hidden) all.push_back({child.name, child.summary});
    }
    if (const Argument* argument = NextArgument(); argument != nullptr) {
      for (const std::string& choice : argument->choices) all.push_back({choice, argument->doc});
    }
    return Matching(prefix, std::move(all));
  }

 private:
  static std::vector<Candidate> ChoicesOf(const Flag* flag, std::string_view before = "") {
    std::vector<Candidate> all;
    if (flag == nullptr) return all;
    for (const std::string& choice : flag->choices) {
      all.push_back({std::string(before) + choice, flag->doc});
    }
    return all;
  }

  static std::vector<Candidate> Matching(std::string_view prefix, std::vector<Candidate> all) {
    std::erase_if(all, [&](const Candidate& one) { return !StartsWith(one.word, prefix); });
    return all;
  }

  std::vector<Candidate> FinishFlag(std::string_view prefix) const {
    if (const size_t equals = prefix.find('='); equals != std::string_view::npos) {
      return Matching(prefix, ChoicesOf(FindFlag(*command_, prefix), prefix.substr(0, equals + 1)));
    }
    std::vector<Candidate> all;
    for (const Flag& flag : command_->flags) all.push_back({"--" + flag.name, flag.doc});
    all.push_back({"--help", "show this help"});
    return Matching(prefix, std::move(all));
  }

  const Argument* NextArgument() const {
    const std::vector<Argument>& arguments = command_->arguments;
    if (arguments_passed_ < arguments.size()) return &arguments[arguments_passed_];
    return !arguments.empty() && arguments.back().repeated ? &arguments.back() : nullptr;
  }

  const Command* command_;
  std::string_view last_flag_;
  bool value_expected_ = false;
  bool flags_ended_ = false;
  size_t arguments_passed_ = 0;
};

}  // namespace

std::vector<Candidate> Complete(const Command& root, const std::vector<std::string>& words) {
  Completer completer(root);
  if (words.empty()) return completer.Finish("");
  for (size_t i = 0; i + 1 < words.size(); ++i) completer.Advance(words[i]);
  return completer.Finish(words.back());
}

std::string_view CompletionScript(std::string_view shell) {
  if (shell == "bash") return kBash;
  if (shell == "zsh") return kZsh;
  KUBEXMS_CHECK(shell == "fish");
  return kFish;
}

}  // namespace kubexms
