#include "kubexms/apiserver/audit/audit.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "kubexms/api/values/time.h"
#include "kubexms/base/check.h"
#include "kubexms/base/json/json.h"

namespace kubexms {
namespace {

constexpr size_t kMaxBatchBytes = 1024 * 1024;

Error Failed(std::string_view what, const std::string& path) {
  return Error::Internal(fmt::format("{} {}: {}", what, path, std::strerror(errno)));
}

// Writes the members of a JSON object.
class JsonMembers {
 public:
  explicit JsonMembers(TextBuffer& out) : out_(out) { out_.Append('{'); }

  // Must be followed by the value.
  void Key(std::string_view key) {
    if (!first_) out_.Append(',');
    first_ = false;
    AppendJsonString(key, out_);
    out_.Append(':');
  }
  void String(std::string_view key, std::string_view value) {
    Key(key);
    AppendJsonString(value, out_);
  }
  // Omits an empty value.
  void Optional(std::string_view key, std::string_view value) {
    if (!value.empty()) String(key, value);
  }
  void Close() { out_.Append('}'); }

 private:
  TextBuffer& out_;
  bool first_ = true;
};

std::string_view StageName(AuditStage stage) {
  return stage == AuditStage::kResponseStarted ? "ResponseStarted" : "ResponseComplete";
}

std::string Timestamp(Clock::WallTime time) {
  return MicroTime(std::chrono::floor<std::chrono::microseconds>(time)).ToString();
}

// "10.0.0.1" of "10.0.0.1:4711", "::1" of "[::1]:4711".
std::string_view AddressWithoutPort(std::string_view address) {
  address = address.substr(0, address.rfind(':'));
  if (address.starts_with('[') && address.ends_with(']')) {
    address = address.substr(1, address.size() - 2);
  }
  return address;
}

void AppendStrings(const std::vector<std::string>& values, TextBuffer& out) {
  out.Append('[');
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out.Append(',');
    AppendJsonString(values[i], out);
  }
  out.Append(']');
}

void AppendUser(const UserInfo& user, TextBuffer& out) {
  JsonMembers writer(out);
  writer.Optional("username", user.name);
  writer.Optional("uid", user.uid);
  if (!user.groups.empty()) {
    writer.Key("groups");
    AppendStrings(user.groups, out);
  }
  if (!user.extra.empty()) {
    writer.Key("extra");
    JsonMembers extra(out);
    for (const auto& [key, values] : user.extra) {
      extra.Key(key);
      AppendStrings(values, out);
    }
    extra.Close();
  }
  writer.Close();
}

void AppendObjectReference(const RequestAttributes& request, TextBuffer& out) {
  JsonMembers reference(out);
  reference.Optional("resource", request.resource);
  reference.Optional("namespace", request.namespace_name);
  reference.Optional("name", request.name);
  reference.Optional("apiGroup", request.group);
  reference.Optional("apiVersion", request.version);
  reference.Optional("subresource", request.subresource);
  reference.Close();
}

// The error message without values from the request body: only which fields are wrong, and why.
// Messages about malformed and invalid requests quote parts of their bodies, which may be secret.
std::string MessageWithoutBody(const Error& error) {
  if (error.code() != 400 && error.code() != 422) return error.message();
  constexpr size_t kMaxCauses = 20;
  const ErrorDetails& details = error.details();
  std::string message = details.kind.empty()
                            ? "the request is malformed"
                            : fmt::format("{} \"{}\" is {}", details.kind, details.name,
                                          error.code() == 422 ? "invalid" : "malformed");
  for (size_t i = 0; i < std::min(details.causes.size(), kMaxCauses); ++i) {
    const ErrorCause& cause = details.causes[i];
    message += fmt::format("{}{}: {}", i == 0 ? ": " : ", ", cause.field, cause.reason);
  }
  return message;
}

void AppendStatus(const AuditEvent& event, TextBuffer& out) {
  JsonMembers status(out);
  status.Key("metadata");
  out.Append("{}");
  if (event.error != nullptr) {
    status.String("status", "Failure");
    status.Optional("message", event.level >= AuditLevel::kRequest
                                   ? event.error->message()
                                   : MessageWithoutBody(*event.error));
    status.Optional("reason", event.error->reason());
  }
  status.Key("code");
  AppendJsonNumber(static_cast<int64_t>(event.code), out);
  status.Close();
}

// Writes a body as one line; omits a body that is not JSON.
void AppendBody(std::string_view key, std::string_view body, JsonMembers& line, TextBuffer& out) {
  if (body.empty()) return;
  const Result<Json> json = ParseJson(body);
  if (!json.ok()) return;
  line.Key(key);
  AppendJson(*json, out);
}

void AppendAnnotations(const AuditEvent& event, TextBuffer& out) {
  JsonMembers annotations(out);
  for (const auto& [key, value] : event.annotations) annotations.String(key, value);
  annotations.Close();
}

}  // namespace

