#pragma once

// Structured logging: a message that never varies, and fields that do.
//
//   Logger log({.sink = &sink, .clock = &clock});
//   const Logger node_log = log.Named("controller").Named("node").With("node", name);
//   node_log.Info("joined", {{"attempt", 3}, {"token", Secret(token)}, {"took", elapsed}});
//
// writes "2024-01-01T00:00:00.000Z INFO  controller.node: joined node=n1 attempt=3
// token=[redacted] took=1.5s". There is no global logger: whoever logs is given one.

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
  kText,  // for people
  kJson,  // one object a line, for machines
};

// Where lines go. Called from any thread; must not log.
class LogSink {
 public:
  virtual ~LogSink() = default;
  // `line` ends with a line break.
  virtual void Write(LogLevel level, std::string_view line) = 0;
};

// Standard error, or another file descriptor that outlives the sink; each line is written whole.
class FileLogSink final : public LogSink {
 public:
  FileLogSink();
  explicit FileLogSink(int descriptor) : descriptor_(descriptor) {}
  void Write(LogLevel level, std::string_view line) override;

 private:
  const int descriptor_;
  Mutex mutex_;
};

// Keeps the last lines, for tests.
class CapturingLogSink final : public LogSink {
 public:
  explicit CapturingLogSink(size_t capacity = 10'000);
  void Write(LogLevel level, std::string_view line) override;
  // Without their line breaks.
  std::vector<std::string> Lines() const;

 private:
  const size_t capacity_;
  mutable Mutex mutex_;
  std::deque<std::string> lines_ GUARDED_BY(mutex_);
};

// The value of a field. Borrows text: it is meant to live no longer than the call that logs it.
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
  // Messages and values longer than this are cut.
  size_t max_value_bytes = 8192;
  // Borrowed; they must outlive every logger made from this one.
  LogSink* sink = nullptr;
  const Clock* clock = nullptr;
  // If given, its values are redacted from every message, key and value.
  const SecretRegistry* secrets = nullptr;
};

// A cheap handle: copy it, keep it as a member. Safe for use from any thread.
class Logger {
 public:
  // One that discards everything.
  Logger() = default;
  // The root of a new tree. `sink` and `clock` are required.
  explicit Logger(const LogOptions& options);

  // The logger below this one with this name; names are joined by dots. Asking twice gives the same
  // place in the tree, so its level is set for both.
  Logger Named(std::string_view name) const;
  // The same logger, with one more field on every line.
  Logger With(std::string_view key, LogValue value) const;

  // Sets the level of this name and of all names below it that have none of their own. Nothing
  // happens to loggers outside the tree below this name.
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
