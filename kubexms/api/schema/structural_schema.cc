#include "kubexms/api/schema/structural_schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "kubexms/api/schema/pattern.h"

namespace kubexms {
namespace {

// A keyword that is present and not null.
const Json* Find(const JsonObject& schema, std::string_view keyword) {
  const Json* value = schema.if_contains(keyword);
  return value == nullptr || value->is_null() ? nullptr : value;
}

const JsonObject* FindObject(const JsonObject& schema, std::string_view keyword) {
  const Json* value = Find(schema, keyword);
  return value == nullptr ? nullptr : value->if_object();
}

const JsonArray* FindArray(const JsonObject& schema, std::string_view keyword) {
  const Json* value = Find(schema, keyword);
  return value == nullptr ? nullptr : value->if_array();
}

std::string_view FindText(const JsonObject& schema, std::string_view keyword) {
  const Json* value = Find(schema, keyword);
  return value == nullptr || !value->is_string() ? std::string_view() : AsView(value->get_string());
}

bool IsTrue(const JsonObject& schema, std::string_view keyword) {
  const Json* value = Find(schema, keyword);
  return value != nullptr && value->is_bool() && value->get_bool();
}

// Present and not empty, as Go's omitempty would write it.
bool IsSet(const JsonObject& schema, std::string_view keyword) {
  const Json* value = Find(schema, keyword);
  if (value == nullptr) return false;
  if (value->is_string()) return !value->get_string().empty();
  if (value->is_array()) return !value->get_array().empty();
  if (value->is_object()) return !value->get_object().empty();
  if (value->is_bool()) return value->get_bool();
  return true;
}

// Calls `visit(name, schema)` for the properties in the order of their names.
template <class Visit>
void ForEachProperty(const JsonObject& schema, std::string_view keyword, Visit visit) {
  const JsonObject* properties = FindObject(schema, keyword);
  if (properties == nullptr) return;
  std::vector<const JsonObject::value_type*> sorted;
  for (const auto& property : *properties) sorted.push_back(&property);
  std::sort(sorted.begin(), sorted.end(),
            [](const auto* a, const auto* b) { return a->key() < b->key(); });
  for (const auto* property : sorted) {
    if (!property->value().is_object()) continue;
    visit(std::string_view(property->key().data(), property->key().size()),
          property->value().get_object());
  }
}

// Calls `visit(schema, path)` for each alternative of allOf, anyOf or oneOf.
template <class Visit>
void ForEachAlternative(const JsonObject& schema, std::string_view keyword, const FieldPath& path,
                        Visit visit) {
  const JsonArray* alternatives = FindArray(schema, keyword);
  if (alternatives == nullptr) return;
  const FieldPath list = path.Child(keyword);
  for (size_t i = 0; i < alternatives->size(); ++i) {
    const JsonObject* alternative = (*alternatives)[i].if_object();
    if (alternative != nullptr) visit(*alternative, list.Index(i));
  }
}

bool IsOnlyType(const Json& schema, std::string_view type) {
  const JsonObject* object = schema.if_object();
  return object != nullptr && object->size() == 1 && FindText(*object, "type") == type;
}

// anyOf: [{type: integer}, {type: string}], the only anyOf that may specify types.
bool IsIntOrStringChoice(const JsonObject& schema) {
  const JsonArray* choice = FindArray(schema, "anyOf");
  return choice != nullptr && choice->size() == 2 && IsOnlyType((*choice)[0], "integer") &&
         IsOnlyType((*choice)[1], "string");
}

enum class Level { kRoot, kItem, kField };

class StructuralChecker {
 public:
  std::vector<ErrorCause> Check(const JsonObject& schema, const FieldPath& path) {
    CheckNode(schema, Level::kRoot, path);
    CheckCompleteness(schema, &schema, path, path);
    std::sort(errors_.begin(), errors_.end(), [](const ErrorCause& a, const ErrorCause& b) {
      return a.field + ": " + a.message < b.field + ": " + b.message;
    });
    return std::move(errors_);
  }

 private:
  void Add(ErrorCause cause) { errors_.push_back(std::move(cause)); }

