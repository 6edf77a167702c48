#include "kubexms/store/rocksdb_store.h"

#include <fmt/format.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>

#include <filesystem>
#include <map>

#include "kubexms/base/check.h"
#include "kubexms/store/data_directory.h"
#include "kubexms/store/local_store.h"
#include "kubexms/store/revision_mark.h"

namespace kubexms::store {

namespace {

// Format 1. Keys are sorted by their bytes, so numbers in them are big-endian:
//
//   "m"                          compacted revision, newest revision: 8 bytes each
//   "n"                          the compacted revision again, and the number of records in the
//                                snapshot at it: 8 bytes each; valid only if it agrees with "m"
//   "v" revision(8) user key     'p' create revision(8) value    a version, by its mod revision
//                                'd'                             a deletion
//
// Every commit is one batch, and every revision is its predecessor plus one. Reading the versions
// in order yields the history, and reveals gaps.
constexpr std::string_view kMeta = "m";
constexpr std::string_view kLive = "n";
constexpr char kVersion = 'v';
constexpr char kPut = 'p';
constexpr char kDelete = 'd';
constexpr size_t kNumber = 8;

void AppendNumber(std::string& bytes, uint64_t number) {
  for (int shift = 56; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(number >> shift));
}

uint64_t ReadNumber(std::string_view bytes) {
  uint64_t number = 0;
  for (const char byte : bytes.substr(0, kNumber)) {
    number = number << 8 | static_cast<unsigned char>(byte);
  }
  return number;
}

void EncodeKey(const Record& record, std::string& bytes) {
  bytes.assign(1, kVersion);
  AppendNumber(bytes, record.mod_revision);
  bytes += record.key;
}

void EncodeHead(const Record& record, std::string& bytes) {
  bytes.assign(1, record.deleted ? kDelete : kPut);
  if (!record.deleted) AppendNumber(bytes, record.create_revision);
}

// Null for bytes that do not have the format above.
RecordPtr Decode(std::string_view key, std::string_view value) {
  if (key.size() < 1 + kNumber || key[0] != kVersion || value.empty()) return nullptr;
  const uint64_t mod_revision = ReadNumber(key.substr(1));
  key.remove_prefix(1 + kNumber);
  if (value[0] == kDelete) return Record::MakeDeletion(key, mod_revision);
  if (value[0] != kPut || value.size() < 1 + kNumber) return nullptr;
  return Record::Make(key, value.substr(1 + kNumber), ReadNumber(value.substr(1)), mod_revision);
}

std::string_view View(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }
rocksdb::Slice SliceOf(std::string_view text) { return {text.data(), text.size()}; }

std::string MarkPath(const std::string& directory) { return directory + ".revision"; }

// The error for a store that lacks acknowledged data.
Error Damaged(const std::string& directory, std::string_view reason) {
  return Error::Internal(fmt::format(
      "the store {0} is damaged: {1}; nothing was changed. Restore {0} from a backup, or "
      "run kubexms server --repair once, which recovers readable data and lists lost data",
      directory, reason));
}

// The store writes keys in order and reads RocksDB only at the start, so RocksDB needs neither
// caches nor filters, and only small memtables. Log files are recycled: the fsync of an overwritten
// file costs a fraction of the fsync of a growing one.
//
// After a crash RocksDB reads its log up to the first incomplete record. That is right for
// unacknowledged writes, but hides damage to acknowledged ones; Load() distinguishes them.
rocksdb::Options MakeOptions() {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(1 << 20);
  table.block_size = 64 << 10;
  rocksdb::Options options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.write_buffer_size = 2 << 20;
  options.max_write_buffer_number = 6;
  options.recycle_log_file_num = 3;
  options.keep_log_file_num = 4;
  options.max_open_files = 256;
  options.allow_concurrent_memtable_write = false;  // there is one writer
  return options;
}

using DbPtr = std::unique_ptr<rocksdb::DB>;

bool IsDamage(const rocksdb::Status& status) {
  return status.IsCorruption() || status.IsNotFound() || status.IsInvalidArgument() ||
         (status.IsIOError() && status.subcode() == rocksdb::Status::kPathNotFound);
}

// `path` is in the store's `directory`. With `read_only`, RocksDB changes no files.
Result<DbPtr> OpenDb(const rocksdb::Options& options, const std::string& directory,
                     const std::string& path, bool read_only = false) {
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status = read_only ? rocksdb::DB::OpenForReadOnly(options, path, &db)
                                           : rocksdb::DB::Open(options, path, &db);
  if (status.ok()) return DbPtr(db);
  if (IsDamage(status)) return Damaged(directory, status.ToString());
  return Error::Internal(fmt::format("cannot open {}: {}", path, status.ToString()));
}

// Whether the database has any files.
bool HasData(const std::string& path) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    const std::string extension = entry.path().extension().string();
    if (entry.path().filename() == "CURRENT" || extension == ".sst" || extension == ".log") {
      return true;
    }
  }
  return false;
}

