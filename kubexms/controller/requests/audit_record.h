#pragma once

// Records of finished requests, which stay when the request objects are gone: who asked for what,
// when, how long it took, and what came of it.
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

// Who created an object.
struct Requester {
  // As the server authenticated them (creator_trust.h); empty: unknown.
  std::string user;
  std::vector<std::string> groups;  // of that user, at that time
  // Whom the object names as its creator where no server vouches for that; empty: nobody.
  std::string claimed;

  // "alice", "unknown (claimed: alice)" or "unknown".
  std::string ToString() const;

  bool operator==(const Requester&) const = default;
};

// The definition of a custom resource with the annotation that has kubexms record who creates one.
// Where that is a request (its status has the phases of one), its spec cannot be changed after its
// creation, so that who asked and what was asked for are of one person, and it begins as Pending.
Json WithRecordedCreators(Json crd);

struct AuditRecord {
  std::string id;  // the uid of the request: two records with one id are of one request
  ResourceType type;
  ObjectKey key;
  Requester requester;
  std::string spec;  // JSON, as it was executed
  Time created;
  Time started;  // zero: it never was
  Time completed;
  // Of the last execution: how long the work itself took.
  std::chrono::nanoseconds took{0};
  std::string result;  // "Completed", "Failed", or "Canceled": deleted before it was finished
  std::string message;
};

// One JSON object with a line break, of at most `max_bytes`, which must be 1024 at least: a message
// or a name of the requester that is too long is cut, and a spec that is too long is left out
// ("specBytes" says how long it was).
std::string AuditRecordLine(const AuditRecord& record, size_t max_bytes);

// Where records are kept. Safe for use from any thread.
class AuditSink {
 public:
  virtual ~AuditSink() = default;
  // Success means that the record will not be lost.
  virtual Result<void> Write(const AuditRecord& record) = 0;
};

struct FileAuditSinkOptions {
  size_t max_line_bytes = 64 * 1024;
  // How many of the last records are remembered, also from before the file was opened, in order not
  // to write them again.
  size_t remembered = 1000;
};

// A file of lines, only for its owner. What is promised: a record is on disk when Write() returns.
// A request that is executed again after a crash gets no second line if it ends in the same way,
// and a second one with the same id if it does not; only one of the last `remembered` records is
// recognized. A line that a crash cut in two is ended when the file is opened again.
//
// One process writes to the file at a time, from its first record on: of several replicas the
// leader. To rotate the file, rename it; the next record is then in a new one at its path. Do not
// copy and truncate it, which loses what is written in between.
class FileAuditSink final : public AuditSink {
 public:
  // Fails if the file cannot be written; it is made if it is not there.
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
  void Remember(std::string ending) REQUIRES(mutex_);
  Error Failed(std::string_view what) const;

  const std::string path_;
  const FileAuditSinkOptions options_;

  Mutex mutex_;
  int descriptor_ GUARDED_BY(mutex_) = -1;  // locked; -1: there was no record yet
  bool torn_ GUARDED_BY(mutex_) = false;    // the last line has no end
  std::deque<std::string> order_ GUARDED_BY(mutex_);
  std::set<std::string, std::less<>> endings_ GUARDED_BY(mutex_);  // "id result"
};

}  // namespace kubexms
