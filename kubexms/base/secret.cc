#include "kubexms/base/secret.h"

#include <algorithm>
#include <cstring>

#include "kubexms/base/check.h"

namespace kubexms {
namespace {

size_t BitOf(uint32_t prefix) { return (prefix * 0x9E3779B1u) >> 16; }

}  // namespace

SecretRegistry::SecretRegistry(size_t capacity) : capacity_(capacity) {}
SecretRegistry::~SecretRegistry() = default;

SecretRegistry::Prefix SecretRegistry::PrefixOf(std::string_view text) {
  static_assert(kMinLength >= sizeof(Prefix));
  Prefix prefix;
  std::memcpy(&prefix, text.data(), sizeof(prefix));
  return prefix;
}

void SecretRegistry::Add(std::string_view value) {
  if (value.size() < kMinLength || capacity_ == 0) return;
  const Prefix prefix = PrefixOf(value);
  MutexLock lock(mutex_);
  std::vector<std::string>& same_prefix = by_prefix_[prefix];
  if (std::find(same_prefix.begin(), same_prefix.end(), value) != same_prefix.end()) return;
  same_prefix.emplace_back(value);
  by_age_.emplace_back(value);
  may_begin_.set(BitOf(prefix));
  if (by_age_.size() > capacity_) EvictOldest();
}

void SecretRegistry::EvictOldest() {
  const auto it = by_prefix_.find(PrefixOf(by_age_.front()));
  KUBEXMS_CHECK(it != by_prefix_.end());
  std::erase(it->second, by_age_.front());
  if (it->second.empty()) by_prefix_.erase(it);
  by_age_.pop_front();
}

size_t SecretRegistry::MatchLength(std::string_view text) const {
  const Prefix prefix = PrefixOf(text);
  if (!may_begin_.test(BitOf(prefix))) return 0;
  const auto it = by_prefix_.find(prefix);
  if (it == by_prefix_.end()) return 0;
  size_t longest = 0;
  for (const std::string& value : it->second) {
    if (value.size() > longest && text.starts_with(value)) longest = value.size();
  }
  return longest;
}

std::string SecretRegistry::Redact(std::string_view text) const {
  std::string out;
  MutexLock lock(mutex_);
  if (by_age_.empty()) return std::string(text);
  size_t written = 0;
  for (size_t i = 0; i + kMinLength <= text.size();) {
    const size_t length = MatchLength(text.substr(i));
    if (length == 0) {
      ++i;
      continue;
    }
    out.append(text, written, i - written);
    out += kRedacted;
    written = i += length;
  }
  out.append(text, written, text.size() - written);
  return out;
}

}  // namespace kubexms