// The metadata of the history.
struct Meta {
  uint64_t compacted = kFirstRevision;
  uint64_t current = kFirstRevision;
  std::optional<uint64_t>
      live;  // none before the first compaction, and in stores of older versions
  bool damaged = false;
};

Meta ReadMeta(rocksdb::Iterator& it) {
  Meta meta;
  const auto read = [&](std::string_view key, uint64_t& first, uint64_t& second) {
    it.Seek(SliceOf(key));
    if (!it.Valid() || View(it.key()) != key) return false;
    meta.damaged |= it.value().size() != 2 * kNumber;
    if (meta.damaged) return false;
    first = ReadNumber(View(it.value()));
    second = ReadNumber(View(it.value()).substr(kNumber));
    return true;
  };
  read(kMeta, meta.compacted, meta.current);
  uint64_t counted_at = 0, live = 0;
  if (read(kLive, counted_at, live) && counted_at == meta.compacted) meta.live = live;
  return meta;
}

std::string NumberPair(uint64_t first, uint64_t second) {
  std::string bytes;
  AppendNumber(bytes, first);
  AppendNumber(bytes, second);
  return bytes;
}

void PutMeta(rocksdb::WriteBatch& batch, const Meta& meta) {
  KUBEXMS_CHECK(batch.Put(SliceOf(kMeta), NumberPair(meta.compacted, meta.current)).ok());
  KUBEXMS_CHECK(batch.Put(SliceOf(kLive), NumberPair(meta.compacted, *meta.live)).ok());
}

Result<void> CommitBatch(rocksdb::DB& db, rocksdb::WriteBatch& batch, const std::string& path) {
  rocksdb::WriteOptions options;
  options.sync = true;
  const rocksdb::Status status = db.Write(options, &batch);
  if (status.ok()) return {};
  return Error::Internal(fmt::format("cannot write to {}: {}", path, status.ToString()));
}

// Loads the history, which must have no gaps and reach at least `acknowledged`.
Result<std::unique_ptr<VersionIndex>> Load(rocksdb::DB& db, const std::string& directory,
                                           uint64_t acknowledged) {
  auto index = std::make_unique<VersionIndex>();
  std::unique_ptr<rocksdb::Iterator> it(db.NewIterator(rocksdb::ReadOptions()));
  const Meta meta = ReadMeta(*it);
  if (meta.damaged) return Damaged(directory, "its revisions are unreadable");
  index->Restore(meta.compacted);
  for (it->Seek(rocksdb::Slice(&kVersion, 1)); it->Valid(); it->Next()) {
    RecordPtr record = Decode(View(it->key()), View(it->value()));
    if (!record) return Damaged(directory, "an entry is unreadable");
    if (record->mod_revision <= meta.compacted) {
      index->RestoreRecord(std::move(record));
      continue;
    }
    const uint64_t newest = index->current_revision();
    if (record->mod_revision > newest + 1) {
      return Damaged(directory, fmt::format("the revisions {} to {} are missing", newest + 1,
                                            record->mod_revision - 1));
    }
    RecordPtr previous = index->Get(record->key, record->mod_revision);
    index->Apply({std::make_shared<const Event>(Event{std::move(record), std::move(previous)})});
  }
  if (!it->status().ok()) return Damaged(directory, it->status().ToString());
  if (meta.live && *meta.live != index->live_at_compacted()) {
    return Damaged(directory,
                   fmt::format("the store has {} records of revision {} and should have {}",
                               index->live_at_compacted(), meta.compacted, *meta.live));
  }
  const uint64_t wanted = std::max(acknowledged, meta.current);
  if (index->current_revision() < wanted) {
    return Damaged(directory, fmt::format("the newest revision is {}, but {} was acknowledged: the "
                                          "writes between are lost, or an older copy was restored",
                                          index->current_revision(), wanted));
  }
  return index;
}

