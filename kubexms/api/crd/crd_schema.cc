#include "kubexms/api/crd/crd_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "kubexms/api/schema/cel_rules.h"
#include "kubexms/api/schema/pruning.h"
#include "kubexms/api/schema/structural_schema.h"
#include "kubexms/api/schema/validation.h"

namespace kubexms {
namespace {

// Creates the nodes. A keyword of the wrong JSON type is an error and counts as absent; unknown
// keywords are ignored.
class SchemaBuilder {
 public:
  SchemaBuilder(SchemaArena& arena, CrdSchema& result) : arena_(arena), result_(result) {}

  Schema* Build(const Json& json, const FieldPath& path) {
    const JsonObject* object = json.if_object();
    if (object == nullptr) {
      AddTypeError(path, "object", json);
      return arena_.New();
    }
    Schema* schema = arena_.New();
    ReadGenerics(*object, *schema, path);
    ReadExtensions(*object, *schema, path);
    ReadObject(*object, *schema, path);
    ReadArray(*object, *schema, path);
    ReadScalars(*object, *schema, path);
    ReadJunctors(*object, *schema, path);
    return schema;
  }

 private:
  void AddTypeError(const FieldPath& path, std::string_view wanted, const Json& value) {
    const std::string_view actual = JsonTypeName(value);
    result_.errors.push_back(TypeInvalid(
        path, Json(actual),
        fmt::format("{} in body must be of type {}: \"{}\"", path.ToString(), wanted, actual)));
  }

  // "2.0" counts as an integer.
  static bool IsSmallInteger(double number) {
    return std::trunc(number) == number && std::fabs(number) < 0x1p53;
  }

  static const Json* Find(const JsonObject& object, std::string_view keyword) {
    const Json* value = object.if_contains(keyword);
    return value == nullptr || value->is_null() ? nullptr : value;
  }

  void Read(const JsonObject& object, std::string_view keyword, const FieldPath& path,
            std::string& out) {
    const Json* value = Find(object, keyword);
    if (value == nullptr) return;
    if (!value->is_string()) return AddTypeError(path.Child(keyword), "string", *value);
    out = AsView(value->get_string());
  }

  void Read(const JsonObject& object, std::string_view keyword, const FieldPath& path, bool& out) {
    const Json* value = Find(object, keyword);
    if (value == nullptr) return;
    if (!value->is_bool()) return AddTypeError(path.Child(keyword), "boolean", *value);
    out = value->get_bool();
  }

  void Read(const JsonObject& object, std::string_view keyword, const FieldPath& path,
            std::optional<int64_t>& out) {
    const Json* value = Find(object, keyword);
    if (value == nullptr) return;
    if (value->is_int64()) {
      out = value->get_int64();
    } else if (value->is_double() && IsSmallInteger(value->get_double())) {
      out = static_cast<int64_t>(value->get_double());
    } else {
      AddTypeError(path.Child(keyword), "integer", *value);
    }
  }

  void Read(const JsonObject& object, std::string_view keyword, const FieldPath& path,
            std::optional<double>& out) {
    const Json* value = Find(object, keyword);
    if (value == nullptr) return;
    if (!value->is_number()) return AddTypeError(path.Child(keyword), "number", *value);
    out = value->to_number<double>();
  }

  void Read(const JsonObject& object, std::string_view keyword, const FieldPath& path,
            std::vector<std::string>& out) {
    const Json* value = Find(object, keyword);
    if (value == nullptr) return;
    const FieldPath list = path.Child(keyword);
    if (!value->is_array()) return AddTypeError(list, "array", *value);
    for (size_t i = 0; i < value->get_array().size(); ++i) {
      const Json& item = value->get_array()[i];
      if (!item.is_string()) {
        AddTypeError(list.Index(i), "string", item);
      } else {
        out.emplace_back(AsView(item.get_string()));
      }
    }
  }

  void Read(const JsonObject& object, std::string_view keyword, const FieldPath& path,
            std::vector<Json>& out) {
    const Json* value = Find(object, keyword);
    if (value == nullptr) return;
    if (!value->is_array()) return AddTypeError(path.Child(keyword), "array", *value);
    out.assign(value->get_array().begin(), value->get_array().end());
  }

