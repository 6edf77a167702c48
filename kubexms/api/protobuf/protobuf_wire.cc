#include "kubexms/api/protobuf/protobuf_wire.h"

#include <string>

namespace kubexms {
namespace {

// The largest valid field number.
constexpr uint64_t kMaxFieldNumber = (uint64_t{1} << 29) - 1;

Error WrongWireType(WireType type) {
  return Error::BadRequest("unexpected wire type " + std::to_string(static_cast<int>(type)));
}

}  // namespace

Result<std::string_view> WireReader::Take(uint64_t size) {
  if (size > rest_.size()) return Error::BadRequest("unexpected end");
  const std::string_view taken = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return taken;
}

Result<uint64_t> WireReader::Varint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    ASSIGN_OR_RETURN(const std::string_view byte, Take(1));
    const auto bits = static_cast<uint8_t>(byte[0]);
    value |= static_cast<uint64_t>(bits & 0x7F) << shift;
    if (bits < 0x80) return value;
  }
  return Error::BadRequest("a number of more than ten bytes");
}

Result<uint64_t> WireReader::Fixed(size_t size) {
  ASSIGN_OR_RETURN(const std::string_view bytes, Take(size));
  uint64_t value = 0;
  for (size_t i = size; i > 0; --i) value = value << 8 | static_cast<uint8_t>(bytes[i - 1]);
  return value;
}

Result<WireField> WireReader::Next() {
  ASSIGN_OR_RETURN(const uint64_t tag, Varint());
  const uint64_t number = tag >> 3;
  if (number == 0 || number > kMaxFieldNumber) {
    return Error::BadRequest("impossible field number " + std::to_string(number));
  }
  WireField field{.number = static_cast<uint32_t>(number), .type = static_cast<WireType>(tag & 7)};
  switch (field.type) {
    case WireType::kVarint: {
      ASSIGN_OR_RETURN(field.value, Varint());
      return field;
    }
    case WireType::kFixed64: {
      ASSIGN_OR_RETURN(field.value, Fixed(8));
      return field;
    }
    case WireType::kFixed32: {
      ASSIGN_OR_RETURN(field.value, Fixed(4));
      return field;
    }
    case WireType::kBytes: {
      ASSIGN_OR_RETURN(const uint64_t size, Varint());
      ASSIGN_OR_RETURN(field.bytes, Take(size));
      return field;
    }
  }
  return WrongWireType(field.type);
}

Result<SmallMessage> SmallMessage::Read(std::string_view message) {
  SmallMessage small;
  for (WireReader reader(message); !reader.AtEnd();) {
    ASSIGN_OR_RETURN(const WireField field, reader.Next());
    if (field.number <= small.fields_.size()) small.fields_[field.number - 1] = field;
  }
  return small;
}

Result<int64_t> SmallMessage::Number(uint32_t field) const {
  const std::optional<WireField>& found = Field(field);
  if (!found.has_value()) return int64_t{0};
  if (found->type != WireType::kVarint) return WrongWireType(found->type);
  return static_cast<int64_t>(found->value);
}

Result<std::string_view> SmallMessage::Bytes(uint32_t field) const {
  const std::optional<WireField>& found = Field(field);
  if (!found.has_value()) return std::string_view("");
  if (found->type != WireType::kBytes) return WrongWireType(found->type);
  return found->bytes;
}

}  // namespace kubexms