class RocksDbJournal final : public Journal {
 public:
  RocksDbJournal(DataDirectory directory, DbPtr db, RevisionMark mark)
      : directory_(std::move(directory)), db_(std::move(db)), mark_(std::move(mark)) {}

  Result<void> Append(const std::vector<EventPtr>& events) override;
  Result<void> Compact(const Compaction& compaction) override;
  Result<void> Recover(uint64_t current) override;

 private:
  Result<void> Write(rocksdb::WriteBatch& batch) {
    return CommitBatch(*db_, batch, directory_.data_path());
  }

  DataDirectory directory_;
  DbPtr db_;  // null while it cannot recover
  RevisionMark mark_;
};

Result<void> RocksDbJournal::Append(const std::vector<EventPtr>& events) {
  rocksdb::WriteBatch batch;
  std::string key, head;
  for (const EventPtr& event : events) {
    const Record& record = *event->record;
    EncodeKey(record, key);
    EncodeHead(record, head);
    const rocksdb::Slice key_parts[] = {key};
    const rocksdb::Slice value_parts[] = {head, record.value};
    const rocksdb::Status status =
        batch.Put(rocksdb::SliceParts(key_parts, 1), rocksdb::SliceParts(value_parts, 2));
    KUBEXMS_CHECK(status.ok());
  }
  RETURN_IF_ERROR(Write(batch));
  mark_.Write(events.back()->revision());
  return {};
}

Result<void> RocksDbJournal::Compact(const Compaction& compaction) {
  rocksdb::WriteBatch batch;
  std::string key;
  for (const RecordPtr& record : compaction.obsolete) {
    EncodeKey(*record, key);
    KUBEXMS_CHECK(batch.Delete(key).ok());
  }
  PutMeta(
      batch,
      {.compacted = compaction.compacted, .current = compaction.current, .live = compaction.live});
  return Write(batch);
}

Result<void> RocksDbJournal::Recover(uint64_t current) {
  db_.reset();
  ASSIGN_OR_RETURN(db_, OpenDb(MakeOptions(), directory_.path(), directory_.data_path()));
  rocksdb::WriteBatch batch;
  std::string after(1, kVersion);
  AppendNumber(after, current + 1);
  std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(rocksdb::ReadOptions()));
  it->SeekForPrev(after);
  const bool versioned = it->Valid() && View(it->key()).size() > kNumber;
  const uint64_t newest = versioned ? ReadNumber(View(it->key()).substr(1)) : 0;
  const uint64_t reached = std::max(newest, ReadMeta(*it).current);
  if (reached < current) {
    db_.reset();
    return Damaged(directory_.path(), fmt::format("the newest revision is {}, but {} was "
                                                  "acknowledged",
                                                  reached, current));
  }
  // Deletes writes that failed but reached the disk: they were never acknowledged.
  for (it->Seek(after); it->Valid(); it->Next()) KUBEXMS_CHECK(batch.Delete(it->key()).ok());
  if (!it->status().ok()) return Damaged(directory_.path(), it->status().ToString());
  return Write(batch);
}

// ---- Repair.