  void Read(const JsonObject& object, std::string_view keyword, const FieldPath& path,
            std::vector<const Schema*>& out) {
    const Json* value = Find(object, keyword);
    if (value == nullptr) return;
    const FieldPath list = path.Child(keyword);
    if (!value->is_array()) return AddTypeError(list, "array", *value);
    for (size_t i = 0; i < value->get_array().size(); ++i) {
      out.push_back(Build(value->get_array()[i], list.Index(i)));
    }
  }

  void ReadGenerics(const JsonObject& object, Schema& schema, const FieldPath& path) {
    std::string type;
    Read(object, "type", path, type);
    schema.type = TypeOf(type);
    Read(object, "format", path, schema.format);
    Read(object, "description", path, schema.doc);
    Read(object, "title", path, schema.title);
    Read(object, "nullable", path, schema.nullable);
    if (const Json* value = Find(object, "default")) schema.default_value = *value;
    if (const Json* value = Find(object, "example")) schema.example = *value;
  }

  static SchemaType TypeOf(std::string_view name) {
    constexpr std::pair<std::string_view, SchemaType> kTypes[] = {
        {"object", SchemaType::kObject}, {"array", SchemaType::kArray},
        {"string", SchemaType::kString}, {"integer", SchemaType::kInteger},
        {"number", SchemaType::kNumber}, {"boolean", SchemaType::kBoolean},
    };
    for (const auto& [text, type] : kTypes) {
      if (text == name) return type;
    }
    return SchemaType::kAny;
  }

  void ReadExtensions(const JsonObject& object, Schema& schema, const FieldPath& path) {
    Read(object, "x-kubernetes-int-or-string", path, schema.int_or_string);
    Read(object, "x-kubernetes-preserve-unknown-fields", path, schema.preserve_unknown_fields);
    Read(object, "x-kubernetes-embedded-resource", path, schema.embedded_resource);
    Read(object, "x-kubernetes-list-map-keys", path, schema.list_map_keys);
    std::string list_type;
    Read(object, "x-kubernetes-list-type", path, list_type);
    schema.list_type_given = !list_type.empty();
    if (list_type == "set") schema.list_type = ListType::kSet;
    if (list_type == "map") schema.list_type = ListType::kMap;
    std::string map_type;
    Read(object, "x-kubernetes-map-type", path, map_type);
    schema.map_atomic = map_type == "atomic";
    Read(object, "x-kubernetes-validations", path, schema.cel_rules);
    const FieldPath rules = path.Child("x-kubernetes-validations");
    for (size_t i = 0; i < schema.cel_rules.size(); ++i) {
      if (IsImmutabilityRule(schema.cel_rules[i])) {
        schema.immutable = true;
      } else {
        result_.unevaluated_rules.push_back(rules.Index(i).ToString());
      }
    }
  }

  void ReadObject(const JsonObject& object, Schema& schema, const FieldPath& path) {
    Read(object, "required", path, schema.required);
    Read(object, "minProperties", path, schema.min_properties);
    Read(object, "maxProperties", path, schema.max_properties);
    ReadProperties(object, schema, path);
    const Json* additional = Find(object, "additionalProperties");
    if (additional == nullptr) return;
    if (!additional->is_bool()) {
      schema.additional_properties = Build(*additional, path.Child("additionalProperties"));
    } else if (additional->get_bool()) {
      schema.additional_properties = arena_.New();
    } else {
      schema.additional_properties_forbidden = true;
    }
  }

  void ReadProperties(const JsonObject& object, Schema& schema, const FieldPath& path) {
    const Json* properties = Find(object, "properties");
    if (properties == nullptr) return;
    const FieldPath parent = path.Child("properties");
    if (!properties->is_object()) return AddTypeError(parent, "object", *properties);
    for (const auto& member : properties->get_object()) {
      const std::string_view name(member.key().data(), member.key().size());
      schema.properties.push_back({std::string(name), Build(member.value(), parent.Key(name))});
    }
    std::sort(schema.properties.begin(), schema.properties.end(),
              [](const Property& a, const Property& b) { return a.name < b.name; });
  }

