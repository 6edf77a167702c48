#include "kubexms/api/protobuf/protobuf.h"

#include <bit>
#include <chrono>
#include <cmath>
#include <utility>

#include "kubexms/api/builtin/builtin_kinds.h"
#include "kubexms/api/group_version.h"
#include "kubexms/api/meta_v1.h"
#include "kubexms/api/protobuf/protobuf_wire.h"
#include "kubexms/api/schema/field_error.h"
#include "kubexms/api/schema/scalars.h"
#include "kubexms/base/text/base64.h"
#include "kubexms/base/utf8.h"

namespace kubexms {
namespace {

constexpr std::string_view kMagic("k8s\0", 4);
constexpr int kMaxDepth = 100;
// The limit for JSON inside a message; it leaves room for the levels of the document around it.
constexpr int kMaxRawDepth = 256;
// The range of RFC 3339: the years 0 to 9999.
constexpr int64_t kMinSeconds = -62167219200;
constexpr int64_t kMaxSeconds = 253402300799;

// Prepends the field to the error.
Error At(const FieldPath& path, const Error& error) {
  const std::string field = path.ToString();
  return field.empty() ? error : error.WithContext(field);
}
Error At(const FieldPath& path, std::string what) {
  return At(path, Error::BadRequest(std::move(what)));
}

#define ASSIGN_OR_RETURN_AT_INNER(result, path, declaration, ...) \
  auto result = (__VA_ARGS__);                                    \
  if (!result.ok()) return At(path, result.error());              \
  declaration = std::move(result).value()
// ASSIGN_OR_RETURN for errors that do not name the field.
#define ASSIGN_OR_RETURN_AT(path, declaration, ...)                                       \
  ASSIGN_OR_RETURN_AT_INNER(KUBEXMS_CONCAT(kubexms_result_, __LINE__), path, declaration, \
                            __VA_ARGS__)

const TypeInfo* WithoutOptional(const TypeInfo* type) {
  const bool optional = type->kind == TypeKind::kOptional || type->kind == TypeKind::kBoxed;
  return optional ? type->element : type;
}

bool IsZero(const Json& value) {
  switch (value.kind()) {
    case boost::json::kind::null: return true;
    case boost::json::kind::bool_: return !value.get_bool();
    case boost::json::kind::int64: return value.get_int64() == 0;
    case boost::json::kind::double_: return value.get_double() == 0;
    case boost::json::kind::string: return value.get_string().empty();
    default: return false;
  }
}

// Values that are messages have no zero: an empty message is present.
bool HasNoZero(const TypeInfo& type) {
  return type.kind == TypeKind::kRawJson ||
         (type.kind == TypeKind::kScalar && &type != &TypeOf<Bytes>());
}

// Repeated numbers may be packed: all of them in the bytes of one field.
bool IsNumber(const TypeInfo& type) {
  return type.kind == TypeKind::kBool || type.kind == TypeKind::kInt32 ||
         type.kind == TypeKind::kInt64 || type.kind == TypeKind::kDouble;
}

Result<std::string_view> BytesOf(const WireField& field, const FieldPath& path) {
  if (field.type == WireType::kBytes) return field.bytes;
  return At(path, "must be a string, bytes or a message");
}

// Decodes one object to JSON. Methods add to `out` or return a value; null means absent. `depth` is
// the number of enclosing messages.
class Decoder {
 public:
  explicit Decoder(JsonStorage storage) : storage_(std::move(storage)) {}

  Result<void> Object(std::string_view bytes, const TypeInfo& type, const FieldPath& path,
                      int depth, JsonObject& out) {
    if (type.fields_by_protobuf_number.empty()) {
      return At(path, "cannot be read from protobuf; send it as JSON");
    }
    return Fields(bytes, type, ProtobufNumber(), path, depth, out);
  }

