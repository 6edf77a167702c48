// Random histories, on the stores of this machine, against a model that is too simple to be wrong:
// a copy of the whole state for every revision.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "kubexms/store/memory_store.h"
#include "kubexms/store/rocksdb_store.h"
#include "kubexms/store/test_store_test.h"

namespace kubexms::store {
namespace {

using State = std::map<std::string, std::string>;

std::string RandomKey() {
  return *rc::gen::element<std::string>("/a/1", "/a/2", "/a/22", "/b/1", "/b", "/c");
}
std::string RandomPrefix() {
  return *rc::gen::element<std::string>("", "/", "/a/", "/a/2", "/b", "/d");
}

class Model {
 public:
  virtual ~Model() = default;
  virtual Store& store() = 0;
  virtual void Reopen() {}

  void Step() {
    switch (*rc::gen::weightedElement<int>({{12, 0}, {6, 1}, {2, 2}, {1, 3}, {1, 4}})) {
      case 0: return Commit();
      case 1: return Read();
      case 2: return CheckWatch();
      case 3: return Compact();
      default: return Reopen();
    }
  }

 private:
  void Commit() {
    const std::string key = RandomKey(), other = RandomKey() + "x";
    const auto value = *rc::gen::maybe(rc::gen::container<std::string>(rc::gen::arbitrary<char>()));
    const RecordPtr current = store().Get(key).value();
    const uint64_t actual = current ? current->mod_revision : 0;
    const uint64_t condition = *rc::gen::element(uint64_t{actual}, actual, uint64_t{0}, actual + 1);
    Transaction transaction = Transaction().IfRevision(key, condition);
    State next = states_.rbegin()->second;
    transaction = value ? std::move(transaction).Put(key, *value).Put(other, *value)
                        : std::move(transaction).Delete(key).Delete(other);
    for (const std::string& changed : {key, other}) {
      if (value)
        next[changed] = *value;
      else
        next.erase(changed);
    }
    const CommitResult result = store().Commit(std::move(transaction)).value();
    RC_ASSERT(result.committed() == (condition == actual));
    if (!result.committed()) {
      RC_ASSERT((result.mismatch->current ? result.mismatch->current->mod_revision : 0) == actual);
    } else if (value || next != states_.rbegin()->second) {
      RC_ASSERT(result.revision > states_.rbegin()->first);
      states_[result.revision] = std::move(next);
    }
    RC_ASSERT(result.revision == states_.rbegin()->first);
  }

  uint64_t RandomRevision() {
    return *rc::gen::inRange<uint64_t>(kFirstRevision, states_.rbegin()->first + 2);
  }

  // The state at a revision that the store must know.
  const State& At(uint64_t revision) { return std::prev(states_.upper_bound(revision))->second; }

  void Read() {
    const uint64_t revision = RandomRevision();
    const std::string prefix = RandomPrefix();
    ListOptions options{
        .prefix = prefix, .revision = revision, .limit = *rc::gen::inRange<size_t>(0, 4)};
    State found;
    uint64_t remaining = 0;
    do {
      const Result<ListPage> page = store().List(options);
      if (revision < compacted_) return RC_ASSERT(page.error().IsExpired());
      if (revision > states_.rbegin()->first) return RC_ASSERT(page.error().code() == 504);
      if (options.cursor) RC_ASSERT(remaining >= page->records.size());
      for (const RecordPtr& record : page->records) {
        RC_ASSERT(found.emplace(record->key, record->value).second);
      }
      options.cursor = page->next;
      remaining = page->next ? page->next->remaining : 0;
    } while (options.cursor);
    State expected = At(revision);
    std::erase_if(expected, [&](const auto& entry) { return !entry.first.starts_with(prefix); });
    RC_ASSERT(found == expected);
  }

  // Applying the changes after a revision to its state gives the newest state.
  void CheckWatch() {
    const uint64_t revision = RandomRevision();
    const std::string prefix = RandomPrefix();
    const auto watch = store().OpenWatch({.prefix = prefix, .after_revision = revision});
    if (revision < compacted_) return RC_ASSERT(watch.error().IsExpired());
    if (revision > states_.rbegin()->first) return RC_ASSERT(watch.error().code() == 504);
    State state = At(revision);
    for (uint64_t reached = revision; reached < states_.rbegin()->first;) {
      const WatchBatch batch = (*watch)->Poll(*rc::gen::inRange<size_t>(1, 5)).value();
      for (const EventPtr& event : batch.events) Follow(*event, state);
      reached = batch.revision;
    }
    for (const auto& [key, value] : states_.rbegin()->second) {
      if (key.starts_with(prefix)) RC_ASSERT(state[key] == value);
    }
  }

  void Follow(const Event& event, State& state) {
    const std::string key(event.record->key);
    const auto before = state.find(key);
    RC_ASSERT((event.previous != nullptr) == (before != state.end()));
    if (event.previous) RC_ASSERT(event.previous->value == before->second);
    if (event.record->deleted) {
      state.erase(key);
    } else {
      state[key] = event.record->value;
    }
  }

  void Compact() {
    const uint64_t revision = RandomRevision();
    const bool future = revision > states_.rbegin()->first;
    RC_ASSERT(store().Compact(revision).ok() == !future);
    if (!future) compacted_ = std::max(compacted_, revision);
    RC_ASSERT(store().CompactedRevision().value() == compacted_);
  }

  std::map<uint64_t, State> states_ = {{kFirstRevision, {}}};
  uint64_t compacted_ = kFirstRevision;
};

class MemoryModel final : public Model {
 public:
  Store& store() override { return *store_; }

 private:
  std::unique_ptr<Store> store_ = MakeMemoryStore();
};

class RocksDbModel final : public Model {
 public:
  RocksDbModel() { Reopen(); }
  Store& store() override { return *store_; }
  void Reopen() override {
    store_.reset();
    store_ = OpenRocksDbStore({.directory = directory_.path() + "/data"}).value();
  }

 private:
  TemporaryDirectory directory_;
  std::unique_ptr<Store> store_;
};

template <class Tested>
void RunHistory(int steps) {
  Tested model;
  for (int i = 0; i < steps; ++i) model.Step();
}

RC_GTEST_PROP(StoreModelTest, MemoryStoreMatchesTheModel, ()) { RunHistory<MemoryModel>(60); }

RC_GTEST_PROP(StoreModelTest, RocksDbStoreMatchesTheModel, ()) { RunHistory<RocksDbModel>(40); }

}  // namespace
}  // namespace kubexms::store
