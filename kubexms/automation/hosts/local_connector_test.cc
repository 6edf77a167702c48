#include "kubexms/automation/hosts/local_connector.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubexms/automation/hosts/connector_suite_test.h"
#include "kubexms/automation/hosts/namespace_transport_test.h"

namespace kubexms::automation {
namespace {

using ::testing::HasSubstr;

// Loses the end of what is sent: whoever sent it is no more.
class CutTransport final : public Transport {
 public:
  explicit CutTransport(size_t lost) : lost_(lost) {}

  Result<int> Execute(const Execution& execution) override {
    std::string input;
    for (;;) {
      ASSIGN_OR_RETURN(const std::string piece, execution.input());
      if (piece.empty()) break;
      input += piece;
    }
    input.resize(input.size() - std::min(lost_, input.size()));
    Execution cut = execution;
    cut.input = [input]() mutable -> Result<std::string> { return std::exchange(input, ""); };
    return whole_->Execute(cut);
  }
  bool IsRoot() const override { return true; }

 private:
  const size_t lost_;
  const std::unique_ptr<Transport> whole_ = MakeLocalTransport();
};

class LocalConnectorTest : public ::testing::Test {
 protected:
  SystemRandom random_;
  std::unique_ptr<Connector> connector_ = MakeLocalConnector({}, &random_);
  TestDirectory directory_;
};

TEST_F(LocalConnectorTest, RunsCommands) { RunsCommands(*connector_); }
TEST_F(LocalConnectorTest, StreamsOutput) { StreamsOutputWhileTheCommandRuns(*connector_); }
TEST_F(LocalConnectorTest, RetainsTheEndOfLongOutput) { RetainsTheEndOfLongOutput(*connector_); }
TEST_F(LocalConnectorTest, KillsAllProcessesAtTheTimeout) {
  EndsTheProcessTreeAtTheTimeout(*connector_);
}
TEST_F(LocalConnectorTest, KillsAllProcessesOnStop) { EndsTheProcessTreeWhenStopped(*connector_); }
TEST_F(LocalConnectorTest, RunsManyCommandsAtOnce) { RunsManyCommandsAtOnce(*connector_); }
TEST_F(LocalConnectorTest, UploadsAndDownloadsFiles) { UploadsAndDownloadsFiles(*connector_); }

TEST_F(LocalConnectorTest, PerformsManyOperationsInOneRoundTrip) {
  const std::string path = directory_.File("x");
  const uint64_t before = connector_->round_trips();
  const auto results = connector_->Perform({GetPath{path}, WriteFile{.path = path, .content = "a"},
                                            GetPath{path, true}, GetSystemFacts{}});
  ASSERT_TRUE(results.ok()) << results.error().message();
  EXPECT_EQ(connector_->round_trips(), before + 1);
  EXPECT_EQ(std::get<PathState>((*results)[0]).kind, "absent");
  EXPECT_EQ(std::get<PathState>((*results)[2]).content, "a");
  EXPECT_FALSE(std::get<SystemFacts>((*results)[3]).kernel.empty());
}

TEST_F(LocalConnectorTest, StopsAtTheFirstFailedOperationAndNamesIt) {
  const auto results = connector_->Perform(
      {RunScript{"echo oh >&2; exit 3"}, WriteFile{.path = directory_.File("x")}});
  ASSERT_FALSE(results.ok());
  EXPECT_THAT(results.error().message(), HasSubstr("run script echo oh"));
  EXPECT_THAT(results.error().message(), HasSubstr("exit code 3: oh"));
  EXPECT_FALSE(directory_.Has("x"));
}

TEST_F(LocalConnectorTest, WritesAnyBytesAndTheirAttributes) {
  std::string bytes = "a=b\n\nkind=link\n";
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  const std::string path = directory_.File("name with 'quotes' and $signs");
  MustPerform(*connector_, WriteFile{.path = path, .mode = "0600", .content = bytes});
  const PathState state = MustPerform(*connector_, GetPath{path, true});
  EXPECT_EQ(state.kind, "file");
  EXPECT_EQ(state.mode, "0600");
  EXPECT_EQ(state.size, static_cast<int64_t>(bytes.size()));
  EXPECT_EQ(state.content, bytes);
  EXPECT_EQ(state.target, "");
  EXPECT_GT(state.modified_ns, 1'600'000'000'000'000'000);
}

TEST_F(LocalConnectorTest, RemovesTheTemporaryFileWhenAWriteFails) {
  EXPECT_FALSE(connector_->Perform({WriteFile{.path = directory_.File("no/x")}}).ok());
  MustPerform(*connector_, MakeDirectory{.path = directory_.File("d")});
  EXPECT_FALSE(connector_->Perform({WriteFile{.path = directory_.File("d")}}).ok());
  EXPECT_FALSE(
      connector_->Perform({WriteFile{.path = directory_.File("y"), .owner = "no-such-user"}}).ok());
  EXPECT_EQ(MustPerform(*connector_, Probe{"ls -A " + directory_.path()}).output, "d\n");
}

// Of "rm -rf /srv/new" not even "rm -rf /srv" is done.
TEST_F(LocalConnectorTest, DoesNotRunATruncatedScript) {
  directory_.Write("kept/x", "");
  const std::string remove = "rm -r " + directory_.File("kept");
  for (const size_t lost : {2, 20, 43, 44, 45, 60}) {
    const auto connector = MakeShellConnector(std::make_unique<CutTransport>(lost), {}, &random_);
    EXPECT_FALSE(connector->Perform({RunScript{remove}, RunScript{remove + "/x"}}).ok()) << lost;
    const Result<CommandResult> ran = connector->Exec({.script = remove + "\n" + remove + "/x"});
    EXPECT_TRUE(ran.ok() && ran->exit_code == 125) << lost;
    EXPECT_TRUE(directory_.Has("kept/x")) << lost;
  }
}

TEST_F(LocalConnectorTest, RemovesATruncatedUpload) {
  const auto connector = MakeShellConnector(std::make_unique<CutTransport>(5), {}, &random_);
  const std::string source = directory_.Write("from", "0123456789");
  EXPECT_FALSE(connector->Upload({.source = source, .path = directory_.File("to")}, {}).ok());
  EXPECT_EQ(MustPerform(*connector_, Probe{"ls -A " + directory_.path()}).output, "from\n");
}

TEST_F(LocalConnectorTest, RemovesLeftoversOfKilledCommands) {
  const std::string path = directory_.File("x"), left = ".kubexms.x.abcdef";
  directory_.Write("backup", "old");
  const std::vector<Operation> operations = {
      WriteFile{.path = path, .content = "new"}, MakeLink{.path = path, .target = "to"},
      RestorePath{path, directory_.File("backup")}, RemovePath{.path = path}};
  for (const Operation& operation : operations) {
    directory_.Write(left, "");
    directory_.Write(".kubexms.another.abcdef", "");
    EXPECT_TRUE(connector_->Perform({operation}).ok()) << OperationName(operation);
    EXPECT_FALSE(directory_.Has(left)) << OperationName(operation);
  }
  directory_.Write(left, "");
  EXPECT_TRUE(connector_->Upload({.source = directory_.File("backup"), .path = path}, {}).ok());
  EXPECT_FALSE(directory_.Has(left));
  EXPECT_TRUE(directory_.Has(".kubexms.another.abcdef"));
}

TEST_F(LocalConnectorTest, CreatesAndRemovesLinksAndDirectories) {
  const std::string d = directory_.File("d"), l = directory_.File("l");
  for (int twice = 0; twice < 2; ++twice) {
    MustPerform(*connector_, MakeDirectory{.path = d, .mode = "0750"});
    MustPerform(*connector_, MakeLink{.path = l, .target = "d"});
  }
  EXPECT_EQ(MustPerform(*connector_, GetPath{d}).mode, "0750");
  EXPECT_EQ(MustPerform(*connector_, GetPath{l}).kind, "link");
  EXPECT_EQ(MustPerform(*connector_, GetPath{l}).target, "d");
  directory_.Write("d/file", "");
  MustPerform(*connector_, RemovePath{.path = d});
  EXPECT_TRUE(directory_.Has("d/file"));
  MustPerform(*connector_, RemovePath{.path = d, .recursive = true});
  MustPerform(*connector_, RemovePath{.path = l});
  MustPerform(*connector_, RemovePath{.path = l});
  EXPECT_FALSE(directory_.Has("d"));
  EXPECT_FALSE(directory_.Has("l"));
}

TEST_F(LocalConnectorTest, RestoresTheFirstStateThatWasBackedUp) {
  const std::string path = directory_.Write("x", "one"), backup = directory_.File("b/x");
  for (const char* text : {"two", "three"}) {
    MustPerform(*connector_, BackupPath{path, backup});
    MustPerform(*connector_, WriteFile{.path = path, .content = text});
  }
  for (int twice = 0; twice < 2; ++twice) {
    MustPerform(*connector_, RestorePath{path, backup});
    EXPECT_EQ(directory_.Read("x"), "one");
  }
}

TEST_F(LocalConnectorTest, RestoresAbsence) {
  const std::string path = directory_.File("x"), backup = directory_.File("b/x");
  MustPerform(*connector_, WriteFile{.path = path, .content = "not ours"});
  MustPerform(*connector_, RestorePath{path, backup});  // no backup was made: nothing happens
  EXPECT_EQ(directory_.Read("x"), "not ours");
  const auto lost = connector_->Perform({RestorePath{path, backup, true}});
  ASSERT_FALSE(lost.ok());
  EXPECT_THAT(lost.error().message(), HasSubstr("the backup of " + path + " is lost"));
  MustPerform(*connector_, RemovePath{path});
  MustPerform(*connector_, BackupPath{path, backup});
  MustPerform(*connector_, WriteFile{.path = path, .content = "ours"});
  MustPerform(*connector_, RestorePath{path, backup});
  EXPECT_FALSE(directory_.Has("x"));
}

TEST_F(LocalConnectorTest, LockHasOneOwnerUntilItIsStale) {
  const AcquireLock mine{.path = directory_.File("l/lock"), .owner = "me", .stale_seconds = 60};
  AcquireLock yours = mine;
  yours.owner = "you";
  EXPECT_TRUE(MustPerform(*connector_, mine).held);
  EXPECT_TRUE(MustPerform(*connector_, mine).held);
  const LockState refused = MustPerform(*connector_, yours);
  EXPECT_FALSE(refused.held);
  EXPECT_EQ(refused.owner, "me");
  AcquireLock required = yours;
  required.required = true;
  const auto failed =
      connector_->Perform({required, WriteFile{.path = directory_.File("not written")}});
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().message(), HasSubstr("locked by me"));
  EXPECT_FALSE(directory_.Has("not written"));
  MustPerform(*connector_, ReleaseLock{mine.path, "you"});
  EXPECT_FALSE(MustPerform(*connector_, yours).held);
  yours.stale_seconds = 0;
  EXPECT_TRUE(MustPerform(*connector_, yours).held);
  MustPerform(*connector_, ReleaseLock{mine.path, "you"});
  EXPECT_TRUE(MustPerform(*connector_, mine).held);
}

TEST_F(LocalConnectorTest, AppendsRecords) {
  const std::string path = directory_.File("j/journal");
  MustPerform(*connector_, AppendRecord{path, "one 'two'"});
  MustPerform(*connector_, AppendRecord{path, "three"});
  EXPECT_EQ(directory_.Read("j/journal"), "one 'two'\nthree\n");
  EXPECT_EQ(MustPerform(*connector_, GetPath{path}).mode, "0600");
}

TEST_F(LocalConnectorTest, PollsAJobAndStartsItOnce) {
  const std::string job = directory_.File("jobs/1");
  EXPECT_EQ(MustPerform(*connector_, GetJob{job}).state, "absent");
  const StartJob start{job, "echo out; until [ -e " + directory_.File("go") +
                                " ]; do sleep 0.01; done; echo more; exit 5"};
  MustPerform(*connector_, start);
  EXPECT_EQ(MustPerform(*connector_, GetJob{job}).state, "running");
  MustPerform(*connector_, start);
  directory_.Write("go", "");
  JobState state;
  while (state.state != "done") state = MustPerform(*connector_, GetJob{job, 4});
  EXPECT_EQ(state.exit_code, 5);
  EXPECT_EQ(state.output, "more\n");
  EXPECT_EQ(state.output_size, 9);
  MustPerform(*connector_, start);
  EXPECT_EQ(MustPerform(*connector_, GetJob{job}).state, "done");
}

TEST_F(LocalConnectorTest, GathersFactsOfTheMachine) {
  EXPECT_TRUE(MustPerform(*connector_, GetUser{"root"}).exists);
  EXPECT_EQ(MustPerform(*connector_, GetUser{"root"}).home, "/root");
  EXPECT_FALSE(MustPerform(*connector_, GetUser{"no-such-user"}).exists);
  EXPECT_TRUE(MustPerform(*connector_, GetSysctl{"kernel.ostype"}).exists);
  EXPECT_EQ(MustPerform(*connector_, GetSysctl{"kernel.ostype"}).value, "Linux");
  EXPECT_FALSE(MustPerform(*connector_, GetSysctl{"no.such.key"}).exists);
  EXPECT_FALSE(MustPerform(*connector_, GetKernelModule{"no_such_module"}).loaded);
  EXPECT_FALSE(MustPerform(*connector_, GetPackage{"bash"}).version.empty());
  EXPECT_TRUE(MustPerform(*connector_, GetPackage{"no-such-package"}).version.empty());
  EXPECT_FALSE(MustPerform(*connector_, GetPort{1}).listening);
  const SystemFacts system_facts = MustPerform(*connector_, GetSystemFacts{});
  EXPECT_FALSE(system_facts.hostname.empty());
  EXPECT_FALSE(system_facts.os.empty());
  EXPECT_GT(system_facts.memory_bytes, 1 << 20);
  EXPECT_GE(system_facts.cpus, 1);
}

TEST_F(LocalConnectorTest, DoesNotUnloadKernelModulesInUse) {
  if (!NamespaceTransport::IsPossible()) GTEST_SKIP() << "needs root and mount namespaces";
  directory_.WriteScript("bin/modprobe", "echo \"FATAL: Module $3 is in use.\" >&2; exit 1\n");
  directory_.Write("module/nf_conntrack/refcnt", "2\n");
  directory_.Write("module/stuck/refcnt", "0\n");
  const std::string mounts =
      fmt::format("mount --bind {0}/module /sys/module && PATH={0}/bin:$PATH && exec sh -c \"$1\"",
                  directory_.path());
  const auto connector =
      MakeShellConnector(std::make_unique<NamespaceTransport>(mounts), {}, &random_);
  EXPECT_TRUE(connector->Perform({SetKernelModule{"nf-conntrack", false}}).ok());
  for (const char* module : {"stuck", "absent"}) {
    const auto failed = connector->Perform({SetKernelModule{module, false}});
    ASSERT_FALSE(failed.ok()) << module;
    EXPECT_THAT(failed.error().message(), HasSubstr("FATAL: Module "));
  }
  EXPECT_FALSE(connector->Perform({SetKernelModule{"nf_conntrack", true}}).ok());
}

TEST_F(LocalConnectorTest, ExtractsArchives) {
  directory_.Write("inner", "text");
  MustExec(*connector_, {.script = "mkdir out && tar -czf a.tgz --transform 's,^,top/,' inner",
                         .directory = directory_.path()});
  MustPerform(*connector_, ExtractArchive{directory_.File("a.tgz"), directory_.File("out"), 1});
  EXPECT_EQ(directory_.Read("out/inner"), "text");
}

TEST_F(LocalConnectorTest, KeepsSecretsOutOfTheCommandLine) {
  const CommandResult result =
      MustExec(*connector_, {.script = "cat /proc/self/cmdline /proc/$PPID/cmdline",
                             .environment = {{"TOKEN", "s3cret-env"}},
                             .input = "s3cret-input"});
  EXPECT_EQ(result.output.find("s3cret"), std::string::npos);
}

}  // namespace
}  // namespace kubexms::automation
