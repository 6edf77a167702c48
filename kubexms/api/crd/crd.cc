#include "kubexms/api/crd/crd.h"

#include <algorithm>

#include "kubexms/api/crd/crd_schema.h"
#include "kubexms/api/schema/schema_json.h"
#include "kubexms/base/check.h"

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

// The columns of the fields of a struct. Lists and maps have none, and a type inside itself is
// skipped.
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

bool IsKubernetesType(const TypeInfo& type) {
  return type.schema.definition.starts_with("io.k8s.");
}

// Whether `{}` is a valid value after defaulting.
bool MayBeEmpty(const JsonObject& schema) {
  const Json* required = schema.if_contains("required");
  if (required == nullptr) return true;
  const JsonArray& names = required->as_array();
  return std::all_of(names.begin(), names.end(), [&](const Json& name) {
    return schema.at("properties").at(name.as_string()).as_object().contains("default");
  });
}

// Whether a struct gets the default `{}`. A server sets the defaults of an object's members only if
// the object exists. In C++ a struct member always exists, so its members must get their defaults.
bool DefaultStructs(const TypeInfo& type, JsonObject& schema) {
  bool has_default = schema.contains("default");
  for (const FieldInfo& field : type.fields) {
    if (field.type == nullptr) continue;
    JsonObject& member = schema["properties"].as_object()[field.name].as_object();
    const bool is_own_struct = field.type->kind == TypeKind::kStruct &&
                               !IsKubernetesType(*field.type) && member.contains("properties");
    has_default |= is_own_struct ? DefaultStructs(*field.type, member) : member.contains("default");
  }
  if (!has_default || !MayBeEmpty(schema)) return false;
  if (!schema.contains("default")) schema["default"] = JsonObject();
  return true;
}

// A definition that Kubernetes would refuse is a bug in the description of the kind: the first run
// of a program with that kind prints the errors and aborts.
void CheckAccepted(const KindName& kind, const Json& schema) {
  const FieldPath path(kind.kind);
  const CrdSchema parsed = ParseCrdSchema(schema, path);
  if (parsed.errors.empty()) return;
  std::string what = "Kubernetes would refuse the definition of this kind:";
  for (const ErrorCause& error : parsed.errors) {
    what.append("\n  ").append(error.field).append(": ").append(error.message);
  }
  CheckFailed(what.c_str(), __FILE__, __LINE__);
}

JsonObject MakeSchema(const TypeInfo& kind) {
  JsonObject schema = SchemaToOpenApi(kind.schema, SchemaDialect::kCrd);
  const FieldInfo* spec = kind.FindField("spec");
  if (spec != nullptr && spec->type->kind == TypeKind::kStruct) {
    JsonObject& member = schema["properties"].as_object()["spec"].as_object();
    if (member.contains("properties")) DefaultStructs(*spec->type, member);
  }
  CheckAccepted(*kind.kind_name, schema);
  return schema;
}

JsonObject MakeVersion(const TypeInfo& kind) {
  JsonObject version{{"name", kind.kind_name->version},
                     {"served", true},
                     {"storage", true},
                     {"schema", JsonObject{{"openAPIV3Schema", MakeSchema(kind)}}}};
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
