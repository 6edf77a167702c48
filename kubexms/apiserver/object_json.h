#pragma once

// Small looks into the JSON of objects.

#include <string_view>

#include "kubexms/base/json.h"

namespace kubexms {

// metadata.FIELD, empty when there is none.
inline std::string_view MetadataString(const Json& object, std::string_view field) {
  const Json* metadata = FindMember(object, "metadata");
  return metadata == nullptr ? std::string_view() : FindString(*metadata, field);
}

inline std::string_view NameOf(const Json& object) { return MetadataString(object, "name"); }

// The object member of that name, made when there is none.
inline JsonObject& ObjectMember(JsonObject& object, std::string_view name) {
  Json& member = object[name];
  if (!member.is_object()) member = JsonObject();
  return member.as_object();
}

}  // namespace kubexms
