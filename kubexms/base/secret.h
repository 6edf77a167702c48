#pragma once

// Values that must not be seen. Secret keeps one from being printed by accident; SecretRegistry
// finds those that got into a text all the same, for example inside the output of a command.

#include <fmt/core.h>

#include <bitset>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kubexms/base/mutex.h"

namespace kubexms {

inline constexpr std::string_view kRedacted = "[redacted]";

// A string that prints as "[redacted]"; its value is had only by asking for it.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string value) : value_(std::move(value)) {}

  const std::string& Reveal() const { return value_; }
  bool empty() const { return value_.empty(); }
  bool operator==(const Secret&) const = default;

 private:
  std::string value_;
};

// A set of values to be kept out of logs. Safe for use from any thread.
class SecretRegistry {
 public:
  // Shorter values are not registered: they would blank out ordinary words.
  static constexpr size_t kMinLength = 6;

  // Knows at most `capacity` values; the oldest makes room for a new one.
  explicit SecretRegistry(size_t capacity = 4096);
  ~SecretRegistry();

  void Add(std::string_view value) EXCLUDES(mutex_);
  void Add(const Secret& secret) { Add(secret.Reveal()); }

  // The text with every registered value in it replaced by "[redacted]". Takes time in proportion
  // to the text, however many values are known.
  std::string Redact(std::string_view text) const EXCLUDES(mutex_);

 private:
  using Prefix = uint32_t;  // the first four bytes of a value

  static Prefix PrefixOf(std::string_view text);
  size_t MatchLength(std::string_view text) const REQUIRES(mutex_);
  void ForgetOldest() REQUIRES(mutex_);

  const size_t capacity_;
  mutable Mutex mutex_;
  std::deque<std::string> by_age_ GUARDED_BY(mutex_);
  std::unordered_map<Prefix, std::vector<std::string>> by_prefix_ GUARDED_BY(mutex_);
  // By a hash of the prefix: most places of a text are passed over without a look-up. Bits of
  // forgotten values stay, which costs time only.
  std::bitset<1 << 16> may_begin_ GUARDED_BY(mutex_);
};

}  // namespace kubexms

template <>
struct fmt::formatter<kubexms::Secret> : fmt::formatter<fmt::string_view> {
  template <class Context>
  auto format(const kubexms::Secret&, Context& context) const {
    const std::string_view text = kubexms::kRedacted;
    return fmt::formatter<fmt::string_view>::format({text.data(), text.size()}, context);
  }
};
