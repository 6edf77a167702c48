#include "kubexms/api/schema/schema_json.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace kubexms {
namespace {

constexpr std::string_view kQuantityPattern =
    R"(^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+)))"
    R"((([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$)";

constexpr std::string_view kObjectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

std::string_view StrategyName(PatchStrategy strategy) {
  switch (strategy) {
    case PatchStrategy::kDefault: return "";
    case PatchStrategy::kMerge: return "merge";
    case PatchStrategy::kReplace: return "replace";
    case PatchStrategy::kRetainKeys: return "retainKeys";
    case PatchStrategy::kMergeRetainKeys: return "merge,retainKeys";
  }
  return "";
}

JsonArray TypeChoice(std::initializer_list<std::string_view> types) {
  JsonArray choice;
  for (std::string_view type : types) choice.push_back(JsonObject{{"type", type}});
  return choice;
}

JsonArray ToArray(const std::vector<std::string>& texts) {
  return JsonArray(texts.begin(), texts.end());
}

// Writes a number without a fraction as an integer.
Json ToNumber(double number) {
  const auto integer = static_cast<int64_t>(std::clamp(number, -0x1p53, 0x1p53));
  return static_cast<double>(integer) == number ? Json(integer) : Json(number);
}

bool IsResourceField(std::string_view name) {
  return name == "apiVersion" || name == "kind" || name == "metadata";
}

class SchemaWriter {
 public:
  explicit SchemaWriter(SchemaDialect dialect) : dialect_(dialect) {}

  // The node with all keywords.
  JsonObject WriteInPlace(const Schema& node, bool root) {
    const Schema& shape = node.Resolve();
    JsonObject out;
    if (std::find(open_.begin(), open_.end(), &shape) != open_.end()) {
      WriteDoc(node, out);
      out["type"] = "object";
      out["x-kubernetes-preserve-unknown-fields"] = true;
      return out;
    }
    open_.push_back(&shape);
    WriteDoc(node, out);
    WriteOwn(node, out);
    WriteType(shape, out);
    WriteObject(node, root, out);
    WriteArray(shape, out);
    WriteValidations(shape, out);
    open_.pop_back();
    if (dialect_ == SchemaDialect::kOpenApiV2) RelaxForKubectl(node, root, out);
    return out;
  }

 private:
  // The node inside another node: a reference if it has a definition.
  JsonObject WritePart(const Schema& node) {
    const std::string& definition = node.Resolve().definition;
    if (dialect_ == SchemaDialect::kCrd || definition.empty()) return WriteInPlace(node, false);
    JsonObject out;
    if (node.ref != nullptr) {
      if (!node.doc.empty()) out["description"] = node.doc;
      WriteOwn(node, out);
    }
    JsonObject reference{{"$ref", DefinitionReference(definition, dialect_)}};
    if (out.empty()) return reference;
    // OpenAPI v3 ignores keywords beside a reference.
    if (dialect_ == SchemaDialect::kOpenApiV3) {
      out["allOf"] = JsonArray{std::move(reference)};
    } else {
      out["$ref"] = reference["$ref"];
    }
    return out;
  }

  static void WriteDoc(const Schema& node, JsonObject& out) {
    const std::string& doc = node.doc.empty() ? node.Resolve().doc : node.doc;
    if (!doc.empty()) out["description"] = doc;
    if (!node.Resolve().title.empty()) out["title"] = node.Resolve().title;
  }

  static JsonObject ImmutabilityRule() {
    return {{"rule", "self == oldSelf"}, {"message", "cannot be changed after creation"}};
  }

  // Immutable fields of Kubernetes' types are immutable in Kubernetes' kinds. Inside custom kinds,
  // for example in a template, they are not.
  bool IsInKubernetesType() const {
    // The last one is the node itself.
    return std::any_of(open_.begin(), open_.end() - 1, [](const Schema* outer) {
      return outer->definition.starts_with("io.k8s.");
    });
  }

  // The keywords that a field has beside a shared definition.
  void WriteOwn(const Schema& node, JsonObject& out) const {
    if (node.default_value) out["default"] = *node.default_value;
    if (node.nullable && dialect_ != SchemaDialect::kOpenApiV2) out["nullable"] = true;
    if (node.map_atomic) out["x-kubernetes-map-type"] = "atomic";
    if (dialect_ == SchemaDialect::kCrd) {
      if (node.immutable && !IsInKubernetesType()) {
        out["x-kubernetes-validations"] = JsonArray{ImmutabilityRule()};
      }
      return;
    }
    if (node.patch_strategy != PatchStrategy::kDefault) {
      out["x-kubernetes-patch-strategy"] = StrategyName(node.patch_strategy);
    }
    if (!node.patch_merge_key.empty()) out["x-kubernetes-patch-merge-key"] = node.patch_merge_key;
  }

