#pragma once

// The ground the API server stands on: a key-value store with one global history. Every commit
// makes one revision, larger than all before it; any revision that is not compacted away can be
// read as a consistent snapshot; and a watch delivers the changes after a revision, each once, in
// order, and only after it is durable. memory_store.h, rocksdb_store.h and etcd_store.h make
// stores; they behave the same, and one suite of tests holds them to it.
//
// Nothing is copied on the way out. A Record is immutable and shared: the store, every reader and
// every watcher hold the same bytes for as long as they need them.
//
// The revision inside the value. A Kubernetes object carries its own revision
// (metadata.resourceVersion), which is only known once the commit has its place in the history. So
// a Put may name the offset at which the revision's decimal digits belong, and every reader of
// every store finds them there. The stores on this machine insert them once, at commit; etcd
// assigns the revision itself after the value is sent, so there the offset is stored beside the
// value and the digits are inserted when it is read. Callers never splice, and Record's
// mod_revision always agrees with the digits. (A function from revision to value would say the
// same, but could not be sent to etcd.)

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

// The revision of a store that nothing was ever written to; the first commit makes a larger one.
inline constexpr uint64_t kFirstRevision = 1;
// Where a revision to read at is asked for: the newest one.
inline constexpr uint64_t kLatest = 0;

// The bounds of one transaction, the same in every store (they are those of etcd's defaults).
inline constexpr size_t kMaxOperations = 128;
inline constexpr size_t kMaxTransactionBytes = 1'500'000;

// One version of one key. All of it lies in one piece of memory: whoever walks over many records
// waits for little else.
class Record {
  class WithTail;  // only Make() has room for key and value behind it

 public:
  static std::shared_ptr<const Record> Make(std::string_view key, std::string_view value,
                                            uint64_t create_revision, uint64_t mod_revision);
  // The version that says that the key was deleted.
  static std::shared_ptr<const Record> MakeDeletion(std::string_view key, uint64_t mod_revision);

  Record(const WithTail&, std::string_view its_key, std::string_view its_value, uint64_t created_at,
         uint64_t modified_at);
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  // The value and a comma: as it stands in a list of values, unless it is the last.
  std::string_view value_and_comma() const { return {value.data(), value.size() + 1}; }

  // What the value means is known to its readers only. The first that looks whether it can be read
  // at all leaves here what it found, so that the others need not look again.
  enum class Soundness : uint8_t { kUnknown, kSound, kDamaged };
  Soundness soundness() const { return soundness_.load(std::memory_order_relaxed); }
  // True for the one caller that was the first.
  bool NoteSoundness(Soundness found) const {
    return soundness_.exchange(found, std::memory_order_relaxed) == Soundness::kUnknown;
  }

  const std::string_view key;
  const std::string_view value;    // empty when deleted
  const uint64_t create_revision;  // of the commit that made the key; 0 when deleted
  const uint64_t mod_revision;     // of the commit that made this version
  const bool deleted;

 private:
  mutable std::atomic<Soundness> soundness_ = Soundness::kUnknown;
};
using RecordPtr = std::shared_ptr<const Record>;

// One change: `record` is the version it made (`record->deleted` for a deletion), `previous` the
// version before it, null when the key did not exist.
struct Event {
  RecordPtr record;
  RecordPtr previous;

  uint64_t revision() const { return record->mod_revision; }
  // What it keeps in memory, at most: others may hold the same records.
  size_t bytes() const {
    return record->key.size() + record->value.size() + (previous ? previous->value.size() : 0);
  }
};
using EventPtr = std::shared_ptr<const Event>;

// Conditions and the changes to make when all of them hold. Read it as a sentence:
//
//   store.Commit(Transaction().IfRevision(key, 41).Put(key, text, {.revision_offset = 57}));
//   transaction = std::move(transaction).Put(another_key, another_text);
class Transaction {
 public:
  struct Condition {
    std::string key;
    uint64_t mod_revision;  // 0: the key does not exist
  };
  struct PutOptions {
    // Where in the value the commit's revision is inserted, in decimal; at most value.size().
    std::optional<size_t> revision_offset;
  };
  struct Operation {
    std::string key;
    std::optional<std::string> value;  // none: delete
    std::optional<size_t> revision_offset;
  };

  // The key's newest version is the one made by `mod_revision`.
  Transaction IfRevision(std::string key, uint64_t mod_revision) &&;
  Transaction IfAbsent(std::string key) &&;
  Transaction Put(std::string key, std::string value, PutOptions options) &&;
  Transaction Put(std::string key, std::string value) &&;
  // Deleting a key that does not exist is no change.
  Transaction Delete(std::string key) &&;

  const std::vector<Condition>& conditions() const { return conditions_; }
  const std::vector<Operation>& operations() const { return operations_; }
  // Of keys and values; known once prepared.
  size_t bytes() const { return bytes_; }
  // The operations, to be moved out of; the transaction is used up.
  std::vector<Operation> TakeOperations() && { return std::move(operations_); }

  // Checks the bounds above, that no key is empty, that no key is changed twice and that offsets
  // lie within their values; and puts the operations into the order of their keys, which is the
  // order in which the changes of one commit are watched. The stores call it.
  Result<void> Prepare();

 private:
  std::vector<Condition> conditions_;
  std::vector<Operation> operations_;
  size_t bytes_ = 0;
};

// What became of a transaction. When a condition did not hold nothing was changed.
struct CommitResult {
  struct Mismatch {
    std::string key;    // of the first condition that did not hold
    RecordPtr current;  // its newest version, null when it does not exist
  };

  // The revision of the commit. Of one that changed nothing (a mismatch, or only deletions of keys
  // that do not exist) it is the newest revision at that time.
  uint64_t revision = 0;
  std::optional<Mismatch> mismatch;

