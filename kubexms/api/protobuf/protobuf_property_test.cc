// Properties of every kind: decoding an encoded object returns the object.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <random>
#include <span>
#include <vector>

#include "kubexms/api/builtin/builtin_kinds.h"
#include "kubexms/api/protobuf/protobuf.h"
#include "kubexms/api/protobuf/protobuf_writer_test.h"
#include "kubexms/api/schema/scalars.h"
#include "kubexms/base/text/base64.h"

namespace kubexms {
namespace {

using testing::Enveloped;
using testing::WireWriter;

bool IsOptional(const TypeInfo& type) {
  return type.kind == TypeKind::kOptional || type.kind == TypeKind::kBoxed;
}

// Whether the field is a pointer in Go: then zero is a value.
bool IsPointer(const FieldInfo& field) {
  return field.zero_presence == ZeroPresence::kPointer ||
         field.zero_presence == ZeroPresence::kNull;
}

bool IsNumber(const TypeInfo& type) {
  return type.kind == TypeKind::kBool || type.kind == TypeKind::kInt32 ||
         type.kind == TypeKind::kInt64;
}

// A random document of a kind. Optional numbers may be zero; other values never are what means
// "absent".
class DocumentMaker {
 public:
  explicit DocumentMaker(uint64_t seed) : random_(seed) {}

  JsonObject MakeObject(const TypeInfo& type, int depth) {
    JsonObject object;
    for (const FieldInfo& field : type.fields) {
      if (!field.protobuf_number) continue;
      if (!field.required && (depth <= 0 || Below(3) == 0)) continue;
      object[field.name] = MakeField(type, field, *field.type, depth);
    }
    return object;
  }

 private:
  int Below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random_); }
  std::string Text() { return "t\n\"é" + std::to_string(Below(1'000'000)); }

  Json MakeField(const TypeInfo& owner, const FieldInfo& field, const TypeInfo& type, int depth) {
    const TypeInfo& value = IsOptional(type) ? *type.element : type;
    if (IsNumber(value) && IsPointer(field) && Below(4) == 0) return Zero(value);
    if (IsOptional(type)) return Make(value, depth - 1);
    if (field.protobuf_form == ProtobufForm::kPlain) return Make(type, depth - 1);
    Json either = MakeSchemaOr(owner, field.protobuf_form, depth - 1);
    return type.kind == TypeKind::kMap ? Json(JsonObject{{Text(), std::move(either)}}) : either;
  }

  Json Zero(const TypeInfo& type) { return type.kind == TypeKind::kBool ? Json(false) : Json(0); }

  Json MakeSchemaOr(const TypeInfo& schema, ProtobufForm form, int depth) {
    if (Below(2) == 0) return MakeObject(schema, depth);
    switch (form) {
      case ProtobufForm::kSchemaOrBool: return Below(2) == 0;
      case ProtobufForm::kSchemaOrList: return JsonArray{MakeObject(schema, depth)};
      default: return JsonArray{Text(), Text()};
    }
  }

  Json Make(const TypeInfo& type, int depth) {
    switch (type.kind) {
      case TypeKind::kBool: return true;
      case TypeKind::kInt32: return Below(2) == 0 ? 1 + Below(1000) : -1 - Below(1000);
      case TypeKind::kInt64: return int64_t{1} << (1 + Below(60));
      case TypeKind::kDouble: return 0.5 + Below(10);
      case TypeKind::kString: return Json(Text());
      case TypeKind::kScalar: return Scalar(type);
      case TypeKind::kRawJson: return JsonObject{{"any", JsonArray{1, nullptr, Text()}}};
      case TypeKind::kStruct: return MakeObject(type, depth);
      case TypeKind::kList:
        return JsonArray{Make(*type.element, depth), Make(*type.element, depth)};
      case TypeKind::kMap: return JsonObject{{Text(), Make(*type.element, depth)}};
      default: return nullptr;
    }
  }

  Json Scalar(const TypeInfo& type) {
    if (&type == &TypeOf<Quantity>()) return std::vector{"1", "500m", "1536Mi", "0"}[Below(4)];
    if (&type == &TypeOf<IntOrString>()) return Below(2) == 0 ? Json(Below(100)) : Json("25%");
    if (&type == &TypeOf<Bytes>()) return "AP9oaQ==";
    if (&type == &TypeOf<MicroTime>()) return "2024-05-06T07:08:09.000010Z";
    if (&type == &TypeOf<Duration>()) return "1m30s";
    return std::vector{"2024-05-06T07:08:09Z", "1970-01-01T00:00:00Z",
                       "1969-12-31T23:59:59Z"}[Below(3)];
  }