  void CheckNode(const JsonObject& schema, Level level, const FieldPath& path) {
    CheckItems(schema, path);
    CheckAdditionalProperties(schema, level, path);
    const FieldPath properties = path.Child("properties");
    ForEachProperty(schema, "properties", [&](std::string_view name, const JsonObject& property) {
      CheckNode(property, Level::kField, properties.Key(name));
    });
    CheckExtensions(schema, path);
    CheckValueValidation(schema, IsIntOrStringChoice(schema), StartsWithChoice(schema), path);
    CheckType(schema, level, path);
    CheckMetadata(schema, level, path);
  }

  // allOf whose first schema is the anyOf of int-or-string.
  static bool StartsWithChoice(const JsonObject& schema) {
    const JsonArray* parts = FindArray(schema, "allOf");
    return parts != nullptr && !parts->empty() && (*parts)[0].is_object() &&
           IsIntOrStringChoice((*parts)[0].get_object());
  }

  void CheckItems(const JsonObject& schema, const FieldPath& path) {
    const FieldPath items = path.Child("items");
    if (const JsonObject* item = FindObject(schema, "items")) {
      CheckNode(*item, Level::kItem, items);
    } else if (FindText(schema, "type") == "array" && Find(schema, "items") == nullptr) {
      Add(Required(items, "must be specified"));
    }
  }

  void CheckAdditionalProperties(const JsonObject& schema, Level level, const FieldPath& path) {
    if (Find(schema, "additionalProperties") == nullptr) return;
    const FieldPath additional = path.Child("additionalProperties");
    if (level == Level::kRoot) Add(Forbidden(additional, "must not be used at the root"));
    if (const JsonObject* value = FindObject(schema, "additionalProperties")) {
      CheckNode(*value, Level::kField, additional);
    }
    if (IsTrue(schema, "x-kubernetes-embedded-resource")) {
      Add(Forbidden(additional, "must not be used if x-kubernetes-embedded-resource is set"));
    }
  }

  void CheckExtensions(const JsonObject& schema, const FieldPath& path) {
    if (!IsTrue(schema, "x-kubernetes-int-or-string")) return;
    for (std::string_view keyword :
         {"x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"}) {
      if (!IsTrue(schema, keyword)) continue;
      Add(Invalid(path.Child(keyword), Json(true),
                  "must be false if x-kubernetes-int-or-string is true"));
    }
  }

  void CheckType(const JsonObject& schema, Level level, const FieldPath& path) {
    const std::string_view type = FindText(schema, "type");
    const FieldPath field = path.Child("type");
    const bool embedded = IsTrue(schema, "x-kubernetes-embedded-resource");
    if (embedded && type != "object") {
      constexpr std::string_view kDetail =
          "must be object if x-kubernetes-embedded-resource is true";
      Add(type.empty() ? Required(field, kDetail) : Invalid(field, Json(type), kDetail));
    } else if (type.empty() && !IsTrue(schema, "x-kubernetes-int-or-string") &&
               !IsTrue(schema, "x-kubernetes-preserve-unknown-fields")) {
      Add(Required(field, level == Level::kRoot ? "must not be empty at the root"
                          : level == Level::kItem
                              ? "must not be empty for specified array items"
                              : "must not be empty for specified object fields"));
    }
    if (level == Level::kRoot && !type.empty() && type != "object") {
      Add(Invalid(field, Json(type), "must be object at the root"));
    }
    if (embedded && !IsTrue(schema, "x-kubernetes-preserve-unknown-fields") &&
        !IsSet(schema, "properties")) {
      Add(Required(path.Child("properties"),
                   "must not be empty if x-kubernetes-embedded-resource is true without "
                   "x-kubernetes-preserve-unknown-fields"));
    }
  }

  // apiVersion, kind and metadata of an object must have the types that they always have.
  void CheckMetadata(const JsonObject& schema, Level level, const FieldPath& path) {
    const bool resource = level == Level::kRoot || IsTrue(schema, "x-kubernetes-embedded-resource");
    const JsonObject* properties = FindObject(schema, "properties");
    if (!resource || properties == nullptr) return;
    const FieldPath parent = path.Child("properties");
    for (const auto& [name, wanted] :
         {std::pair("apiVersion", "string"), {"kind", "string"}, {"metadata", "object"}}) {
      const JsonObject* property = FindObject(*properties, name);
      if (property == nullptr || FindText(*property, "type") == wanted) continue;
      const FieldPath field = parent.Key(name);
      Add(Invalid(field.Child("type"), Json(FindText(*property, "type")),
                  fmt::format("must be {}", wanted)));
    }
    const JsonObject* metadata = FindObject(*properties, "metadata");
    if (level == Level::kRoot && metadata != nullptr && RestrictsMoreThanNames(*metadata)) {
      Add(Forbidden(parent.Key("metadata"),
                    "must not specify anything other than name and generateName, but metadata is "
                    "implicitly specified"));
    }
  }