  bool committed() const { return !mismatch.has_value(); }
};
using CommitCallback = std::function<void(Result<CommitResult>)>;

// Where the next page of a list starts. Whoever hands one to a client may encode it as it likes.
struct ListCursor {
  uint64_t revision = 0;   // of the snapshot that all pages show
  std::string after;       // the last key that was returned
  uint64_t remaining = 0;  // how many records of the snapshot follow it
};

struct ListOptions {
  std::string prefix;
  // The snapshot to read; kLatest: the newest one. Not used with a cursor, which names its own.
  uint64_t revision = kLatest;
  size_t limit = 0;  // 0: all
  std::optional<ListCursor> cursor;
};

struct ListPage {
  std::vector<RecordPtr> records;  // in the order of their keys (as bytes)
  uint64_t revision = 0;           // of the snapshot
  std::optional<ListCursor> next;  // none after the last page
};

// What a watch has to say: some whole commits' changes, in order.
struct WatchBatch {
  std::vector<EventPtr> events;
  // Every change of the prefix up to and including this revision has been delivered by now. It
  // moves on without events too, so it serves as bookmark, and as after_revision of a new watch
  // that is to go on where this one stopped.
  uint64_t revision = 0;
};

// A running watch; destroying it ends it, and its store must outlive it. Poll, Next and
// RequestProgress must not be called at the same time by several threads.
class Watch {
 public:
  virtual ~Watch() = default;

  // What has come in since the last call, at once; possibly nothing. At most `max_events` and about
  // kMaxBatchBytes, but always whole commits: a commit of more than that is returned in one piece.
  // Poll until there are no events, then wait for on_ready. After an error the watch has ended and
  // keeps returning that error:
  //   Expired          the changes after its revision are compacted; list again.
  //   TooManyRequests  the watcher fell behind by more than its buffer; a new watch after the
  //                    revision of the last batch goes on without loss.
  virtual Result<WatchBatch> Poll(size_t max_events = kDefaultMaxEvents) = 0;

  // Waits for changes, or for progress that was requested. When `stop` is requested it returns
  // a batch without events.
  virtual Result<WatchBatch> Next(std::stop_token stop, size_t max_events = kDefaultMaxEvents) = 0;

  // Asks that the watch says soon, with or without events, that it has reached the store's newest
  // revision as of now. For stores on this machine that is so at the next Poll.
  virtual void RequestProgress() = 0;

  static constexpr size_t kDefaultMaxEvents = 1000;
  // What a watcher that does not go on holds is little, however large the objects are.
  static constexpr size_t kMaxBatchBytes = 256 << 10;
};

struct WatchOptions {
  std::string prefix;
  // Changes with a larger revision are delivered; kLatest: changes from now on.
  uint64_t after_revision = kLatest;
  // How many undelivered changes of its prefix the watch may be behind before it is cut off.
  // Changes from before the watch was opened do not count: they are read from the history.
  size_t buffer = 16384;
  // The same in bytes (Event::bytes). All watches of a store together have a bound as well: the one
  // that is the furthest behind is cut off first.
  size_t buffer_bytes = 32 << 20;
  // Called once after a Poll without events, as soon as another Poll has something to say: events,
  // requested progress or an error. It runs on a thread of the store, must be quick and must not
  // call the watch or the store; posting to an event loop is what it is for. Once the watch is
  // destroyed it is not called.
  std::function<void()> on_ready;
};

// All methods may be called from any thread.
//
// A revision that is compacted is refused with Error::Expired, one that is not reached yet with
// FutureRevisionError() below. Any other error of a read may be met by reading again. An error of a
// commit with code 400 or 413 or TooManyRequests means that nothing was changed; after any other
// it is unknown whether the commit took place, and the keys should be read before it is repeated.
class Store {
 public:
  virtual ~Store() = default;

  // The key's version at a revision; null when it did not exist.
  virtual Result<RecordPtr> Get(std::string_view key, uint64_t revision = kLatest) = 0;
  virtual Result<ListPage> List(const ListOptions& options) = 0;

  // Returns when the commit is durable and visible to readers and watchers.
  virtual Result<CommitResult> Commit(Transaction transaction) = 0;
  // The same without waiting. `done` is called once, possibly before this returns and possibly on
  // a thread that makes commits: it must be quick and must not call Commit.
  virtual void CommitAsync(Transaction transaction, CommitCallback done) = 0;

  virtual Result<std::unique_ptr<Watch>> OpenWatch(WatchOptions options) = 0;

  // Forgets what only readers and watchers of revisions before `revision` need; the snapshot at
  // `revision` itself and changes after it stay. To compact less than already is does nothing.
  virtual Result<void> Compact(uint64_t revision) = 0;

  // Why nothing can be committed now.
  virtual Result<void> CheckWritable() = 0;

  virtual Result<uint64_t> CurrentRevision() = 0;
  // The oldest revision that can be read or watched from.
  virtual Result<uint64_t> CompactedRevision() = 0;
};

// The errors of revisions that cannot be read, worded and coded as Kubernetes clients expect them.
Error CompactedRevisionError(uint64_t asked);
Error FutureRevisionError(uint64_t asked, uint64_t current);

// For the stores: refuses a cursor that does not belong to the list, and makes the one of the next
// page, `returned` records further.
Result<void> CheckCursor(const ListOptions& options);
ListCursor NextCursor(const ListCursor& cursor, size_t returned, const std::string& last_key);

// The text with the revision's decimal digits inserted at `offset`.
std::string SpliceRevision(std::string value, size_t offset, uint64_t revision);

}  // namespace kubexms::store
