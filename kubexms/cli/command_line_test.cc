#include "kubexms/cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace kubexms {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

Result<ExitCode> PrintAll(const Invocation& call) {
  call.out() << "host=" << call.Value("host") << " format=" << call.Value("format")
             << " force=" << call.Given("force");
  for (const std::string& name : call.All("NAME")) call.out() << " " << name;
  for (const std::string& tag : call.List("tags")) call.out() << " #" << tag;
  call.out() << "\n";
  return ExitCode::kDone;
}

Command TestTree() {
  Command add{
      .name = "add",
      .summary = "Add items",
      .flags =
          {{.name = "host", .letter = 'H', .value = "HOST", .doc = "target host", .required = true},
           {.name = "format",
            .value = "FORMAT",
            .doc = "output format",
            .fallback = "table",
            .choices = {"table", "wide"}},
           {.name = "tags", .value = "TAGS", .doc = "comma-separated tags"},
           {.name = "force", .letter = 'f', .doc = "replace existing items"}},
      .arguments = {{.name = "NAME", .doc = "name of an item", .repeated = true}},
      .run = PrintAll,
  };
  Command fail{.name = "fail", .summary = "Fail", .run = [](const Invocation&) {
                 return Error::NotFound("pods", "web").WithContext("get the Pod");
               }};
  Command partly{.name = "partly", .summary = "Fail on some hosts", .run = [](const Invocation&) {
                   return ExitCode::kSomeHostsFailed;
                 }};
  Command nested{.name = "thing", .summary = "Change items", .commands = {add}};
  Command hidden{
      .name = "secret", .summary = "Run the hidden command", .run = PrintAll, .hidden = true};
  return {.name = "test", .summary = "Run a test", .commands = {nested, fail, partly, hidden}};
}

struct Outcome {
  ExitCode code;
  std::string out;
  std::string err;
};

Outcome Call(const std::vector<std::string>& words) {
  std::ostringstream out;
  std::ostringstream err;
  const ExitCode code = RunCommandLine(TestTree(), words, out, err);
  return {code, out.str(), err.str()};
}

void ExpectWrongUsage(const std::vector<std::string>& words, const std::string& message) {
  const Outcome outcome = Call(words);
  EXPECT_EQ(outcome.code, ExitCode::kWrongUsage);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, StartsWith("error: " + message + "\nRun 'test"));
}

TEST(CommandLineTest, PassesFlagsAndArgumentsToTheCommand) {
  const Outcome outcome = Call({"thing", "add", "-H", "h1", "--force", "a", "b"});
  EXPECT_EQ(outcome.code, ExitCode::kDone);
  EXPECT_EQ(outcome.out, "host=h1 format=table force=1 a b\n");
  EXPECT_EQ(outcome.err, "");
}

TEST(CommandLineTest, AcceptsEqualsSignsAndFlagsAfterArguments) {
  EXPECT_EQ(Call({"thing", "add", "a", "--host=h1", "--format=wide"}).out,
            "host=h1 format=wide force=0 a\n");
}

TEST(CommandLineTest, UsesTheLastValueOfARepeatedFlag) {
  EXPECT_EQ(Call({"thing", "add", "-H", "h1", "-H", "h2", "a"}).out,
            "host=h2 format=table force=0 a\n");
}

TEST(CommandLineTest, JoinsTheValuesOfARepeatedListFlag) {
  EXPECT_THAT(Call({"thing", "add", "-H", "h", "--tags", "a,b", "x", "--tags=c"}).out,
              EndsWith(" x #a #b #c\n"));
}

TEST(CommandLineTest, TreatsWordsAfterTwoDashesAsArguments) {
  EXPECT_EQ(Call({"thing", "add", "-H", "h1", "--", "--force"}).out,
            "host=h1 format=table force=0 --force\n");
}

TEST(CommandLineTest, SuggestsTheNearestCommand) {
  ExpectWrongUsage({"thign"}, R"(unknown command "thign"; did you mean "thing"?)");
  ExpectWrongUsage({"thing", "ad"}, R"(unknown command "ad"; did you mean "add"?)");
  ExpectWrongUsage({"zzz", "-o", "json"}, R"(unknown command "zzz")");
}