  static bool RestrictsMoreThanNames(const JsonObject& metadata) {
    for (const auto& member : metadata) {
      const std::string_view keyword(member.key().data(), member.key().size());
      if (keyword == "type" || keyword == "default" || !IsSet(metadata, keyword)) continue;
      if (keyword != "properties") return true;
      for (const auto& property : member.value().get_object()) {
        if (property.key() != "name" && property.key() != "generateName") return true;
      }
    }
    return false;
  }

  void CheckValueValidation(const JsonObject& schema, bool skip_any_of, bool skip_first_choice,
                            const FieldPath& path) {
    if (!skip_any_of) {
      ForEachAlternative(schema, "anyOf", path, [&](const JsonObject& part, const FieldPath& at) {
        CheckNested(part, false, at);
      });
    }
    bool first = true;
    ForEachAlternative(schema, "allOf", path, [&](const JsonObject& part, const FieldPath& at) {
      CheckNested(part, skip_first_choice && first, at);
      first = false;
    });
    ForEachAlternative(schema, "oneOf", path, [&](const JsonObject& part, const FieldPath& at) {
      CheckNested(part, false, at);
    });
    if (const JsonObject* part = FindObject(schema, "not")) {
      CheckNested(*part, false, path.Child("not"));
    }
    const std::string pattern(FindText(schema, "pattern"));
    if (pattern.empty()) return;
    if (const Result<void> valid = CheckPattern(pattern); !valid.ok()) {
      Add(Invalid(path.Child("pattern"), Json(pattern),
                  "must be a valid regular expression, but isn't: " + valid.error().message()));
    }
  }

  // Schemas inside allOf, anyOf, oneOf and not may restrict values, but not specify their
  // structure.
  void CheckNested(const JsonObject& schema, bool skip_any_of, const FieldPath& path) {
    CheckValueValidation(schema, skip_any_of, false, path);
    if (const JsonObject* item = FindObject(schema, "items")) {
      CheckNested(*item, false, path.Child("items"));
    }
    const FieldPath properties = path.Child("properties");
    ForEachProperty(schema, "properties", [&](std::string_view name, const JsonObject& property) {
      CheckNested(property, false, properties.Key(name));
    });
    CheckDescribesNothing(schema, path);
    const JsonObject* named = FindObject(schema, "properties");
    if (named != nullptr && named->contains("metadata")) {
      Add(Forbidden(properties.Key("metadata"), "must not be specified in a nested context"));
    }
  }

  void CheckDescribesNothing(const JsonObject& schema, const FieldPath& path) {
    struct Rule {
      std::string_view keyword;
      std::string_view detail;
    };
    constexpr std::string_view kEmpty = "must be empty to be structural";
    constexpr std::string_view kUndefined = "must be undefined to be structural";
    constexpr std::string_view kFalse = "must be false to be structural";
    constexpr Rule kRules[] = {
        {"type", kEmpty},
        {"additionalProperties", kUndefined},
        {"default", kUndefined},
        {"title", kEmpty},
        {"description", kEmpty},
        {"nullable", kFalse},
        {"externalDocs", kUndefined},
        {"x-kubernetes-preserve-unknown-fields", kFalse},
        {"x-kubernetes-embedded-resource", kFalse},
        {"x-kubernetes-int-or-string", kFalse},
        {"x-kubernetes-list-map-keys", kEmpty},
        {"x-kubernetes-list-type", kUndefined},
        {"x-kubernetes-map-type", kUndefined},
        {"x-kubernetes-validations", kEmpty},
    };
    for (const Rule& rule : kRules) {
      const bool used = rule.detail == kUndefined ? Find(schema, rule.keyword) != nullptr
                                                  : IsSet(schema, rule.keyword);
      if (used) Add(Forbidden(path.Child(rule.keyword), rule.detail));
    }
  }

