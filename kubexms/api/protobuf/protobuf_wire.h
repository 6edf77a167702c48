#pragma once

// The wire format of protobuf: the fields of one message, as numbers and bytes.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "kubexms/base/result.h"

namespace kubexms {

enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

struct WireField {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t value = 0;           // all types but kBytes
  std::string_view bytes = "";  // kBytes; borrowed from the message, never null
};

// Reads one message from start to end. Errors are BadRequest and do not name the field: the caller
// adds it.
class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  bool AtEnd() const { return rest_.empty(); }
  Result<WireField> Next();
  // The parts of packed repeated numbers.
  Result<uint64_t> Varint();
  Result<uint64_t> Fixed(size_t size);

 private:
  Result<std::string_view> Take(uint64_t size);

  std::string_view rest_;
};

// The last values of fields 1 to 4 of a message that has no others: map entries, and the messages
// for values that are one scalar in JSON, such as Quantity and Time.
class SmallMessage {
 public:
  static Result<SmallMessage> Read(std::string_view message);

  // Zero or empty when the field is absent.
  Result<int64_t> Number(uint32_t field) const;
  Result<std::string_view> Bytes(uint32_t field) const;
  const std::optional<WireField>& Field(uint32_t number) const { return fields_[number - 1]; }

 private:
  std::array<std::optional<WireField>, 4> fields_;
};

}  // namespace kubexms
