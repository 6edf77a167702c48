#pragma once

// Audit records of finished requests, which outlive the request objects: requester, operation,
// times and result.
//
//   ASSIGN_OR_RETURN(auto audit, FileAuditSink::Open("/var/log/kubexms/requests.log"));
//   manager.Add(RequestController<Grant>({.execute = ExecuteGrant, .audit = audit.get()}));

#include <chrono>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/meta_v1.h"
#include "kubexms/api/values/time.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/mutex.h"
#include "kubexms/base/result.h"
#include "kubexms/client/client.h"

namespace kubexms {

// The creator of a request.
struct Requester {
  // Authenticated by the server (creator_trust.h); empty: unknown.
  std::string user;
  std::vector<std::string> groups;  // of the user at the creation
  // The creator according to an annotation that the server does not verify; empty: none.
  std::string claimed;

  // "alice", "unknown (claimed: alice)" or "unknown".
  std::string ToString() const;

  bool operator==(const Requester&) const = default;
};

// Adds the annotation to a CustomResourceDefinition that makes kubexms record the creator of
// objects. If the kind is a request (its status has the phases of one), its spec becomes immutable,
// so that the requester is the author of the whole spec, and its phase defaults to Pending.
Json WithRecordedCreators(Json crd);

struct AuditRecord {
  std::string id;  // the uid of the request
  ResourceType type;
  ObjectKey key;
  Requester requester;
  std::string spec;  // JSON, as it was executed
  Time created;
  Time started;  // zero: never executed
  Time completed;
  // Of the last execution.
  std::chrono::nanoseconds duration{0};
  std::string result;  // "Completed", "Failed", or "Canceled": deleted before it was finished
  std::string message;
};

// One JSON object with a line break, of at most `max_bytes` (at least 1024): a long message or
// requester is truncated, and a long spec is replaced by its size ("specBytes").
std::string AuditRecordLine(const AuditRecord& record, size_t max_bytes);

// Stores audit records. Safe for use from any thread.
class AuditSink {
 public:
  virtual ~AuditSink() = default;
  // Success means that the record will not be lost.
  virtual Result<void> Write(const AuditRecord& record) = 0;
};

struct FileAuditSinkOptions {
  size_t max_line_bytes = 64 * 1024;
  // How many of the last records, including those in an existing file, are compared to avoid
  // duplicates.
  size_t remembered = 1000;
};

// A file with one JSON object per line, readable by its owner only. A record is on disk when
// Write() returns. A record with the id and result of one of the last `remembered` ones is not
// written again. A line that a crash truncated is terminated when the file is opened again.
//
// One process writes to the file at a time, from its first record on: of several replicas the
// leader. To rotate the file, rename it; the next record is written to a new file. Do not copy and
// truncate it, which loses records.
class FileAuditSink final : public AuditSink {
 public:
  // Creates the file if it does not exist. Fails if it cannot be written.
  static Result<std::unique_ptr<FileAuditSink>> Open(const std::string& path,
                                                     FileAuditSinkOptions options = {});
  ~FileAuditSink() override;

  // Fails also while another process writes to the file.
  Result<void> Write(const AuditRecord& record) override EXCLUDES(mutex_);

 private:
  FileAuditSink(std::string path, FileAuditSinkOptions options);
  Result<void> UseFileAtPath() REQUIRES(mutex_);
  Result<void> TakeFile() REQUIRES(mutex_);
  void Close() REQUIRES(mutex_);
  bool IsAtPath(int descriptor) const;
  Result<void> ReadTail() REQUIRES(mutex_);
  Result<std::string> ReadFrom(size_t offset, size_t size) const REQUIRES(mutex_);
  Result<size_t> StartOfLastLines(size_t size) const REQUIRES(mutex_);
  Result<void> Append(std::string_view text) REQUIRES(mutex_);
  void Remember(std::string result) REQUIRES(mutex_);
  Error Failed(std::string_view what) const;

  const std::string path_;
  const FileAuditSinkOptions options_;

  Mutex mutex_;
  int descriptor_ GUARDED_BY(mutex_) = -1;  // locked; -1: there was no record yet
  bool torn_ GUARDED_BY(mutex_) = false;    // the last line has no end
  std::deque<std::string> order_ GUARDED_BY(mutex_);
  std::set<std::string, std::less<>> results_ GUARDED_BY(mutex_);  // "id result"
};

}  // namespace kubexms
