#include "kubexms/store/local_store.h"

#include <fmt/format.h>

#include <algorithm>

#include "kubexms/base/threads/semaphore.h"

namespace kubexms::store {

namespace {

constexpr size_t kMaxGroup = 1024;
constexpr size_t kMaxGroupBytes = 16 << 20;
constexpr size_t kMaxQueue = 65536;
constexpr size_t kMaxQueueBytes = 256 << 20;
// The limit on versions or changes visited while the index is locked.
constexpr size_t kStep = 512;
// A list of the newest state restarts when a compaction overtakes it, at most this often.
constexpr int kListAttempts = 8;
constexpr std::chrono::seconds kRecoveryPeriod(1);

// Blocks a thread until its commit completes.
class Answer {
 public:
  void Set(Result<CommitResult> result) {
    result_ = std::move(result);
    set_.Post();
  }
  Result<CommitResult> Wait() {
    set_.Wait();
    return std::move(*result_);
  }

 private:
  std::optional<Result<CommitResult>> result_;
  Semaphore set_;
};

// The committer allocates the whole record: long-lived records in the malloc arenas of the writers'
// threads would keep these arenas alive.
RecordPtr MakeRecord(Transaction::Operation operation, const RecordPtr& previous,
                     uint64_t revision) {
  if (!operation.value) return Record::MakeDeletion(operation.key, revision);
  std::string& value = *operation.value;
  if (operation.revision_offset) {
    value = SpliceRevision(std::move(value), *operation.revision_offset, revision);
  }
  return Record::Make(operation.key, value, previous ? previous->create_revision : revision,
                      revision);
}

}  // namespace

// A backlog from the index.
class LocalStore::IndexBacklog final : public Backlog {
 public:
  IndexBacklog(LocalStore* store, std::string prefix) : store_(store), prefix_(std::move(prefix)) {}

  Result<uint64_t> Read(uint64_t after, uint64_t up_to, size_t max_events,
                        std::vector<EventPtr>& events) override {
    return store_->ReadChanges(prefix_, after, up_to, max_events, events);
  }