constexpr size_t kDeletionsInABatch = 10'000;
// An upper bound for revisions after the last known one: those acknowledged in the seconds before a
// crash of the machine, which the revision mark may lack.
constexpr uint64_t kSkippedRevisions = 1'000'000;

// The newest version of every key, and all other entries.
struct Salvage {
  Meta meta;
  uint64_t newest = kFirstRevision;
  std::map<std::string, RecordPtr> records;  // including deletions while reading
  std::vector<std::string> obsolete;         // entries of the database
  std::vector<StoreRepair::Range> missing;
  uint64_t unreadable = 0;
  uint64_t at_compacted = 0;  // records of the oldest snapshot
};

Result<Salvage> ReadAll(rocksdb::DB& db, const std::string& directory) {
  Salvage found;
  std::unique_ptr<rocksdb::Iterator> it(db.NewIterator(rocksdb::ReadOptions()));
  found.meta = ReadMeta(*it);
  if (found.meta.damaged) found.meta = {};
  found.newest = found.meta.compacted;
  std::string entry;
  for (it->Seek(rocksdb::Slice(&kVersion, 1)); it->Valid(); it->Next()) {
    RecordPtr record = Decode(View(it->key()), View(it->value()));
    if (!record) {
      ++found.unreadable;
      found.obsolete.push_back(it->key().ToString());
      continue;
    }
    if (record->mod_revision <= found.meta.compacted) ++found.at_compacted;
    if (record->mod_revision > found.newest + 1) {
      found.missing.push_back({found.newest + 1, record->mod_revision - 1});
    }
    found.newest = std::max(found.newest, record->mod_revision);
    RecordPtr& newest = found.records[std::string(record->key)];
    if (newest) {
      EncodeKey(*newest, entry);
      found.obsolete.push_back(entry);
    }
    newest = std::move(record);
  }
  if (!it->status().ok()) return Damaged(directory, it->status().ToString());
  for (auto at = found.records.begin(); at != found.records.end();) {
    if (!at->second->deleted) {
      ++at;
      continue;
    }
    EncodeKey(*at->second, entry);
    found.obsolete.push_back(entry);
    at = found.records.erase(at);
  }
  return found;
}

// Opens a damaged database: as it is, or else after RocksDB has rebuilt its manifest.
Result<std::pair<DbPtr, Salvage>> OpenDamaged(const DataDirectory& directory) {
  const std::string path = directory.data_path();
  rocksdb::Options options = MakeOptions();
  // Recovers log records after a damaged one, and ignores a truncated log.
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kSkipAnyCorruptedRecords;
  options.recycle_log_file_num = 0;
  if (Result<DbPtr> db = OpenDb(options, directory.path(), path); db.ok()) {
    if (Result<Salvage> found = ReadAll(**db, directory.path()); found.ok()) {
      return std::pair(std::move(*db), std::move(*found));
    }
  }
  const rocksdb::Status repaired = rocksdb::RepairDB(path, options);
  if (!repaired.ok() && HasData(path)) {
    return Error::Internal(fmt::format("cannot repair {}: {}", path, repaired.ToString()));
  }
  options.create_if_missing = true;
  ASSIGN_OR_RETURN(DbPtr db, OpenDb(options, directory.path(), path));
  ASSIGN_OR_RETURN(Salvage found, ReadAll(*db, directory.path()));
  return std::pair(std::move(db), std::move(found));
}

// The number of lost records of the oldest snapshot; 0 if the expected number is unknown.
uint64_t LostRecords(const Salvage& found) {
  const uint64_t live = found.meta.live.value_or(0);
  return live > found.at_compacted ? live - found.at_compacted : 0;
}

