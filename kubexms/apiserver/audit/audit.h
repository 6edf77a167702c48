#pragma once

// The audit log: who asked for what, when, and what came of it, as events of audit.k8s.io/v1, one
// JSON object a line. Lines are written at once by a thread of the log's own; those that come
// meanwhile are its next batch. When it cannot keep up, requests wait for it: no line is dropped to
// be faster. What the disk refuses is counted and logged.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "kubexms/apiserver/audit/audit_policy.h"
#include "kubexms/apiserver/request/user.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/error.h"
#include "kubexms/base/monitoring/log.h"
#include "kubexms/base/mutex.h"
#include "kubexms/base/result.h"
#include "kubexms/base/threads/bounded_queue.h"

namespace kubexms {

enum class AuditStage {
  kResponseStarted,   // of requests that are answered for long, such as watches
  kResponseComplete,  // of all
};

// One line. Views are borrowed for the call that writes it.
struct AuditEvent {
  AuditLevel level = AuditLevel::kMetadata;  // as the policy says, see AuditLog::LevelFor
  AuditStage stage = AuditStage::kResponseComplete;
  std::string_view id;  // a uuid, the same for all stages of a request
  std::string_view request_uri;
  const RequestAttributes& request;
  const UserInfo& user;                         // as authenticated
  const UserInfo* impersonated_user = nullptr;  // whom it acts for
  std::string_view source_address;              // "10.0.0.1:4711"
  std::string_view user_agent;
  Clock::WallTime received;
  Clock::WallTime stage_time;
  int code = 200;
  const Error* error = nullptr;  // the answer, when it is one
  // JSON texts, written only at levels that ask for them; what is not JSON is left out.
  std::string_view request_object;
  std::string_view response_object;
  // For example authorization.k8s.io/decision and authorization.k8s.io/reason.
  std::map<std::string_view, std::string_view> annotations;
};

// The line of an event, with its line break.
std::string AuditLine(const AuditEvent& event);

// Safe for use from any thread.
class AuditLog {
 public:
  struct Options {
    std::string path;
    // When the file would grow beyond this it becomes PATH.1, PATH.1 becomes PATH.2 and so on.
    size_t max_file_bytes = 100 * 1024 * 1024;
    int max_old_files = 10;  // older ones are deleted
    // A line may have the bodies of a request and its answer.
    size_t max_queued_lines = 10'000;
    size_t max_queued_bytes = 64 * 1024 * 1024;
    AuditPolicy policy;
    Logger logger;
  };

  // Appends to the file at `path`, which only its owner can read.
  static Result<std::unique_ptr<AuditLog>> Open(Options options);
  // Returns when everything is on disk.
  ~AuditLog();
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;

  // Ask first: for kNone nothing need be written, and only some levels need bodies.
  AuditLevel LevelFor(const UserInfo& user, const RequestAttributes& request) const {
    return options_.policy.LevelFor(user, request);
  }

  // Waits while the queue is full. Events of level kNone are not written.
  void Write(const AuditEvent& event) EXCLUDES(mutex_);

  // Returns when every line that was written before is in the file.
  void Flush() EXCLUDES(mutex_);

  // How many lines the disk has refused.
  uint64_t lost_lines() const { return lost_lines_; }

 private:
  class File;

  AuditLog(Options options, std::unique_ptr<File> file);
  void Run();
  void WriteBatch(const std::string& batch, uint64_t lines) EXCLUDES(mutex_);

  const Options options_;
  std::unique_ptr<File> file_;  // of the writing thread
  BoundedQueue<std::string> queue_;
  std::atomic<uint64_t> lost_lines_ = 0;
  std::atomic<uint64_t> queued_lines_ = 0;

  Mutex mutex_;
  CondVar written_changed_;
  uint64_t written_lines_ GUARDED_BY(mutex_) = 0;
  size_t queued_bytes_ GUARDED_BY(mutex_) = 0;

  std::thread writer_;  // last: it uses everything above
};

}  // namespace kubexms