  std::mt19937_64 random_;
};

struct WriterOptions {
  bool zeros = false;   // write the zero of absent fields, as Go's clients do
  bool packed = false;  // repeated numbers in one field
};

// The other way round of the decoder.
class DocumentWriter {
 public:
  explicit DocumentWriter(WriterOptions options) : options_(options) {}

  std::string Object(const TypeInfo& type, const JsonObject& object) {
    std::vector<const FieldInfo*> fields;
    for (const uint8_t i : type.fields_by_protobuf_number) fields.push_back(&type.fields[i]);
    return Fields(type, fields, 0, object);
  }

 private:
  // The message with these fields, whose numbers differ from `depth` on.
  std::string Fields(const TypeInfo& type, std::span<const FieldInfo* const> fields, size_t depth,
                     const JsonObject& object) {
    WireWriter out;
    for (size_t i = 0, end = 0; i < fields.size(); i = end) {
      const uint8_t number = fields[i]->protobuf_number.path[depth];
      while (end < fields.size() && fields[end]->protobuf_number.path[depth] == number) ++end;
      if (fields[i]->protobuf_number.Depth() > depth + 1) {
        out.Bytes(number, Fields(type, fields.subspan(i, end - i), depth + 1, object));
      } else {
        FieldOrZero(type, *fields[i], number, object, out);
      }
    }
    return out.text();
  }

  void FieldOrZero(const TypeInfo& type, const FieldInfo& field, uint32_t number,
                   const JsonObject& object, WireWriter& out) {
    const Json* value = object.if_contains(field.name);
    if (value != nullptr) {
      Field(type, field, number, *field.type, *value, out);
    } else if (options_.zeros) {
      Zero(field, number, out);
    }
  }

  void Zero(const FieldInfo& field, uint32_t number, WireWriter& out) {
    const TypeInfo& type = *field.type;
    const TypeInfo& inner = IsOptional(type) ? *type.element : type;
    if (IsPointer(field)) return;
    if (IsNumber(inner)) out.Number(number, 0);
    if (inner.kind == TypeKind::kString) out.Bytes(number, "");
    if (&inner == &TypeOf<Time>() || &inner == &TypeOf<MicroTime>()) out.Bytes(number, "");
  }

  void Field(const TypeInfo& owner, const FieldInfo& field, uint32_t number, const TypeInfo& type,
             const Json& value, WireWriter& out) {
    if (IsOptional(type)) return Field(owner, field, number, *type.element, value, out);
    if (type.kind == TypeKind::kMap) {
      for (const auto& member : value.as_object()) {
        WireWriter entry;
        entry.Bytes(1, {member.key().data(), member.key().size()});
        ValueOrForm(owner, field.protobuf_form, *type.element, member.value(), 2, entry);
        out.Bytes(number, entry.text());
      }
    } else if (type.kind == TypeKind::kList) {
      Items(*type.element, value.as_array(), number, out);
    } else {
      ValueOrForm(owner, field.protobuf_form, type, value, number, out);
    }
  }

  void Items(const TypeInfo& type, const JsonArray& items, uint32_t number, WireWriter& out) {
    if (options_.packed && IsNumber(type)) {
      WireWriter packed;
      for (const Json& item : items) packed.Raw(static_cast<uint64_t>(Integer(item)));
      out.Bytes(number, packed.text());
      return;
    }
    for (const Json& item : items) Value(type, item, number, out);
  }

  static int64_t Integer(const Json& value) {
    return value.is_bool() ? int64_t{value.as_bool()} : value.to_number<int64_t>();
  }

  void ValueOrForm(const TypeInfo& owner, ProtobufForm form, const TypeInfo& type,
                   const Json& value, uint32_t number, WireWriter& out) {
    if (form == ProtobufForm::kPlain) return Value(type, value, number, out);
    WireWriter either;
    if (value.is_object()) {
      Value(owner, value, form == ProtobufForm::kSchemaOrBool ? 2 : 1, either);
    } else if (value.is_bool()) {
      either.Number(1, Integer(value));
    } else {
      Items(form == ProtobufForm::kSchemaOrList ? owner : TypeOf<std::string>(), value.as_array(),
            2, either);
    }
    out.Bytes(number, either.text());
  }