Result<void> WriteRepaired(rocksdb::DB& db, const std::string& path, const Salvage& found,
                           uint64_t revision) {
  for (size_t begin = 0; begin < found.obsolete.size(); begin += kDeletionsInABatch) {
    rocksdb::WriteBatch batch;
    const size_t end = std::min(found.obsolete.size(), begin + kDeletionsInABatch);
    for (size_t i = begin; i < end; ++i) KUBEXMS_CHECK(batch.Delete(found.obsolete[i]).ok());
    RETURN_IF_ERROR(CommitBatch(db, batch, path));
  }
  rocksdb::WriteBatch batch;
  PutMeta(batch,
          {.compacted = revision, .current = revision, .live = uint64_t{found.records.size()}});
  RETURN_IF_ERROR(CommitBatch(db, batch, path));
  // After the flush RocksDB no longer reads the damaged logs.
  const rocksdb::Status flushed = db.Flush(rocksdb::FlushOptions());
  if (flushed.ok()) return {};
  return Error::Internal(fmt::format("cannot write to {}: {}", path, flushed.ToString()));
}

}  // namespace

Result<std::unique_ptr<Store>> OpenRocksDbStore(const RocksDbOptions& options) {
  const std::string mark_path = MarkPath(options.directory);
  const Result<std::optional<uint64_t>> mark = RevisionMark::Read(mark_path);
  if (!mark.ok()) return Damaged(options.directory, mark.error().message());
  std::error_code ignored;
  if (*mark && !std::filesystem::exists(options.directory, ignored)) {
    return Damaged(
        options.directory,
        fmt::format("the directory is missing, but {} contains revision {}", mark_path, **mark));
  }
  ASSIGN_OR_RETURN(DataDirectory directory, DataDirectory::Open(options.directory));
  const std::string path = directory.data_path();
  if ((*mark || HasData(path)) && !std::filesystem::exists(path + "/CURRENT", ignored)) {
    return Damaged(options.directory, fmt::format("{}/CURRENT is missing", path));
  }
  rocksdb::Options db_options = MakeOptions();
  auto index = std::make_unique<VersionIndex>();
  if (HasData(path)) {
    // Checks the data before opening for writing, which would drop unreadable parts of the log.
    ASSIGN_OR_RETURN(const DbPtr db, OpenDb(db_options, options.directory, path, true));
    ASSIGN_OR_RETURN(index, Load(*db, options.directory, mark->value_or(kFirstRevision)));
  }
  db_options.create_if_missing = !*mark;
  ASSIGN_OR_RETURN(DbPtr db, OpenDb(db_options, options.directory, path));
  ASSIGN_OR_RETURN(RevisionMark opened, RevisionMark::Open(mark_path, index->current_revision()));
  opened.Write(index->current_revision());
  auto journal =
      std::make_unique<RocksDbJournal>(std::move(directory), std::move(db), std::move(opened));
  return std::unique_ptr<Store>(std::make_unique<LocalStore>(
      std::move(journal), std::move(index), LocalStoreOptions{.log = options.log}));
}

Result<StoreRepair> RepairRocksDbStore(const RocksDbOptions& options) {
  const std::string mark_path = MarkPath(options.directory);
  const uint64_t acknowledged = RevisionMark::Read(mark_path).value_or({}).value_or(kFirstRevision);
  ASSIGN_OR_RETURN(const DataDirectory directory, DataDirectory::Open(options.directory, true));
  ASSIGN_OR_RETURN(auto opened, OpenDamaged(directory));
  auto& [db, found] = opened;
  const uint64_t reached = std::max({found.newest, found.meta.current, acknowledged});
  StoreRepair repair{.recovered = found.records.size(),
                     .unreadable = found.unreadable,
                     .lost = LostRecords(found),
                     .missing = std::move(found.missing)};
  if (reached > found.newest) repair.missing.push_back({found.newest + 1, reached});
  repair.revision = reached + kSkippedRevisions;
  RETURN_IF_ERROR(WriteRepaired(*db, directory.data_path(), found, repair.revision));
  std::error_code ignored;
  std::filesystem::remove(mark_path, ignored);
  ASSIGN_OR_RETURN(const RevisionMark mark, RevisionMark::Open(mark_path, repair.revision));
  return repair;
}

}  // namespace kubexms::store
