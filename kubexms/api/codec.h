#pragma once

// Decodes typed objects from JSON and encodes them, by the tables of type.h. Decoding refuses
// values of the wrong type and preserves unknown fields: Encode writes them back.

#include <string>
#include <string_view>

#include "kubexms/api/schema/type.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

namespace codec_internal {
Result<void> Decode(const TypeInfo& type, void* value, std::string_view json);
void AppendEncoded(const TypeInfo& type, const void* value, TextBuffer& out);
}  // namespace codec_internal

// Decodes `json`. If T is a kind, apiVersion and kind must be those of T. Null means absent. Errors
// name the field: "spec.replicas: expected integer, got string".
template <class T>
Result<T> Decode(std::string_view json) {
  Result<T> result;
  Result<void> decoded = codec_internal::Decode(TypeOf<T>(), &*result, json);
  if (!decoded.ok()) result = decoded.error();
  return result;
}

// Appends canonical JSON. Optional fields are omitted when they are absent, empty or zero.
template <class T>
void AppendEncoded(const T& value, TextBuffer& out) {
  codec_internal::AppendEncoded(TypeOf<T>(), &value, out);
}

template <class T>
std::string Encode(const T& value) {
  TextBuffer out(8192);
  AppendEncoded(value, out);
  return out.ToString();
}

// Decode and Encode for code that works on parsed documents.
template <class T>
Result<T> FromJson(const Json& document) {
  return Decode<T>(WriteJson(document));
}

template <class T>
Json ToJson(const T& value) {
  return ParseJson(Encode(value)).value();
}

// Whether two values have the same JSON. Absent, empty and zero are equal where Encode omits them.
template <class T>
bool SemanticEqual(const T& a, const T& b) {
  return Encode(a) == Encode(b);
}

// The schema of a described type.
template <class T>
const Schema& SchemaOf() {
  return TypeOf<T>().schema;
}

}  // namespace kubexms
