#include "kubexms/api/protobuf/openapi_protobuf.h"

#include <bit>
#include <cstdint>
#include <string_view>
#include <utility>

namespace kubexms {
namespace {

// Writes the fields of one message and omits absent members of the JSON object.
class Message {
 public:
  void Bytes(int field, std::string_view bytes) {
    Tag(field, 2);
    Varint(bytes.size());
    out_ += bytes;
  }
  void Sub(int field, const Message& message) { Bytes(field, message.out_); }
  void Varint(int field, uint64_t number) {
    Tag(field, 0);
    Varint(number);
  }
  void Double(int field, double number) {
    Tag(field, 1);
    auto bits = std::bit_cast<uint64_t>(number);
    for (int i = 0; i < 8; ++i, bits >>= 8) out_ += static_cast<char>(bits & 0xFF);
  }

  // The member `name` of `object`, by its JSON type.
  void Text(int field, const Json& object, std::string_view name) {
    const Json* value = FindMember(object, name);
    if (value != nullptr && value->is_string()) Bytes(field, AsView(value->get_string()));
  }
  void Texts(int field, const Json& object, std::string_view name) {
    const Json* value = FindMember(object, name);
    if (value == nullptr || !value->is_array()) return;
    for (const Json& item : value->get_array()) Bytes(field, AsView(item.as_string()));
  }
  void Flag(int field, const Json& object, std::string_view name) {
    const Json* value = FindMember(object, name);
    if (value != nullptr && value->is_bool() && value->get_bool()) Varint(field, 1);
  }
  void Integer(int field, const Json& object, std::string_view name) {
    const Json* value = FindMember(object, name);
    if (value != nullptr && value->is_int64())
      Varint(field, static_cast<uint64_t>(value->get_int64()));
  }
  void Number(int field, const Json& object, std::string_view name) {
    const Json* value = FindMember(object, name);
    if (value != nullptr && value->is_number()) Double(field, value->to_number<double>());
  }
  template <class Encode>
  void Sub(int field, const Json& object, std::string_view name, Encode encode) {
    const Json* value = FindMember(object, name);
    if (value != nullptr) Sub(field, encode(*value));
  }
  template <class Encode>
  void Each(int field, const Json& object, std::string_view name, Encode encode) {
    const Json* value = FindMember(object, name);
    if (value == nullptr || !value->is_array()) return;
    for (const Json& item : value->get_array()) Sub(field, encode(item));
  }

  std::string Take() { return std::move(out_); }

 private:
  void Tag(int field, int wire_type) { Varint(static_cast<uint64_t>(field << 3 | wire_type)); }
  void Varint(uint64_t number) {
    for (; number >= 0x80; number >>= 7) out_ += static_cast<char>(number | 0x80);
    out_ += static_cast<char>(number);
  }

