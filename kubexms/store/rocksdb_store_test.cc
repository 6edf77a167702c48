#include "kubexms/store/rocksdb_store.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <fstream>
#include <map>
#include <random>
#include <thread>

#include "kubexms/store/test_store_test.h"

namespace kubexms::store {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::unique_ptr<Store> MustOpen(const std::string& directory) {
  Result<std::unique_ptr<Store>> store = OpenRocksDbStore({.directory = directory});
  KUBEXMS_CHECK(store.ok());
  return std::move(store).value();
}

class RocksDbStoreTest : public ::testing::Test {
 protected:
  void WriteFile(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(directory());
    std::ofstream(directory() + "/" + name) << text;
  }
  std::string OpenError() {
    const Result<std::unique_ptr<Store>> store = OpenRocksDbStore({.directory = directory()});
    return store.ok() ? "opened" : store.error().message();
  }
  std::string directory() const { return temporary_.path() + "/deep/data"; }

  const TemporaryDirectory temporary_;
};

TEST_F(RocksDbStoreTest, PersistsRecordsAndHistory) {
  uint64_t created, changed, deleted;
  {
    const std::unique_ptr<Store> store = MustOpen(directory());
    created = MustCommit(*store, Transaction().Put("/a", "v", {.revision_offset = 1}));
    changed = MustPut(*store, "/a", "2");
    MustPut(*store, "/b", std::string("\0\n", 2));
    deleted = MustDelete(*store, "/a");
  }
  const std::unique_ptr<Store> store = MustOpen(directory());
  EXPECT_EQ(store->CurrentRevision().value(), deleted);
  EXPECT_EQ(store->Get("/a").value(), nullptr);
  EXPECT_EQ(store->Get("/a", created).value()->value, fmt::format("v{}", created));
  EXPECT_EQ(store->Get("/a", changed).value()->create_revision, created);
  EXPECT_EQ(store->Get("/b").value()->value, std::string("\0\n", 2));
  EXPECT_GT(MustPut(*store, "/a", "3"), deleted);
}

TEST_F(RocksDbStoreTest, ResumesAWatchAfterReopening) {
  uint64_t seen;
  {
    const std::unique_ptr<Store> store = MustOpen(directory());
    const std::unique_ptr<Watch> watch = store->OpenWatch({.prefix = "/"}).value();
    MustPut(*store, "/a", "1");
    seen = watch->Next({}).value().revision;
    MustPut(*store, "/a", "2");
    MustDelete(*store, "/a");
  }
  const std::unique_ptr<Store> store = MustOpen(directory());
  const std::unique_ptr<Watch> watch =
      store->OpenWatch({.prefix = "/", .after_revision = seen}).value();
  const std::vector<EventPtr> events = TakeEvents(*watch, 2);
  EXPECT_EQ(events[0]->record->value, "2");
  EXPECT_EQ(events[0]->previous->value, "1");
  EXPECT_TRUE(events[1]->record->deleted);
  EXPECT_EQ(events[1]->previous->value, "2");
}

TEST_F(RocksDbStoreTest, PersistsCompactionAndTheNewestRevision) {
  uint64_t newest;
  {
    const std::unique_ptr<Store> store = MustOpen(directory());
    MustPut(*store, "/kept", "1");
    for (int i = 0; i < 2000; ++i) MustPut(*store, "/a", "x");
    newest = MustDelete(*store, "/a");
    ASSERT_TRUE(store->Compact(newest).ok());
  }
  const std::unique_ptr<Store> store = MustOpen(directory());
  EXPECT_EQ(store->CurrentRevision().value(), newest);
  EXPECT_EQ(store->CompactedRevision().value(), newest);
  EXPECT_TRUE(store->Get("/kept", newest - 1).error().IsExpired());
  EXPECT_EQ(store->List({.prefix = "/"}).value().records.size(), 1);
  EXPECT_GT(MustPut(*store, "/a", "y"), newest);
}

TEST_F(RocksDbStoreTest, RefusesADirectoryInUse) {
  const std::unique_ptr<Store> store = MustOpen(directory());
  EXPECT_THAT(OpenError(), AllOf(HasSubstr(directory()), HasSubstr("in use by process"),
                                 HasSubstr(fmt::format("{}", ::getpid()))));
}

TEST_F(RocksDbStoreTest, RefusesAnUnknownFormat) {
  WriteFile("FORMAT", "kubexms-store 99\n");
  EXPECT_THAT(OpenError(), AllOf(HasSubstr(directory()), HasSubstr("kubexms-store 99"),
                                 HasSubstr("run the version that wrote the directory")));
}

TEST_F(RocksDbStoreTest, RefusesADirectoryWithOtherFiles) {
  WriteFile("holiday.jpg", "x");
  EXPECT_THAT(OpenError(), AllOf(HasSubstr(directory()), HasSubstr("not empty")));
}

TEST_F(RocksDbStoreTest, FailsWhenTheDirectoryCannotBeCreated) {
  WriteFile("file", "x");
  const auto store = OpenRocksDbStore({.directory = directory() + "/file/data"});
  ASSERT_FALSE(store.ok());
  EXPECT_THAT(store.error().message(), HasSubstr(directory() + "/file"));
}

TEST_F(RocksDbStoreTest, OpensAfterAnInterruptedFirstStart) {
  WriteFile("FORMAT.new", "kube");
  EXPECT_EQ(OpenError(), "opened");
}

// No file may grow beyond a size: to a program that writes, a disk that is full.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_;
};

