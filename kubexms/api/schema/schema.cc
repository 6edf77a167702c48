#include "kubexms/api/schema/schema.h"

#include <algorithm>

namespace kubexms {

const Schema* Schema::FindProperty(std::string_view name) const {
  const Schema& shape = Resolve();
  const auto it = std::lower_bound(
      shape.properties.begin(), shape.properties.end(), name,
      [](const Property& property, std::string_view wanted) { return property.name < wanted; });
  if (it != shape.properties.end() && it->name == name) return it->schema;
  return nullptr;
}

const Schema* Schema::FindMember(std::string_view name) const {
  const Schema* property = FindProperty(name);
  return property != nullptr ? property : Resolve().additional_properties;
}

bool Schema::IsRequired(std::string_view name) const {
  const std::vector<std::string>& names = Resolve().required;
  return std::find(names.begin(), names.end(), name) != names.end();
}

Schema* SchemaArena::New() { return nodes_.emplace_back(std::make_unique<Schema>()).get(); }

Schema* SchemaArena::Copy(const Schema& schema) {
  return nodes_.emplace_back(std::make_unique<Schema>(schema)).get();
}

}  // namespace kubexms