  // All fields that `nested` restricts must be specified in `schema`, too.
  void CheckCompleteness(const JsonObject& nested, const JsonObject* schema,
                         const FieldPath& schema_path, const FieldPath& nested_path) {
    const auto check = [&](const JsonObject& part, const FieldPath& at) {
      CheckNestedCompleteness(part, schema, schema_path, at);
    };
    if (const JsonObject* part = FindObject(nested, "not")) check(*part, nested_path.Child("not"));
    for (std::string_view keyword : {"allOf", "anyOf", "oneOf"}) {
      ForEachAlternative(nested, keyword, nested_path, check);
    }
  }

  void CheckNestedCompleteness(const JsonObject& nested, const JsonObject* schema,
                               const FieldPath& schema_path, const FieldPath& nested_path) {
    if (schema == nullptr) {
      Add(Required(schema_path,
                   fmt::format("because it is defined in {}", nested_path.ToString())));
      return;
    }
    CheckCompleteness(nested, schema, schema_path, nested_path);
    if (const JsonObject* item = FindObject(nested, "items")) {
      CheckNestedCompleteness(*item, FindObject(*schema, "items"), schema_path.Child("items"),
                              nested_path.Child("items"));
    }
    const JsonObject* described = FindObject(*schema, "properties");
    const FieldPath described_path = schema_path.Child("properties");
    const FieldPath restricted_path = nested_path.Child("properties");
    ForEachProperty(nested, "properties", [&](std::string_view name, const JsonObject& property) {
      CheckNestedCompleteness(property,
                              described == nullptr ? nullptr : FindObject(*described, name),
                              described_path.Key(name), restricted_path.Key(name));
    });
  }

  std::vector<ErrorCause> errors_;
};

class KeywordChecker {
 public:
  std::vector<ErrorCause> Check(const JsonObject& schema, const FieldPath& path) {
    CheckNode(schema, path, {.root = true});
    return std::move(errors_);
  }

 private:
  // The position of a node.
  struct Place {
    bool root = false;
    bool inside_metadata = false;
    std::string no_defaults;  // the reason for refusing defaults; empty if they are allowed
  };

  void Add(ErrorCause cause) { errors_.push_back(std::move(cause)); }

  void CheckNode(const JsonObject& schema, const FieldPath& path, const Place& place) {
    CheckSupported(schema, path, place);
    CheckChildren(schema, path, place);
    if (Find(schema, "x-kubernetes-preserve-unknown-fields") != nullptr &&
        !IsTrue(schema, "x-kubernetes-preserve-unknown-fields")) {
      Add(Invalid(path.Child("x-kubernetes-preserve-unknown-fields"), Json(false),
                  "must be true or undefined"));
    }
    CheckMapType(schema, path);
    CheckListType(schema, path);
    CheckListMap(schema, path);
    CheckRules(schema, path);
  }

  void CheckSupported(const JsonObject& schema, const FieldPath& path, const Place& place) {
    const std::string_view type = FindText(schema, "type");
    constexpr std::string_view kTypes[] = {"array",  "boolean", "integer",
                                           "number", "object",  "string"};
    if (!type.empty() && std::find(std::begin(kTypes), std::end(kTypes), type) == std::end(kTypes))
      Add(NotSupported(path.Child("type"), Json(type), kTypes));
    if (Find(schema, "default") != nullptr && !place.no_defaults.empty()) {
      Add(Forbidden(path.Child("default"), "must not be set " + place.no_defaults));
    }
    for (std::string_view keyword : {"id", "additionalItems", "patternProperties", "definitions",
                                     "dependencies", "$ref", "$schema"}) {
      if (Find(schema, keyword) == nullptr) continue;
      Add(Forbidden(path.Child(keyword), fmt::format("{} is not supported", keyword)));
    }
    if (type == "null") {
      Add(Forbidden(path.Child("type"),
                    "type cannot be set to null, use nullable as an alternative"));
    }
    if (FindArray(schema, "items") != nullptr) {
      Add(Forbidden(path.Child("items"), "items must be a schema object and not an array"));
    }
    if (place.inside_metadata && IsTrue(schema, "x-kubernetes-embedded-resource")) {
      Add(Forbidden(path.Child("x-kubernetes-embedded-resource"),
                    "must not be used inside of resource meta"));
    }
    if (IsTrue(schema, "uniqueItems")) {
      Add(Forbidden(path.Child("uniqueItems"),
                    "uniqueItems cannot be set to true since the runtime complexity becomes "
                    "quadratic"));
    }
  }