 private:
  // `message` is the number of an inlined message, or no number for the object itself.
  Result<void> Fields(std::string_view bytes, const TypeInfo& type, ProtobufNumber message,
                      const FieldPath& path, int depth, JsonObject& out) {
    if (depth > kMaxDepth) return At(path, "nested too deep");
    for (WireReader reader(bytes); !reader.AtEnd();) {
      ASSIGN_OR_RETURN_AT(path, const WireField field, reader.Next());
      const ProtobufNumber number = message.Child(field.number);
      const FieldInfo* info = type.FindField(number);
      if (info == nullptr) continue;
      if (info->protobuf_number == number) {
        RETURN_IF_ERROR(Field(field, type, *info, path, depth, out));
      } else {
        ASSIGN_OR_RETURN(const std::string_view inlined, BytesOf(field, path));
        RETURN_IF_ERROR(Fields(inlined, type, number, path, depth + 1, out));
      }
    }
    return {};
  }

  Result<void> Field(const WireField& field, const TypeInfo& owner, const FieldInfo& info,
                     const FieldPath& parent, int depth, JsonObject& out) {
    const TypeInfo& type = *WithoutOptional(info.type);
    const FieldPath path = parent.Child(info.name);
    if (type.kind == TypeKind::kList) return Item(field, type, path, depth, Array(out, info.name));
    if (type.kind == TypeKind::kMap) {
      return Entry(field, info.protobuf_form, owner, type, path, depth, Member(out, info.name));
    }
    if (type.kind == TypeKind::kStruct) {
      ASSIGN_OR_RETURN(const std::string_view bytes, BytesOf(field, path));
      return Object(bytes, type, path, depth + 1, Member(out, info.name));
    }
    ASSIGN_OR_RETURN(Json value, FormValue(field, info.protobuf_form, owner, type, path, depth));
    const bool pointer =
        info.zero_presence == ZeroPresence::kPointer || info.zero_presence == ZeroPresence::kNull;
    const bool keeps_zero = info.required || pointer || HasNoZero(type);
    if (value.is_null() || (!keeps_zero && IsZero(value))) {
      out.erase(info.name);
    } else {
      out.insert_or_assign(info.name, std::move(value));
    }
    return {};
  }

  JsonObject& Member(JsonObject& out, std::string_view name) {
    return out.emplace(name, JsonObject(storage_)).first->value().as_object();
  }
  JsonArray& Array(JsonObject& out, std::string_view name) {
    return out.emplace(name, JsonArray(storage_)).first->value().as_array();
  }

  Json String(std::string_view text) { return Json(JsonString(text, storage_)); }

  // One item of a repeated field, or all of them packed.
  Result<void> Item(const WireField& field, const TypeInfo& list, const FieldPath& path, int depth,
                    JsonArray& out) {
    const TypeInfo& type = *list.element;
    const FieldPath item = path.Index(out.size());
    if (IsNumber(type) && field.type == WireType::kBytes) {
      return PackedItems(field, type, item, out);
    }
    ASSIGN_OR_RETURN(Json value, Value(field, type, item, depth));
    out.push_back(std::move(value));
    return {};
  }

  Result<void> PackedItems(const WireField& field, const TypeInfo& type, const FieldPath& path,
                           JsonArray& out) {
    const bool fixed = type.kind == TypeKind::kDouble;
    for (WireReader reader(field.bytes); !reader.AtEnd();) {
      WireField number{.number = field.number,
                       .type = fixed ? WireType::kFixed64 : WireType::kVarint};
      ASSIGN_OR_RETURN_AT(path, number.value, fixed ? reader.Fixed(8) : reader.Varint());
      ASSIGN_OR_RETURN(Json value, Number(number, type, path));
      out.push_back(std::move(value));
    }
    return {};
  }

