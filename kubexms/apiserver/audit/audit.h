#pragma once

// The API audit log: user, attributes, time and response of HTTP requests, as events of
// audit.k8s.io/v1, one JSON object per line. A thread of the log writes the lines without delay;
// lines that arrive during a write form the next batch. When the queue is full, HTTP requests wait
// instead of dropping lines. Lines that the file system refuses are counted and logged.

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
  kResponseStarted,   // of long-running requests such as watches
  kResponseComplete,  // of all HTTP requests
};

// One event of the API audit log. Views are borrowed for the duration of the call.
struct AuditEvent {
  AuditLevel level = AuditLevel::kMetadata;  // by the policy, see AuditLog::LevelFor
  AuditStage stage = AuditStage::kResponseComplete;
  std::string_view id;  // a UUID, the same for all stages of an HTTP request
  std::string_view request_uri;
  const RequestAttributes& request;
  const UserInfo& user;                         // as authenticated
  const UserInfo* impersonated_user = nullptr;  // by Impersonate-User
  std::string_view source_address;              // "10.0.0.1:4711"
  std::string_view user_agent;
  Clock::WallTime received;
  Clock::WallTime stage_time;
  int code = 200;
  const Error* error = nullptr;  // the response, when it is an error
  // JSON texts, written at levels that include them; text that is not JSON is omitted.
  std::string_view request_object;
  std::string_view response_object;
  // For example authorization.k8s.io/decision and authorization.k8s.io/reason.
  std::map<std::string_view, std::string_view> annotations;
};

// The event as a line, including the line break.
std::string AuditLine(const AuditEvent& event);

// Safe for use from any thread.
class AuditLog {
 public:
  struct Options {
    std::string path;
    // A file that would exceed this size is renamed to PATH.1, PATH.1 to PATH.2 and so on.
    size_t max_file_bytes = 100 * 1024 * 1024;
    int max_old_files = 10;  // older ones are deleted
    // A line may contain the bodies of an HTTP request and its response.
    size_t max_queued_lines = 10'000;
    size_t max_queued_bytes = 64 * 1024 * 1024;
    AuditPolicy policy;
    Logger logger;
  };

  // Appends to the file at `path`, which is created readable by its owner only.
  static Result<std::unique_ptr<AuditLog>> Open(Options options);
  // Returns after all lines are on disk.
  ~AuditLog();
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;

  // Tells callers whether to write an event at all, and whether it needs bodies.
  AuditLevel LevelFor(const UserInfo& user, const RequestAttributes& request) const {
    return options_.policy.LevelFor(user, request);
  }

  // Blocks while the queue is full. Ignores events of level kNone.
  void Write(const AuditEvent& event) EXCLUDES(mutex_);

  // Returns when all lines written before are in the file.
  void Flush() EXCLUDES(mutex_);

  // How many lines could not be written to the file.
  uint64_t lost_lines() const { return lost_lines_; }

 private:
  class File;

  AuditLog(Options options, std::unique_ptr<File> file);
  void Run();
  void WriteBatch(const std::string& batch, uint64_t lines) EXCLUDES(mutex_);

  const Options options_;
  std::unique_ptr<File> file_;  // used by the writer thread only
  BoundedQueue<std::string> queue_;
  std::atomic<uint64_t> lost_lines_ = 0;
  std::atomic<uint64_t> queued_lines_ = 0;

  Mutex mutex_;
  CondVar written_changed_;
  uint64_t written_lines_ GUARDED_BY(mutex_) = 0;
  size_t queued_bytes_ GUARDED_BY(mutex_) = 0;

  std::thread writer_;  // last, because the thread uses all other members
};

}  // namespace kubexms
