#include "kubexms/base/utf8.h"

#include <simdjson.h>

#include <algorithm>

namespace kubexms {
namespace {

// The length that a lead byte announces; 1 also for bytes that cannot lead.
size_t AnnouncedLength(unsigned char lead) {
  if (lead >= 0xF0) return 4;
  if (lead >= 0xE0) return 3;
  return lead >= 0xC0 ? 2 : 1;
}

}  // namespace

bool IsValidUtf8(std::string_view text) {
  return simdjson::validate_utf8(text.data(), text.size());
}

std::string ToValidUtf8(std::string_view text) {
  if (IsValidUtf8(text)) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const size_t length =
        std::min(AnnouncedLength(static_cast<unsigned char>(text[0])), text.size());
    if (IsValidUtf8(text.substr(0, length))) {
      out += text.substr(0, length);
      text.remove_prefix(length);
    } else {
      out += "\xEF\xBF\xBD";
      text.remove_prefix(1);
    }
  }
  return out;
}

std::string_view CutUtf8(std::string_view text, size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

}  // namespace kubexms