  // An entry of a map is a message {1: key, 2: value}.
  Result<void> Entry(const WireField& field, ProtobufForm form, const TypeInfo& owner,
                     const TypeInfo& map, const FieldPath& path, int depth, JsonObject& out) {
    ASSIGN_OR_RETURN(const std::string_view bytes, BytesOf(field, path));
    ASSIGN_OR_RETURN_AT(path, const SmallMessage entry, SmallMessage::Read(bytes));
    ASSIGN_OR_RETURN_AT(path, const std::string_view key, entry.Bytes(1));
    if (!IsValidUtf8(key)) return At(path, "a map key is not valid UTF-8");
    const FieldPath at = path.Key(key);
    const TypeInfo& type = *map.element;
    const WireField absent{.number = 2,
                           .type = IsNumber(type) ? WireType::kVarint : WireType::kBytes};
    ASSIGN_OR_RETURN(Json value,
                     FormValue(entry.Field(2).value_or(absent), form, owner, type, at, depth));
    out.insert_or_assign(key, std::move(value));
    return {};
  }

  Result<Json> FormValue(const WireField& field, ProtobufForm form, const TypeInfo& owner,
                         const TypeInfo& type, const FieldPath& path, int depth) {
    if (form == ProtobufForm::kPlain) return Value(field, type, path, depth);
    return SchemaOr(field, form, owner, path, depth);
  }

  Result<Json> Value(const WireField& field, const TypeInfo& type, const FieldPath& path,
                     int depth) {
    if (IsNumber(type)) return Number(field, type, path);
    ASSIGN_OR_RETURN(const std::string_view bytes, BytesOf(field, path));
    switch (type.kind) {
      case TypeKind::kString: return Text(bytes, path);
      case TypeKind::kScalar: return Scalar(bytes, type, path);
      case TypeKind::kRawJson: return Raw(bytes, path);
      case TypeKind::kList: return WrappedList(bytes, type, path, depth);
      case TypeKind::kStruct: {
        JsonObject object(storage_);
        RETURN_IF_ERROR(Object(bytes, type, path, depth + 1, object));
        return Json(std::move(object));
      }
      default: return At(path, "cannot be read from protobuf; send it as JSON");
    }
  }

  Result<Json> Number(const WireField& field, const TypeInfo& type, const FieldPath& path) {
    const bool fixed = type.kind == TypeKind::kDouble;
    if (field.type != (fixed ? WireType::kFixed64 : WireType::kVarint)) {
      return At(path, fixed ? "must be a floating-point number" : "must be a number or a boolean");
    }
    switch (type.kind) {
      case TypeKind::kBool: return Json(field.value != 0, storage_);
      case TypeKind::kInt32: return Json(int64_t{static_cast<int32_t>(field.value)}, storage_);
      case TypeKind::kInt64: return Json(static_cast<int64_t>(field.value), storage_);
      default: break;
    }
    const auto number = std::bit_cast<double>(field.value);
    if (!std::isfinite(number)) return At(path, "must be a finite number");
    return Json(number, storage_);
  }

  Result<Json> Text(std::string_view bytes, const FieldPath& path) {
    if (!IsValidUtf8(bytes)) return At(path, "is not valid UTF-8");
    return String(bytes);
  }

  // A list as the value of a map is a message {1: items}.
  Result<Json> WrappedList(std::string_view bytes, const TypeInfo& type, const FieldPath& path,
                           int depth) {
    if (depth > kMaxDepth) return At(path, "nested too deep");
    JsonArray list(storage_);
    for (WireReader reader(bytes); !reader.AtEnd();) {
      ASSIGN_OR_RETURN_AT(path, const WireField field, reader.Next());
      if (field.number != 1) continue;
      RETURN_IF_ERROR(Item(field, type, path, depth + 1, list));
    }
    return Json(std::move(list));
  }