  void ReadArray(const JsonObject& object, Schema& schema, const FieldPath& path) {
    Read(object, "minItems", path, schema.min_items);
    Read(object, "maxItems", path, schema.max_items);
    Read(object, "uniqueItems", path, schema.unique_items);
    const Json* items = Find(object, "items");
    // CheckKeywords refuses a list of schemas.
    if (items != nullptr && !items->is_array()) schema.items = Build(*items, path.Child("items"));
  }

  void ReadScalars(const JsonObject& object, Schema& schema, const FieldPath& path) {
    Read(object, "minLength", path, schema.min_length);
    Read(object, "maxLength", path, schema.max_length);
    Read(object, "pattern", path, schema.pattern);
    Read(object, "minimum", path, schema.minimum);
    Read(object, "maximum", path, schema.maximum);
    Read(object, "exclusiveMinimum", path, schema.exclusive_minimum);
    Read(object, "exclusiveMaximum", path, schema.exclusive_maximum);
    Read(object, "multipleOf", path, schema.multiple_of);
    Read(object, "enum", path, schema.enum_values);
  }

  void ReadJunctors(const JsonObject& object, Schema& schema, const FieldPath& path) {
    Read(object, "allOf", path, schema.all_of);
    Read(object, "anyOf", path, schema.any_of);
    Read(object, "oneOf", path, schema.one_of);
    if (const Json* part = Find(object, "not")) schema.negation = Build(*part, path.Child("not"));
  }

  SchemaArena& arena_;
  CrdSchema& result_;
};

// Validates each default against its schema.
class DefaultChecker {
 public:
  explicit DefaultChecker(std::vector<ErrorCause>& errors) : errors_(errors) {}

  void Check(const Schema& schema, const FieldPath& path) {
    if (schema.default_value) CheckDefault(schema, path.Child("default"));
    if (schema.items != nullptr) Check(*schema.items, path.Child("items"));
    const FieldPath properties = path.Child("properties");
    for (const Property& property : schema.properties) {
      Check(*property.schema, properties.Key(property.name));
    }
    if (schema.additional_properties != nullptr) {
      Check(*schema.additional_properties, path.Child("additionalProperties"));
    }
  }

 private:
  void CheckDefault(const Schema& schema, const FieldPath& path) {
    Json pruned = *schema.default_value;
    if (Prune(pruned, schema, {.resource_root = false})) {
      errors_.push_back(Invalid(path, *schema.default_value, "must not have unknown fields"));
    }
    const auto found = Validate(*schema.default_value, schema, {.root = &path});
    errors_.insert(errors_.end(), found.begin(), found.end());
  }

  std::vector<ErrorCause>& errors_;
};

void CheckAsKubernetesDoes(const JsonObject& json, const Schema& schema, const FieldPath& path,
                           std::vector<ErrorCause>& errors) {
  if (schema.nullable) {
    errors.push_back(Forbidden(path.Child("nullable"), "nullable cannot be true at the root"));
  }
  const auto structural = CheckStructural(json, path);
  errors.insert(errors.end(), structural.begin(), structural.end());
  if (structural.empty()) DefaultChecker(errors).Check(schema, path);
  const auto keywords = CheckKeywords(json, path);
  errors.insert(errors.end(), keywords.begin(), keywords.end());
  if (errors.empty()) errors = CheckCelRules(schema, path);
}

}  // namespace

CrdSchema ParseCrdSchema(const Json& json, const FieldPath& path, const CrdSchemaOptions& options) {
  CrdSchema result;
  const auto arena = std::make_shared<SchemaArena>();
  const Schema* root = SchemaBuilder(*arena, result).Build(json, path);
  if (options.structural && result.errors.empty()) {
    CheckAsKubernetesDoes(json.get_object(), *root, path, result.errors);
  }
  if (result.errors.empty()) result.schema = SchemaHandle(arena, root);
  return result;
}

}  // namespace kubexms