 private:
  LocalStore* const store_;
  const std::string prefix_;
};

LocalStore::LocalStore(std::unique_ptr<Journal> journal, std::unique_ptr<VersionIndex> index,
                       LocalStoreOptions options)
    : journal_(std::move(journal)),
      log_(std::move(options.log)),
      max_history_bytes_(options.max_history_bytes),
      hub_(index->current_revision()),
      index_(std::move(index)),
      committer_([this] { RunCommitter(); }) {}

LocalStore::~LocalStore() {
  {
    MutexLock lock(queue_mutex_);
    closing_ = true;
    work_.NotifyOne();
  }
  committer_.join();
}

Result<RecordPtr> LocalStore::Get(std::string_view key, uint64_t revision) {
  MutexLock lock(mutex_);
  if (revision == kLatest) return index_->Get(key, index_->current_revision());
  RETURN_IF_ERROR(index_->CheckReadable(revision));
  return index_->Get(key, revision);
}

Result<uint64_t> LocalStore::CurrentRevision() {
  MutexLock lock(mutex_);
  return index_->current_revision();
}

Result<uint64_t> LocalStore::CompactedRevision() {
  MutexLock lock(mutex_);
  return index_->compacted_revision();
}

Result<ListPage> LocalStore::List(const ListOptions& options) {
  RETURN_IF_ERROR(CheckCursor(options));
  if (options.cursor) return ListAt(options, options.cursor->revision);
  if (options.revision != kLatest) return ListAt(options, options.revision);
  for (int attempt = 1;; ++attempt) {
    ASSIGN_OR_RETURN(const uint64_t revision, CurrentRevision());
    Result<ListPage> page = ListAt(options, revision);
    if (page.ok() || attempt == kListAttempts) return page;
  }
}

Result<ListPage> LocalStore::ListAt(const ListOptions& options, uint64_t revision) {
  ListPage page{.revision = revision};
  // Reads one record more than the limit to find out whether there is a next page.
  const size_t limit = options.limit == 0 ? SIZE_MAX : options.limit + 1;
  ASSIGN_OR_RETURN(page.records, ReadRecords(options, revision, limit));
  if (page.records.size() < limit) return page;
  page.records.pop_back();
  const std::string last(page.records.back()->key);
  if (options.cursor) {
    page.next = NextCursor(*options.cursor, page.records.size(), last);
  } else {
    ASSIGN_OR_RETURN(const uint64_t remaining, CountAfter(options, revision, last));
    page.next = ListCursor{.revision = revision, .after = last, .remaining = remaining};
  }
  return page;
}

Result<std::vector<RecordPtr>> LocalStore::ReadRecords(const ListOptions& options,
                                                       uint64_t revision, size_t limit) {
  std::vector<RecordPtr> records;
  VersionIndex::Scan scan{.prefix = options.prefix,
                          .revision = revision,
                          .after = options.cursor ? options.cursor->after : std::string()};
  while (!scan.done && records.size() < limit) {
    MutexLock lock(mutex_);
    RETURN_IF_ERROR(index_->CheckReadable(revision));
    index_->Read(scan, limit - records.size(), kStep, records);
  }
  return records;
}

Result<uint64_t> LocalStore::CountAfter(const ListOptions& options, uint64_t revision,
                                        const std::string& after) {
  uint64_t count = 0;
  VersionIndex::Scan scan{.prefix = options.prefix, .revision = revision, .after = after};
  while (!scan.done) {
    MutexLock lock(mutex_);
    RETURN_IF_ERROR(index_->CheckReadable(revision));
    count += index_->Count(scan, kStep);
  }
  return count;
}

Result<std::unique_ptr<Watch>> LocalStore::OpenWatch(WatchOptions options) {
  if (options.after_revision != kLatest) {
    MutexLock lock(mutex_);
    RETURN_IF_ERROR(index_->CheckReadable(options.after_revision));
  }
  auto make_backlog = [this, prefix = options.prefix](uint64_t) {
    return Result<std::unique_ptr<Backlog>>(std::make_unique<IndexBacklog>(this, prefix));
  };
  return hub_.Open(std::move(options), make_backlog);
}

Result<uint64_t> LocalStore::ReadChanges(const std::string& prefix, uint64_t after, uint64_t up_to,
                                         size_t max_events, std::vector<EventPtr>& events) {
  size_t bytes = 0;
  while (after < up_to && events.size() < max_events && bytes < Watch::kMaxBatchBytes) {
    size_t counted = events.size();
    MutexLock lock(mutex_);
    RETURN_IF_ERROR(index_->CheckReadable(after));
    after = index_->ReadChanges(prefix, after, up_to, max_events, kStep, events);
    for (; counted < events.size(); ++counted) bytes += events[counted]->bytes();
  }
  return after;
}

Result<CommitResult> LocalStore::Commit(Transaction transaction) {
  auto answer = std::make_shared<Answer>();
  CommitAsync(std::move(transaction),
              [answer](Result<CommitResult> result) { answer->Set(std::move(result)); });
  return answer->Wait();
}

void LocalStore::CommitAsync(Transaction transaction, CommitCallback done) {
  if (Result<void> prepared = transaction.Prepare(); !prepared.ok()) {
    return done(prepared.error());
  }
  std::optional<Error> refused;
  bool first = false;
  {
    MutexLock lock(queue_mutex_);
    refused = CommitRefusal();
    if (!refused) {
      first = queue_.empty();
      queue_bytes_ += transaction.bytes();
      queue_.push_back({std::move(transaction), std::move(done)});
    }
  }
  // Notifies without the lock, which the committer needs.
  if (first) work_.NotifyOne();
  // NOLINTNEXTLINE(bugprone-use-after-move): moved only if not refused
  if (refused) done(*refused);
}

std::optional<Error> LocalStore::CommitRefusal() const {
  if (failure_) return failure_;
  if (queue_.size() < kMaxQueue && queue_bytes_ < kMaxQueueBytes) return std::nullopt;
  return Error::TooManyRequests(
      fmt::format("store: too many waiting commits: {}; try again later", queue_.size()),
      std::chrono::seconds(1));
}

Result<void> LocalStore::Compact(uint64_t revision) {
  {
    MutexLock lock(mutex_);
    if (revision <= index_->compacted_revision()) return {};
    RETURN_IF_ERROR(index_->CheckReadable(revision));
  }
  MutexLock lock(queue_mutex_);
  compact_target_ = std::max(compact_target_, revision);
  work_.NotifyOne();
  while (compacted_ < revision && !failure_) compaction_moved_.Wait(queue_mutex_);
  if (failure_) return *failure_;
  return {};
}

Result<void> LocalStore::CheckWritable() {
  MutexLock lock(queue_mutex_);
  if (failure_) return *failure_;
  return {};
}

void LocalStore::RunCommitter() {
  while (true) {
    std::vector<PendingCommit> members;
    uint64_t compact_target = 0;
    if (!WaitForWork(members, compact_target)) return;
    if (members.empty() && compact_target == 0) Recover();
    if (!members.empty()) CommitGroup(std::move(members));
    // A group adds at most as many changes as two steps remove, so that compaction keeps up.
    for (size_t step = 0; compact_target > 0 && step <= kMaxGroup / kStep; ++step) {
      if (CompactSome(compact_target)) break;
    }
  }
}

// Also returns when it is time to retry the recovery. False when the store is closing and no work
// remains.
bool LocalStore::WaitForWork(std::vector<PendingCommit>& members, uint64_t& compact_target) {
  MutexLock lock(queue_mutex_);
  while (queue_.empty() && !CompactionDue() && !closing_) {
    if (!failure_) {
      work_.Wait(queue_mutex_);
    } else if (!work_.WaitUntil(queue_mutex_, std::chrono::steady_clock::now() + kRecoveryPeriod)) {
      return true;
    }
  }
  size_t bytes = 0;
  while (!queue_.empty() && members.size() < kMaxGroup && bytes < kMaxGroupBytes) {
    bytes += queue_.front().transaction.bytes();
    members.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  queue_bytes_ -= bytes;
  if (CompactionDue()) compact_target = compact_target_;
  return !members.empty() || compact_target > 0 || !closing_;
}

void LocalStore::CommitGroup(std::vector<PendingCommit> members) {
  Group group{.members = std::move(members)};
  {
    MutexLock lock(mutex_);
    group.revision = index_->current_revision();
  }
  for (PendingCommit& member : group.members) {
    group.results.push_back(Evaluate(std::move(member.transaction), group));
  }
  if (Result<void> persisted = Persist(group); !persisted.ok()) {
    for (const PendingCommit& member : group.members) member.done(persisted.error());
    return;
  }
  if (!group.events.empty()) {
    {
      MutexLock lock(mutex_);
      index_->Apply(group.events);
    }
    LimitHistory();
    hub_.Publish(group.events, group.revision);
  }
  for (size_t i = 0; i < group.members.size(); ++i) {
    group.members[i].done(std::move(group.results[i]));
  }
}

CommitResult LocalStore::Evaluate(Transaction transaction, Group& group) {
  CommitResult result;
  result.mismatch = FindMismatch(transaction, group);
  if (!result.mismatch) AddEvents(std::move(transaction).TakeOperations(), group);
  result.revision = group.revision;
  return result;
}

RecordPtr LocalStore::Newest(const std::string& key, const Group& group) {
  const auto made = group.newest.find(key);
  if (made == group.newest.end()) return index_->Get(key, index_->current_revision());
  return made->second->deleted ? nullptr : made->second;
}

std::optional<CommitResult::Mismatch> LocalStore::FindMismatch(const Transaction& transaction,
                                                               const Group& group) {
  MutexLock lock(mutex_);
  for (const Transaction::Condition& condition : transaction.conditions()) {
    RecordPtr current = Newest(condition.key, group);
    if ((current ? current->mod_revision : 0) != condition.mod_revision) {
      return CommitResult::Mismatch{.key = condition.key, .current = std::move(current)};
    }
  }
  return std::nullopt;
}

void LocalStore::AddEvents(std::vector<Transaction::Operation> operations, Group& group) {
  const uint64_t revision = group.revision + 1;
  for (Transaction::Operation& operation : operations) {
    RecordPtr previous;
    {
      MutexLock lock(mutex_);
      previous = Newest(operation.key, group);
    }
    if (!operation.value && !previous) continue;
    RecordPtr record = MakeRecord(std::move(operation), previous, revision);
    // An existing key of the map belongs to an earlier record, which `events` owns.
    group.newest.insert_or_assign(record->key, record);
    group.events.push_back(
        std::make_shared<const Event>(Event{std::move(record), std::move(previous)}));
    group.revision = revision;
  }
}

Result<void> LocalStore::Persist(const Group& group) {
  {
    MutexLock lock(queue_mutex_);
    if (failure_) return *failure_;
  }
  if (!journal_ || group.events.empty()) return {};
  Result<void> written = journal_->Append(group.events);
  if (!written.ok()) Fail(written.error());
  return written;
}

void LocalStore::Fail(const Error& error) {
  log_.Error("cannot write to the store; commits fail until it recovers",
             {{"error", error.message()}});
  MutexLock lock(queue_mutex_);
  failure_ = error;
  compaction_moved_.NotifyAll();
}

void LocalStore::Recover() {
  uint64_t current;
  {
    MutexLock lock(mutex_);
    current = index_->current_revision();
  }
  if (!journal_->Recover(current).ok()) return;
  log_.Info("the store has recovered");
  MutexLock lock(queue_mutex_);
  failure_.reset();
}

void LocalStore::LimitHistory() {
  uint64_t target;
  {
    MutexLock lock(mutex_);
    if (index_->history_bytes() <= max_history_bytes_) return;
    target = index_->RevisionForHistoryBytes(max_history_bytes_ / 4 * 3);
  }
  MutexLock lock(queue_mutex_);
  compact_target_ = std::max(compact_target_, target);
}

// One step of a compaction; commits run between steps. True when the compaction is complete.
bool LocalStore::CompactSome(uint64_t target) {
  Journal::Compaction compaction;
  {
    MutexLock lock(mutex_);
    VersionIndex::Obsolete obsolete = index_->CompactStep(target, kStep);
    compaction = {.obsolete = std::move(obsolete_),
                  .compacted = obsolete.revision,
                  .current = index_->current_revision(),
                  .live = index_->live_at_compacted()};
    compaction.obsolete.insert(compaction.obsolete.end(), obsolete.records.begin(),
                               obsolete.records.end());
  }
  Result<void> written;
  if (journal_) written = journal_->Compact(compaction);
  if (!written.ok()) {
    obsolete_ = std::move(compaction.obsolete);
    Fail(written.error());
    return true;
  }
  MutexLock lock(queue_mutex_);
  compacted_ = compaction.compacted;
  compaction_moved_.NotifyAll();
  return compaction.compacted >= target;
}

}  // namespace kubexms::store
