#pragma once

// The store of a single process: a VersionIndex for reads, a WatchHub for watches, and a Journal
// that makes commits durable (none for the memory store).
//
// Group commit: one committer thread dequeues all waiting transactions, checks their conditions one
// after the other, writes all changes to the journal with one fsync, publishes them, and completes
// the transactions. The more clients wait, the less each of them pays for the fsync.
//
// When the journal fails, for example because the disk is full, its content is unknown: the store
// refuses commits and tries to recover the journal every second. Reads still succeed.

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
  // The limit on the bytes of versions that are not the newest. Beyond it the store compacts the
  // oldest quarter, regardless of its age, so that many versions of large objects cannot fill the
  // memory.
  size_t max_history_bytes = 256 << 20;
  Logger log = {};
};

class LocalStore final : public Store {
 public:
  // Without a `journal` nothing is durable. `index` has the content of the journal.
  LocalStore(std::unique_ptr<Journal> journal, std::unique_ptr<VersionIndex> index,
             LocalStoreOptions options = {});
  // Completes all waiting commits.
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
  struct PendingCommit {
    Transaction transaction;
    CommitCallback done;
  };
  // Transactions that are committed together, and their results.
  struct Group {
    std::vector<PendingCommit> members;
    std::vector<CommitResult> results;
    std::vector<EventPtr> events;
    // The versions of earlier members, which are not in the index yet.
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

  // The reason for refusing a new transaction; none if it can be enqueued.
  std::optional<Error> CommitRefusal() const REQUIRES(queue_mutex_);
  void RunCommitter();
  bool CompactionDue() const REQUIRES(queue_mutex_) {
    return compact_target_ > compacted_ && !failure_;
  }
  bool WaitForWork(std::vector<PendingCommit>& members, uint64_t& compact_target);
  void CommitGroup(std::vector<PendingCommit> members);
  CommitResult Evaluate(Transaction transaction, Group& group);
  RecordPtr Newest(const std::string& key, const Group& group) REQUIRES(mutex_);
  std::optional<CommitResult::Mismatch> FindMismatch(const Transaction& transaction,
                                                     const Group& group);
  void AddEvents(std::vector<Transaction::Operation> operations, Group& group);
  Result<void> Persist(const Group& group);
  void LimitHistory();
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
  std::deque<PendingCommit> queue_ GUARDED_BY(queue_mutex_);
  size_t queue_bytes_ GUARDED_BY(queue_mutex_) = 0;
  bool closing_ GUARDED_BY(queue_mutex_) = false;
  uint64_t compact_target_ GUARDED_BY(queue_mutex_) = 0;
  uint64_t compacted_ GUARDED_BY(queue_mutex_) = 0;  // since the store was opened
  CondVar compaction_moved_;
  std::optional<Error> failure_ GUARDED_BY(queue_mutex_);  // of the journal, until it recovers

  // Used by the committer: records that the journal has not deleted yet, because it failed.
  std::vector<RecordPtr> obsolete_;
  std::thread committer_;
};

}  // namespace kubexms::store
