#include "kubexms/automation/journal/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <map>
#include <thread>

#include "kubexms/base/test_directory_test.h"

namespace kubexms::automation {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class JournalTest : public ::testing::Test {
 protected:
  void Append(const JournalRecord& record) {
    const auto journal = Journal::Open(directory_.File("journal"), &secrets_);
    ASSERT_TRUE(journal.ok());
    ASSERT_TRUE((*journal)->Append(record).ok());
  }

  TestDirectory directory_;
  SecretRegistry secrets_;
};

TEST_F(JournalTest, ReadsWhatItHasWritten) {
  Append({.type = JournalRecord::Type::kRun, .run = "r", .pipeline = "p", .config = "sum"});
  Append({.type = JournalRecord::Type::kBegin,
          .run = "r",
          .task = "m/t",
          .step = "s \"quoted\"\n",
          .host = "h",
          .summary = {"one", "two"},
          .undo = {RestorePath{"/a", "/b"}, SetService{.service = "x", .active = "stop"}}});
  const auto records = ReadJournal(directory_.File("journal"));
  ASSERT_TRUE(records.ok()) << records.error().message();
  ASSERT_EQ(records->size(), 2u);
  EXPECT_EQ((*records)[0].config, "sum");
  EXPECT_EQ((*records)[1].step, "s \"quoted\"\n");
  EXPECT_EQ((*records)[1].summary.size(), 2u);
  ASSERT_EQ((*records)[1].undo.size(), 2u);
  EXPECT_TRUE((*records)[1].undo[0] == Operation(RestorePath{"/a", "/b"}));
}

TEST_F(JournalTest, ConcurrentWritersKeepTheirOrder) {
  constexpr int kWriters = 16, kRecords = 50;
  {
    const auto journal = Journal::Open(directory_.File("journal"), &secrets_);
    ASSERT_TRUE(journal.ok());
    std::vector<std::jthread> writers;
    for (int writer = 0; writer < kWriters; ++writer) {
      writers.emplace_back([&, writer] {
        for (int i = 0; i < kRecords; ++i) {
          EXPECT_TRUE((*journal)
                          ->Append({.type = JournalRecord::Type::kDone,
                                    .step = std::to_string(i),
                                    .host = std::to_string(writer)})
                          .ok());
        }
      });
    }
  }
  const auto records = ReadJournal(directory_.File("journal"));
  ASSERT_TRUE(records.ok()) << records.error().message();
  std::map<std::string, int> next;
  for (const JournalRecord& record : *records) {
    EXPECT_EQ(record.step, std::to_string(next[record.host]++));
  }
  EXPECT_EQ(records->size(), static_cast<size_t>(kWriters * kRecords));
}

TEST_F(JournalTest, IgnoresATruncatedLastLine) {
  Append({.type = JournalRecord::Type::kRun, .run = "r"});
  const std::string whole = directory_.Read("journal");
  for (size_t cut = 1; cut < whole.size(); ++cut) {
    directory_.Write("journal", whole + whole.substr(0, cut));
    ASSERT_EQ(ReadJournal(directory_.File("journal"))->size(), 1u);
    Append({.type = JournalRecord::Type::kFinished, .run = "r"});
    ASSERT_EQ(ReadJournal(directory_.File("journal"))->size(), 2u);
  }
}

TEST_F(JournalTest, NamesTheInvalidRecord) {
  EXPECT_THAT(ParseJournal("{\"type\":\"run\"}\n{}\n").error().message(), HasSubstr("record 2"));
  EXPECT_FALSE(ReadJournal(directory_.File("none")).ok());
}

TEST_F(JournalTest, RedactsSecrets) {
  secrets_.Add("swordfish");
  Append({.type = JournalRecord::Type::kFailed, .run = "r", .message = "login: swordfish"});
  EXPECT_THAT(directory_.Read("journal"), Not(HasSubstr("swordfish")));
}

TEST_F(JournalTest, DoesNotRedactIdentifiersAndUndoData) {
  for (const char* word : {"containerd", "install", "node-one", "RunScript"}) secrets_.Add(word);
  const JournalRecord begin{.type = JournalRecord::Type::kBegin,
                            .run = "r",
                            .task = "containerd/install",
                            .step = "install containerd",
                            .host = "node-one",
                            .summary = {"write containerd"},
                            .undo = {RunScript{"systemctl try-restart containerd"}}};
  const JournalRecord read = ParseRecord(WriteRecord(begin, secrets_)).value();
  EXPECT_EQ(read.task, begin.task);
  EXPECT_EQ(read.step, begin.step);
  EXPECT_EQ(read.host, begin.host);
  EXPECT_EQ(read.undo, begin.undo);
  EXPECT_EQ(read.summary, std::vector<std::string>{"write [redacted]"});
}

TEST_F(JournalTest, AcquiresALockOnAFullDisk) {
  const std::string path = directory_.File("lock");
  // As on a full disk.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &none), 0);
  auto first = ClusterLock::Acquire(path, "first");
  const auto second = ClusterLock::Acquire(path, "second");
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_TRUE(first.ok()) << first.error().message();
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().message(), HasSubstr("another program is working on it"));
}

TEST_F(JournalTest, LockHasOneOwner) {
  const std::string path = directory_.File("lock");
  auto first = ClusterLock::Acquire(path, "first");
  ASSERT_TRUE(first.ok());
  const auto second = ClusterLock::Acquire(path, "second");
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().message(), HasSubstr("first is working on it"));
  first->reset();
  EXPECT_TRUE(ClusterLock::Acquire(path, "second").ok());
}

}  // namespace
}  // namespace kubexms::automation
