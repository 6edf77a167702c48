#include "kubexms/api/codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "kubexms/base/json/json_reader.h"
#include "kubexms/base/json/json_scanner.h"

namespace kubexms::codec_internal {
namespace {

// Decodes JSON text by the table of a type. A step that fails sets the message, and its callers
// prepend their part of the path, so that success costs nothing. Malformed JSON sets no message.
class Decoder {
 public:
  explicit Decoder(std::string_view json) : in_(json) {}

  bool Run(const TypeInfo& type, void* value) { return DecodeValue(type, value) && in_.Finish(); }

  Error MakeError() {
    if (message_.empty()) return Error::BadRequest("malformed JSON");
    if (path_.starts_with('.')) path_.erase(0, 1);
    return Error::BadRequest(path_.empty() ? message_ : path_ + ": " + message_);
  }

 private:
  bool DecodeValue(const TypeInfo& type, void* value) {
    if (in_.Peek() == 'n') {
      if (type.kind == TypeKind::kRawJson) static_cast<RawJson*>(value)->text = "null";
      return in_.ReadNull();
    }
    switch (type.kind) {
      case TypeKind::kBool: return DecodeBool(value);
      case TypeKind::kInt32: return DecodeInt32(value);
      case TypeKind::kInt64: return DecodeInt64(value);
      case TypeKind::kDouble: return DecodeDouble(value);
      case TypeKind::kString: return DecodeString(value);
      case TypeKind::kScalar: return DecodeScalar(type, value);
      case TypeKind::kRawJson: return DecodeRawJson(*static_cast<RawJson*>(value));
      case TypeKind::kStruct: return DecodeStruct(type, value);
      case TypeKind::kOptional:
      case TypeKind::kBoxed: return DecodeValue(*type.element, type.emplace(value));
      case TypeKind::kList: return DecodeList(type, value);
      case TypeKind::kMap: return DecodeMap(type, value);
    }
    return true;
  }

  bool DecodeBool(void* value) {
    if (in_.Peek() != 't' && in_.Peek() != 'f') return FailExpected("boolean");
    return in_.ReadBool(*static_cast<bool*>(value));
  }

  bool DecodeInt64(void* value) {
    if (!in_.PeekNumber()) return FailExpected("integer");
    JsonScanner::Number number;
    if (!in_.ReadNumber(number)) return false;
    if (number.form == JsonScanner::Number::Form::kUint64) {
      return Fail("the integer is out of range");
    }
    if (number.form == JsonScanner::Number::Form::kDouble) {
      return Fail(fmt::format("expected integer, got {}", number.TypeName()));
    }
    *static_cast<int64_t*>(value) = number.int64;
    return true;
  }

  bool DecodeInt32(void* value) {
    int64_t wide = 0;
    if (!DecodeInt64(&wide)) return false;
    if (wide < std::numeric_limits<int32_t>::min() || wide > std::numeric_limits<int32_t>::max()) {
      return Fail(fmt::format("{} is out of the range of a 32-bit integer", wide));
    }
    *static_cast<int32_t*>(value) = static_cast<int32_t>(wide);
    return true;
  }

  bool DecodeDouble(void* value) {
    if (!in_.PeekNumber()) return FailExpected("number");
    JsonScanner::Number number;
    if (!in_.ReadNumber(number)) return false;
    *static_cast<double*>(value) = number.AsDouble();
    return true;
  }

  bool DecodeString(void* value) {
    if (in_.Peek() != '"') return FailExpected("string");
    std::string_view text;
    if (!in_.ReadString(text)) return false;
    static_cast<std::string*>(value)->assign(text);
    return true;
  }

  bool DecodeScalar(const TypeInfo& type, void* value) {
    std::string_view text;
    if (in_.Peek() == '"') return in_.ReadString(text) && Accept(type.from_text(value, text));
    const std::string_view expected = type.from_integer == nullptr ? "string" : "string or integer";
    if (!in_.PeekNumber()) return FailExpected(expected);
    JsonScanner::Number number;
    if (!in_.ReadNumber(number)) return false;
    if (type.from_integer != nullptr && number.form == JsonScanner::Number::Form::kInt64) {
      return Accept(type.from_integer(value, number.int64));
    }
    if (type.from_double != nullptr) return Accept(type.from_double(value, number.AsDouble()));
    return Fail(fmt::format("expected {}, got {}", expected, number.TypeName()));
  }

