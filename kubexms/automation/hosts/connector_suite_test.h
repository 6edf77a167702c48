#pragma once

// What every connector to a real host has to do, as functions that tests of each of them call.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "kubexms/automation/hosts/checksum.h"
#include "kubexms/automation/hosts/connector.h"
#include "kubexms/base/test_directory_test.h"

namespace kubexms::automation {

// The answer of a single operation.
template <class Op>
typename Op::ResultType MustPerform(Connector& connector, const Op& operation) {
  Result<std::vector<OperationResult>> results = connector.Perform({operation});
  if (!results.ok()) {
    ADD_FAILURE() << results.error().message();
    return {};
  }
  return std::get<typename Op::ResultType>((*results)[0]);
}

inline CommandResult MustExec(Connector& connector, const Command& command) {
  Result<CommandResult> result = connector.Exec(command);
  if (result.ok()) return *result;
  ADD_FAILURE() << result.error().message();
  return {};
}

inline void RunsCommands(Connector& connector) {
  const CommandResult result = MustExec(connector, {.script = "pwd; cat; echo $WORD >&2; exit 7",
                                                    .environment = {{"WORD", "it's $HOME"}},
                                                    .directory = "/usr",
                                                    .input = "line 1\nline 2"});
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(result.output, "/usr\nline 1\nline 2");
  EXPECT_EQ(result.error_output, "it's $HOME\n");
}

inline void StreamsOutputWhileTheCommandRuns(Connector& connector) {
  // The command goes on only once we have seen its first line: we let it by making a file.
  const TestDirectory directory;
  std::string seen;
  const Command command{.script = "echo first; until [ -e " + directory.File("go") +
                                  " ]; do sleep 0.01; done; echo second"};
  Result<CommandResult> result = connector.Exec(command,
                                                [&](OutputStream, std::string_view bytes) {
                                                  seen += bytes;
                                                  if (seen == "first\n") directory.Write("go", "");
                                                },
                                                {});
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(seen, "first\nsecond\n");
}

inline void RetainsTheEndOfLongOutput(Connector& connector) {
  const CommandResult result =
      MustExec(connector, {.script = "seq 1 200000; echo end", .max_output = 1000});
  EXPECT_TRUE(result.truncated);
  EXPECT_EQ(result.output.size(), 1000u);
  EXPECT_TRUE(result.output.ends_with("200000\nend\n"));
}

// A time that no other process on the machine sleeps for, not even another test.
inline std::string UniqueSeconds(int number) {
  return std::to_string(1'000'000 + 10 * static_cast<int64_t>(::getpid()) + number);
}

inline bool IsSleeping(Connector& connector, const std::string& seconds) {
  return MustPerform(connector,
                     Probe{"for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' <$f 2>/dev/null; "
                           "echo; done | grep -q '^sleep " +
                           seconds + " '"})
             .exit_code == 0;
}

inline void EndsTheProcessTreeAtTheTimeout(Connector& connector) {
  const std::string first = UniqueSeconds(1);
  const std::string second = UniqueSeconds(2);
  const Command command{.script = "setsid sleep " + first + " >/dev/null 2>&1 & sleep " + second,
                        .timeout = std::chrono::milliseconds(300)};
  const Result<CommandResult> result = connector.Exec(command);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().reason(), "Timeout") << result.error().message();
  EXPECT_FALSE(IsSleeping(connector, first));
  EXPECT_FALSE(IsSleeping(connector, second));
}

inline void EndsTheProcessTreeWhenStopped(Connector& connector) {
  std::stop_source stop;
  const Result<CommandResult> result = connector.Exec(
      {.script = "echo started; exec sleep " + UniqueSeconds(3)},
      [&](OutputStream, std::string_view) { stop.request_stop(); }, stop.get_token());
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(IsCanceled(result.error())) << result.error().message();
  EXPECT_FALSE(IsSleeping(connector, UniqueSeconds(3)));
}

inline void RunsManyCommandsAtOnce(Connector& connector) {
  constexpr int kThreads = 8;
  std::atomic<int> right = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const std::string word = "word " + std::to_string(i);
      const Result<CommandResult> result = connector.Exec({.script = "cat", .input = word});
      if (result.ok() && result->output == word) ++right;
      EXPECT_TRUE(result.ok()) << result.error().message();
    });
  }
  threads.clear();
  EXPECT_EQ(right, kThreads);
}

inline void UploadsAndDownloadsFiles(Connector& connector) {
  const TestDirectory directory;
  std::string bytes;
  for (int i = 0; i < 300'000; ++i) bytes += static_cast<char>(i * 31 >> 3);
  directory.Write("source", bytes);
  ASSERT_TRUE(connector
                  .Upload({.source = directory.File("source"),
                           .path = directory.File("it's there"),
                           .mode = "0640"},
                          {})
                  .ok());
  const PathState state = MustPerform(connector, GetPath{directory.File("it's there")});
  EXPECT_EQ(state.kind, "file");
  EXPECT_EQ(state.mode, "0640");
  EXPECT_EQ(state.sha256, Sha256Of(bytes));
  const UploadRequest part{.source = FilePart(directory.File("source"), 1000, 200'000),
                           .sha256 = Sha256Of(bytes.substr(1000, 200'000)),
                           .path = directory.File("part")};
  ASSERT_TRUE(connector.Upload(part, {}).ok());
  EXPECT_EQ(directory.Read("part"), bytes.substr(1000, 200'000));
  UploadRequest altered = part;
  altered.sha256 = Sha256Of(bytes);
  altered.path = directory.File("altered");
  EXPECT_FALSE(connector.Upload(altered, {}).ok());
  EXPECT_FALSE(directory.Has("altered"));
  const Result<void> back = connector.Download(
      {.path = directory.File("it's there"), .destination = directory.File("back")}, {});
  ASSERT_TRUE(back.ok()) << back.error().message();
  EXPECT_EQ(directory.Read("back"), bytes);
  const Result<void> missing = connector.Download(
      {.path = directory.File("none"), .destination = directory.File("not made")}, {});
  EXPECT_FALSE(missing.ok());
  EXPECT_FALSE(directory.Has("not made"));
}

}  // namespace kubexms::automation
