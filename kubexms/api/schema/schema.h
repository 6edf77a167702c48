#pragma once

// A Schema says what a value may look like and how it is merged. There is one structure for every
// kind: built-in ones are made from their C++ description (type.h), custom ones from the OpenAPI v3
// schema of their CustomResourceDefinition (crd_schema.h). Defaulting, pruning, validation,
// patches, server-side apply and the OpenAPI documents all work on it, so there is one code path
// for all.

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

// Who may own what inside a list: the whole list, each distinct value, or each item by its keys.
enum class ListType { kAtomic, kSet, kMap };

// What a strategic merge patch does with a field. kDefault: replace lists, merge objects.
enum class PatchStrategy { kDefault, kMerge, kReplace, kRetainKeys, kMergeRetainKeys };

struct Property {
  std::string name;
  const Schema* schema;
};

// A node. Pointers to other nodes are borrowed from the SchemaArena that made them all (or are to
// descriptions that live as long as the program). Immutable once it is in use.
struct Schema {
  // A field whose type is a shared definition points at it here and has only its own doc, default,
  // nullable and patch attributes; the shape is the definition's. Resolve() follows it.
  const Schema* ref = nullptr;
  // Name of a shared definition, "io.k8s.api.core.v1.PodSpec"; empty for what is written in place.
  std::string definition;

  std::string doc;
  std::string title;
  SchemaType type = SchemaType::kAny;
  std::string format;  // "int32", "date-time", "byte", …
  bool nullable = false;
  // Quantities are strings or numbers on the wire, and are stored in canonical form.
  bool quantity = false;
  // Times are stored in UTC, with seconds; where this is set, with microseconds.
  bool micro_time = false;
  bool int_or_string = false;            // x-kubernetes-int-or-string
  bool preserve_unknown_fields = false;  // x-kubernetes-preserve-unknown-fields
  bool embedded_resource = false;        // x-kubernetes-embedded-resource
  bool immutable = false;                // cannot change after creation
  std::optional<Json> default_value;
  std::optional<Json> example;

  // Objects. Properties are sorted by name. An object with neither properties nor
  // additional_properties has no known fields; with additional_properties it is a map. When
  // additional properties are forbidden, a field that is not a property is an error and stays.
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
  bool list_type_given = false;  // the author said so, rather than it being the default
  std::vector<std::string> list_map_keys;

  // Strings.
  std::optional<int64_t> min_length;
  std::optional<int64_t> max_length;
  std::string pattern;
  CompiledPattern compiled_pattern;  // of `pattern`, by itself

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

  // x-kubernetes-validations: kept and published, not evaluated.
  std::vector<Json> cel_rules;

  PatchStrategy patch_strategy = PatchStrategy::kDefault;
  std::string patch_merge_key;

  // Column of `kubectl get` made from this field; empty for none.
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

// Owns nodes that point at each other. Nodes never move.
class SchemaArena {
 public:
  Schema* New();
  Schema* Copy(const Schema& schema);

 private:
  std::vector<std::unique_ptr<Schema>> nodes_;
};

// A whole schema: its root, and a share in whatever keeps the nodes alive.
using SchemaHandle = std::shared_ptr<const Schema>;

}  // namespace kubexms
