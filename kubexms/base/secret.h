#pragma once

// Values that must not appear in output. A Secret cannot be printed by accident; a SecretRegistry
// redacts secrets in texts, for example in the output of a command.

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

// A string that prints as "[redacted]"; only Reveal() returns its value.
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

// A set of values to redact. Thread-safe.
class SecretRegistry {
 public:
  // Shorter values are not registered: they would redact ordinary words.
  static constexpr size_t kMinLength = 6;

  // Stores at most `capacity` values; a new value evicts the oldest.
  explicit SecretRegistry(size_t capacity = 4096);
  ~SecretRegistry();

  void Add(std::string_view value) EXCLUDES(mutex_);
  void Add(const Secret& secret) { Add(secret.Reveal()); }

  // Replaces every registered value in `text` by "[redacted]". Takes time proportional to the text,
  // regardless of the number of values.
  std::string Redact(std::string_view text) const EXCLUDES(mutex_);

 private:
  using Prefix = uint32_t;  // the first four bytes of a value

  static Prefix PrefixOf(std::string_view text);
  size_t MatchLength(std::string_view text) const REQUIRES(mutex_);
  void EvictOldest() REQUIRES(mutex_);

  const size_t capacity_;
  mutable Mutex mutex_;
  std::deque<std::string> by_age_ GUARDED_BY(mutex_);
  std::unordered_map<Prefix, std::vector<std::string>> by_prefix_ GUARDED_BY(mutex_);
  // Filter by a hash of the prefix: most positions of a text need no lookup. Bits of evicted values
  // remain set, which only costs time.
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
