#pragma once

// The storage of the API server: a key-value store with one global history. Every commit creates
// one revision, larger than all before it. Every revision that is not compacted can be read as a
// consistent snapshot. A watch delivers the changes after a revision, each once, in order, and only
// after it is durable. memory_store.h, rocksdb_store.h and etcd_store.h create stores with the same
// behavior, and one test suite runs against all of them.
//
// Reads copy nothing. A Record is immutable and shared: the store, readers and watches refer to the
// same bytes.
//
// The revision inside the value: a Kubernetes object contains its own revision
// (metadata.resourceVersion), which is unknown before the commit. A Put can therefore name the
// offset at which the decimal digits of the revision belong, and every reader of every store finds
// them there. Local stores insert the digits at the commit. etcd assigns the revision after it has
// received the value, so the etcd store stores the offset beside the value and inserts the digits
// on reads. Record::mod_revision always agrees with the digits. (A function from revision to value
// would do the same, but could not be sent to etcd.)

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/base/result.h"

namespace kubexms::store {

// The revision of a new, empty store; the first commit creates a larger one.
inline constexpr uint64_t kFirstRevision = 1;
// As a revision to read: the newest one.
inline constexpr uint64_t kLatest = 0;

// The limits of one transaction in every store; they are the defaults of etcd.
inline constexpr size_t kMaxOperations = 128;
inline constexpr size_t kMaxTransactionBytes = 1'500'000;

// One version of one key, in a single block of memory: scans of many records are bound by cache
// misses.
class Record {
  class WithTail;  // allocated by Make(), with key and value behind the record

 public:
  static std::shared_ptr<const Record> Make(std::string_view key, std::string_view value,
                                            uint64_t create_revision, uint64_t mod_revision);
  // The version that marks the key as deleted.
  static std::shared_ptr<const Record> MakeDeletion(std::string_view key, uint64_t mod_revision);

  Record(const WithTail&, std::string_view record_key, std::string_view record_value,
         uint64_t created_at, uint64_t modified_at);
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  // The value and a comma, for a JSON array of values.
  std::string_view value_and_comma() const { return {value.data(), value.size() + 1}; }

  // Whether readers can decode the value. The store does not know its format: the first reader that
  // decodes it records the result here for the others.
  enum class Integrity : uint8_t { kUnknown, kIntact, kCorrupt };
  Integrity integrity() const { return integrity_.load(std::memory_order_relaxed); }
  // True for the first caller.
  bool SetIntegrity(Integrity found) const {
    return integrity_.exchange(found, std::memory_order_relaxed) == Integrity::kUnknown;
  }

  const std::string_view key;
  const std::string_view value;    // empty when deleted
  const uint64_t create_revision;  // of the commit that created the key; 0 when deleted
  const uint64_t mod_revision;     // of the commit that created this version
  const bool deleted;

 private:
  mutable std::atomic<Integrity> integrity_ = Integrity::kUnknown;
};
using RecordPtr = std::shared_ptr<const Record>;

// One change: `record` is the new version (`record->deleted` for a deletion), `previous` the
// version before it, null when the key did not exist.
struct Event {
  RecordPtr record;
  RecordPtr previous;

  uint64_t revision() const { return record->mod_revision; }
  // The upper limit of the memory that the event retains; other owners may share its records.
  size_t bytes() const {
    return record->key.size() + record->value.size() + (previous ? previous->value.size() : 0);
  }
};
using EventPtr = std::shared_ptr<const Event>;

// Conditions, and the operations to commit if all of them hold:
//
//   store.Commit(Transaction().IfRevision(key, 41).Put(key, text, {.revision_offset = 57}));
//   transaction = std::move(transaction).Put(another_key, another_text);
class Transaction {
 public:
  struct Condition {
    std::string key;
    uint64_t mod_revision;  // 0 means that the key does not exist
  };
  struct PutOptions {
    // The offset in the value at which the commit's revision is inserted, in decimal; at most
    // value.size().
    std::optional<size_t> revision_offset;
  };
  struct Operation {
    std::string key;
    std::optional<std::string> value;  // none for a deletion
    std::optional<size_t> revision_offset;
  };

  // The newest version of the key has this mod_revision.
  Transaction IfRevision(std::string key, uint64_t mod_revision) &&;
  Transaction IfAbsent(std::string key) &&;
  Transaction Put(std::string key, std::string value, PutOptions options) &&;
  Transaction Put(std::string key, std::string value) &&;
  // Deleting a key that does not exist is no change.
  Transaction Delete(std::string key) &&;

  const std::vector<Condition>& conditions() const { return conditions_; }
  const std::vector<Operation>& operations() const { return operations_; }
  // The size of keys and values; valid after Prepare().
  size_t bytes() const { return bytes_; }
  // Moves the operations out of the transaction.
  std::vector<Operation> TakeOperations() && { return std::move(operations_); }

  // Called by stores. Checks the limits above, that no key is empty, that no key is changed twice
  // and that offsets are within their values. Sorts the operations by key, which is the order of a
  // commit's events in watches.
  Result<void> Prepare();

 private:
  std::vector<Condition> conditions_;
  std::vector<Operation> operations_;
  size_t bytes_ = 0;
};

// The result of a transaction. If a condition does not hold, the transaction changes nothing.
struct CommitResult {
  struct Mismatch {
    std::string key;    // of the first condition that did not hold
    RecordPtr current;  // the newest version of the key, null when the key does not exist
  };

