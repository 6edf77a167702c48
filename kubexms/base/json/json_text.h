#pragma once

// Shared by readers and writers of JSON: finds the characters of a string that must be escaped.
// Include it in .cc files only.

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace kubexms::json_internal {

inline bool IsSpecial(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\';
}

// Which of eight bytes are special: the lowest bit that is set is the high bit of the first one.
// The three tests mark bytes below 0x20, quotes and backslashes; above a marked byte, others may be
// marked by mistake. Bytes of 0x80 and above are never marked.
inline uint64_t MarkSpecial(uint64_t bytes) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  constexpr uint64_t kHigh = 0x8080808080808080;
  const uint64_t quote = bytes ^ (kOnes * '"');
  const uint64_t backslash = bytes ^ (kOnes * '\\');
  return ((bytes - kOnes * 0x20) | (quote - kOnes) | (backslash - kOnes)) & ~bytes & kHigh;
}

inline uint64_t Load8(const char* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, 8);
  return word;
}

inline uint32_t Load4(const char* bytes) {
  uint32_t word;
  std::memcpy(&word, bytes, 4);
  return word;
}

#ifdef __SSE2__
// Which of sixteen bytes are special: a bit for each.
inline unsigned MarkSpecial(__m128i bytes) {
  const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes);
  const __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
  const __m128i backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
  return static_cast<unsigned>(
      _mm_movemask_epi8(_mm_or_si128(control, _mm_or_si128(quote, backslash))));
}

inline __m128i Load16(const char* bytes) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
}
#endif

// The first quote, backslash or control character, which must exist and be followed by kPadding
// readable bytes.
inline constexpr size_t kPadding = 16;
inline const char* FindSpecial(const char* begin) {
#ifdef __SSE2__
  for (;; begin += 16) {
    const unsigned marks = MarkSpecial(Load16(begin));
    if (marks != 0) return begin + __builtin_ctz(marks);
  }
#else
  for (;; begin += 8) {
    const uint64_t marks = MarkSpecial(Load8(begin));
    if (marks != 0) return begin + (__builtin_ctzll(marks) >> 3);
  }
#endif
}

// The first quote, backslash or control character, or `end`.
inline const char* FindSpecial(const char* begin, const char* end) {
  for (; end - begin >= 8; begin += 8) {
    const uint64_t marks = MarkSpecial(Load8(begin));
    if (marks != 0) return begin + (__builtin_ctzll(marks) >> 3);
  }
  while (begin != end && !IsSpecial(*begin)) ++begin;
  return begin;
}

// Copies a text; returns false if it contains a special or non-ASCII character. Copies blocks,
// which may overlap, instead of single bytes.
inline bool CopyPlain(std::string_view text, char* to) {
  constexpr uint64_t kHigh = 0x8080808080808080;
  const char* from = text.data();
  const size_t size = text.size();
#ifdef __SSE2__
  if (size >= 16) {
    unsigned marks = 0;
    const auto copy16 = [&](size_t at) {
      const __m128i bytes = Load16(from + at);
      marks |= MarkSpecial(bytes) | static_cast<unsigned>(_mm_movemask_epi8(bytes));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + at), bytes);
    };
    for (size_t i = 0; i + 16 < size; i += 16) copy16(i);
    copy16(size - 16);
    return marks == 0;
  }
#endif
  if (size >= 8) {
    uint64_t marks = 0;
    const auto copy8 = [&](size_t at) {
      const uint64_t bytes = Load8(from + at);
      marks |= MarkSpecial(bytes) | (bytes & kHigh);
      std::memcpy(to + at, &bytes, 8);
    };
    for (size_t i = 0; i + 8 < size; i += 8) copy8(i);
    copy8(size - 8);
    return marks == 0;
  }
  if (size >= 4) {
    const uint32_t first = Load4(from);
    const uint32_t last = Load4(from + size - 4);
    std::memcpy(to, &first, 4);
    std::memcpy(to + size - 4, &last, 4);
    const uint64_t bytes = uint64_t{last} << 32 | first;
    return (MarkSpecial(bytes) | (bytes & kHigh)) == 0;
  }
  bool plain = true;
  for (size_t i = 0; i < size; ++i) {
    plain = plain && !IsSpecial(from[i]) && static_cast<unsigned char>(from[i]) < 0x80;
    to[i] = from[i];
  }
  return plain;
}

}  // namespace kubexms::json_internal
