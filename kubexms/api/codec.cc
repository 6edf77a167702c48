#include "kubexms/api/codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "kubexms/base/json_reader.h"

namespace kubexms::codec_internal {
namespace {

namespace dom = simdjson::dom;

std::string_view TypeName(dom::element element) {
  switch (element.type()) {
    case dom::element_type::OBJECT: return "object";
    case dom::element_type::ARRAY: return "array";
    case dom::element_type::STRING: return "string";
    case dom::element_type::INT64:
    case dom::element_type::UINT64: return "integer";
    case dom::element_type::DOUBLE: return "number";
    case dom::element_type::BOOL: return "boolean";
    case dom::element_type::NULL_VALUE: return "null";
  }
  return "null";
}

std::string ToText(dom::element element) {
  TextBuffer text;
  AppendJson(element, text);
  return text.ToString();
}

// Walks a tape and a table together. A failed step leaves its message, and the steps it returns
// through put their part of the path before it; success costs nothing for that.
class Decoder {
 public:
  Result<void> Run(const TypeInfo& type, void* value, dom::element element) {
    if (DecodeValue(type, value, element)) return {};
    if (path_.starts_with('.')) path_.erase(0, 1);
    return Error::BadRequest(path_.empty() ? message_ : path_ + ": " + message_);
  }

 private:
  bool DecodeValue(const TypeInfo& type, void* value, dom::element element) {
    if (element.is_null()) {
      if (type.kind == TypeKind::kRawJson) static_cast<RawJson*>(value)->text = "null";
      return true;
    }
    switch (type.kind) {
      case TypeKind::kBool: return DecodeBool(value, element);
      case TypeKind::kInt32: return DecodeInt32(value, element);
      case TypeKind::kInt64: return DecodeInt64(value, element);
      case TypeKind::kDouble: return DecodeDouble(value, element);
      case TypeKind::kString: return DecodeString(value, element);
      case TypeKind::kScalar: return DecodeScalar(type, value, element);
      case TypeKind::kRawJson: return DecodeRawJson(value, element);
      case TypeKind::kStruct: return DecodeStruct(type, value, element);
      case TypeKind::kOptional:
      case TypeKind::kBoxed: return DecodeValue(*type.element, type.emplace(value), element);
      case TypeKind::kList: return DecodeList(type, value, element);
      case TypeKind::kMap: return DecodeMap(type, value, element);
    }
    return true;
  }

  bool DecodeBool(void* value, dom::element element) {
    return element.get(*static_cast<bool*>(value)) == simdjson::SUCCESS ||
           FailExpected("boolean", element);
  }

  bool DecodeInt64(void* value, dom::element element) {
    if (element.get(*static_cast<int64_t*>(value)) == simdjson::SUCCESS) return true;
    if (element.is_uint64()) return Fail("the integer is out of range");
    return FailExpected("integer", element);
  }

  bool DecodeInt32(void* value, dom::element element) {
    int64_t wide = 0;
    if (!DecodeInt64(&wide, element)) return false;
    if (wide < std::numeric_limits<int32_t>::min() || wide > std::numeric_limits<int32_t>::max()) {
      return Fail(fmt::format("{} is out of the range of a 32-bit integer", wide));
    }
    *static_cast<int32_t*>(value) = static_cast<int32_t>(wide);
    return true;
  }

  bool DecodeDouble(void* value, dom::element element) {
    return element.get(*static_cast<double*>(value)) == simdjson::SUCCESS ||
           FailExpected("number", element);
  }

  bool DecodeString(void* value, dom::element element) {
    std::string_view text;
    if (element.get(text) != simdjson::SUCCESS) return FailExpected("string", element);
    static_cast<std::string*>(value)->assign(text);
    return true;
  }

  bool DecodeScalar(const TypeInfo& type, void* value, dom::element element) {
    std::string_view text;
    int64_t integer = 0;
    double number = 0;
    Result<void> result;
    if (element.get(text) == simdjson::SUCCESS) {
      result = type.from_text(value, text);
    } else if (type.from_integer != nullptr && element.get(integer) == simdjson::SUCCESS) {
      result = type.from_integer(value, integer);
    } else if (type.from_double != nullptr && element.get(number) == simdjson::SUCCESS) {
      result = type.from_double(value, number);
    } else {
      return FailExpected(type.from_integer == nullptr ? "string" : "string or integer", element);
    }
    return result.ok() || Fail(result.error().message());
  }

  bool DecodeRawJson(void* value, dom::element element) {
    static_cast<RawJson*>(value)->text = ToText(element);
    return true;
  }

