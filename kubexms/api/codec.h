#pragma once

// Typed objects from and to JSON, by the tables of type.h. Decoding is strict about types and
// forgiving about fields: one that the description does not know is kept and written back.

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

// The value of `json`, which must be of T's kind if T is one. Null is absent. Errors name the
// field: "spec.replicas: expected integer, got string".
template <class T>
Result<T> Decode(std::string_view json) {
  Result<T> result;
  Result<void> decoded = codec_internal::Decode(TypeOf<T>(), &*result, json);
  if (!decoded.ok()) result = decoded.error();
  return result;
}

// Appends canonical JSON. Fields that are not required are left out when they are absent, empty
// or zero.
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

// The same through a document, for code that patches or validates.
template <class T>
Result<T> FromJson(const Json& document) {
  return Decode<T>(WriteJson(document));
}

template <class T>
Json ToJson(const T& value) {
  return ParseJson(Encode(value)).value();
}

// Whether two values say the same: what Encode leaves out does not count.
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
