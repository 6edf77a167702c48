#include "kubexms/base/monitoring/log.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <map>

#include "kubexms/base/check.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/utf8.h"

namespace kubexms {
namespace {

// The largest number of names in a tree; further names share the logger of their parent.
constexpr size_t kMaxNames = 1024;

constexpr std::array<std::string_view, 4> kLevelNames = {"debug", "info", "warn", "error"};
constexpr std::array<std::string_view, 4> kLevelTags = {"DEBUG", "INFO ", "WARN ", "ERROR"};

std::string FormatTime(Clock::WallTime time) {
  namespace chrono = std::chrono;
  const auto milliseconds = chrono::floor<chrono::milliseconds>(time);
  const auto day = chrono::floor<chrono::days>(milliseconds);
  const chrono::year_month_day date(day);
  const chrono::hh_mm_ss clock(milliseconds - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

std::string FormatNumber(double number) {
  if (!std::isfinite(number)) return fmt::to_string(number);
  TextBuffer text(64);
  AppendJsonNumber(number, text);
  return text.ToString();
}

bool IsControl(char c) { return (c >= 0 && c < ' ') || c == '\x7F'; }

bool NeedsQuotes(std::string_view text) {
  return text.empty() || std::any_of(text.begin(), text.end(), [](char c) {
           return c == ' ' || c == '"' || c == '=' || IsControl(c);
         });
}

}  // namespace

// The fields that With() collected, with their text.
class LogFields {
 public:
  LogFields(const LogFields* base, std::string_view key, LogValue value) {
    if (base != nullptr) owned_ = base->owned_;
    std::erase_if(owned_, [&](const Owned& field) { return field.key == key; });
    owned_.push_back({std::string(key), std::string(value.text_), value});
  }

  // Calls `visit` with every field whose key is not among `hidden`.
  template <class Visit>
  void ForEach(std::initializer_list<LogField> hidden, Visit visit) const {
    for (const Owned& field : owned_) {
      const bool is_hidden = std::any_of(hidden.begin(), hidden.end(), [&](const LogField& other) {
        return other.key == field.key;
      });
      if (is_hidden) continue;
      LogValue value = field.value;
      value.text_ = field.text;
      visit(LogField{field.key, value});
    }
  }

 private:
  struct Owned {
    std::string key;
    std::string text;
    LogValue value;
  };

  std::vector<Owned> owned_;
};

// Builds one line.
class LogLine {
 public:
  explicit LogLine(const LogOptions& options) : options_(options) {}

  void Begin(LogLevel level, std::string_view name, std::string_view message) {
    const auto index = static_cast<size_t>(level);
    const std::string time = FormatTime(options_.clock->Now());
    if (json()) {
      out_ = fmt::format(R"({{"time":"{}","level":"{}")", time, kLevelNames[index]);
      if (!name.empty()) AppendText("logger", name);
      AppendText("message", message);
    } else {
      out_ = fmt::format("{} {} ", time, kLevelTags[index]);
      if (!name.empty()) out_ += fmt::format("{}: ", name);
      AppendOnOneLine(Clean(message));
    }
  }

  void Add(const LogField& field) {
    using Kind = LogValue::Kind;
    const LogValue& value = field.value;
    switch (value.kind_) {
      case Kind::kText: return AppendText(KeyOf(field), value.text_);
      case Kind::kSecret: return AppendText(KeyOf(field), kRedacted);
      case Kind::kBool: return AppendBare(KeyOf(field), value.integer_ != 0 ? "true" : "false");
      case Kind::kInteger: return AppendBare(KeyOf(field), fmt::to_string(value.integer_));
      case Kind::kUnsigned:
        return AppendBare(KeyOf(field), fmt::to_string(static_cast<uint64_t>(value.integer_)));
      case Kind::kDouble:
        if (!std::isfinite(value.number_)) break;
        return AppendBare(KeyOf(field), FormatNumber(value.number_));
      case Kind::kDuration: return AppendText(KeyOf(field), FormatNumber(value.number_) + "s");
    }
    AppendText(KeyOf(field), FormatNumber(value.number_));
  }

  std::string Take() {
    out_ += json() ? "}\n" : "\n";
    return std::move(out_);
  }

 private:
  bool json() const { return options_.format == LogFormat::kJson; }

  // A field must not override the standard fields of a line.
  static std::string KeyOf(const LogField& field) {
    static constexpr std::string_view kReserved[] = {"time", "level", "logger", "message"};
    std::string key(field.key);
    if (std::find(std::begin(kReserved), std::end(kReserved), key) != std::end(kReserved))
      key += '_';
    return key;
  }

  // Redacted, valid UTF-8 and truncated. Redacts first: half a secret would not be found.
  std::string Clean(std::string_view text) const {
    std::string clean =
        options_.secrets == nullptr ? std::string(text) : options_.secrets->Redact(text);
    const size_t size = clean.size();
    if (size > options_.max_value_bytes) clean.resize(options_.max_value_bytes);
    clean = ToValidUtf8(clean);
    if (size > options_.max_value_bytes) {
      clean += fmt::format("...({} more bytes)", size - options_.max_value_bytes);
    }
    return clean;
  }

  void AppendKey(std::string_view key) {
    if (json()) {
      out_ += ',';
      out_ += QuoteJson(Clean(key));
      out_ += ':';
    } else {
      out_ += ' ';
      AppendOnOneLine(Clean(key));
      out_ += '=';
    }
  }

  void AppendText(std::string_view key, std::string_view value) {
    AppendKey(key);
    const std::string clean = Clean(value);
    if (json() || NeedsQuotes(clean)) {
      out_ += QuoteJson(clean);
    } else {
      out_ += clean;
    }
  }

  void AppendBare(std::string_view key, std::string_view value) {
    AppendKey(key);
    out_ += value;
  }

  // Escapes control characters, so that no message can forge a second line.
  void AppendOnOneLine(std::string_view text) {
    if (std::none_of(text.begin(), text.end(), IsControl)) {
      out_ += text;
      return;
    }
    const std::string quoted = QuoteJson(text);
    out_.append(quoted, 1, quoted.size() - 2);
  }

  const LogOptions& options_;
  std::string out_;
};

std::string_view LogLevelName(LogLevel level) { return kLevelNames[static_cast<size_t>(level)]; }

std::optional<LogLevel> ParseLogLevel(std::string_view name) {
  const auto it = std::find(kLevelNames.begin(), kLevelNames.end(), name);
  if (it == kLevelNames.end()) return std::nullopt;
  return static_cast<LogLevel>(it - kLevelNames.begin());
}

FileLogSink::FileLogSink() : descriptor_(STDERR_FILENO) {}

void FileLogSink::Write(LogLevel, std::string_view line) {
  MutexLock lock(mutex_);
  while (!line.empty()) {
    const ssize_t written = ::write(descriptor_, line.data(), line.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // the error cannot be reported
    line.remove_prefix(static_cast<size_t>(written));
  }
}

CapturingLogSink::CapturingLogSink(size_t capacity) : capacity_(capacity) {}

void CapturingLogSink::Write(LogLevel, std::string_view line) {
  MutexLock lock(mutex_);
  lines_.emplace_back(line.substr(0, line.size() - 1));
  if (lines_.size() > capacity_) lines_.pop_front();
}

std::vector<std::string> CapturingLogSink::Lines() const {
  MutexLock lock(mutex_);
  return {lines_.begin(), lines_.end()};
}

struct Logger::Name {
  Name(std::string full_name, LogLevel level) : full(std::move(full_name)), effective(level) {}

  const std::string full;
  std::atomic<LogLevel> effective;
  std::optional<LogLevel> own;  // guarded by the tree's mutex
};

class Logger::Tree {
 public:
  explicit Tree(const LogOptions& tree_options) : options(tree_options) {
    MutexLock lock(mutex_);
    root_ = Insert("", options.level);
    root_->own = options.level;
  }

  Name* root() const { return root_; }

  Name* Find(const Name& parent, std::string_view name) {
    std::string full =
        parent.full.empty() ? std::string(name) : fmt::format("{}.{}", parent.full, name);
    MutexLock lock(mutex_);
    if (const auto it = names_.find(full); it != names_.end()) return it->second.get();
    if (names_.size() >= kMaxNames) return nullptr;
    const LogLevel level = InheritedLevel(full);
    return Insert(std::move(full), level);
  }

  void SetLevel(Name& name, LogLevel level) {
    MutexLock lock(mutex_);
    name.own = level;
    // Parents sort before their children, so each child reads its parent's new level.
    for (auto& [full, other] : names_) {
      other->effective = other->own ? *other->own : InheritedLevel(full);
    }
  }

  const LogOptions options;

 private:
  Name* Insert(std::string full, LogLevel level) REQUIRES(mutex_) {
    auto name = std::make_unique<Name>(full, level);
    return (names_[std::move(full)] = std::move(name)).get();
  }

  // The level of the nearest ancestor, which need not be the direct parent.
  LogLevel InheritedLevel(std::string_view full) REQUIRES(mutex_) {
    while (!full.empty()) {
      const size_t dot = full.rfind('.');
      full = dot == std::string_view::npos ? std::string_view() : full.substr(0, dot);
      if (const auto it = names_.find(full); it != names_.end()) return it->second->effective;
    }
    return options.level;
  }

  Mutex mutex_;
  std::map<std::string, std::unique_ptr<Name>, std::less<>> names_ GUARDED_BY(mutex_);
  Name* root_ = nullptr;  // constant after construction
};

Logger::Logger(const LogOptions& options) {
  KUBEXMS_CHECK(options.sink != nullptr && options.clock != nullptr);
  tree_ = std::make_shared<Tree>(options);
  name_ = tree_->root();
}

Logger Logger::Named(std::string_view name) const {
  Logger logger = *this;
  if (tree_ == nullptr || name.empty()) return logger;
  if (Name* found = tree_->Find(*name_, name)) logger.name_ = found;
  return logger;
}

Logger Logger::With(std::string_view key, LogValue value) const {
  Logger logger = *this;
  if (tree_ != nullptr) {
    logger.fields_ = std::make_shared<const LogFields>(fields_.get(), key, value);
  }
  return logger;
}

void Logger::SetLevel(LogLevel level) const {
  if (tree_ != nullptr) tree_->SetLevel(*name_, level);
}

bool Logger::Enabled(LogLevel level) const {
  return name_ != nullptr && level >= name_->effective.load(std::memory_order_relaxed);
}

void Logger::Write(LogLevel level, std::string_view message,
                   std::initializer_list<LogField> fields) const {
  LogLine line(tree_->options);
  line.Begin(level, name_->full, message);
  if (fields_ != nullptr) {
    fields_->ForEach(fields, [&](const LogField& field) { line.Add(field); });
  }
  for (const LogField& field : fields) line.Add(field);
  tree_->options.sink->Write(level, line.Take());
}

}  // namespace kubexms