TEST_F(RocksDbStoreTest, RefusesWritesWhileTheDiskIsFull) {
  uint64_t stored = 0;
  {
    const std::unique_ptr<Store> store = MustOpen(directory());
    stored = MustPut(*store, "/a", "1");
    {
      const FullDisk full(1 << 16);
      const Result<CommitResult> refused =
          store->Commit(Transaction().Put("/big", std::string(1 << 20, 'x')));
      ASSERT_FALSE(refused.ok());
      EXPECT_THAT(refused.error().message(), HasSubstr("File too large"));
      EXPECT_FALSE(store->Commit(Transaction().Put("/b", "1")).ok());
      EXPECT_FALSE(store->CheckWritable().ok());
      EXPECT_EQ(store->Get("/a").value()->value, "1");
      EXPECT_EQ(store->CurrentRevision().value(), stored);
    }
    while (!store->CheckWritable().ok()) std::this_thread::yield();
    EXPECT_EQ(MustPut(*store, "/c", "1"), stored + 1);
  }
  const std::unique_ptr<Store> store = MustOpen(directory());
  EXPECT_EQ(store->CurrentRevision().value(), stored + 1);
  EXPECT_EQ(store->Get("/big").value(), nullptr);
  EXPECT_EQ(store->Get("/b").value(), nullptr);
  EXPECT_EQ(store->Get("/c").value()->value, "1");
}

// The crash test. A child process writes with several threads and reports each acknowledged commit
// on a pipe, then is killed at a random moment; the parent opens the store and compares.

struct Acknowledged {
  uint64_t revision;
  uint32_t writer;
  uint32_t number;  // the value of the writer's key
};

constexpr uint32_t kWriters = 4;

std::string KeyOf(uint32_t writer) { return fmt::format("/{}", writer); }

[[noreturn]] void WriteUntilKilled(const std::string& directory, int pipe) {
  const std::unique_ptr<Store> store = MustOpen(directory);
  std::vector<std::thread> writers;
  for (uint32_t w = 0; w < kWriters; ++w) {
    writers.emplace_back([&store, w, pipe] {
      const RecordPtr before = store->Get(KeyOf(w)).value();
      uint32_t number = before ? std::stoul(std::string(before->value)) : 0;
      while (true) {
        ++number;
        const uint64_t revision =
            MustCommit(*store, Transaction()
                                   .Put(KeyOf(w), fmt::format("{}", number))
                                   .Put(KeyOf(w) + "/twin", fmt::format("{}", number)));
        const Acknowledged line{revision, w, number};
        KUBEXMS_CHECK(::write(pipe, &line, sizeof line) == sizeof line);
        if (w == 0 && number % 50 == 0) KUBEXMS_CHECK(store->Compact(revision - 20).ok());
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  ::_exit(1);
}

// Runs a child until it has reported `commits` and returns all it reported.
std::vector<Acknowledged> CrashAfter(const std::string& directory, size_t commits) {
  int ends[2];
  KUBEXMS_CHECK(::pipe(ends) == 0);
  const pid_t child = ::fork();
  KUBEXMS_CHECK(child >= 0);
  if (child == 0) {
    ::close(ends[0]);
    WriteUntilKilled(directory, ends[1]);
  }
  ::close(ends[1]);
  std::vector<Acknowledged> reported;
  Acknowledged line;
  while (::read(ends[0], &line, sizeof line) == sizeof line) {
    reported.push_back(line);
    if (reported.size() == commits) ::kill(child, SIGKILL);
  }
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return reported;
}

uint64_t NumberIn(const RecordPtr& record) {
  return record ? std::stoul(std::string(record->value)) : 0;
}

TEST_F(RocksDbStoreTest, AcknowledgedCommitsSurviveKilledProcesses) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::mt19937 random(seed);
  uint64_t newest = 0, watched_to = kFirstRevision;
  std::map<std::string, uint64_t> watched;
  for (int round = 0; round < 6; ++round) {
    const size_t commits = std::uniform_int_distribution<size_t>(1, 400)(random);
    const std::vector<Acknowledged> reported = CrashAfter(directory(), commits);
    const std::unique_ptr<Store> store = MustOpen(directory());

    const uint64_t current = store->CurrentRevision().value();
    EXPECT_GE(current, newest);
    for (const Acknowledged& line : reported) {
      EXPECT_GT(line.revision, newest) << "a revision was used twice";
      EXPECT_LE(line.revision, current);
      EXPECT_GE(NumberIn(store->Get(KeyOf(line.writer)).value()), line.number);
    }
    newest = current;
    for (uint32_t w = 0; w < kWriters; ++w) {
      EXPECT_EQ(NumberIn(store->Get(KeyOf(w)).value()),
                NumberIn(store->Get(KeyOf(w) + "/twin").value()));
    }

    // A watcher that goes on after each crash sees the numbers of each key without gap or repeat,
    // from the oldest change that is kept.
    const uint64_t compacted = store->CompactedRevision().value();
    if (watched_to < compacted) {
      watched.clear();
      const ListPage page = store->List({.prefix = "/", .revision = compacted}).value();
      for (const RecordPtr& record : page.records)
        watched[std::string(record->key)] = NumberIn(record);
      watched_to = compacted;
    }
    const std::unique_ptr<Watch> watch =
        store->OpenWatch({.prefix = "/", .after_revision = watched_to}).value();
    while (watched_to < current) {
      const WatchBatch batch = watch->Poll(50).value();
      for (const EventPtr& event : batch.events) {
        EXPECT_EQ(NumberIn(event->record), ++watched[std::string(event->record->key)]);
      }
      watched_to = batch.revision;
    }
  }
}

}  // namespace
}  // namespace kubexms::store
