#include "kubexms/cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>
#include <ostream>
#include <utility>

#include "kubexms/cli/help.h"
#include "kubexms/cli/suggest.h"

namespace kubexms {
namespace {

// A command with its CLI11 parser. Unknown words, required flags and choices are checked after
// CLI11 has parsed, so that --help takes precedence and all messages have the same form.
struct Parsed {
  const Command* command;
  CLI::App* app;
  std::string path;                                           // "kubexms version"
  std::vector<std::pair<std::string, CLI::Option*>> options;  // by flag or argument name
  CLI::Option* help = nullptr;
};

class Parser {
 public:
  explicit Parser(const Command& root) {
    app_.set_help_flag();
    Add(root, &app_, root.name);
  }

  // The commands on the path that `words` select, outermost first. Borrowed from the parser.
  Result<std::vector<const Parsed*>> Parse(std::vector<std::string> words) {
    std::reverse(words.begin(), words.end());  // CLI11 pops words from the back
    try {
      app_.parse(std::move(words));
    } catch (const CLI::ArgumentMismatch& error) {
      const std::string_view text = error.what();  // "--output: 1 required …"
      return Error::BadRequest(fmt::format("{} requires a value", text.substr(0, text.find(':'))));
    } catch (const CLI::ParseError& error) {
      return Error::BadRequest(error.what());
    }
    std::vector<const Parsed*> named;
    for (const Parsed& parsed : commands_) {
      if (parsed.app->parsed()) named.push_back(&parsed);
    }
    return named;
  }

 private:
  void Add(const Command& command, CLI::App* app, const std::string& path) {
    app->allow_extras();
    app->require_subcommand(0, 1);
    Parsed parsed{&command, app, path, {}, app->add_flag("-h,--help")};
    for (const Flag& flag : command.flags) {
      parsed.options.emplace_back(flag.name, AddFlag(flag, app));
    }
    for (const Argument& argument : command.arguments) {
      CLI::Option* option = app->add_option(argument.name)->allow_extra_args(argument.repeated);
      option->expected(1, argument.repeated ? CLI::detail::expected_max_vector_size : 1);
      parsed.options.emplace_back(argument.name, option);
    }
    commands_.push_back(std::move(parsed));
    for (const Command& child : command.commands) {
      CLI::App* child_app = app->add_subcommand(child.name);
      child_app->set_help_flag();
      Add(child, child_app, path + " " + child.name);
    }
  }

  static CLI::Option* AddFlag(const Flag& flag, CLI::App* app) {
    std::string names = "--" + flag.name;
    if (flag.letter != 0) names += fmt::format(",-{}", flag.letter);
    if (flag.value.empty()) return app->add_flag(names);
    return app->add_option(names)->expected(1)->allow_extra_args(false)->multi_option_policy(
        CLI::MultiOptionPolicy::TakeAll);
  }

  CLI::App app_;
  std::deque<Parsed> commands_;  // parents before children
};

std::string Quoted(std::string_view word) { return fmt::format("\"{}\"", word); }

std::string DidYouMean(const std::string& suggestion) {
  return suggestion.empty() ? std::string() : fmt::format("; did you mean {}?", Quoted(suggestion));
}

std::vector<std::string> VisibleCommands(const Command& command) {
  std::vector<std::string> names;
  for (const Command& child : command.commands) {
    if (!child.hidden) names.push_back(child.name);
  }
  return names;
}

Error UnknownWord(const Command& command, const std::string& word) {
  if (word.size() > 1 && word[0] == '-') {
    std::vector<std::string> names{"--help"};
    for (const Flag& flag : command.flags) names.push_back("--" + flag.name);
    const std::string name = word.substr(0, word.find('='));
    return Error::BadRequest(
        fmt::format("unknown flag {}{}", Quoted(name), DidYouMean(Suggest(name, names))));
  }
  if (!command.commands.empty()) {
    return Error::BadRequest(fmt::format("unknown command {}{}", Quoted(word),
                                         DidYouMean(Suggest(word, VisibleCommands(command)))));
  }
  return Error::BadRequest(fmt::format("unexpected argument {}", Quoted(word)));
}

Result<void> CheckChoice(std::string_view name, const std::vector<std::string>& choices,
                         const std::vector<std::string>& values) {
  for (const std::string& value : values) {
    if (choices.empty() || std::find(choices.begin(), choices.end(), value) != choices.end()) {
      continue;
    }
    return Error::BadRequest(fmt::format("{}: {} is not one of {}{}", name, Quoted(value),
                                         fmt::join(choices, ", "),
                                         DidYouMean(Suggest(value, choices))));
  }
  return {};
}

// The values from the command line, or the first violation of a flag's or an argument's rules.
Result<Invocation::Values> CheckedValues(const Parsed& parsed) {
  Invocation::Values given;
  for (const auto& [name, option] : parsed.options) {
    if (option->count() > 0) given[name] = option->results();
  }
  for (const Flag& flag : parsed.command->flags) {
    const auto found = given.find(flag.name);
    if (found != given.end()) {
      if (flag.value.empty()) continue;
      RETURN_IF_ERROR(CheckChoice("--" + flag.name, flag.choices, found->second));
    } else if (flag.required) {
      return Error::BadRequest(fmt::format("--{} {} is required", flag.name, flag.value));
    }
  }
  for (const Argument& argument : parsed.command->arguments) {
    const auto found = given.find(argument.name);
    if (found != given.end()) {
      RETURN_IF_ERROR(CheckChoice(argument.name, argument.choices, found->second));
    } else if (!argument.optional) {
      return Error::BadRequest(fmt::format("{} is required: {}", argument.name, argument.doc));
    }
  }
  return given;
}

ExitCode Fail(const Error& error, std::ostream& err) {
  err << "error: " << error.message() << "\n";
  return ExitCode::kFailed;
}

ExitCode WrongUsage(const Error& error, std::string_view path, std::ostream& err) {
  err << fmt::format("error: {}\nRun '{} --help' for usage.\n", error.message(), path);
  return ExitCode::kWrongUsage;
}

ExitCode Dispatch(const Command& root, const std::vector<std::string>& words, std::ostream& out,
                  std::ostream& err) {
  Parser parser(root);
  const auto named = parser.Parse(words);
  if (!named.ok()) return WrongUsage(named.error(), root.name, err);
  for (const Parsed* parsed : *named) {
    auto unknown = parsed->app->remaining();
    std::erase(unknown, "--");  // CLI11 reports the separator as a remaining word
    if (unknown.empty()) continue;
    return WrongUsage(UnknownWord(*parsed->command, unknown.front()), parsed->path, err);
  }
  const Parsed& innermost = *named->back();
  const std::string help = FormatHelp(*innermost.command, innermost.path);
  if (innermost.help->count() > 0) {
    out << help;
    return ExitCode::kDone;
  }
  if (!innermost.command->run) {
    err << help;
    return ExitCode::kWrongUsage;
  }
  auto values = CheckedValues(innermost);
  if (!values.ok()) return WrongUsage(values.error(), innermost.path, err);
  const Invocation call(root, *innermost.command, std::move(values).value(), out, err);
  const auto code = innermost.command->run(call);
  return code.ok() ? *code : Fail(code.error(), err);
}

}  // namespace

ExitCode RunCommandLine(const Command& root, const std::vector<std::string>& words,
                        std::ostream& out, std::ostream& err) {
  const ExitCode code = Dispatch(root, words, out, err);
  if (!out.flush()) return Fail(Error::Internal("cannot write to the standard output"), err);
  return code;
}

}  // namespace kubexms