  Result<Json> Scalar(std::string_view bytes, const TypeInfo& type, const FieldPath& path) {
    if (&type == &TypeOf<Bytes>()) return String(EncodeBase64(bytes));
    ASSIGN_OR_RETURN_AT(path, const SmallMessage message, SmallMessage::Read(bytes));
    if (&type == &TypeOf<Quantity>()) return QuantityText(message, path);
    if (&type == &TypeOf<IntOrString>()) return NumberOrText(message, path);
    if (&type == &TypeOf<Duration>()) return Span(message, path);
    if (bytes.empty()) return Json(nullptr, storage_);
    return Moment(message, &type == &TypeOf<MicroTime>(), path);
  }

  Result<Json> QuantityText(const SmallMessage& message, const FieldPath& path) {
    ASSIGN_OR_RETURN_AT(path, const std::string_view text, message.Bytes(1));
    return Text(text.empty() ? "0" : text, path);
  }

  Result<Json> NumberOrText(const SmallMessage& message, const FieldPath& path) {
    ASSIGN_OR_RETURN_AT(path, const int64_t kind, message.Number(1));
    ASSIGN_OR_RETURN_AT(path, const int64_t number, message.Number(2));
    ASSIGN_OR_RETURN_AT(path, const std::string_view text, message.Bytes(3));
    if (kind == 0) return Json(int64_t{static_cast<int32_t>(number)}, storage_);
    if (kind == 1) return Text(text, path);
    return At(path, "must be a number or a string");
  }

  Result<Json> Span(const SmallMessage& message, const FieldPath& path) {
    ASSIGN_OR_RETURN_AT(path, const int64_t nanoseconds, message.Number(1));
    return String(Duration(std::chrono::nanoseconds(nanoseconds)).ToString());
  }

  Result<Json> Moment(const SmallMessage& message, bool micro, const FieldPath& path) {
    ASSIGN_OR_RETURN_AT(path, const int64_t seconds, message.Number(1));
    ASSIGN_OR_RETURN_AT(path, const int64_t nanoseconds, message.Number(2));
    const bool possible = seconds >= kMinSeconds && seconds <= kMaxSeconds && nanoseconds >= 0 &&
                          nanoseconds < 1'000'000'000;
    if (!possible) return At(path, "must be a time in the years 0 to 9999");
    const std::chrono::sys_seconds time{std::chrono::seconds(seconds)};
    if (time == time_internal::kZeroTime) return Json(nullptr, storage_);
    if (!micro) return String(Time(time).ToString());
    const auto fraction = std::chrono::microseconds(nanoseconds / 1000);
    return String(MicroTime(time + fraction).ToString());
  }

  // A message {1: JSON text}.
  Result<Json> Raw(std::string_view bytes, const FieldPath& path) {
    ASSIGN_OR_RETURN_AT(path, const SmallMessage message, SmallMessage::Read(bytes));
    ASSIGN_OR_RETURN_AT(path, const std::string_view text, message.Bytes(1));
    if (text.empty()) return Json(nullptr, storage_);
    ASSIGN_OR_RETURN_AT(path, Json value,
                        ParseJson(text, {.max_depth = kMaxRawDepth, .storage = storage_}));
    return value;
  }

  // A schema or its alternative; see ProtobufForm. The schema has the type `owner`.
  Result<Json> SchemaOr(const WireField& field, ProtobufForm form, const TypeInfo& owner,
                        const FieldPath& path, int depth) {
    const bool or_bool = form == ProtobufForm::kSchemaOrBool;
    const uint32_t schema_number = or_bool ? 2 : 1;
    ASSIGN_OR_RETURN(const std::string_view bytes, BytesOf(field, path));
    Json schema(storage_);
    Json other(storage_);
    if (or_bool) other = false;
    for (WireReader reader(bytes); !reader.AtEnd();) {
      ASSIGN_OR_RETURN_AT(path, const WireField part, reader.Next());
      if (part.number == schema_number) {
        ASSIGN_OR_RETURN(schema, Value(part, owner, path, depth + 1));
      } else if (part.number <= 2) {
        RETURN_IF_ERROR(InsteadOfSchema(part, form, owner, path, depth + 1, other));
      }
    }
    return std::move(schema.is_null() ? other : schema);
  }