  void WriteType(const Schema& shape, JsonObject& out) const {
    if (shape.quantity || shape.int_or_string) {
      WriteChoice(shape, out);
    } else if (shape.type != SchemaType::kAny) {
      out["type"] = SchemaTypeName(shape.type);
      if (!shape.format.empty()) out["format"] = shape.format;
    } else if (dialect_ == SchemaDialect::kCrd) {
      out["x-kubernetes-preserve-unknown-fields"] = true;
    }
    if (shape.preserve_unknown_fields) out["x-kubernetes-preserve-unknown-fields"] = true;
    if (shape.embedded_resource) out["x-kubernetes-embedded-resource"] = true;
  }

  void WriteChoice(const Schema& shape, JsonObject& out) const {
    // In a CustomResourceDefinition, int-or-string has no type.
    const bool custom = shape.definition.empty() && shape.int_or_string;
    if (custom && dialect_ != SchemaDialect::kCrd) {
      out["x-kubernetes-int-or-string"] = true;
      if (dialect_ == SchemaDialect::kOpenApiV3 && shape.any_of.empty() && shape.all_of.empty()) {
        out["anyOf"] = TypeChoice({"integer", "string"});
      }
      return;
    }
    switch (dialect_) {
      case SchemaDialect::kCrd:
        out["x-kubernetes-int-or-string"] = true;
        if (shape.any_of.empty() && shape.all_of.empty())
          out["anyOf"] = TypeChoice({"integer", "string"});
        if (shape.quantity) out["pattern"] = kQuantityPattern;
        break;
      case SchemaDialect::kOpenApiV2:
        out["type"] = "string";
        if (shape.int_or_string) out["format"] = "int-or-string";
        break;
      case SchemaDialect::kOpenApiV3:
        out["oneOf"] =
            shape.quantity ? TypeChoice({"string", "number"}) : TypeChoice({"integer", "string"});
        if (shape.int_or_string) out["format"] = "int-or-string";
        break;
    }
  }

  void WriteObject(const Schema& node, bool root, JsonObject& out) {
    const Schema& shape = node.Resolve();
    const bool resource = root || node.embedded_resource || shape.embedded_resource;
    JsonObject properties;
    for (const Property& property : shape.properties) {
      properties[property.name] = WriteProperty(property, resource);
    }
    JsonArray required = ToArray(shape.required);
    const bool embedded = node.embedded_resource || shape.embedded_resource;
    if (embedded && dialect_ != SchemaDialect::kCrd) AddResourceFields(properties, required);
    if (!properties.empty()) out["properties"] = std::move(properties);
    if (!required.empty()) out["required"] = std::move(required);
    if (shape.min_properties) out["minProperties"] = *shape.min_properties;
    if (shape.max_properties) out["maxProperties"] = *shape.max_properties;
    if (shape.additional_properties_forbidden) out["additionalProperties"] = false;
    if (shape.additional_properties != nullptr) {
      out["additionalProperties"] = WritePart(*shape.additional_properties);
    }
  }

  // The fields of every object, including embedded resources.
  void AddResourceFields(JsonObject& properties, JsonArray& required) const {
    for (const std::string_view name : {"kind", "apiVersion"}) {
      properties[name] = JsonObject{{"type", "string"}};
      if (std::find(required.begin(), required.end(), Json(name)) == required.end()) {
        required.emplace_back(name);
      }
    }
    JsonObject reference{{"$ref", DefinitionReference(kObjectMeta, dialect_)}};
    if (dialect_ == SchemaDialect::kOpenApiV3) {
      properties["metadata"] = JsonObject{{"allOf", JsonArray{std::move(reference)}}};
    } else {
      properties["metadata"] = std::move(reference);
    }
  }

  JsonObject WriteProperty(const Property& property, bool resource) {
    if (dialect_ != SchemaDialect::kCrd || !resource || !IsResourceField(property.name)) {
      return WritePart(*property.schema);
    }
    if (property.name == "metadata") return {{"type", "object"}};
    JsonObject out{{"type", "string"}};
    WriteDoc(*property.schema, out);
    return out;
  }

  void WriteArray(const Schema& shape, JsonObject& out) {
    if (shape.items != nullptr) out["items"] = WritePart(*shape.items);
    if (shape.min_items) out["minItems"] = *shape.min_items;
    if (shape.max_items) out["maxItems"] = *shape.max_items;
    if (shape.unique_items && dialect_ != SchemaDialect::kCrd) out["uniqueItems"] = true;
    if (!shape.list_type_given) return;
    const bool map = shape.list_type == ListType::kMap;
    if (map && dialect_ == SchemaDialect::kCrd && !KeysAreAlwaysThere(shape)) return;
    out["x-kubernetes-list-type"] = map                                 ? "map"
                                    : shape.list_type == ListType::kSet ? "set"
                                                                        : "atomic";
    if (map) out["x-kubernetes-list-map-keys"] = ToArray(shape.list_map_keys);
  }

