#pragma once

// Structured logging: a constant message and variable fields.
//
//   Logger log({.sink = &sink, .clock = &clock});
//   const Logger node_log = log.Named("controller").Named("node").With("node", name);
//   node_log.Info("joined", {{"attempt", 3}, {"token", Secret(token)}, {"took", elapsed}});
//
// writes "2024-01-01T00:00:00.000Z INFO  controller.node: joined node=n1 attempt=3
// token=[redacted] took=1.5s". There is no global logger: pass a logger to every class that logs.

#include <chrono>
#include <concepts>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/base/clock.h"
#include "kubexms/base/error.h"
#include "kubexms/base/mutex.h"
#include "kubexms/base/secret.h"

namespace kubexms {

class LogFields;

enum class LogLevel { kDebug, kInfo, kWarn, kError };

// "debug", "info", "warn" or "error".
std::string_view LogLevelName(LogLevel level);
std::optional<LogLevel> ParseLogLevel(std::string_view name);

enum class LogFormat {
  kText,
  kJson,  // one object per line
};

// The destination of log lines. Write() is called from any thread and must not log.
class LogSink {
 public:
  virtual ~LogSink() = default;
  // `line` ends with a line break.
  virtual void Write(LogLevel level, std::string_view line) = 0;
};

// Writes to standard error, or to another file descriptor that outlives the sink. Lines are never
// interleaved.
class FileLogSink final : public LogSink {
 public:
  FileLogSink();
  explicit FileLogSink(int descriptor) : descriptor_(descriptor) {}
  void Write(LogLevel level, std::string_view line) override;

 private:
  const int descriptor_;
  Mutex mutex_;
};

// Stores the last lines, for tests.
class CapturingLogSink final : public LogSink {
 public:
  explicit CapturingLogSink(size_t capacity = 10'000);
  void Write(LogLevel level, std::string_view line) override;
  // Without line breaks.
  std::vector<std::string> Lines() const;

 private:
  const size_t capacity_;
  mutable Mutex mutex_;
  std::deque<std::string> lines_ GUARDED_BY(mutex_);
};

// The value of a field. Borrows text: must not outlive the log call.
class LogValue {
 public:
  LogValue(std::string_view text) : text_(text) {}
  LogValue(const char* text) : text_(text) {}
  LogValue(const std::string& text) : text_(text) {}
  LogValue(const Error& error) : text_(error.message()) {}
  LogValue(const Secret&) : kind_(Kind::kSecret) {}
  LogValue(bool value) : kind_(Kind::kBool), integer_(value) {}
  LogValue(std::signed_integral auto value) : kind_(Kind::kInteger), integer_(value) {}
  LogValue(std::unsigned_integral auto value)
      : kind_(Kind::kUnsigned), integer_(static_cast<int64_t>(value)) {}
  LogValue(double value) : kind_(Kind::kDouble), number_(value) {}
  template <class Rep, class Period>
  LogValue(std::chrono::duration<Rep, Period> value)
      : kind_(Kind::kDuration), number_(std::chrono::duration<double>(value).count()) {}

 private:
  friend class LogLine;
  friend class LogFields;

  enum class Kind { kText, kSecret, kBool, kInteger, kUnsigned, kDouble, kDuration };

  Kind kind_ = Kind::kText;
  std::string_view text_;
  int64_t integer_ = 0;
  double number_ = 0;
};

struct LogField {
  std::string_view key;
  LogValue value;
};

struct LogOptions {
  LogLevel level = LogLevel::kInfo;
  LogFormat format = LogFormat::kText;
  // Longer messages and values are truncated.
  size_t max_value_bytes = 8192;
  // Borrowed; must outlive every logger derived from this one.
  LogSink* sink = nullptr;
  const Clock* clock = nullptr;
  // Optional; its values are redacted in every message, key and value.
  const SecretRegistry* secrets = nullptr;
};

// A cheap handle that can be copied. Thread-safe.
class Logger {
 public:
  // Discards all messages.
  Logger() = default;
  // The root of a new tree of loggers. `sink` and `clock` are required.
  explicit Logger(const LogOptions& options);

  // The child logger with this name; names are joined by dots. Loggers with the same full name
  // share their level.
  Logger Named(std::string_view name) const;
  // The same logger, with one more field on every line.
  Logger With(std::string_view key, LogValue value) const;

  // Sets the level of this name and of all descendants without a level of their own.
  void SetLevel(LogLevel level) const;
  bool Enabled(LogLevel level) const;

  void Debug(std::string_view message, std::initializer_list<LogField> fields = {}) const {
    if (Enabled(LogLevel::kDebug)) Write(LogLevel::kDebug, message, fields);
  }
  void Info(std::string_view message, std::initializer_list<LogField> fields = {}) const {
    if (Enabled(LogLevel::kInfo)) Write(LogLevel::kInfo, message, fields);
  }
  void Warn(std::string_view message, std::initializer_list<LogField> fields = {}) const {
    if (Enabled(LogLevel::kWarn)) Write(LogLevel::kWarn, message, fields);
  }
  void Error(std::string_view message, std::initializer_list<LogField> fields = {}) const {
    if (Enabled(LogLevel::kError)) Write(LogLevel::kError, message, fields);
  }

 private:
  struct Name;
  class Tree;

  void Write(LogLevel level, std::string_view message,
             std::initializer_list<LogField> fields) const;

  std::shared_ptr<Tree> tree_;
  Name* name_ = nullptr;  // owned by the tree
  std::shared_ptr<const LogFields> fields_;
};

}  // namespace kubexms
