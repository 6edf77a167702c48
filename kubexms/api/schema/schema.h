#pragma once

// A Schema specifies the valid values of a field and how they are merged. Schemas of built-in kinds
// come from their C++ description (type.h), those of custom kinds from the OpenAPI v3 schema of
// their CustomResourceDefinition (crd_schema.h). Defaulting, pruning, validation, patches,
// server-side apply and the OpenAPI documents use this one structure for both.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/schema/pattern.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

struct Schema;

enum class SchemaType { kAny, kObject, kArray, kString, kInteger, kNumber, kBoolean };

// The unit of ownership inside a list: the whole list, each distinct value, each item by its keys.
enum class ListType { kAtomic, kSet, kMap };

// How a strategic merge patch changes a field. kDefault: replace lists, merge objects.
enum class PatchStrategy { kDefault, kMerge, kReplace, kRetainKeys, kMergeRetainKeys };

struct Property {
  std::string name;
  const Schema* schema;
};

// A node. Pointers to other nodes are borrowed from the same SchemaArena, or from the descriptions
// of types, which exist until the program ends. Immutable once in use.
struct Schema {
  // Points to the shared definition of the field's type. Such a node only has its own doc, default,
  // nullable and patch attributes; Resolve() returns the node with all others.
  const Schema* ref = nullptr;
  // The name of a shared definition, "io.k8s.api.core.v1.PodSpec"; empty for inline schemas.
  std::string definition;

  std::string doc;
  std::string title;
  SchemaType type = SchemaType::kAny;
  std::string format;  // "int32", "date-time", "byte", …
  bool nullable = false;
  // Quantities are strings or numbers in requests, and are stored in canonical form.
  bool quantity = false;
  // Times are stored in UTC, in seconds or, with this, in microseconds.
  bool micro_time = false;
  bool int_or_string = false;            // x-kubernetes-int-or-string
  bool preserve_unknown_fields = false;  // x-kubernetes-preserve-unknown-fields
  bool embedded_resource = false;        // x-kubernetes-embedded-resource
  bool immutable = false;                // cannot change after creation
  std::optional<Json> default_value;
  std::optional<Json> example;

  // Objects. Properties are sorted by name. An object with neither properties nor
  // additional_properties specifies no fields; with additional_properties it is a map. If
  // additional properties are forbidden, other fields are errors and are not pruned.
  std::vector<Property> properties;
  std::vector<std::string> required;
  const Schema* additional_properties = nullptr;
  bool additional_properties_forbidden = false;
  std::optional<int64_t> min_properties;
  std::optional<int64_t> max_properties;
  bool map_atomic = false;  // x-kubernetes-map-type: atomic

  // Arrays.
  const Schema* items = nullptr;
  std::optional<int64_t> min_items;
  std::optional<int64_t> max_items;
  bool unique_items = false;
  ListType list_type = ListType::kAtomic;
  bool list_type_given = false;  // the schema specifies list_type; it is not the default
  std::vector<std::string> list_map_keys;

  // Strings.
  std::optional<int64_t> min_length;
  std::optional<int64_t> max_length;
  std::string pattern;
  CompiledPattern compiled_pattern;  // cache for `pattern`

  // Numbers.
  std::optional<double> minimum;
  std::optional<double> maximum;
  bool exclusive_minimum = false;
  bool exclusive_maximum = false;
  std::optional<double> multiple_of;

  std::vector<Json> enum_values;
  std::vector<const Schema*> all_of;
  std::vector<const Schema*> any_of;
  std::vector<const Schema*> one_of;
  const Schema* negation = nullptr;  // "not"

  // x-kubernetes-validations: stored and published, not evaluated.
  std::vector<Json> cel_rules;

  PatchStrategy patch_strategy = PatchStrategy::kDefault;
  std::string patch_merge_key;

  // The column of `kubectl get` that shows this field; empty for none.
  std::string column;
  int column_priority = 0;

  const Schema& Resolve() const { return ref == nullptr ? *this : ref->Resolve(); }

  // The schema of a property, or null.
  const Schema* FindProperty(std::string_view name) const;
  // The schema of a member: a property, else the value schema of a map, else null.
  const Schema* FindMember(std::string_view name) const;
  bool IsRequired(std::string_view name) const;
  // An object whose keys are data: it has a value schema and no properties.
  bool IsMap() const {
    return Resolve().additional_properties != nullptr && Resolve().properties.empty();
  }
};

// Owns nodes that point to each other. Nodes never move.
class SchemaArena {
 public:
  Schema* New();
  Schema* Copy(const Schema& schema);

 private:
  std::vector<std::unique_ptr<Schema>> nodes_;
};

// The root of a schema, with shared ownership of all its nodes.
using SchemaHandle = std::shared_ptr<const Schema>;

}  // namespace kubexms