  void CheckChildren(const JsonObject& schema, const FieldPath& path, const Place& place) {
    const Place inner = {.inside_metadata = place.inside_metadata,
                         .no_defaults = place.no_defaults};
    CheckAdditionalProperties(schema, path, inner);
    CheckProperties(schema, path, place);
    const auto check = [&](const JsonObject& part, const FieldPath& at) {
      CheckNode(part, at, inner);
    };
    if (const JsonObject* part = FindObject(schema, "not")) check(*part, path.Child("not"));
    for (std::string_view keyword : {"allOf", "oneOf", "anyOf"}) {
      ForEachAlternative(schema, keyword, path, check);
    }
    if (const JsonObject* item = FindObject(schema, "items")) check(*item, path.Child("items"));
  }

  void CheckAdditionalProperties(const JsonObject& schema, const FieldPath& path, Place place) {
    const Json* additional = Find(schema, "additionalProperties");
    if (additional == nullptr) return;
    const FieldPath field = path.Child("additionalProperties");
    if (IsSet(schema, "properties") && !IsTrue(schema, "additionalProperties")) {
      Add(Forbidden(field, "additionalProperties and properties are mutual exclusive"));
    }
    if (place.inside_metadata) {
      place.no_defaults = "inside additionalProperties applying to object metadata";
    }
    if (const JsonObject* value = additional->if_object()) CheckNode(*value, field, place);
  }

  void CheckProperties(const JsonObject& schema, const FieldPath& path, const Place& place) {
    const bool resource = place.root || IsTrue(schema, "x-kubernetes-embedded-resource");
    const FieldPath properties = path.Child("properties");
    ForEachProperty(schema, "properties", [&](std::string_view name, const JsonObject& property) {
      Place inner = {.inside_metadata = place.inside_metadata, .no_defaults = place.no_defaults};
      if (resource && (name == "apiVersion" || name == "kind" || name == "metadata")) {
        inner.inside_metadata = true;
        if (place.root) inner.no_defaults = fmt::format("in top-level {}", name);
      }
      CheckNode(property, properties.Key(name), inner);
    });
  }

  void CheckMapType(const JsonObject& schema, const FieldPath& path) {
    const Json* map_type = Find(schema, "x-kubernetes-map-type");
    if (map_type == nullptr) return;
    RequireType(schema, "object", "must be object if x-kubernetes-map-type is specified", path);
    const std::string_view text = FindText(schema, "x-kubernetes-map-type");
    if (text != "atomic" && text != "granular") {
      Add(NotSupported(path.Child("x-kubernetes-map-type"), *map_type, {"atomic", "granular"}));
    }
  }

  void RequireType(const JsonObject& schema, std::string_view wanted, std::string_view detail,
                   const FieldPath& path) {
    const std::string_view type = FindText(schema, "type");
    if (type == wanted) return;
    const FieldPath field = path.Child("type");
    Add(type.empty() ? Required(field, detail) : Invalid(field, Json(type), detail));
  }

  void CheckListType(const JsonObject& schema, const FieldPath& path) {
    const Json* list_type = Find(schema, "x-kubernetes-list-type");
    if (list_type == nullptr) return;
    RequireType(schema, "array", "must be array if x-kubernetes-list-type is specified", path);
    const std::string_view text = FindText(schema, "x-kubernetes-list-type");
    if (text != "atomic" && text != "set" && text != "map") {
      Add(NotSupported(path.Child("x-kubernetes-list-type"), *list_type, {"atomic", "set", "map"}));
    }
    const JsonObject* item = FindObject(schema, "items");
    if (item == nullptr || (text != "set" && text != "map")) return;
    const FieldPath items = path.Child("items");
    if (text == "set") CheckSetItem(*item, items);
    if (IsTrue(*item, "nullable")) {
      Add(Forbidden(items.Child("nullable"),
                    fmt::format("cannot be nullable when x-kubernetes-list-type is {}", text)));
    }
  }

  // The items of a set are compared as a whole, so they must be atomic.
  void CheckSetItem(const JsonObject& item, const FieldPath& path) {
    constexpr std::string_view kDetail =
        "must be atomic as item of a list with x-kubernetes-list-type=set";
    const std::string_view type = FindText(item, "type");
    const std::string_view keyword =
        type == "array" ? "x-kubernetes-list-type" : "x-kubernetes-map-type";
    const Json* given = Find(item, keyword);
    const bool atomic = FindText(item, keyword) == "atomic";
    if ((type == "array" && given != nullptr && !atomic) || (type == "object" && !atomic)) {
      Add(Invalid(path.Child(keyword), given == nullptr ? Json(nullptr) : *given, kDetail));
    }
  }

