#include "kubexms/store/rocksdb_store.h"

#include <fmt/format.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>

#include "kubexms/base/check.h"
#include "kubexms/store/data_directory.h"
#include "kubexms/store/local_store.h"

namespace kubexms::store {

namespace {

// What is stored, format 1. Keys sort as bytes, so numbers in them are big-endian:
//
//   "m"                          compacted revision, newest revision: 8 bytes each
//   "v" revision(8) user key     'p' create revision(8) value    a version, by its mod revision
//                                'd'                             a deletion
//
// All of a commit is written in one batch. Reading it back in order gives the history.
constexpr std::string_view kMeta = "m";
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

// Null when the bytes are not in the format above.
RecordPtr Decode(std::string_view key, std::string_view value) {
  if (key.size() < 1 + kNumber || key[0] != kVersion || value.empty()) return nullptr;
  const uint64_t mod_revision = ReadNumber(key.substr(1));
  key.remove_prefix(1 + kNumber);
  if (value[0] == kDelete) return Record::MakeDeletion(key, mod_revision);
  if (value[0] != kPut || value.size() < 1 + kNumber) return nullptr;
  return Record::Make(key, value.substr(1 + kNumber), ReadNumber(value.substr(1)), mod_revision);
}

std::string_view View(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

class RocksDbJournal final : public Journal {
 public:
  static Result<std::unique_ptr<RocksDbJournal>> Open(const std::string& path);

  Result<std::unique_ptr<VersionIndex>> Load();
  Result<void> Append(const std::vector<EventPtr>& events) override;
  Result<void> Compact(const std::vector<RecordPtr>& obsolete, uint64_t compacted,
                       uint64_t current) override;
  Result<void> Recover(uint64_t current) override;

 private:
  RocksDbJournal(DataDirectory directory, std::unique_ptr<rocksdb::DB> db)
      : directory_(std::move(directory)), db_(std::move(db)) {}

  Result<void> Write(rocksdb::WriteBatch& batch);
  Error Failed(std::string_view what, const std::string& why) const;

  DataDirectory directory_;
  std::unique_ptr<rocksdb::DB> db_;  // null while it cannot recover
};

// RocksDB is written in the order of keys and read only at the start, so it needs neither caches
// nor filters, and what waits in memory to be written in a better order is best little. Log files
// are used again: to overwrite one costs a fraction of the fsync that makes one longer.
rocksdb::Options MakeOptions() {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(1 << 20);
  table.block_size = 64 << 10;
  rocksdb::Options options;
  options.create_if_missing = true;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.write_buffer_size = 2 << 20;
  options.max_write_buffer_number = 6;
  options.recycle_log_file_num = 3;
  options.keep_log_file_num = 4;
  options.max_open_files = 256;
  options.allow_concurrent_memtable_write = false;  // there is one writer
  return options;
}

Result<std::unique_ptr<rocksdb::DB>> OpenDb(const std::string& path) {
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status = rocksdb::DB::Open(MakeOptions(), path, &db);
  if (status.ok()) return std::unique_ptr<rocksdb::DB>(db);
  return Error::Internal(
      fmt::format("open {}: {}{}", path, status.ToString(),
                  status.IsNoSpace() ? "" : "; restore the directory from a backup"));
}

Result<std::unique_ptr<RocksDbJournal>> RocksDbJournal::Open(const std::string& path) {
  ASSIGN_OR_RETURN(DataDirectory directory, DataDirectory::Open(path));
  ASSIGN_OR_RETURN(std::unique_ptr<rocksdb::DB> db, OpenDb(directory.data_path()));
  return std::unique_ptr<RocksDbJournal>(new RocksDbJournal(std::move(directory), std::move(db)));
}

Error RocksDbJournal::Failed(std::string_view what, const std::string& why) const {
  return Error::Internal(fmt::format("{} {}: {}", what, directory_.data_path(), why));
}

Result<std::unique_ptr<VersionIndex>> RocksDbJournal::Load() {
  auto index = std::make_unique<VersionIndex>();
  uint64_t compacted = kFirstRevision, current = kFirstRevision;
  std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(rocksdb::ReadOptions()));
  it->Seek(rocksdb::Slice(kMeta.data(), kMeta.size()));
  if (it->Valid() && View(it->key()) == kMeta && it->value().size() == 2 * kNumber) {
    compacted = ReadNumber(View(it->value()));
    current = ReadNumber(View(it->value()).substr(kNumber));
  }
  index->Restore(compacted);
  for (it->Seek(rocksdb::Slice(&kVersion, 1)); it->Valid(); it->Next()) {
    RecordPtr record = Decode(View(it->key()), View(it->value()));
    if (!record) return Failed("read", "an entry is damaged");
    if (record->mod_revision <= compacted) {
      index->RestoreRecord(std::move(record));
      continue;
    }
    RecordPtr previous = index->Get(record->key, record->mod_revision);
    index->Apply({std::make_shared<const Event>(Event{std::move(record), std::move(previous)})});
  }
  if (!it->status().ok()) return Failed("read", it->status().ToString());
  index->RestoreCurrent(current);
  return index;
}

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
  return Write(batch);
}

Result<void> RocksDbJournal::Compact(const std::vector<RecordPtr>& obsolete, uint64_t compacted,
                                     uint64_t current) {
  rocksdb::WriteBatch batch;
  std::string key, meta;
  for (const RecordPtr& record : obsolete) {
    EncodeKey(*record, key);
    KUBEXMS_CHECK(batch.Delete(key).ok());
  }
  AppendNumber(meta, compacted);
  AppendNumber(meta, current);
  KUBEXMS_CHECK(batch.Put(rocksdb::Slice(kMeta.data(), kMeta.size()), meta).ok());
  return Write(batch);
}

Result<void> RocksDbJournal::Write(rocksdb::WriteBatch& batch) {
  rocksdb::WriteOptions options;
  options.sync = true;
  const rocksdb::Status status = db_->Write(options, &batch);
  if (!status.ok()) return Failed("write to", status.ToString());
  return {};
}

Result<void> RocksDbJournal::Recover(uint64_t current) {
  db_.reset();
  ASSIGN_OR_RETURN(db_, OpenDb(directory_.data_path()));
  // What failed may be there all the same, but nobody was told so.
  rocksdb::WriteBatch batch;
  std::string after(1, kVersion);
  AppendNumber(after, current + 1);
  std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(rocksdb::ReadOptions()));
  for (it->Seek(after); it->Valid(); it->Next()) KUBEXMS_CHECK(batch.Delete(it->key()).ok());
  if (!it->status().ok()) return Failed("read", it->status().ToString());
  return Write(batch);
}

}  // namespace

Result<std::unique_ptr<Store>> OpenRocksDbStore(const RocksDbOptions& options) {
  ASSIGN_OR_RETURN(std::unique_ptr<RocksDbJournal> journal,
                   RocksDbJournal::Open(options.directory));
  ASSIGN_OR_RETURN(std::unique_ptr<VersionIndex> index, journal->Load());
  return std::unique_ptr<Store>(
      std::make_unique<LocalStore>(std::move(journal), std::move(index), options.log));
}

}  // namespace kubexms::store
