#include "kubexms/api/crd.h"

#include <algorithm>

#include "kubexms/api/schema_json.h"

namespace kubexms {
namespace {

JsonArray SplitWords(std::string_view words) {
  JsonArray list;
  while (!words.empty()) {
    const size_t space = words.find(' ');
    if (space != 0) list.emplace_back(words.substr(0, space));
    words = space == std::string_view::npos ? std::string_view() : words.substr(space + 1);
  }
  return list;
}

JsonObject MakeNames(const KindName& kind) {
  JsonObject names{{"kind", kind.kind},
                   {"listKind", std::string(kind.kind) + "List"},
                   {"plural", kind.Plural()},
                   {"singular", kind.Singular()}};
  if (!kind.short_names.empty()) names["shortNames"] = SplitWords(kind.short_names);
  if (!kind.categories.empty()) names["categories"] = SplitWords(kind.categories);
  return names;
}

std::string_view ColumnType(const Schema& schema) {
  switch (schema.type) {
    case SchemaType::kInteger: return "integer";
    case SchemaType::kNumber: return "number";
    case SchemaType::kBoolean: return "boolean";
    default: return schema.format == "date-time" ? "date" : "string";
  }
}

JsonObject MakeColumn(const Schema& schema, const std::string& path) {
  JsonObject column{{"name", schema.column}, {"type", ColumnType(schema)}, {"jsonPath", path}};
  if (!schema.doc.empty()) column["description"] = schema.doc;
  if (schema.column_priority != 0) column["priority"] = schema.column_priority;
  return column;
}

std::vector<const FieldInfo*> InOrderOfMembers(const TypeInfo& type) {
  std::vector<const FieldInfo*> fields;
  for (const FieldInfo& field : type.fields) {
    if (field.type != nullptr) fields.push_back(&field);
  }
  std::sort(fields.begin(), fields.end(),
            [](const FieldInfo* a, const FieldInfo* b) { return a->offset < b->offset; });
  return fields;
}

// Columns of the fields of a struct. Lists and maps have no single value to show. A type that
// contains itself ends at the second time.
void CollectColumns(const TypeInfo& type, const std::string& path,
                    std::vector<const TypeInfo*>& above, JsonArray& columns) {
  const bool optional = type.kind == TypeKind::kOptional || type.kind == TypeKind::kBoxed;
  const TypeInfo& shape = optional ? *type.element : type;
  if (std::find(above.begin(), above.end(), &shape) != above.end()) return;
  above.push_back(&shape);
  for (const FieldInfo* field : InOrderOfMembers(shape)) {
    const Schema& schema = *shape.schema.FindProperty(field->name);
    const std::string below = path + "." + field->name;
    if (!schema.column.empty()) columns.push_back(MakeColumn(schema, below));
    CollectColumns(*field->type, below, above, columns);
  }
  above.pop_back();
}

JsonArray MakeColumns(const TypeInfo& kind) {
  JsonArray columns;
  std::vector<const TypeInfo*> above;
  CollectColumns(kind, "", above, columns);
  if (!columns.empty()) {
    columns.push_back(
        JsonObject{{"name", "Age"}, {"type", "date"}, {"jsonPath", ".metadata.creationTimestamp"}});
  }
  return columns;
}

JsonObject MakeVersion(const TypeInfo& kind) {
  JsonObject version{{"name", kind.kind_name->version},
                     {"served", true},
                     {"storage", true},
                     {"schema", JsonObject{{"openAPIV3Schema",
                                            SchemaToOpenApi(kind.schema, SchemaDialect::kCrd)}}}};
  if (kind.schema.FindMember("status") != nullptr) {
    version["subresources"] = JsonObject{{"status", JsonObject()}};
  }
  if (JsonArray columns = MakeColumns(kind); !columns.empty()) {
    version["additionalPrinterColumns"] = std::move(columns);
  }
  return version;
}

}  // namespace

Json MakeCrd(const TypeInfo& kind) {
  KUBEXMS_CHECK(kind.kind_name != nullptr && !kind.kind_name->group.empty());
  const KindName& name = *kind.kind_name;
  const std::string group(name.group);
  return JsonObject{
      {"apiVersion", "apiextensions.k8s.io/v1"},
      {"kind", "CustomResourceDefinition"},
      {"metadata", JsonObject{{"name", name.Plural() + "." + group}}},
      {"spec", JsonObject{{"group", group},
                          {"names", MakeNames(name)},
                          {"scope", name.scope == Scope::kNamespaced ? "Namespaced" : "Cluster"},
                          {"versions", JsonArray{MakeVersion(kind)}}}}};
}

}  // namespace kubexms