  std::string out_;
};

// A message {1: name, 2: value}, the form of map entries.
Message Named(std::string_view name, const Message& value) {
  Message named;
  named.Bytes(1, name);
  named.Sub(2, value);
  return named;
}

// Any value as YAML; JSON is valid YAML.
Message EncodeAny(const Json& value) {
  Message any;
  any.Bytes(2, WriteJson(value));
  return any;
}

void EncodeExtensions(int field, const Json& object, Message& out) {
  for (const auto& member : object.as_object()) {
    const std::string_view name(member.key().data(), member.key().size());
    if (name.starts_with("x-")) out.Sub(field, Named(name, EncodeAny(member.value())));
  }
}

// A message with all members of an object as {name, value} in field 1.
template <class Encode>
Message EncodeMap(const Json& object, Encode encode, int field = 1) {
  Message map;
  for (const auto& member : object.as_object()) {
    map.Sub(field, Named({member.key().data(), member.key().size()}, encode(member.value())));
  }
  return map;
}

Message EncodeSchema(const Json& schema);

// A message with `value` in field 1.
Message Wrapped(const Message& value) {
  Message wrapper;
  wrapper.Sub(1, value);
  return wrapper;
}

Message EncodeAdditionalProperties(const Json& value) {
  if (value.is_object()) return Wrapped(EncodeSchema(value));
  Message out;
  out.Varint(2, value.is_bool() && value.get_bool() ? 1 : 0);
  return out;
}

Message EncodeSchema(const Json& schema) {
  Message out;
  out.Text(1, schema, "$ref");
  out.Text(2, schema, "format");
  out.Text(3, schema, "title");
  out.Text(4, schema, "description");
  out.Sub(5, schema, "default", EncodeAny);
  out.Number(6, schema, "multipleOf");
  out.Number(7, schema, "maximum");
  out.Flag(8, schema, "exclusiveMaximum");
  out.Number(9, schema, "minimum");
  out.Flag(10, schema, "exclusiveMinimum");
  out.Integer(11, schema, "maxLength");
  out.Integer(12, schema, "minLength");
  out.Text(13, schema, "pattern");
  out.Integer(14, schema, "maxItems");
  out.Integer(15, schema, "minItems");
  out.Flag(16, schema, "uniqueItems");
  out.Integer(17, schema, "maxProperties");
  out.Integer(18, schema, "minProperties");
  out.Texts(19, schema, "required");
  out.Each(20, schema, "enum", EncodeAny);
  out.Sub(21, schema, "additionalProperties", EncodeAdditionalProperties);
  out.Sub(22, schema, "type", [](const Json& type) {
    Message item;
    item.Bytes(1, AsView(type.as_string()));
    return item;
  });
  out.Sub(23, schema, "items", [](const Json& items) { return Wrapped(EncodeSchema(items)); });
  out.Sub(25, schema, "properties",
          [](const Json& properties) { return EncodeMap(properties, EncodeSchema); });
  EncodeExtensions(31, schema, out);
  return out;
}

Message EncodeBodyParameter(const Json& parameter) {
  Message out;
  out.Text(1, parameter, "description");
  out.Text(2, parameter, "name");
  out.Text(3, parameter, "in");
  out.Flag(4, parameter, "required");
  out.Sub(5, parameter, "schema", EncodeSchema);
  return out;
}

// Parameters in the path and in the query differ only in their field numbers.
Message EncodeOtherParameter(const Json& parameter) {
  const bool query = FindString(parameter, "in") == "query";
  Message out;
  out.Flag(1, parameter, "required");
  out.Text(2, parameter, "in");
  out.Text(3, parameter, "description");
  out.Text(4, parameter, "name");
  out.Text(query ? 6 : 5, parameter, "type");
  out.Flag(query ? 20 : 19, parameter, "uniqueItems");
  Message choice;
  choice.Sub(query ? 3 : 4, out);
  return choice;
}

Message EncodeParameter(const Json& parameter) {
  Message choice;
  if (FindString(parameter, "in") == "body") {
    choice.Sub(1, EncodeBodyParameter(parameter));
  } else {
    choice.Sub(2, EncodeOtherParameter(parameter));
  }
  return Wrapped(choice);
}

Message EncodeResponse(const Json& response) {
  Message out;
  out.Text(1, response, "description");
  out.Sub(2, response, "schema", [](const Json& schema) { return Wrapped(EncodeSchema(schema)); });
  return Wrapped(out);
}

Message EncodeOperation(const Json& operation) {
  Message out;
  out.Texts(1, operation, "tags");
  out.Text(3, operation, "description");
  out.Text(5, operation, "operationId");
  out.Texts(6, operation, "produces");
  out.Texts(7, operation, "consumes");
  out.Each(8, operation, "parameters", EncodeParameter);
  out.Sub(9, operation, "responses",
          [](const Json& responses) { return EncodeMap(responses, EncodeResponse); });
  out.Texts(10, operation, "schemes");
  EncodeExtensions(13, operation, out);
  return out;
}

Message EncodePathItem(const Json& path) {
  Message out;
  constexpr std::pair<int, std::string_view> kMethods[] = {
      {2, "get"}, {3, "put"}, {4, "post"}, {5, "delete"}, {8, "patch"}};
  for (const auto& [field, method] : kMethods) out.Sub(field, path, method, EncodeOperation);
  out.Each(9, path, "parameters", EncodeParameter);
  return out;
}

Message EncodeInfo(const Json& info) {
  Message out;
  out.Text(1, info, "title");
  out.Text(2, info, "version");
  return out;
}

}  // namespace

std::string EncodeOpenApiV2(const Json& document) {
  Message out;
  out.Text(1, document, "swagger");
  out.Sub(2, document, "info", EncodeInfo);
  out.Sub(8, document, "paths",
          [](const Json& paths) { return EncodeMap(paths, EncodePathItem, 2); });
  out.Sub(9, document, "definitions",
          [](const Json& definitions) { return EncodeMap(definitions, EncodeSchema); });
  return out.Take();
}

}  // namespace kubexms
