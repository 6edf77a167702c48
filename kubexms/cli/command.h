#pragma once

// A command of the `kubexms` binary is data: its name, its flags and arguments, and the function
// that does the work. Parsing, --help, error messages and shell completion all come from this one
// description, so a command says each thing once and all commands behave alike.
//
//   Command HelloCommand() {
//     return {.name = "hello",
//             .summary = "Greet someone",
//             .flags = {{.name = "loud", .doc = "in capitals"}},
//             .arguments = {{.name = "NAME", .doc = "whom to greet"}},
//             .run = [](const Invocation& call) -> Result<ExitCode> {
//               call.out() << "Hello " << call.Value("NAME") << (call.Given("loud") ? "!" : "");
//               return ExitCode::kDone;
//             }};
//   }
//
// A new command is one such function in its own file and one line in commands.cc.

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

// `--name`, and `-l` when there is a letter. Without a `value` it is a switch.
struct Flag {
  std::string name;
  char letter = 0;
  std::string value;  // how --help calls its value, for example "FORMAT"
  std::string doc;
  std::string fallback;              // the value when the flag is not given
  std::vector<std::string> choices;  // when not empty, the only values allowed
  bool required = false;
};

// What stands without a flag, in this order. Only the last may be optional or repeated.
struct Argument {
  std::string name;  // in capitals, as --help shows it
  std::string doc;
  std::vector<std::string> choices;
  bool optional = false;
  bool repeated = false;
};

struct Command {
  std::string name;
  std::string summary;      // one line without a full stop, in the list of commands
  std::string description;  // more, in the command's own --help
  std::vector<Flag> flags = {};
  std::vector<Argument> arguments = {};
  // Either commands below this one, or the work itself. An Error is printed and exits with 1.
  std::vector<Command> commands = {};
  std::function<Result<ExitCode>(const Invocation&)> run = {};
  bool hidden = false;  // works, but is not listed

  // The command below this one, or null.
  const Command* Find(std::string_view child) const;
};

// One call of a command: the values from the command line and where to write. Asking for a flag or
// an argument that the command does not declare is a bug and ends the program.
class Invocation {
 public:
  using Values = std::map<std::string, std::vector<std::string>, std::less<>>;

  // `given` has what stood on the command line, by the names of flags and arguments. Everything is
  // borrowed.
  Invocation(const Command& root, const Command& command, Values given, std::ostream& out,
             std::ostream& err);

  // True when the flag or argument was on the command line.
  bool Given(std::string_view name) const;
  // The value given last, or the fallback, or an empty string.
  std::string Value(std::string_view name) const;
  // All values, in order; empty when not given.
  const std::vector<std::string>& All(std::string_view name) const;
  // What stands between commas, in all values or the fallback: "a,b" and then "c" are three.
  std::vector<std::string> List(std::string_view name) const;

  // For what was asked for.
  std::ostream& out() const { return out_; }
  // For progress, warnings and hints.
  std::ostream& err() const { return err_; }
  // The binary's whole tree of commands.
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