  Result<void> InsteadOfSchema(const WireField& field, ProtobufForm form, const TypeInfo& owner,
                               const FieldPath& path, int depth, Json& out) {
    if (form == ProtobufForm::kSchemaOrBool) {
      ASSIGN_OR_RETURN(out, Number(field, TypeOf<bool>(), path));
      return {};
    }
    const TypeInfo& type = form == ProtobufForm::kSchemaOrList ? owner : TypeOf<std::string>();
    if (!out.is_array()) out.emplace_array();
    const FieldPath item = path.Index(out.get_array().size());
    ASSIGN_OR_RETURN(Json value, Value(field, type, item, depth));
    out.get_array().push_back(std::move(value));
    return {};
  }

  JsonStorage storage_;
};

#undef ASSIGN_OR_RETURN_AT
#undef ASSIGN_OR_RETURN_AT_INNER

// The envelope {1: {1: apiVersion, 2: kind}, 2: the object, 3: content encoding}, borrowed.
struct Envelope {
  std::string_view api_version;
  std::string_view kind;
  std::string_view object;
};

Result<Envelope> ReadEnvelope(std::string_view body) {
  if (!IsProtobuf(body)) {
    return Error::BadRequest("does not start with the magic number of Kubernetes' protobuf");
  }
  ASSIGN_OR_RETURN(const SmallMessage message, SmallMessage::Read(body.substr(kMagic.size())));
  ASSIGN_OR_RETURN(const std::string_view type_meta, message.Bytes(1));
  ASSIGN_OR_RETURN(const SmallMessage type, SmallMessage::Read(type_meta));
  ASSIGN_OR_RETURN(const std::string_view encoding, message.Bytes(3));
  if (!encoding.empty())
    return Error::BadRequest(
        "has a content encoding, which is not supported; send the object without one");
  Envelope envelope;
  ASSIGN_OR_RETURN(envelope.object, message.Bytes(2));
  ASSIGN_OR_RETURN(envelope.api_version, type.Bytes(1));
  ASSIGN_OR_RETURN(envelope.kind, type.Bytes(2));
  if (!IsValidUtf8(envelope.api_version) || !IsValidUtf8(envelope.kind)) {
    return Error::BadRequest("apiVersion or kind is not valid UTF-8");
  }
  return envelope;
}

// Every version has DeleteOptions, the body of delete requests.
Result<const TypeInfo*> FindType(const Envelope& envelope) {
  ASSIGN_OR_RETURN(const GroupVersionKind kind,
                   GroupVersionKind::Parse(envelope.api_version, envelope.kind));
  if (kind.kind == "DeleteOptions") return &TypeOf<DeleteOptions>();
  const TypeInfo* type = FindBuiltinKind(kind.group, kind.version, kind.kind);
  if (type != nullptr) return type;
  return Error::BadRequest("no built-in kind " + QuoteJson(envelope.kind) + " in version " +
                           QuoteJson(envelope.api_version) + "; send other kinds as JSON");
}

Result<Json> Decode(std::string_view body, const JsonStorage& storage) {
  ASSIGN_OR_RETURN(const Envelope envelope, ReadEnvelope(body));
  ASSIGN_OR_RETURN(const TypeInfo* type, FindType(envelope));
  JsonObject object(storage);
  object["apiVersion"] = envelope.api_version;
  object["kind"] = envelope.kind;
  RETURN_IF_ERROR(Decoder(storage).Object(envelope.object, *type, FieldPath(), 1, object));
  return Json(std::move(object));
}

}  // namespace

bool IsProtobuf(std::string_view body) { return body.starts_with(kMagic); }

Result<Json> DecodeProtobuf(std::string_view body, const JsonStorage& storage) {
  Result<Json> decoded = Decode(body, storage);
  if (decoded.ok()) return decoded;
  return Error::BadRequest(decoded.error().message()).WithContext("protobuf body");
}

}  // namespace kubexms