  bool DecodeStruct(const TypeInfo& type, void* value, dom::element element) {
    dom::object object;
    if (element.get(object) != simdjson::SUCCESS) return FailExpected("object", element);
    std::array<uint64_t, kMaxFields / 64> seen{};
    size_t hint = 0;
    for (const auto [key, member] : object) {
      const FieldInfo* field = type.FindField(key, hint);
      if (field == nullptr) {
        if (!KeepUnknown(*type.as_struct(value), key, member)) return FailAt(key);
        continue;
      }
      const auto index = static_cast<size_t>(field - type.fields.data());
      hint = index + 1;
      const uint64_t bit = uint64_t{1} << index % 64;
      if ((seen[index / 64] & bit) != 0) return FailDuplicate(key);
      seen[index / 64] |= bit;
      if (!DecodeField(*field, value, member)) return FailAt(key);
    }
    return true;
  }

  bool DecodeField(const FieldInfo& field, void* value, dom::element member) {
    if (field.type != nullptr) {
      return DecodeValue(*field.type, static_cast<char*>(value) + field.offset, member);
    }
    std::string_view text;
    if (member.get(text) != simdjson::SUCCESS) return FailExpected("string", member);
    return text == field.constant || text.empty() ||
           Fail(fmt::format("expected \"{}\", got \"{}\"", field.constant, text));
  }

  bool KeepUnknown(Struct& owner, std::string_view key, dom::element member) {
    Struct::UnknownFields& unknown = owner.MutableUnknownFields();
    const auto it = std::lower_bound(
        unknown.begin(), unknown.end(), key,
        [](const auto& field, std::string_view wanted) { return field.first < wanted; });
    if (it != unknown.end() && it->first == key) return Fail("the field is given twice");
    unknown.insert(it, {std::string(key), RawJson{ToText(member)}});
    return true;
  }

  bool DecodeList(const TypeInfo& type, void* value, dom::element element) {
    dom::array array;
    if (element.get(array) != simdjson::SUCCESS) return FailExpected("array", element);
    type.reserve(value, array.size());
    size_t index = 0;
    for (const dom::element item : array) {
      if (!DecodeValue(*type.element, type.emplace(value), item)) {
        path_.insert(0, fmt::format("[{}]", index));
        return false;
      }
      ++index;
    }
    return true;
  }

  bool DecodeMap(const TypeInfo& type, void* value, dom::element element) {
    dom::object object;
    if (element.get(object) != simdjson::SUCCESS) return FailExpected("object", element);
    for (const auto [key, member] : object) {
      const auto [slot, inserted] = type.insert(value, key);
      if (!inserted) return FailDuplicate(key);
      if (!DecodeValue(*type.element, slot, member)) return FailAt(key);
    }
    return true;
  }

  bool Fail(std::string message) {
    message_ = std::move(message);
    return false;
  }

  bool FailExpected(std::string_view expected, dom::element element) {
    return Fail(fmt::format("expected {}, got {}", expected, TypeName(element)));
  }

  bool FailDuplicate(std::string_view key) {
    Fail("the field is given twice");
    return FailAt(key);
  }

  bool FailAt(std::string_view key) {
    path_.insert(0, fmt::format(".{}", key));
    return false;
  }

  std::string path_;
  std::string message_;
};

const void* At(const void* base, size_t offset) { return static_cast<const char*>(base) + offset; }

bool IsZeroWord(const void* value) {
  static_assert(sizeof(BoxBase) == 8);
  uint64_t word;
  std::memcpy(&word, value, sizeof(word));
  return word == 0;
}

bool IsZeroStruct(const TypeInfo& type, const void* value);

bool IsZero(const TypeInfo& type, const void* value) {
  switch (type.kind) {
    case TypeKind::kBool: return !*static_cast<const bool*>(value);
    case TypeKind::kInt32: return *static_cast<const int32_t*>(value) == 0;
    case TypeKind::kInt64:
    case TypeKind::kDouble:
    case TypeKind::kBoxed: return IsZeroWord(value);
    case TypeKind::kString: return static_cast<const std::string*>(value)->empty();
    case TypeKind::kRawJson: return static_cast<const RawJson*>(value)->text.empty();
    case TypeKind::kOptional: return type.get(value) == nullptr;
    case TypeKind::kStruct: return IsZeroStruct(type, value);
    default: return type.is_zero(value);
  }
}

const Struct::UnknownFields& UnknownFieldsOf(const TypeInfo& type, const void* value) {
  static const Struct::UnknownFields kNone;
  const Struct* base = type.as_struct(const_cast<void*>(value));
  return base->unknown_fields() == nullptr ? kNone : *base->unknown_fields();
}

// A struct in which nothing is set, not even what would be required in it, is as good as absent.
bool IsZeroStruct(const TypeInfo& type, const void* value) {
  return UnknownFieldsOf(type, value).empty() &&
         std::all_of(type.fields.begin(), type.fields.end(), [&](const FieldInfo& field) {
           return field.type == nullptr || IsZero(*field.type, At(value, field.offset));
         });
}

bool IsAbsent(const FieldInfo& field, const void* member) {
  switch (field.absence) {
    case Absence::kNever: return false;
    case Absence::kZeroWord: return IsZeroWord(member);
    case Absence::kFalse: return !*static_cast<const bool*>(member);
    case Absence::kEmptyString: return static_cast<const std::string*>(member)->empty();
    case Absence::kOther: return IsZero(*field.type, member);
  }
  return false;
}

// Writes the members of one struct, with the unknown ones merged in by name.
class StructWriter {
 public:
  StructWriter(const TypeInfo& type, const void* value, TextBuffer& out)
      : type_(type), value_(value), out_(out) {}