  bool DecodeStruct(const TypeInfo& type, void* value) {
    if (in_.Peek() != '{') return FailExpected("object");
    std::array<uint64_t, kMaxFields / 64> seen{};
    size_t next = 0;
    for (bool more = in_.Enter('{'); more; more = in_.Next('}')) {
      const FieldInfo* field = TakeNextField(type, next);
      if (field == nullptr) {
        std::string_view key;
        if (!in_.ReadKey(key)) return false;
        field = type.FindField(key);
        if (field == nullptr) {
          if (!KeepUnknown(*type.as_struct(value), std::string(key))) return false;
          continue;
        }
      }
      const auto index = static_cast<size_t>(field - type.fields.data());
      next = index + 1;
      const uint64_t bit = uint64_t{1} << index % 64;
      if ((seen[index / 64] & bit) != 0) return FailDuplicate(field->name);
      seen[index / 64] |= bit;
      if (!DecodeField(*field, value)) return FailAt(field->name);
    }
    return in_.ok();
  }

  // Reads a key, trying the fields from `next` on first: keys are usually sorted.
  const FieldInfo* TakeNextField(const TypeInfo& type, size_t next) {
    const uint64_t key = in_.PeekKey();
    const FieldInfo* end = type.fields.data() + type.fields.size();
    for (const FieldInfo* field = type.fields.data() + next; field != end; ++field) {
      if ((key & field->prefix_mask) == field->prefix && in_.TakeKey(field->key)) return field;
    }
    return nullptr;
  }

  bool DecodeField(const FieldInfo& field, void* value) {
    if (field.type != nullptr) {
      return DecodeValue(*field.type, static_cast<char*>(value) + field.offset);
    }
    if (in_.Peek() != '"') return FailExpected("string");
    std::string_view text;
    if (!in_.ReadString(text)) return false;
    return text == field.constant || text.empty() ||
           Fail(fmt::format("expected \"{}\", got \"{}\"", field.constant, text));
  }

  bool KeepUnknown(Struct& owner, std::string key) {
    Struct::UnknownFields& unknown = owner.MutableUnknownFields();
    const auto it = std::lower_bound(
        unknown.begin(), unknown.end(), key,
        [](const auto& field, std::string_view wanted) { return field.first < wanted; });
    if (it != unknown.end() && it->first == key) return FailDuplicate(key);
    RawJson raw;
    if (!DecodeRawJson(raw)) return FailAt(key);
    unknown.insert(it, {std::move(key), std::move(raw)});
    return true;
  }

  bool DecodeRawJson(RawJson& raw) { return Accept(in_.ReadCanonical(raw.text)); }

  bool DecodeList(const TypeInfo& type, void* value) {
    if (in_.Peek() != '[') return FailExpected("array");
    size_t index = 0;
    for (bool more = in_.Enter('['); more; more = in_.Next(']')) {
      if (!DecodeValue(*type.element, type.emplace(value))) {
        path_.insert(0, fmt::format("[{}]", index));
        return false;
      }
      ++index;
    }
    return in_.ok();
  }

  bool DecodeMap(const TypeInfo& type, void* value) {
    if (in_.Peek() != '{') return FailExpected("object");
    for (bool more = in_.Enter('{'); more; more = in_.Next('}')) {
      std::string_view key;
      if (!in_.ReadKey(key)) return false;
      const MapEntry entry = type.insert(value, key);
      if (!entry.inserted) return FailDuplicate(entry.key);
      if (!DecodeValue(*type.element, entry.value)) return FailAt(entry.key);
    }
    return in_.ok();
  }

  bool Accept(const Result<void>& result) { return result.ok() || Fail(result.error().message()); }

  bool Fail(std::string message) {
    message_ = std::move(message);
    return false;
  }

  bool FailExpected(std::string_view expected) {
    return Fail(fmt::format("expected {}, got {}", expected, in_.ReadTypeName()));
  }

  bool FailDuplicate(std::string_view key) {
    Fail("the field is given twice");
    return FailAt(key);
  }

  bool FailAt(std::string_view key) {
    path_.insert(0, fmt::format(".{}", key));
    return false;
  }

  JsonScanner in_;
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

// A struct in which nothing is set counts as absent, even if some of its fields are required.
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

// Writes the fields of a struct and its unknown fields, sorted by name.
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
  Decoder decoder(json);
  if (decoder.Run(type, value)) return {};
  RETURN_IF_ERROR(JsonReader::Read(json));
  return decoder.MakeError();
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
