#pragma once

// A command of the `kubexms` binary is data: a name, flags, arguments, and the function that runs
// the command. Parsing, --help, error messages and shell completion use this one description, so
// all commands behave alike.
//
//   Command HelloCommand() {
//     return {.name = "hello",
//             .summary = "Greet a person",
//             .flags = {{.name = "loud", .doc = "end the greeting with an exclamation mark"}},
//             .arguments = {{.name = "NAME", .doc = "name of the person"}},
//             .run = [](const Invocation& call) -> Result<ExitCode> {
//               call.out() << "Hello " << call.Value("NAME") << (call.Given("loud") ? "!" : "");
//               return ExitCode::kDone;
//             }};
//   }
//
// To add a command, write such a function in a file of its own, declare the function in commands.h
// and list the command in commands.cc. command_words_test.cc checks the words: summaries and
// descriptions begin with an imperative, and every flag and argument has a doc.

#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/base/result.h"

namespace kubexms {

class Invocation;

enum class ExitCode {
  kDone = 0,
  kFailed = 1,
  kWrongUsage = 2,
  kDiffers = 2,  // of commands that compare, as diff(1) does with 1
  kSomeHostsFailed = 3,
};

// `--name`, and `-l` when `letter` is set. A flag without a `value` is a switch.
struct Flag {
  std::string name;
  char letter = 0;
  std::string value;                 // placeholder of the value in --help, for example "FORMAT"
  std::string doc;                   // noun phrase or imperative, without a full stop
  std::string fallback;              // the default, which --help shows
  std::vector<std::string> choices;  // allowed values; empty allows every value
  bool required = false;
};

// A positional argument. Only the last argument of a command may be optional or repeated.
struct Argument {
  std::string name;  // in capitals, as in --help
  std::string doc;   // noun phrase without a full stop
  std::vector<std::string> choices;
  bool optional = false;
  bool repeated = false;
};

struct Command {
  std::string name;
  std::string summary;      // imperative with an object, one line, without a full stop
  std::string description;  // printed by the command's own --help; defaults to the summary
  std::vector<Flag> flags = {};
  std::vector<Argument> arguments = {};
  // A command has either subcommands or `run`. An Error of `run` is printed, and the exit code is
  // 1.
  std::vector<Command> commands = {};
  std::function<Result<ExitCode>(const Invocation&)> run = {};
  bool hidden = false;  // runs, but is not listed in --help

  // The subcommand with the name `child`, or null.
  const Command* Find(std::string_view child) const;
};

// One invocation of a command: the values from the command line and the output streams. Reading a
// flag or an argument that the command does not declare is a bug and aborts the process.
class Invocation {
 public:
  using Values = std::map<std::string, std::vector<std::string>, std::less<>>;

  // `given` has the values from the command line, by the names of flags and arguments. The commands
  // and streams are borrowed.
  Invocation(const Command& root, const Command& command, Values given, std::ostream& out,
             std::ostream& err);

  // True when the flag or argument was on the command line.
  bool Given(std::string_view name) const;
  // The last value on the command line, else the default, else an empty string.
  std::string Value(std::string_view name) const;
  // All values from the command line, in order. Does not return the default.
  const std::vector<std::string>& All(std::string_view name) const;
  // The comma-separated parts of all values, or of the default: "a,b" and then "c" are three parts.
  std::vector<std::string> List(std::string_view name) const;

  // The result of the command.
  std::ostream& out() const { return out_; }
  // Progress, warnings and hints.
  std::ostream& err() const { return err_; }
  // The root of the binary's command tree.
  const Command& root() const { return root_; }

 private:
  void CheckDeclared(std::string_view name) const;

  const Command& root_;
  const Command& command_;
  const Values given_;
  std::ostream& out_;
  std::ostream& err_;
};

}  // namespace kubexms