  void CheckListMap(const JsonObject& schema, const FieldPath& path) {
    const std::string_view list_type = FindText(schema, "x-kubernetes-list-type");
    const FieldPath keys_path = path.Child("x-kubernetes-list-map-keys");
    const bool has_keys = IsSet(schema, "x-kubernetes-list-map-keys");
    if (has_keys && list_type != "map") {
      constexpr std::string_view kDetail = "must be map if x-kubernetes-list-map-keys is non-empty";
      const FieldPath field = path.Child("x-kubernetes-list-type");
      Add(list_type.empty() ? Required(field, kDetail) : Invalid(field, Json(list_type), kDetail));
    }
    if (list_type != "map") return;
    if (!has_keys) {
      Add(Required(keys_path, "must not be empty if x-kubernetes-list-type is map"));
    }
    const FieldPath items = path.Child("items");
    const JsonObject* item = FindObject(schema, "items");
    if (item == nullptr) {
      Add(Required(items, "must have a schema if x-kubernetes-list-type is map"));
    } else if (FindText(*item, "type") != "object") {
      Add(Invalid(items.Child("type"), Json(FindText(*item, "type")),
                  "must be object if parent array's x-kubernetes-list-type is map"));
    } else if (has_keys) {
      CheckListMapKeys(*FindArray(schema, "x-kubernetes-list-map-keys"), *item, keys_path, items);
    }
  }

  void CheckListMapKeys(const JsonArray& keys, const JsonObject& item, const FieldPath& keys_path,
                        const FieldPath& items) {
    const JsonObject* properties = FindObject(item, "properties");
    const FieldPath parent = items.Child("properties");
    std::set<std::string_view> seen;
    for (const Json& entry : keys) {
      const std::string_view key = AsView(entry.get_string());
      const JsonObject* property = properties == nullptr ? nullptr : FindObject(*properties, key);
      if (property == nullptr) {
        Add(Invalid(keys_path, Json(keys), "entries must all be names of item properties"));
      } else {
        CheckListMapKey(*property, IsRequired(item, key), parent.Key(key));
      }
      if (!seen.insert(key).second) {
        Add(Invalid(keys_path, Json(keys), "must not contain duplicate entries"));
      }
    }
  }

  static bool IsRequired(const JsonObject& item, std::string_view key) {
    const JsonArray* required = FindArray(item, "required");
    return required != nullptr &&
           std::any_of(required->begin(), required->end(),
                       [&](const Json& name) { return AsView(name.get_string()) == key; });
  }

  void CheckListMapKey(const JsonObject& property, bool required, const FieldPath& path) {
    const std::string_view type = FindText(property, "type");
    if (type == "array" || type == "object") {
      Add(Invalid(path.Child("type"), Json(type),
                  "must be a scalar type if parent array's x-kubernetes-list-type is map"));
    }
    if (!required && Find(property, "default") == nullptr) {
      Add(Required(
          path.Child("default"),
          "this property is in x-kubernetes-list-map-keys, so it must have a default or be "
          "a required property"));
    }
    if (IsTrue(property, "nullable")) {
      Add(Forbidden(path.Child("nullable"),
                    "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"));
    }
  }

  void CheckRules(const JsonObject& schema, const FieldPath& path) {
    const JsonArray* rules = FindArray(schema, "x-kubernetes-validations");
    if (rules == nullptr) return;
    const FieldPath list = path.Child("x-kubernetes-validations");
    for (size_t i = 0; i < rules->size(); ++i) {
      const JsonObject* rule = (*rules)[i].if_object();
      const std::string_view text = rule == nullptr ? std::string_view() : FindText(*rule, "rule");
      if (text.find_first_not_of(" \t\r\n") != std::string_view::npos) continue;
      const FieldPath at = list.Index(i);
      Add(Required(at.Child("rule"), "rule is not specified"));
    }
  }

  std::vector<ErrorCause> errors_;
};

}  // namespace

std::vector<ErrorCause> CheckStructural(const JsonObject& schema, const FieldPath& path) {
  return StructuralChecker().Check(schema, path);
}

std::vector<ErrorCause> CheckKeywords(const JsonObject& schema, const FieldPath& path) {
  return KeywordChecker().Check(schema, path);
}

}  // namespace kubexms
