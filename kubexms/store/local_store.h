#pragma once

// The store that lives on this machine: a VersionIndex to read from, a WatchHub to watch, and,
// unless it is for tests, a Journal that makes commits durable.
//
// Group commit: all commits pass through one committer thread. It takes every transaction that
// waits, checks their conditions one after the other, writes all their changes to the journal at
// once (one fsync), makes them visible, and answers. The more clients wait, the less an fsync costs
// each of them.
//
// When the journal fails, for example because the disk is full, nobody knows what it holds, and
// nothing is committed until it has recovered, which is tried every second. Reads go on.

#include <deque>
#include <memory>
#include <optional>
#include <thread>
#include <unordered_map>
#include <vector>

#include "kubexms/base/monitoring/log.h"
#include "kubexms/base/mutex.h"
#include "kubexms/store/journal.h"
#include "kubexms/store/store.h"
#include "kubexms/store/version_index.h"
#include "kubexms/store/watch_hub.h"

namespace kubexms::store {

struct LocalStoreOptions {
  // Of versions that only older revisions show. When there are more the oldest quarter is compacted
  // away, whatever its age is: many versions of large objects must not fill the memory.
  size_t max_history_bytes = 256 << 20;
  Logger log = {};
};

class LocalStore final : public Store {
 public:
  // `journal` may be null: nothing is durable then. `index` is what the journal holds.
  LocalStore(std::unique_ptr<Journal> journal, std::unique_ptr<VersionIndex> index,
             LocalStoreOptions options = {});
  // Completes what was asked for.
  ~LocalStore() override;

  Result<RecordPtr> Get(std::string_view key, uint64_t revision) override;
  Result<ListPage> List(const ListOptions& options) override;
  Result<CommitResult> Commit(Transaction transaction) override;
  void CommitAsync(Transaction transaction, CommitCallback done) override;
  Result<std::unique_ptr<Watch>> OpenWatch(WatchOptions options) override;
  Result<void> Compact(uint64_t revision) override;
  Result<void> CheckWritable() override;
  Result<uint64_t> CurrentRevision() override;
  Result<uint64_t> CompactedRevision() override;

 private:
  struct Waiting {
    Transaction transaction;
    CommitCallback done;
  };
  // The transactions that are committed together, and what became of them.
  struct Group {
    std::vector<Waiting> members;
    std::vector<CommitResult> results;
    std::vector<EventPtr> events;
    // The versions made by earlier members, not yet in the index.
    std::unordered_map<std::string_view, RecordPtr> newest;
    uint64_t revision = 0;
  };
  class IndexBacklog;

  Result<ListPage> ListAt(const ListOptions& options, uint64_t revision);
  Result<std::vector<RecordPtr>> ReadRecords(const ListOptions& options, uint64_t revision,
                                             size_t limit);
  Result<uint64_t> CountAfter(const ListOptions& options, uint64_t revision,
                              const std::string& after);
  Result<uint64_t> ReadChanges(const std::string& prefix, uint64_t after, uint64_t up_to,
                               size_t max_events, std::vector<EventPtr>& events);

  // Why no transaction can be queued now; none when one can.
  std::optional<Error> RefuseCommit() const REQUIRES(queue_mutex_);
  void RunCommitter();
  bool CompactionDue() const REQUIRES(queue_mutex_) {
    return compact_target_ > compacted_ && !failure_;
  }
  bool WaitForWork(std::vector<Waiting>& members, uint64_t& compact_target);
  void CommitGroup(std::vector<Waiting> members);
  CommitResult Decide(Transaction transaction, Group& group);
  RecordPtr Newest(const std::string& key, const Group& group) REQUIRES(mutex_);
  std::optional<CommitResult::Mismatch> FindMismatch(const Transaction& transaction,
                                                     const Group& group);
  void AddEvents(std::vector<Transaction::Operation> operations, Group& group);
  Result<void> Persist(const Group& group);
  void BoundHistory();
  bool CompactSome(uint64_t target);
  void Fail(const Error& error);
  void Recover();

  const std::unique_ptr<Journal> journal_;
  const Logger log_;
  const size_t max_history_bytes_;
  WatchHub hub_;

  Mutex mutex_;
  const std::unique_ptr<VersionIndex> index_ GUARDED_BY(mutex_);

  Mutex queue_mutex_;
  CondVar work_;
  std::deque<Waiting> queue_ GUARDED_BY(queue_mutex_);
  size_t queue_bytes_ GUARDED_BY(queue_mutex_) = 0;
  bool closing_ GUARDED_BY(queue_mutex_) = false;
  uint64_t compact_target_ GUARDED_BY(queue_mutex_) = 0;
  uint64_t compacted_ GUARDED_BY(queue_mutex_) = 0;  // since the store was opened
  CondVar compaction_moved_;
  std::optional<Error> failure_ GUARDED_BY(queue_mutex_);  // of the journal, until it recovers

  // Of the committer: what the journal has yet to forget, because it failed.
  std::vector<RecordPtr> obsolete_;
  std::thread committer_;
};

}  // namespace kubexms::store
