// What happens to a RocksDB store whose files are damaged behind its back: it is refused, unless
// nothing that was acknowledged is missing; and a repair makes a store of it that never uses a
// revision twice.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

#include "kubexms/store/rocksdb_store.h"
#include "kubexms/store/test_store_test.h"

namespace kubexms::store {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteFile(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

struct Damage {
  std::string name;
  std::function<void(const fs::path&)> apply;
};

void Flip(const fs::path& path, size_t at) {
  std::string bytes = ReadFile(path);
  if (bytes.empty()) return;
  bytes[std::min(at, bytes.size() - 1)] ^= 0x20;
  WriteFile(path, bytes);
}

std::vector<Damage> Damages(size_t size) {
  std::vector<Damage> damages{
      {"removed", [](const fs::path& path) { fs::remove(path); }},
      {"emptied", [](const fs::path& path) { fs::resize_file(path, 0); }},
      {"truncated", [size](const fs::path& path) { fs::resize_file(path, size / 2); }},
      {"shortened", [size](const fs::path& path) { fs::resize_file(path, size - 1); }}};
  for (const size_t at : {size_t{0}, size_t{7}, size / 3, size / 2, size - 1}) {
    damages.push_back(
        {fmt::format("flipped at {}", at), [at](const fs::path& path) { Flip(path, at); }});
  }
  return damages;
}

class StoreDamageTest : public ::testing::Test {
 protected:
  using Contents = std::map<std::string, std::string>;

  std::string directory() const { return temporary_.path() + "/store"; }
  std::string mark() const { return directory() + ".revision"; }

  Result<std::unique_ptr<Store>> Open() const {
    return OpenRocksDbStore({.directory = directory()});
  }

  // Tables, several logs, a compacted part and a history.
  void Fill() {
    const std::unique_ptr<Store> store = Open().value();
    for (int i = 0; i < 60; ++i) {
      MustPut(*store, fmt::format("/old/{}", i % 20), std::string(100'000, 'a'));
    }
    KUBEXMS_CHECK(store->Compact(store->CurrentRevision().value() - 10).ok());
    for (int i = 0; i < 30; ++i) {
      MustPut(*store, fmt::format("/new/{}", i), std::string(1000, 'b'));
    }
    MustDelete(*store, "/new/3");
    revision_ = store->CurrentRevision().value();
    contents_ = ContentsOf(*store);
  }

  static Contents ContentsOf(Store& store) {
    Contents contents;
    const ListPage all = store.List({.prefix = "/"}).value();
    for (const RecordPtr& record : all.records) {
      contents[std::string(record->key)] = std::string(record->value);
    }
    return contents;
  }

  void Save() { fs::copy(temporary_.path(), saved_.path(), fs::copy_options::recursive); }
  void Restore() const {
    for (const auto& entry : fs::directory_iterator(temporary_.path())) fs::remove_all(entry);
    fs::copy(saved_.path(), temporary_.path(), fs::copy_options::recursive);
  }

  // The files that hold data.
  std::vector<fs::path> DataFiles() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(directory() + "/db")) {
      const std::string name = entry.path().filename().string();
      if (name == "CURRENT" || name.starts_with("MANIFEST") || name.ends_with(".sst") ||
          name.ends_with(".log")) {
        files.push_back(entry.path());
      }
    }
    std::ranges::sort(files);
    return files;
  }

  // Refused, or all there. True when it was refused.
  bool CheckOpen() const {
    const Result<std::unique_ptr<Store>> store = Open();
    if (store.ok()) {
      EXPECT_EQ((*store)->CurrentRevision().value(), revision_);
      EXPECT_EQ(ContentsOf(**store), contents_);
      return false;
    }
    EXPECT_THAT(store.error().message(), AllOf(HasSubstr(directory()), HasSubstr("--repair")));
    return true;
  }

  void CheckRepair() const {
    const Result<StoreRepair> repair = RepairRocksDbStore({.directory = directory()});
    ASSERT_TRUE(repair.ok()) << repair.error().message();
    EXPECT_GT(repair->revision, revision_);
    Contents repaired;
    uint64_t written = 0;
    {
      const Result<std::unique_ptr<Store>> store = Open();
      ASSERT_TRUE(store.ok()) << store.error().message();
      EXPECT_EQ((*store)->CurrentRevision().value(), repair->revision);
      EXPECT_TRUE((*store)->Get("/old/1", revision_).error().IsExpired());
      repaired = ContentsOf(**store);
      EXPECT_EQ(repaired.size(), repair->recovered);
      for (const auto& [key, value] : repaired) {
        EXPECT_EQ(value, std::string(value.size(), value[0])) << key;
      }
      written = MustPut(**store, "/later", "c");
      EXPECT_GT(written, repair->revision);
    }
    const Result<std::unique_ptr<Store>> store = Open();
    ASSERT_TRUE(store.ok()) << store.error().message();
    EXPECT_EQ((*store)->CurrentRevision().value(), written);
    repaired["/later"] = "c";
    EXPECT_EQ(ContentsOf(**store), repaired);
  }

  const TemporaryDirectory temporary_;
  const TemporaryDirectory saved_;
  uint64_t revision_ = 0;
  Contents contents_;
};

TEST_F(StoreDamageTest, RefusesADamagedFileUntilItIsRepaired) {
  Fill();
  Save();
  EXPECT_FALSE(CheckOpen());
  Restore();
  const std::vector<fs::path> files = DataFiles();
  std::map<std::string, int> refused;
  for (const fs::path& file : files) {
    Restore();
    for (const Damage& damage : Damages(fs::file_size(file))) {
      SCOPED_TRACE(fmt::format("{} {}", file.filename().string(), damage.name));
      Restore();
      damage.apply(file);
      if (!CheckOpen()) continue;
      ++refused[file.extension().string()];
      // Opening changed nothing: it is refused again.
      EXPECT_TRUE(CheckOpen());
      ASSERT_NO_FATAL_FAILURE(CheckRepair());
    }
  }
  EXPECT_GT(refused[".log"], 3);
  EXPECT_GT(refused[".sst"], 3);
  EXPECT_GT(refused[""], 3);  // CURRENT and MANIFEST
}

TEST_F(StoreDamageTest, RefusesAMissingDatabase) {
  Fill();
  Save();
  for (const std::string part : {"", "/db", "/FORMAT", "/db/CURRENT"}) {
    SCOPED_TRACE(part);
    Restore();
    fs::remove_all(directory() + part);
    EXPECT_TRUE(CheckOpen());
    ASSERT_NO_FATAL_FAILURE(CheckRepair());
  }
}

TEST_F(StoreDamageTest, RefusesAnEmptyDatabaseInPlaceOfTheOldOne) {
  Fill();
  const std::string mark_text = ReadFile(mark());
  fs::remove_all(directory());
  fs::remove(mark());
  ASSERT_TRUE(Open().ok());
  WriteFile(mark(), mark_text);
  EXPECT_TRUE(CheckOpen());
}

TEST_F(StoreDamageTest, RefusesAnOlderCopyUntilItIsRepaired) {
  Fill();
  Save();
  {
    const std::unique_ptr<Store> store = Open().value();
    revision_ = MustPut(*store, "/after", "x");
  }
  fs::remove_all(directory());
  fs::copy(saved_.path() + "/store", directory(), fs::copy_options::recursive);
  EXPECT_THAT(Open().error().message(), HasSubstr("an older copy was restored"));
  const Result<StoreRepair> repair = RepairRocksDbStore({.directory = directory()});
  ASSERT_TRUE(repair.ok());
  ASSERT_EQ(repair->missing.size(), 1U);
  EXPECT_EQ(repair->missing[0].first, revision_);
  EXPECT_EQ(repair->missing[0].last, revision_);
  EXPECT_EQ(ContentsOf(*Open().value()), contents_);
}

TEST_F(StoreDamageTest, OpensACopyWithItsRevisionMark) {
  Fill();
  Save();
  {
    const std::unique_ptr<Store> store = Open().value();
    MustPut(*store, "/after", "x");
  }
  Restore();
  EXPECT_FALSE(CheckOpen());
}

// A crash cuts off unacknowledged writes, which the revision mark does not contain yet.
TEST_F(StoreDamageTest, OpensAfterACrashDuringAWrite) {
  Fill();
  const std::string acknowledged = ReadFile(mark());
  {
    const std::unique_ptr<Store> store = Open().value();
    MustPut(*store, "/torn", std::string(5000, 't'));
  }
  fs::path log;
  for (const fs::path& file : DataFiles()) {
    if (file.extension() == ".log" && fs::file_size(file) > 0) log = file;
  }
  Flip(log, ReadFile(log).rfind("tttt") - 100);
  WriteFile(mark(), acknowledged);
  EXPECT_FALSE(CheckOpen());
}

TEST_F(StoreDamageTest, RefusesADamagedRevisionMark) {
  Fill();
  for (const std::string text : {"", "12", "0000000000000000001x\n"}) {
    WriteFile(mark(), text);
    EXPECT_TRUE(CheckOpen());
  }
  ASSERT_NO_FATAL_FAILURE(CheckRepair());
}

TEST_F(StoreDamageTest, OpensADirectoryWithoutARevisionMark) {
  Fill();
  fs::remove(mark());
  EXPECT_FALSE(CheckOpen());
  EXPECT_TRUE(fs::exists(mark()));
}

}  // namespace
}  // namespace kubexms::store
