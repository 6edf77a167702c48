#pragma once

// Shared code of the store tests: temporary directories, and one store of each kind.

#include <filesystem>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "kubexms/base/check.h"
#include "kubexms/store/store.h"

namespace kubexms::store {

// A new directory, which the destructor removes with its content.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "kubexms-XXXXXX").string();
    KUBEXMS_CHECK(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// A store to test, with its resources.
class TestStore {
 public:
  virtual ~TestStore() = default;
  virtual Store& store() = 0;
};

struct BackEnd {
  std::string name;
  std::function<std::unique_ptr<TestStore>()> make;
};
// The name in GoogleTest's output.
inline void PrintTo(const BackEnd& back_end, std::ostream* out) { *out << back_end.name; }

std::vector<BackEnd> LocalBackEnds();
BackEnd EtcdBackEnd();

// Commits one change and returns its revision.
inline uint64_t MustCommit(Store& store, Transaction transaction) {
  const Result<CommitResult> result = store.Commit(std::move(transaction));
  KUBEXMS_CHECK(result.ok() && result->committed());
  return result->revision;
}
inline uint64_t MustPut(Store& store, std::string key, std::string value) {
  return MustCommit(store, Transaction().Put(std::move(key), std::move(value)));
}
inline uint64_t MustDelete(Store& store, std::string key) {
  return MustCommit(store, Transaction().Delete(std::move(key)));
}

// Waits for `count` events and checks that the revision of every batch covers its events.
inline std::vector<EventPtr> TakeEvents(Watch& watch, size_t count, size_t max_events = 1000) {
  std::vector<EventPtr> events;
  while (events.size() < count) {
    const Result<WatchBatch> batch = watch.Next({}, max_events);
    KUBEXMS_CHECK(batch.ok());
    for (const EventPtr& event : batch->events) {
      KUBEXMS_CHECK(event->revision() <= batch->revision);
      events.push_back(event);
    }
  }
  return events;
}

}  // namespace kubexms::store