  void Write() {
    const Struct::UnknownFields& unknown = UnknownFieldsOf(type_, value_);
    auto next_unknown = unknown.begin();
    out_.Append('{');
    for (const FieldInfo& field : type_.fields) {
      const void* member = At(value_, field.offset);
      if (IsAbsent(field, member)) continue;
      while (next_unknown != unknown.end() && next_unknown->first < field.name) {
        WriteUnknown(*next_unknown++);
      }
      WriteField(field, member);
    }
    while (next_unknown != unknown.end()) WriteUnknown(*next_unknown++);
    out_.Append('}');
  }

 private:
  void WriteField(const FieldInfo& field, const void* member) {
    WriteKey(field.key);
    if (field.type == nullptr) {
      AppendJsonString(field.constant, out_);
    } else {
      AppendEncoded(*field.type, member, out_);
    }
  }

  void WriteUnknown(const std::pair<std::string, RawJson>& field) {
    WriteKey(QuoteJson(field.first) + ":");
    out_.Append(field.second.text);
  }

  void WriteKey(std::string_view key) {
    if (!std::exchange(first_, false)) out_.Append(',');
    out_.Append(key);
  }

  const TypeInfo& type_;
  const void* value_;
  TextBuffer& out_;
  bool first_ = true;
};

void AppendList(const TypeInfo& type, const void* value, TextBuffer& out) {
  const auto [items, count] = type.items(value);
  out.Append('[');
  for (size_t i = 0; i < count; ++i) {
    if (i != 0) out.Append(',');
    AppendEncoded(*type.element, At(items, i * type.element->size), out);
  }
  out.Append(']');
}

void AppendMap(const TypeInfo& type, const void* value, TextBuffer& out) {
  struct Context {
    const TypeInfo& element;
    TextBuffer& out;
    bool first = true;
  } context{*type.element, out};
  out.Append('{');
  type.visit(value, &context, [](void* opaque, const std::string& key, const void* item) {
    auto& c = *static_cast<Context*>(opaque);
    if (!std::exchange(c.first, false)) c.out.Append(',');
    AppendJsonString(key, c.out);
    c.out.Append(':');
    AppendEncoded(c.element, item, c.out);
  });
  out.Append('}');
}

void AppendOptional(const TypeInfo& type, const void* element, TextBuffer& out) {
  if (element == nullptr) {
    out.Append("null");
  } else {
    AppendEncoded(*type.element, element, out);
  }
}

void AppendRawJson(const RawJson& raw, TextBuffer& out) {
  out.Append(raw.text.empty() ? std::string_view("null") : std::string_view(raw.text));
}

}  // namespace

Result<void> Decode(const TypeInfo& type, void* value, std::string_view json) {
  ASSIGN_OR_RETURN(const dom::element root, JsonReader::Read(json));
  return Decoder().Run(type, value, root);
}

void AppendEncoded(const TypeInfo& type, const void* value, TextBuffer& out) {
  switch (type.kind) {
    case TypeKind::kBool: out.Append(*static_cast<const bool*>(value) ? "true" : "false"); break;
    case TypeKind::kInt32:
      AppendJsonNumber(int64_t{*static_cast<const int32_t*>(value)}, out);
      break;
    case TypeKind::kInt64: AppendJsonNumber(*static_cast<const int64_t*>(value), out); break;
    case TypeKind::kDouble: AppendJsonNumber(*static_cast<const double*>(value), out); break;
    case TypeKind::kString: AppendJsonString(*static_cast<const std::string*>(value), out); break;
    case TypeKind::kScalar: type.append(value, out); break;
    case TypeKind::kRawJson: AppendRawJson(*static_cast<const RawJson*>(value), out); break;
    case TypeKind::kStruct: StructWriter(type, value, out).Write(); break;
    case TypeKind::kOptional: AppendOptional(type, type.get(value), out); break;
    case TypeKind::kBoxed:
      AppendOptional(type, static_cast<const BoxBase*>(value)->raw(), out);
      break;
    case TypeKind::kList: AppendList(type, value, out); break;
    case TypeKind::kMap: AppendMap(type, value, out); break;
  }
}

}  // namespace kubexms::codec_internal