  void Value(const TypeInfo& type, const Json& value, uint32_t number, WireWriter& out) {
    switch (type.kind) {
      case TypeKind::kDouble: out.Double(number, value.to_number<double>()); break;
      case TypeKind::kString: out.Bytes(number, AsView(value.as_string())); break;
      case TypeKind::kScalar: Scalar(type, value, number, out); break;
      case TypeKind::kRawJson:
        out.Bytes(number, WireWriter().Bytes(1, WriteJson(value)).text());
        break;
      case TypeKind::kStruct: out.Bytes(number, Object(type, value.as_object())); break;
      case TypeKind::kList: {
        WireWriter list;
        Items(*type.element, value.as_array(), 1, list);
        out.Bytes(number, list.text());
        break;
      }
      default: out.Number(number, Integer(value));
    }
  }

  void Scalar(const TypeInfo& type, const Json& value, uint32_t number, WireWriter& out) {
    using std::chrono::duration_cast;
    using std::chrono::floor;
    using std::chrono::seconds;
    WireWriter scalar;
    if (&type == &TypeOf<Bytes>()) {
      out.Bytes(number, *DecodeBase64(AsView(value.as_string())));
      return;
    }
    if (&type == &TypeOf<Quantity>()) {
      scalar.Bytes(1, AsView(value.as_string()));
    } else if (&type == &TypeOf<IntOrString>() && value.is_string()) {
      scalar.Number(1, 1).Number(2, 0).Bytes(3, AsView(value.as_string()));
    } else if (&type == &TypeOf<IntOrString>()) {
      scalar.Number(1, 0).Number(2, Integer(value)).Bytes(3, "");
    } else if (&type == &TypeOf<Duration>()) {
      scalar.Number(1, Duration::Parse(AsView(value.as_string()))->value().count());
    } else if (&type == &TypeOf<MicroTime>()) {
      const MicroTime::Value time = MicroTime::Parse(AsView(value.as_string()))->value();
      const auto whole = floor<seconds>(time);
      scalar.Number(1, whole.time_since_epoch().count());
      scalar.Number(2, duration_cast<std::chrono::nanoseconds>(time - whole).count());
    } else {
      const auto time = Time::Parse(AsView(value.as_string()))->value();
      scalar.Number(1, time.time_since_epoch().count()).Number(2, 0);
    }
    out.Bytes(number, scalar.text());
  }

  WriterOptions options_;
};

TEST(ProtobufPropertyTest, DecodesEncodedObjectsOfEveryKind) {
  EXPECT_TRUE(rc::check([](uint64_t seed, bool zeros, bool packed) {
    for (const TypeInfo* type : BuiltinKinds()) {
      JsonObject object = DocumentMaker(seed).MakeObject(*type, 6);
      const KindName& name = *type->kind_name;
      const std::string bytes =
          DocumentWriter({.zeros = zeros, .packed = packed}).Object(*type, object);
      const Result<Json> decoded = DecodeProtobuf(Enveloped(name.ApiVersion(), name.kind, bytes));
      if (!decoded.ok()) RC_FAIL(decoded.error().message());
      object["apiVersion"] = name.ApiVersion();
      object["kind"] = name.kind;
      RC_ASSERT(WriteJson(*decoded) == WriteJson(object));
    }
  }));
}

// Damaged bodies are decoded or refused, and the result is valid JSON.
TEST(ProtobufPropertyTest, DecodesOrRefusesDamagedBodies) {
  EXPECT_TRUE(rc::check([](uint64_t seed) {
    std::mt19937_64 random(seed);
    const TypeInfo* type = BuiltinKinds()[random() % BuiltinKinds().size()];
    const KindName& name = *type->kind_name;
    std::string body =
        Enveloped(name.ApiVersion(), name.kind,
                  DocumentWriter({}).Object(*type, DocumentMaker(seed).MakeObject(*type, 4)));
    for (int i = 0; i < 20; ++i) {
      body[random() % body.size()] = static_cast<char>(random());
      const Result<Json> decoded = DecodeProtobuf(body.substr(0, body.size() - random() % 3));
      if (decoded.ok()) {
        RC_ASSERT(ParseJson(WriteJson(*decoded)).ok());
      } else {
        RC_ASSERT(decoded.error().IsBadRequest());
      }
    }
  }));
}

}  // namespace
}  // namespace kubexms