  // In a CustomResourceDefinition the keys of list maps must be required or have a default.
  static bool KeysAreAlwaysThere(const Schema& list) {
    if (list.items == nullptr) return false;
    return std::all_of(
        list.list_map_keys.begin(), list.list_map_keys.end(), [&](const std::string& key) {
          const Schema* property = list.items->FindProperty(key);
          return property != nullptr &&
                 (list.items->IsRequired(key) || property->default_value.has_value());
        });
  }

  void WriteValidations(const Schema& shape, JsonObject& out) {
    if (shape.min_length) out["minLength"] = *shape.min_length;
    if (shape.max_length) out["maxLength"] = *shape.max_length;
    if (!shape.pattern.empty()) out["pattern"] = shape.pattern;
    if (shape.minimum) out["minimum"] = ToNumber(*shape.minimum);
    if (shape.maximum) out["maximum"] = ToNumber(*shape.maximum);
    if (shape.exclusive_minimum) out["exclusiveMinimum"] = true;
    if (shape.exclusive_maximum) out["exclusiveMaximum"] = true;
    if (shape.multiple_of) out["multipleOf"] = ToNumber(*shape.multiple_of);
    if (!shape.enum_values.empty()) {
      out["enum"] = JsonArray(shape.enum_values.begin(), shape.enum_values.end());
    }
    if (!shape.cel_rules.empty()) {
      out["x-kubernetes-validations"] = JsonArray(shape.cel_rules.begin(), shape.cel_rules.end());
    }
    if (dialect_ == SchemaDialect::kOpenApiV2) return;
    WriteAlternatives("allOf", shape.all_of, out);
    WriteAlternatives("anyOf", shape.any_of, out);
    if (!out.contains("oneOf")) WriteAlternatives("oneOf", shape.one_of, out);
    if (shape.negation != nullptr) out["not"] = WriteNested(*shape.negation);
  }

  void WriteAlternatives(std::string_view keyword, const std::vector<const Schema*>& alternatives,
                         JsonObject& out) {
    if (alternatives.empty()) return;
    JsonArray written;
    for (const Schema* alternative : alternatives) written.push_back(WriteNested(*alternative));
    out[keyword] = std::move(written);
  }

  // Schemas inside allOf, anyOf, oneOf and not have no type, so none is added.
  JsonObject WriteNested(const Schema& node) {
    JsonObject out = WriteInPlace(node, false);
    if (dialect_ == SchemaDialect::kCrd) ForgetUnknownFields(out);
    return out;
  }

  static void ForgetUnknownFields(JsonObject& object) {
    object.erase("x-kubernetes-preserve-unknown-fields");
    for (auto& member : object) {
      if (JsonObject* inner = member.value().if_object()) ForgetUnknownFields(*inner);
    }
  }

  // kubectl refuses fields that OpenAPI v2 does not describe.
  static void RelaxForKubectl(const Schema& node, bool root, JsonObject& out) {
    const Schema& shape = node.Resolve();
    const bool nullable = node.nullable || shape.nullable;
    if (!nullable && !shape.preserve_unknown_fields) return;
    for (std::string_view keyword : {"properties", "items", "required", "additionalProperties"}) {
      out.erase(keyword);
    }
    // kubectl requires the definition of a kind to have the type object.
    if (root) {
      out.erase("x-kubernetes-preserve-unknown-fields");
    } else {
      out.erase("type");
      out.erase("format");
    }
  }

  const SchemaDialect dialect_;
  std::vector<const Schema*> open_;  // what is being written, outermost first
};

}  // namespace

std::string_view SchemaTypeName(SchemaType type) {
  switch (type) {
    case SchemaType::kAny: return "";
    case SchemaType::kObject: return "object";
    case SchemaType::kArray: return "array";
    case SchemaType::kString: return "string";
    case SchemaType::kInteger: return "integer";
    case SchemaType::kNumber: return "number";
    case SchemaType::kBoolean: return "boolean";
  }
  return "";
}

JsonObject SchemaToOpenApi(const Schema& schema, SchemaDialect dialect) {
  return SchemaWriter(dialect).WriteInPlace(schema, true);
}

std::string DefinitionReference(std::string_view definition, SchemaDialect dialect) {
  std::string reference(dialect == SchemaDialect::kOpenApiV2 ? "#/definitions/"
                                                             : "#/components/schemas/");
  return reference += definition;
}

}  // namespace kubexms
