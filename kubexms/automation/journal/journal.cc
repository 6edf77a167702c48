#include "kubexms/automation/journal/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace kubexms::automation {
namespace {

constexpr std::string_view kTypes[] = {"run", "begin", "done", "failed", "undone", "finished"};

Error FileError(std::string_view what, const std::string& path) {
  return Error::Internal(fmt::format("{} {}: {}", what, path, std::strerror(errno)));
}

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Result<void> WriteAll(int file, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FileError("write", path);
    text.remove_prefix(static_cast<size_t>(count));
  }
  return {};
}

// The name of a new file is durable only after its directory was synced.
void SyncDirectoryOf(const std::string& path) {
  const std::string directory = path.substr(0, path.rfind('/'));
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

template <class Record, class Field>
void VisitTexts(Record& record, Field field) {
  field("run", record.run);
  field("pipeline", record.pipeline);
  field("config", record.config);
  field("time", record.time);
  field("task", record.task);
  field("step", record.step);
  field("host", record.host);
  field("message", record.message);
}

}  // namespace

std::string WriteRecord(const JournalRecord& record, const SecretRegistry& secrets) {
  JsonObject json;
  json["type"] = kTypes[static_cast<size_t>(record.type)];
  VisitTexts(record, [&](std::string_view name, const std::string& value) {
    // All other texts are identifiers, which must not be altered.
    if (!value.empty()) json[name] = name == "message" ? secrets.Redact(value) : value;
  });
  for (const std::string& line : record.summary) {
    if (!json.contains("summary")) json["summary"].emplace_array();
    json["summary"].get_array().emplace_back(secrets.Redact(line));
  }
  if (record.undo_parallel > 0) json["undoParallel"] = record.undo_parallel;
  if (record.point_of_no_return) json["pointOfNoReturn"] = true;
  for (const Operation& operation : record.undo) {
    if (!json.contains("undo")) json["undo"].emplace_array();
    json["undo"].get_array().emplace_back(ToJson(operation));
  }
  return WriteJson(json);
}

Result<JournalRecord> ParseRecord(std::string_view line) {
  ASSIGN_OR_RETURN(const Json json, ParseJson(line));
  JournalRecord record;
  const std::string_view type = FindString(json, "type");
  const auto* known = std::find(std::begin(kTypes), std::end(kTypes), type);
  if (known == std::end(kTypes)) {
    return Error::BadRequest(fmt::format("\"{}\" is not a record type", type));
  }
  record.type = static_cast<JournalRecord::Type>(known - std::begin(kTypes));
  VisitTexts(record,
             [&](std::string_view name, std::string& value) { value = FindString(json, name); });
  if (const Json* bound = FindMember(json, "undoParallel"); bound && bound->is_int64()) {
    record.undo_parallel = bound->get_int64();
  }
  const Json* final = FindMember(json, "pointOfNoReturn");
  record.point_of_no_return = final && final->is_bool() && final->get_bool();
  if (const Json* summary = FindMember(json, "summary"); summary && summary->is_array()) {
    for (const Json& text : summary->get_array()) {
      if (text.is_string()) record.summary.emplace_back(AsView(text.get_string()));
    }
  }
  if (const Json* undo = FindMember(json, "undo"); undo && undo->is_array()) {
    for (const Json& operation : undo->get_array()) {
      ASSIGN_OR_RETURN(Operation parsed, OperationFromJson(operation));
      record.undo.push_back(std::move(parsed));
    }
  }
  return record;
}

Result<std::vector<JournalRecord>> ParseJournal(std::string_view text) {
  std::vector<JournalRecord> records;
  for (size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    Result<JournalRecord> record = ParseRecord(text.substr(0, end));
    if (!record.ok()) {
      return record.error().WithContext(fmt::format("record {}", records.size() + 1));
    }
    records.push_back(std::move(record).value());
    text.remove_prefix(end + 1);
  }
  return records;
}

Result<std::vector<JournalRecord>> ReadJournal(const std::string& path) {
  if (::access(path.c_str(), R_OK) != 0) return FileError("read", path);
  Result<std::vector<JournalRecord>> records = ParseJournal(ReadAll(path));
  if (!records.ok()) return records.error().WithContext(path);
  return records;
}

Result<std::unique_ptr<Journal>> Journal::Open(const std::string& path,
                                               const SecretRegistry* secrets) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return FileError("open", path);
  std::unique_ptr<Journal> journal(new Journal(path, file, secrets));
  const std::string text = ReadAll(path);
  const size_t whole = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
  if (whole < text.size() && ::ftruncate(file, static_cast<off_t>(whole)) != 0) {
    return FileError("truncate", path);
  }
  SyncDirectoryOf(path);
  return journal;
}

Journal::~Journal() { ::close(file_); }

Result<void> Journal::Append(const JournalRecord& record) {
  const std::string line = WriteRecord(record, *secrets_) + "\n";
  MutexLock lock(mutex_);
  if (broken_) return *broken_;
  if (const Result<void> written = WriteAll(file_, line, path_); !written.ok()) {
    broken_ = written.error();
    return *broken_;
  }
  const uint64_t number = ++written_;
  while (durable_ < number && !broken_) {
    if (syncing_)
      changed_.Wait(mutex_);
    else
      Sync();
  }
  if (durable_ < number) return *broken_;
  return {};
}

// Syncs all records written so far; other threads continue to write meanwhile.
void Journal::Sync() {
  const uint64_t until = written_;
  syncing_ = true;
  mutex_.unlock();
  const int synced = ::fdatasync(file_);
  const Error failure = FileError("sync", path_);
  mutex_.lock();
  syncing_ = false;
  if (synced == 0)
    durable_ = until;
  else
    broken_ = failure;
  changed_.NotifyAll();
}

Result<std::unique_ptr<ClusterLock>> ClusterLock::Acquire(const std::string& path,
                                                          const std::string& owner) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return FileError("open", path);
  std::unique_ptr<ClusterLock> lock(new ClusterLock(file));
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    const std::string text = ReadAll(path);
    return Error::Conflict("clusters", path,
                           fmt::format("{} is working on it; wait until it has ended",
                                       text.empty() ? "another program" : text));
  }
  // The owner is informational: a full disk must not prevent the commands that free space.
  static_cast<void>(::ftruncate(file, 0) == 0 && WriteAll(file, owner, path).ok());
  return lock;
}

ClusterLock::~ClusterLock() { ::close(file_); }

}  // namespace kubexms::automation