std::string AuditLine(const AuditEvent& event) {
  TextBuffer out(1024);
  JsonMembers line(out);
  line.String("kind", "Event");
  line.String("apiVersion", "audit.k8s.io/v1");
  line.String("level", AuditLevelName(event.level));
  line.String("auditID", event.id);
  line.String("stage", StageName(event.stage));
  line.String("requestURI", event.request_uri);
  line.String("verb", event.request.verb);
  line.Key("user");
  AppendUser(event.user, out);
  if (event.impersonated_user != nullptr) {
    line.Key("impersonatedUser");
    AppendUser(*event.impersonated_user, out);
  }
  line.Key("sourceIPs");
  out.Append('[');
  AppendJsonString(AddressWithoutPort(event.source_address), out);
  out.Append(']');
  line.Optional("userAgent", event.user_agent);
  if (event.request.is_resource) {
    line.Key("objectRef");
    AppendObjectReference(event.request, out);
  }
  line.Key("responseStatus");
  AppendStatus(event, out);
  if (event.level >= AuditLevel::kRequest) {
    AppendBody("requestObject", event.request_object, line, out);
  }
  if (event.level >= AuditLevel::kRequestResponse) {
    AppendBody("responseObject", event.response_object, line, out);
  }
  line.String("requestReceivedTimestamp", Timestamp(event.received));
  line.String("stageTimestamp", Timestamp(event.stage_time));
  if (!event.annotations.empty()) {
    line.Key("annotations");
    AppendAnnotations(event, out);
  }
  line.Close();
  out.Append('\n');
  return out.ToString();
}

// The current log file and its rotated predecessors.
class AuditLog::File {
 public:
  File(std::string path, size_t max_bytes, int max_old_files)
      : path_(std::move(path)), max_bytes_(max_bytes), max_old_files_(max_old_files) {}
  ~File() { Close(); }

  Result<void> Open() {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    struct stat status;
    if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) return Failed("open", path_);
    size_ = static_cast<size_t>(status.st_size);
    return {};
  }

  Result<void> Append(std::string_view text) {
    if (size_ > 0 && size_ + text.size() > max_bytes_) RETURN_IF_ERROR(Rotate());
    if (descriptor_ < 0) RETURN_IF_ERROR(Open());
    while (!text.empty()) {
      const ssize_t count = ::write(descriptor_, text.data(), text.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return Failed("write", path_);
      size_ += static_cast<size_t>(count);
      text.remove_prefix(static_cast<size_t>(count));
    }
    return {};
  }

  Result<void> Sync() {
    if (descriptor_ >= 0 && ::fdatasync(descriptor_) != 0) return Failed("sync", path_);
    return {};
  }

 private:
  std::string Old(int number) const { return fmt::format("{}.{}", path_, number); }

  void Close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }

  Result<void> Rotate() {
    RETURN_IF_ERROR(Sync());
    Close();
    ::unlink(max_old_files_ > 0 ? Old(max_old_files_).c_str() : path_.c_str());
    for (int number = max_old_files_ - 1; number >= 0; --number) {
      const std::string from = number == 0 ? path_ : Old(number);
      if (::rename(from.c_str(), Old(number + 1).c_str()) != 0 && errno != ENOENT) {
        return Failed("rename", from);
      }
    }
    return Open();
  }

  const std::string path_;
  const size_t max_bytes_;
  const int max_old_files_;
  int descriptor_ = -1;
  size_t size_ = 0;
};

AuditLog::AuditLog(Options options, std::unique_ptr<File> file)
    : options_(std::move(options)),
      file_(std::move(file)),
      queue_(options_.max_queued_lines),
      writer_([this] { Run(); }) {}

Result<std::unique_ptr<AuditLog>> AuditLog::Open(Options options) {
  auto file = std::make_unique<File>(options.path, options.max_file_bytes, options.max_old_files);
  RETURN_IF_ERROR(file->Open());
  return std::unique_ptr<AuditLog>(new AuditLog(std::move(options), std::move(file)));
}

AuditLog::~AuditLog() {
  queue_.Close();
  writer_.join();
}

void AuditLog::Write(const AuditEvent& event) {
  if (event.level == AuditLevel::kNone) return;
  std::string line = AuditLine(event);
  {
    MutexLock lock(mutex_);
    while (queued_bytes_ > 0 && queued_bytes_ + line.size() > options_.max_queued_bytes) {
      written_changed_.Wait(mutex_);
    }
    queued_bytes_ += line.size();
  }
  if (queue_.Push(std::move(line))) ++queued_lines_;
}

void AuditLog::Flush() {
  const uint64_t target = queued_lines_;
  MutexLock lock(mutex_);
  while (written_lines_ < target) written_changed_.Wait(mutex_);
}

void AuditLog::Run() {
  while (std::optional<std::string> line = queue_.Pop()) {
    // Lines that were queued during the last write join the batch.
    std::string batch = std::move(*line);
    uint64_t lines = 1;
    // A batch fits into one file, so that rotation respects the limit.
    const size_t limit = std::min(kMaxBatchBytes, options_.max_file_bytes);
    while (batch.size() < limit) {
      std::optional<std::string> next = queue_.TryPop();
      if (!next) break;
      if (batch.size() + next->size() > limit) {
        WriteBatch(batch, lines);
        batch.clear();
        lines = 0;
      }
      batch += *next;
      ++lines;
    }
    WriteBatch(batch, lines);
  }
  if (const Result<void> synced = file_->Sync(); !synced.ok()) {
    options_.logger.Error("cannot sync the API audit log; it may be incomplete after a crash",
                          {{"error", synced.error()}});
  }
}

void AuditLog::WriteBatch(const std::string& batch, uint64_t lines) {
  if (const Result<void> appended = file_->Append(batch); !appended.ok()) {
    lost_lines_ += lines;
    options_.logger.Error("cannot write to the API audit log; lines are lost",
                          {{"lines", lines}, {"error", appended.error()}});
  }
  MutexLock lock(mutex_);
  written_lines_ += lines;
  queued_bytes_ -= batch.size();
  written_changed_.NotifyAll();
}

}  // namespace kubexms
