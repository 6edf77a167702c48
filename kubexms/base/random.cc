#include "kubexms/base/random.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "kubexms/base/check.h"

namespace kubexms {

std::string Random::Bytes(size_t count) {
  std::string bytes(count, '\0');
  Fill({reinterpret_cast<uint8_t*>(bytes.data()), bytes.size()});
  return bytes;
}

uint64_t Random::Next() {
  std::array<uint8_t, sizeof(uint64_t)> bytes;
  Fill(bytes);
  uint64_t number;
  std::memcpy(&number, bytes.data(), sizeof(number));
  return number;
}

uint64_t Random::Below(uint64_t bound) {
  KUBEXMS_CHECK(bound > 0);
  // Rejects the first 2^64 mod bound numbers, which would bias the result.
  const uint64_t unfair = (0 - bound) % bound;
  while (true) {
    const uint64_t number = Next();
    if (number >= unfair) return number % bound;
  }
}

double Random::Fraction() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }

std::string Random::Uuid() {
  std::array<uint8_t, 16> b;
  Fill(b);
  b[6] = static_cast<uint8_t>((b[6] & 0x0F) | 0x40);  // version 4
  b[8] = static_cast<uint8_t>((b[8] & 0x3F) | 0x80);  // the variant of RFC 4122
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string uuid;
  uuid.reserve(36);
  for (size_t i = 0; i < b.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) uuid += '-';
    uuid += kDigits[b[i] >> 4];
    uuid += kDigits[b[i] & 0x0F];
  }
  return uuid;
}

std::string Random::NameSuffix(size_t length) {
  static constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::string suffix;
  for (size_t i = 0; i < length; ++i) suffix += kAlphabet[Below(kAlphabet.size())];
  return suffix;
}

void SystemRandom::Fill(std::span<uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = ::getrandom(bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    KUBEXMS_CHECK(got > 0);
    bytes = bytes.subspan(static_cast<size_t>(got));
  }
}

void SeededRandom::Fill(std::span<uint8_t> bytes) {
  MutexLock lock(mutex_);
  while (!bytes.empty()) {
    const uint64_t number = engine_();
    const size_t count = std::min(bytes.size(), sizeof(number));
    std::memcpy(bytes.data(), &number, count);
    bytes = bytes.subspan(count);
  }
}

}  // namespace kubexms
