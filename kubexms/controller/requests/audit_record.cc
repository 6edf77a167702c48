#include "kubexms/controller/requests/audit_record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "kubexms/api/creator.h"
#include "kubexms/base/utf8.h"
#include "kubexms/controller/requests/request_controller.h"

namespace kubexms {
namespace {

// What is left for the message when all else is as long as it can be.
constexpr size_t kMaxMessageBytes = 4096;
constexpr size_t kMaxRequesterBytes = 1024;  // of a name
constexpr size_t kTailBlock = 64 * 1024;

JsonObject RequesterJson(const Requester& requester, size_t max_bytes) {
  JsonObject json;
  if (!requester.user.empty()) json["user"] = CutUtf8(requester.user, max_bytes);
  if (!requester.claimed.empty()) json["claimed"] = CutUtf8(requester.claimed, max_bytes);
  return json;
}

JsonObject RecordJson(const AuditRecord& record) {
  JsonObject json{{"id", record.id},
                  {"apiVersion", record.type.ApiVersion()},
                  {"kind", record.type.kind},
                  {"name", record.key.name},
                  {"requestedBy", RequesterJson(record.requester, kMaxRequesterBytes)},
                  {"created", record.created.ToString()},
                  {"completed", record.completed.ToString()},
                  {"durationSeconds", std::chrono::duration<double>(record.duration).count()},
                  {"result", record.result},
                  {"message", CutUtf8(ToValidUtf8(record.message), kMaxMessageBytes)}};
  if (!record.key.namespace_name.empty()) json["namespace"] = record.key.namespace_name;
  if (!record.started.IsZero()) json["started"] = record.started.ToString();
  return json;
}

std::string ResultKey(std::string_view id, std::string_view result) {
  return fmt::format("{} {}", id, result);
}

Json* Below(Json* json, std::string_view name) {
  return json != nullptr && json->is_object() ? json->as_object().if_contains(name) : nullptr;
}

bool HasPhasesOfRequests(Json& properties) {
  const Json* phases =
      Below(Below(Below(Below(&properties, "status"), "properties"), "phase"), "enum");
  return phases != nullptr && *phases == Json(JsonArray{kRequestPending, kRequestProcessing,
                                                        kRequestCompleted, kRequestFailed});
}

// A spec that is absent could be added later, to which no rule about its change applies.
void AlwaysHaveSpec(JsonObject& schema, JsonObject& spec) {
  if (!spec.contains("required")) {
    if (!spec.contains("default")) spec["default"] = JsonObject();
    return;
  }
  Json& required = schema["required"];
  if (!required.is_array()) required.emplace_array();
  JsonArray& names = required.as_array();
  if (std::find(names.begin(), names.end(), Json("spec")) == names.end()) {
    names.emplace_back("spec");
  }
}

void FixSpec(JsonObject& spec) {
  const JsonObject rule{{"rule", "self == oldSelf"},
                        {"message", "cannot be changed after creation"}};
  Json& rules = spec["x-kubernetes-validations"];
  if (!rules.is_array()) rules.emplace_array();
  JsonArray& all = rules.as_array();
  if (std::find(all.begin(), all.end(), Json(rule)) == all.end()) all.emplace_back(rule);
}

// The schema of one version, if it is that of a request.
void DescribeAsRequest(Json& version) {
  Json* schema = Below(Below(&version, "schema"), "openAPIV3Schema");
  Json* properties = Below(schema, "properties");
  if (properties == nullptr || !HasPhasesOfRequests(*properties)) return;
  JsonObject& status = Below(properties, "status")->as_object();
  if (!status.contains("default")) status["default"] = ParseJson(kPendingStatus).value();
  Json* spec = Below(properties, "spec");
  if (spec == nullptr) return;
  AlwaysHaveSpec(schema->as_object(), spec->as_object());
  FixSpec(spec->as_object());
}

}  // namespace

std::string Requester::ToString() const {
  if (!user.empty()) return user;
  return claimed.empty() ? "unknown" : fmt::format("unknown (claimed: {})", claimed);
}

Json WithRecordedCreators(Json crd) {
  JsonObject& metadata = crd.as_object()["metadata"].as_object();
  Json& annotations = metadata["annotations"];
  if (!annotations.is_object()) annotations.emplace_object();
  annotations.as_object()[kRecordCreatorAnnotation] = "true";
  Json* versions = Below(Below(&crd, "spec"), "versions");
  if (versions == nullptr || !versions->is_array()) return crd;
  for (Json& version : versions->as_array()) DescribeAsRequest(version);
  return crd;
}

std::string AuditRecordLine(const AuditRecord& record, size_t max_bytes) {
  JsonObject json = RecordJson(record);
  if (Result<Json> spec = ParseJson(record.spec); spec.ok()) json["spec"] = std::move(*spec);
  std::string line = WriteJson(json) + "\n";
  if (line.size() <= max_bytes) return line;
  json.erase("spec");
  json["specBytes"] = record.spec.size();
  line = WriteJson(json) + "\n";
  if (line.size() <= max_bytes) return line;
  json["message"] = "";
  line = WriteJson(json) + "\n";
  for (size_t bytes = kMaxRequesterBytes; line.size() > max_bytes && bytes > 0; bytes /= 2) {
    json["requestedBy"] = RequesterJson(record.requester, bytes / 2);
    line = WriteJson(json) + "\n";
  }
  return line;
}

namespace {

int OpenToAppend(const std::string& path) {
  return ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

// So that a file that was made in it is there after a crash.
bool SyncDirectoryOf(const std::string& path) {
  const std::string directory = std::filesystem::path(path).parent_path().string();
  const int descriptor =
      ::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool synced = ::fsync(descriptor) == 0;
  ::close(descriptor);
  return synced;
}

}  // namespace

FileAuditSink::FileAuditSink(std::string path, FileAuditSinkOptions options)
    : path_(std::move(path)), options_(options) {}

FileAuditSink::~FileAuditSink() {
  MutexLock lock(mutex_);
  Close();
}

Result<std::unique_ptr<FileAuditSink>> FileAuditSink::Open(const std::string& path,
                                                           FileAuditSinkOptions options) {
  std::unique_ptr<FileAuditSink> sink(new FileAuditSink(path, options));
  const int descriptor = OpenToAppend(path);
  if (descriptor < 0) return sink->Failed("open");
  ::close(descriptor);
  return sink;
}

Error FileAuditSink::Failed(std::string_view what) const {
  return Error::Internal(fmt::format("cannot {} {}: {}", what, path_, std::strerror(errno)));
}

bool FileAuditSink::IsAtPath(int descriptor) const {
  struct stat here;
  struct stat there;
  return ::fstat(descriptor, &here) == 0 && ::stat(path_.c_str(), &there) == 0 &&
         here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

void FileAuditSink::Close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
}

// The file may have been renamed or removed since the last record.
Result<void> FileAuditSink::UseFileAtPath() {
  if (descriptor_ >= 0 && IsAtPath(descriptor_)) return {};
  Close();
  descriptor_ = OpenToAppend(path_);
  if (descriptor_ < 0) return Failed("open");
  Result<void> taken = TakeFile();
  if (!taken.ok()) Close();
  return taken;
}

Result<void> FileAuditSink::TakeFile() {
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    return Error::Internal(
        fmt::format("{} is in use: only one process can write audit records to it", path_));
  }
  if (!SyncDirectoryOf(path_)) return Failed("sync the directory of");
  return ReadTail();
}

Result<std::string> FileAuditSink::ReadFrom(size_t offset, size_t size) const {
  std::string text(size, '\0');
  size_t have = 0;
  while (have < size) {
    const ssize_t count =
        ::pread(descriptor_, text.data() + have, size - have, static_cast<off_t>(offset + have));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Failed("read");
    have += static_cast<size_t>(count);
  }
  return text;
}

// Where the last `remembered` lines of the file begin, at the latest.
Result<size_t> FileAuditSink::StartOfLastLines(size_t size) const {
  size_t start = size;
  size_t ends = 0;
  while (start > 0 && ends <= options_.remembered) {
    const size_t block = std::min(start, kTailBlock);
    start -= block;
    ASSIGN_OR_RETURN(const std::string text, ReadFrom(start, block));
    ends += static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  return start;
}

// Learns the last records, and whether the last line is complete.
Result<void> FileAuditSink::ReadTail() {
  struct stat status;
  if (::fstat(descriptor_, &status) != 0) return Failed("read");
  const auto size = static_cast<size_t>(status.st_size);
  ASSIGN_OR_RETURN(const size_t start, StartOfLastLines(size));
  ASSIGN_OR_RETURN(const std::string tail, ReadFrom(start, size - start));
  torn_ = !tail.empty() && tail.back() != '\n';
  std::string_view rest = tail;
  for (size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    const Result<Json> line = ParseJson(rest.substr(0, end));  // fails for the rest of a line
    if (line.ok()) Remember(ResultKey(FindString(*line, "id"), FindString(*line, "result")));
    rest.remove_prefix(end + 1);
  }
  return {};
}

void FileAuditSink::Remember(std::string result) {
  if (!results_.insert(result).second) return;
  order_.push_back(std::move(result));
  if (order_.size() <= options_.remembered) return;
  results_.erase(order_.front());
  order_.pop_front();
}

Result<void> FileAuditSink::Write(const AuditRecord& record) {
  std::string result = ResultKey(record.id, record.result);
  MutexLock lock(mutex_);
  RETURN_IF_ERROR(UseFileAtPath());
  if (results_.contains(result)) return {};
  if (torn_) RETURN_IF_ERROR(Append("\n"));
  torn_ = true;
  RETURN_IF_ERROR(Append(AuditRecordLine(record, options_.max_line_bytes)));
  torn_ = false;
  if (::fdatasync(descriptor_) != 0) return Failed("sync");
  Remember(std::move(result));
  return {};
}

Result<void> FileAuditSink::Append(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor_, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Failed("write to");
    text.remove_prefix(static_cast<size_t>(count));
  }
  return {};
}

}  // namespace kubexms
