#pragma once

// The record of a run: what was begun, with what it takes to undo it, and what was finished. Each
// record is on the disk before the deed it announces, so whatever happens to the program, another
// one can go on, or take everything back.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/automation/hosts/operation.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/mutex.h"
#include "kubexms/base/result.h"
#include "kubexms/base/secret.h"

namespace kubexms::automation {

// One record, and one line of the file. Which fields are there depends on the type.
struct JournalRecord {
  enum class Type {
    kRun,       // a run begins: run, pipeline, config
    kBegin,     // a step is about to change something on a host: task, step, host, summary, undo
    kDone,      // and has, and it holds
    kFailed,    // or has not: message
    kUndone,    // it was taken back
    kFinished,  // the run is over: message, empty when all went well
  };

  Type type = Type::kRun;
  std::string run;
  std::string pipeline;
  std::string config;  // its checksum
  std::string time;    // RFC 3339
  std::string task;    // "module/task"
  std::string step;
  std::string host;
  std::vector<std::string> summary;
  std::vector<Operation> undo;
  int64_t undo_parallel = 0;  // how many hosts at a time the task may be undone on; 0: any number
  bool point_of_no_return = false;         // from here on the run cannot be taken back as a whole
  std::string message;
};

// One line of JSON, without a line break. Values that `secrets` knows are redacted in what people
// read, summary and message. `undo` is what will be performed and stays as it is, so a step must
// not put a secret there; the file is its owner's alone.
std::string WriteRecord(const JournalRecord& record, const SecretRegistry& secrets);
Result<JournalRecord> ParseRecord(std::string_view line);

// All whole records of a text. The last line may have been cut off by a crash, and does not count.
Result<std::vector<JournalRecord>> ParseJournal(std::string_view text);
Result<std::vector<JournalRecord>> ReadJournal(const std::string& path);

// Safe for use from any thread.
class Journal {
 public:
  // Opens the file to add to it, and makes it if need be. A line that a crash cut off is removed.
  // `secrets` must outlive the journal.
  static Result<std::unique_ptr<Journal>> Open(const std::string& path,
                                               const SecretRegistry* secrets);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Returns once the record is durable. Those that arrive while the disk is busy share its next
  // turn, so that many hosts cost little more than one.
  Result<void> Append(const JournalRecord& record) EXCLUDES(mutex_);

 private:
  void Sync() REQUIRES(mutex_);

  Journal(std::string path, int file, const SecretRegistry* secrets)
      : path_(std::move(path)), file_(file), secrets_(secrets) {}

  const std::string path_;
  const int file_;
  const SecretRegistry* const secrets_;
  Mutex mutex_;
  CondVar changed_;
  uint64_t written_ GUARDED_BY(mutex_) = 0;  // records
  uint64_t durable_ GUARDED_BY(mutex_) = 0;
  bool syncing_ GUARDED_BY(mutex_) = false;
  // After the disk has refused something nothing is added: the last line may be half a one.
  std::optional<Error> broken_ GUARDED_BY(mutex_);
};

// Keeps other programs on this machine from working on the same cluster. The kernel frees it when
// the program ends, however it ends.
class ClusterLock {
 public:
  // An error names who has it: `owner` of the other one.
  static Result<std::unique_ptr<ClusterLock>> Acquire(const std::string& path,
                                                   const std::string& owner);
  ~ClusterLock();
  ClusterLock(const ClusterLock&) = delete;
  ClusterLock& operator=(const ClusterLock&) = delete;

 private:
  explicit ClusterLock(int file) : file_(file) {}
  const int file_;
};

}  // namespace kubexms::automation
