#pragma once

// Writes protobuf messages for the tests of the decoder.

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "kubexms/api/protobuf/protobuf_wire.h"

namespace kubexms::testing {

// Writes the fields of one message, in the order of the calls.
class WireWriter {
 public:
  WireWriter& Number(uint32_t field, int64_t value) {
    Tag(field, WireType::kVarint);
    return Raw(static_cast<uint64_t>(value));
  }
  WireWriter& Bytes(uint32_t field, std::string_view bytes) {
    Tag(field, WireType::kBytes);
    Raw(bytes.size());
    out_ += bytes;
    return *this;
  }
  WireWriter& Double(uint32_t field, double value) {
    Tag(field, WireType::kFixed64);
    auto bits = std::bit_cast<uint64_t>(value);
    for (int i = 0; i < 8; ++i, bits >>= 8) out_ += static_cast<char>(bits & 0xFF);
    return *this;
  }
  // A number alone, as in packed fields.
  WireWriter& Raw(uint64_t number) {
    for (; number >= 0x80; number >>= 7) out_ += static_cast<char>(number | 0x80);
    out_ += static_cast<char>(number);
    return *this;
  }

  const std::string& text() const { return out_; }

 private:
  void Tag(uint32_t field, WireType type) {
    Raw(uint64_t{field} << 3 | static_cast<uint64_t>(type));
  }

  std::string out_;
};

// A request body.
inline std::string Enveloped(std::string_view api_version, std::string_view kind,
                             std::string_view object) {
  const std::string type = WireWriter().Bytes(1, api_version).Bytes(2, kind).text();
  const std::string envelope =
      WireWriter().Bytes(1, type).Bytes(2, object).Bytes(3, "").Bytes(4, "").text();
  return std::string("k8s\0", 4) + envelope;
}

}  // namespace kubexms::testing