TEST(CommandLineTest, NeverSuggestsHiddenCommands) {
  ExpectWrongUsage({"secrets"}, R"(unknown command "secrets")");
}

TEST(CommandLineTest, RefusesUnknownCommandsEvenWithHelp) {
  ExpectWrongUsage({"server", "--help"}, R"(unknown command "server")");
}

TEST(CommandLineTest, SuggestsTheNearestFlag) {
  ExpectWrongUsage({"thing", "add", "-H", "h", "--froce", "a"},
                   R"(unknown flag "--froce"; did you mean "--force"?)");
  ExpectWrongUsage({"thing", "add", "-H", "h", "--fromat=wide", "a"},
                   R"(unknown flag "--fromat"; did you mean "--format"?)");
}

TEST(CommandLineTest, RefusesUnexpectedArgumentsAndValues) {
  ExpectWrongUsage({"fail", "now"}, R"(unexpected argument "now")");
  ExpectWrongUsage({"thing", "add", "-H", "h", "--format", "wire", "a"},
                   R"(--format: "wire" is not one of table, wide; did you mean "wide"?)");
}

TEST(CommandLineTest, NamesTheMissingFlagOrArgument) {
  ExpectWrongUsage({"thing", "add", "a"}, "--host HOST is required");
  ExpectWrongUsage({"thing", "add", "-H", "h"}, "NAME is required: name of an item");
  ExpectWrongUsage({"thing", "add", "a", "--host"}, "--host requires a value");
}

TEST(CommandLineTest, ShowsHelpWithoutACommand) {
  const Outcome outcome = Call({});
  EXPECT_EQ(outcome.code, ExitCode::kWrongUsage);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, StartsWith("usage: test COMMAND\n"));
}

TEST(CommandLineTest, HelpOmitsHiddenCommands) {
  EXPECT_EQ(Call({"--help"}).out,
            "usage: test COMMAND\n"
            "\n"
            "Run a test.\n"
            "\n"
            "Commands:\n"
            "  thing   Change items\n"
            "  fail    Fail\n"
            "  partly  Fail on some hosts\n"
            "\n"
            "Flags:\n"
            "  -h, --help  show this help\n"
            "\n"
            "Run 'test COMMAND --help' for the flags of a command.\n");
}

TEST(CommandLineTest, HelpTakesPrecedenceOverMissingArguments) {
  const Outcome outcome = Call({"thing", "add", "-h"});
  EXPECT_EQ(outcome.code, ExitCode::kDone);
  EXPECT_EQ(outcome.out,
            "usage: test thing add --host HOST [FLAGS] NAME...\n"
            "\n"
            "Add items.\n"
            "\n"
            "Arguments:\n"
            "  NAME  name of an item\n"
            "\n"
            "Flags:\n"
            "  -H, --host HOST      target host (required)\n"
            "      --format FORMAT  output format: table, wide (defaults to table)\n"
            "      --tags TAGS      comma-separated tags\n"
            "  -f, --force          replace existing items\n"
            "  -h, --help           show this help\n");
}

TEST(CommandLineTest, PrintsTheErrorOfACommandAndFails) {
  const Outcome outcome = Call({"fail"});
  EXPECT_EQ(outcome.code, ExitCode::kFailed);
  EXPECT_EQ(outcome.err, "error: get the Pod: pods \"web\" not found\n");
}

TEST(CommandLineTest, ReturnsTheExitCodeOfTheCommand) {
  EXPECT_EQ(Call({"partly"}).code, ExitCode::kSomeHostsFailed);
}

TEST(CommandLineTest, FailsWhenTheOutputCannotBeWritten) {
  std::ostringstream out;
  std::ostringstream err;
  out.setstate(std::ios::badbit);
  EXPECT_EQ(RunCommandLine(TestTree(), {"--help"}, out, err), ExitCode::kFailed);
  EXPECT_EQ(err.str(), "error: cannot write to the standard output\n");
}

TEST(InvocationDeathTest, AbortsOnAnUndeclaredFlag) {
  const Command command{.name = "x", .summary = "x"};
  std::ostringstream out;
  const Invocation call(command, command, {}, out, out);
  EXPECT_DEATH(call.Given("output"), "check failed");
}

}  // namespace
}  // namespace kubexms
