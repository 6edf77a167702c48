#pragma once

// The journal of a run: the steps that were started, with their undo data, and those that were
// finished. Each record is durable before the change it announces, so after any crash another
// process can resume the run or roll it back.

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

// One record, and one line of the file. The type determines which fields are set.
struct JournalRecord {
  enum class Type {
    kRun,       // a run starts or is resumed: run, pipeline, config
    kBegin,     // a step is about to change a host: task, step, host, summary, undo
    kDone,      // the step was applied and verified
    kFailed,    // the step failed: message
    kUndone,    // the step was undone
    kFinished,  // the run has ended: message, empty on success
  };

  Type type = Type::kRun;
  std::string run;
  std::string pipeline;
  std::string config;  // the checksum of the configuration
  std::string time;    // RFC 3339
  std::string task;    // "module/task"
  std::string step;
  std::string host;
  std::vector<std::string> summary;
  std::vector<Operation> undo;
  int64_t undo_parallel = 0;        // the number of hosts to undo the task on at a time; 0: any
  bool point_of_no_return = false;  // once this step is started, the run cannot be rolled back
  std::string message;
};

// One line of JSON, without a line break. Secrets are redacted in summary and message. `undo` is
// written unchanged, because a rollback performs it: a step must not put a secret there. Only its
// owner can read the file.
std::string WriteRecord(const JournalRecord& record, const SecretRegistry& secrets);
Result<JournalRecord> ParseRecord(std::string_view line);

// All complete records of a text. A last line that a crash has truncated is ignored.
Result<std::vector<JournalRecord>> ParseJournal(std::string_view text);
Result<std::vector<JournalRecord>> ReadJournal(const std::string& path);

// Safe for use from any thread.
class Journal {
 public:
  // Opens the file for appending, and creates it if it does not exist. A truncated last line is
  // removed.
  // `secrets` must outlive the journal.
  static Result<std::unique_ptr<Journal>> Open(const std::string& path,
                                               const SecretRegistry* secrets);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // Returns once the record is durable. Records that arrive during an fdatasync share the next one,
  // so that many hosts cost little more than one.
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
  // After a failed write nothing is appended: the last line may be truncated.
  std::optional<Error> broken_ GUARDED_BY(mutex_);
};

// Excludes other processes on this machine from work on the same cluster. The kernel releases the
// lock when the process ends.
class ClusterLock {
 public:
  // Fails with a Conflict that names the `owner` of the other process.
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
