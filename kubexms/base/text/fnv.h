#pragma once

// FNV-1a: a fast, stable hash, for names that are derived from a text. Not for keys that an
// attacker can choose.

#include <cstdint>
#include <string_view>

namespace kubexms {

constexpr uint32_t Fnv1a32(std::string_view text) {
  uint32_t hash = 2166136261U;
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 16777619U;
  return hash;
}

constexpr uint64_t Fnv1a64(std::string_view text) {
  uint64_t hash = 14695981039346656037ULL;
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211ULL;
  return hash;
}

// As published with the algorithm.
static_assert(Fnv1a32("") == 0x811c9dc5U && Fnv1a32("foobar") == 0xbf9cf968U);
static_assert(Fnv1a64("") == 0xcbf29ce484222325ULL && Fnv1a64("foobar") == 0x85944171f73967e8ULL);

}  // namespace kubexms
