#include "kubexms/apiserver/decoding/shape.h"

#include <fmt/format.h>

#include <limits>
#include <string>

#include "kubexms/api/values/quantity.h"
#include "kubexms/api/values/time.h"
#include "kubexms/base/text/base64.h"

namespace kubexms {
namespace {

// The names of the JSON types in the messages of Kubernetes' decoder.
std::string_view DecoderName(const Json& value) {
  if (value.is_bool()) return "bool";
  if (value.is_number()) return "number";
  if (value.is_string()) return "string";
  return value.is_array() ? "array" : "object";
}

// "io.k8s.api.core.v1.PodSpec" → "PodSpec".
std::string_view LastPart(std::string_view definition, int parts) {
  size_t start = definition.size();
  for (int i = 0; i < parts; ++i) {
    if (start == 0) return definition;
    const size_t dot = definition.rfind('.', start - 1);
    if (dot == std::string_view::npos) return definition;
    start = dot;
  }
  return definition.substr(start + 1);
}

// The name of the Go type: "[]v1.Container", "map[string]string", "int32".
std::string GoType(const Schema& node) {
  const Schema& shape = node.Resolve();
  switch (shape.type) {
    case SchemaType::kArray:
      return "[]" + (shape.items == nullptr ? std::string("string") : GoType(*shape.items));
    case SchemaType::kObject:
      if (node.IsMap()) return "map[string]" + GoType(*shape.additional_properties);
      return std::string(LastPart(shape.definition, 2));
    case SchemaType::kInteger: return shape.format == "int32" ? "int32" : "int64";
    case SchemaType::kNumber: return "float64";
    case SchemaType::kBoolean: return "bool";
    default: return "string";
  }
}

// Visits the document in the order of Kubernetes' decoder, that of the text, up to the first error.
class ShapeChecker {
 public:
  Result<void> Check(const Json& value, const Schema& node) {
    const Schema& shape = node.Resolve();
    if (value.is_null() || shape.preserve_unknown_fields) return {};
    if (shape.quantity) return CheckQuantity(value);
    if (shape.int_or_string) return CheckIntOrString(value);
    switch (shape.type) {
      case SchemaType::kAny: return {};
      case SchemaType::kObject: return CheckObject(value, node);
      case SchemaType::kArray: return CheckArray(value, node);
      case SchemaType::kString: return CheckString(value, node);
      case SchemaType::kInteger: return CheckInteger(value, node);
      case SchemaType::kNumber: return Expect(value.is_number(), value, node);
      case SchemaType::kBoolean: return Expect(value.is_bool(), value, node);
    }
    return {};
  }

 private:
  Result<void> Expect(bool fits, const Json& value, const Schema& node) const {
    if (fits) return {};
    return Mismatch(DecoderName(value), node);
  }

  Error Mismatch(std::string_view found, const Schema& node) const {
    return Error::BadRequest(
        fmt::format("json: cannot unmarshal {} into Go struct field {}.{} of type {}", found,
                    owner_, path_, GoType(node)));
  }
  // For types that decode themselves, whose errors do not name the field.
  static Error ScalarMismatch(const Json& value, std::string_view type) {
    return Error::BadRequest(fmt::format("json: cannot unmarshal {} into Go value of type {}",
                                         DecoderName(value), type));
  }

  static Result<void> CheckQuantity(const Json& value) {
    const std::string text =
        value.is_string() ? std::string(AsView(value.get_string())) : WriteJson(value);
    const Result<Quantity> quantity = Quantity::Parse(text);
    if (!quantity.ok()) return Error::BadRequest(quantity.error().message());
    return {};
  }

  static Result<void> CheckIntOrString(const Json& value) {
    if (value.is_string()) return {};
    const bool fits = value.is_int64() &&
                      value.get_int64() >= std::numeric_limits<int32_t>::min() &&
                      value.get_int64() <= std::numeric_limits<int32_t>::max();
    if (fits) return {};
    return value.is_number() ? Error::BadRequest(fmt::format(
                                   "json: cannot unmarshal number {} into Go value of type int32",
                                   WriteJson(value)))
                             : ScalarMismatch(value, "int32");
  }

  Result<void> CheckString(const Json& value, const Schema& node) const {
    const Schema& shape = node.Resolve();
    if (!value.is_string()) {
      if (shape.format == "date-time") return ScalarMismatch(value, "string");
      return Mismatch(DecoderName(value), node);
    }
    const std::string_view text = AsView(value.get_string());
    if (shape.format == "date-time") return CheckTime(text, shape.micro_time);
    if (shape.format == "byte") {
      const Result<std::string> bytes = DecodeBase64(text);
      if (!bytes.ok()) return Base64Error(bytes.error().message());
    }
    return {};
  }

  // The last word of the message is the position of the error.
  static Error Base64Error(std::string_view message) {
    return Error::BadRequest(fmt::format("illegal base64 data at input byte {}",
                                         message.substr(message.rfind(' ') + 1)));
  }

  static Result<void> CheckTime(std::string_view text, bool micro) {
    if (micro) {
      const Result<MicroTime> time = MicroTime::Parse(text);
      if (!time.ok()) return time.error();
      return {};
    }
    const Result<Time> time = Time::Parse(text);
    if (!time.ok()) return time.error();
    return {};
  }

  Result<void> CheckInteger(const Json& value, const Schema& node) const {
    if (!value.is_number()) return Mismatch(DecoderName(value), node);
    const bool narrow = node.Resolve().format == "int32";
    const bool fits =
        value.is_int64() && (!narrow || (value.get_int64() >= std::numeric_limits<int32_t>::min() &&
                                         value.get_int64() <= std::numeric_limits<int32_t>::max()));
    return fits ? Result<void>() : Mismatch("number " + WriteJson(value), node);
  }

  Result<void> CheckArray(const Json& value, const Schema& node) {
    RETURN_IF_ERROR(Expect(value.is_array(), value, node));
    const Schema& shape = node.Resolve();
    if (shape.items == nullptr) return {};
    for (const Json& item : value.get_array()) RETURN_IF_ERROR(Check(item, *shape.items));
    return {};
  }

  Result<void> CheckObject(const Json& value, const Schema& node) {
    RETURN_IF_ERROR(Expect(value.is_object(), value, node));
    const Schema& shape = node.Resolve();
    if (node.IsMap()) {
      for (const auto& member : value.get_object())
        RETURN_IF_ERROR(Check(member.value(), *shape.additional_properties));
      return {};
    }
    const std::string outer = owner_;
    for (const auto& member : value.get_object()) {
      const std::string_view name(member.key().data(), member.key().size());
      const Schema* property = shape.FindProperty(name);
      if (property == nullptr) continue;
      owner_ = LastPart(shape.definition, 1);
      const size_t length = path_.size();
      if (!path_.empty()) path_ += '.';
      path_ += name;
      RETURN_IF_ERROR(Check(member.value(), *property));
      path_.resize(length);
    }
    owner_ = outer;
    return {};
  }

  std::string owner_;  // the type of the object that has the field
  std::string path_;   // without indices and keys
};

}  // namespace

Result<void> CheckShape(const Json& document, const Schema& schema) {
  return ShapeChecker().Check(document, schema);
}

Error CannotBeHandled(const Error& reason, std::string_view kind, std::string_view version) {
  return Error::BadRequest(fmt::format("{} in version \"{}\" cannot be handled as a {}: {}", kind,
                                       version, kind, reason.message()));
}

}  // namespace kubexms