  // The revision of the commit; the newest revision at that time if the transaction changed nothing
  // (a mismatch, or only deletions of absent keys).
  uint64_t revision = 0;
  std::optional<Mismatch> mismatch;

  bool committed() const { return !mismatch.has_value(); }
};
using CommitCallback = std::function<void(Result<CommitResult>)>;

// The start of the next page of a list; the base of a continue token.
struct ListCursor {
  uint64_t revision = 0;   // of the snapshot, which all pages share
  std::string after;       // the last returned key
  uint64_t remaining = 0;  // the number of records of the snapshot after it
};

struct ListOptions {
  std::string prefix;
  // The snapshot to read. Ignored with a cursor, which has its own.
  uint64_t revision = kLatest;
  size_t limit = 0;  // 0 means no limit
  std::optional<ListCursor> cursor;
};

struct ListPage {
  std::vector<RecordPtr> records;  // sorted by the bytes of their keys
  uint64_t revision = 0;           // of the snapshot
  std::optional<ListCursor> next;  // none after the last page
};

// Events of a watch: the changes of complete commits, in order.
struct WatchBatch {
  std::vector<EventPtr> events;
  // All changes of the prefix up to and including this revision have been delivered. It also
  // advances without events: use it for bookmarks, and as after_revision to resume the watch.
  uint64_t revision = 0;
};

// An open watch; the destructor ends it. The store must outlive it. Only one thread at a time may
// call Poll, Next and RequestProgress.
class Watch {
 public:
  virtual ~Watch() = default;

  // Returns the events since the last call, possibly none, without waiting. At most `max_events`
  // and about kMaxBatchBytes, but always complete commits, even larger ones. Poll until there are
  // no events, then wait for on_ready. After an error the watch has ended and returns that error
  // again:
  //   Expired          the changes after its revision are compacted; relist.
  //   TooManyRequests  the watch exceeded its buffer; a new watch after the revision of the last
  //                    batch resumes without loss.
  virtual Result<WatchBatch> Poll(size_t max_events = kDefaultMaxEvents) = 0;

  // Waits for events or for requested progress. Returns a batch without events when `stop` is
  // requested.
  virtual Result<WatchBatch> Next(std::stop_token stop, size_t max_events = kDefaultMaxEvents) = 0;

  // Requests a batch, with or without events, whose revision is at least the newest revision of the
  // store as of now. Local stores return it from the next Poll.
  virtual void RequestProgress() = 0;

  static constexpr size_t kDefaultMaxEvents = 1000;
  // Limits the memory that a stalled watcher retains, however large the objects are.
  static constexpr size_t kMaxBatchBytes = 256 << 10;
};

struct WatchOptions {
  std::string prefix;
  // The watch delivers changes with a larger revision; with kLatest, changes from now on.
  uint64_t after_revision = kLatest;
  // The limit on undelivered changes of the prefix; beyond it the watch ends with TooManyRequests.
  // Changes from before the watch was opened do not count: they are read from the history.
  size_t buffer = 16384;
  // The same limit in bytes (Event::bytes). All watches of a store have a common limit, too, beyond
  // which the watch that is furthest behind ends.
  size_t buffer_bytes = 32 << 20;
  // Called once after a Poll without events, when another Poll would return events, requested
  // progress or an error. Runs on a thread of the store, must not block, and must not call the
  // watch or the store: post to an event loop. Not called after the watch is destroyed.
  std::function<void()> on_ready;
};

// Any thread may call any method.
//
// Reads of a compacted revision fail with Error::Expired, reads of a future one with
// FutureRevisionError(). After any other error of a read, retry. A commit that fails with code 400
// or 413 or TooManyRequests changed nothing; after any other error it is unknown whether the commit
// took place: read the keys before retrying.
class Store {
 public:
  virtual ~Store() = default;

  // The version of the key at a revision; null when the key did not exist.
  virtual Result<RecordPtr> Get(std::string_view key, uint64_t revision = kLatest) = 0;
  virtual Result<ListPage> List(const ListOptions& options) = 0;

  // Returns when the commit is durable and visible to readers and watchers.
  virtual Result<CommitResult> Commit(Transaction transaction) = 0;
  // Commits without waiting. Calls `done` once, possibly before it returns and possibly on the
  // thread that commits: `done` must not block and must not call Commit.
  virtual void CommitAsync(Transaction transaction, CommitCallback done) = 0;

  virtual Result<std::unique_ptr<Watch>> OpenWatch(WatchOptions options) = 0;

  // Deletes the history before `revision`; the snapshot at `revision` and the changes after it
  // remain. No effect if that revision is compacted already.
  virtual Result<void> Compact(uint64_t revision) = 0;

  // Fails with the reason when the store cannot commit.
  virtual Result<void> CheckWritable() = 0;

  virtual Result<uint64_t> CurrentRevision() = 0;
  // The oldest revision that can be read, or after which a watch can start.
  virtual Result<uint64_t> CompactedRevision() = 0;
};

// The errors for revisions that cannot be read, with the messages and codes of kube-apiserver.
Error CompactedRevisionError(uint64_t asked);
Error FutureRevisionError(uint64_t asked, uint64_t current);

// For stores: fails for a cursor of another list; returns the cursor of the next page, `returned`
// records later.
Result<void> CheckCursor(const ListOptions& options);
ListCursor NextCursor(const ListCursor& cursor, size_t returned, const std::string& last_key);

// Inserts the decimal digits of the revision at `offset`.
std::string SpliceRevision(std::string value, size_t offset, uint64_t revision);

}  // namespace kubexms::store
