#include "kubexms/api/schema/pruning.h"

#include <algorithm>
#include <string_view>

#include "kubexms/api/schema/field_error.h"

namespace kubexms {
namespace {

bool IsTypeMeta(std::string_view name) { return name == "apiVersion" || name == "kind"; }

class Pruner {
 public:
  explicit Pruner(const PruneOptions& options) : options_(options) {}

  // A null schema specifies no fields.
  void Walk(Json& value, const Schema* node, bool resource, const FieldPath& path) {
    const bool preserve = node != nullptr && (node->preserve_unknown_fields ||
                                              node->Resolve().preserve_unknown_fields);
    WalkValue(value, node, resource, preserve, path);
  }

  bool removed_any() const { return removed_any_; }

 private:
  void WalkValue(Json& value, const Schema* node, bool resource, bool preserve,
                 const FieldPath& path) {
    if (JsonObject* object = value.if_object()) {
      const bool embedded =
          node != nullptr && (node->embedded_resource || node->Resolve().embedded_resource);
      WalkObject(*object, node, resource || embedded, preserve, path);
    }
    if (JsonArray* items = value.if_array()) WalkItems(*items, node, preserve, path);
  }

  void WalkObject(JsonObject& object, const Schema* node, bool resource, bool preserve,
                  const FieldPath& path) {
    for (auto it = object.begin(); it != object.end();) {
      const std::string_view key(it->key().data(), it->key().size());
      const FieldPath child = path.Child(key);
      const Schema* property = node == nullptr ? nullptr : node->FindProperty(key);
      const Schema* other = node == nullptr ? nullptr : node->Resolve().additional_properties;
      if (resource && IsTypeMeta(key)) {
        ++it;
      } else if (resource && key == "metadata") {
        if (options_.object_meta != nullptr) Walk(it->value(), options_.object_meta, false, child);
        ++it;
      } else if (property != nullptr || other != nullptr) {
        Walk(it->value(), property != nullptr ? property : other, false, child);
        ++it;
      } else if (preserve) {
        ++it;
      } else if (node != nullptr && node->Resolve().additional_properties_forbidden) {
        Walk(it->value(), nullptr, false, child);
        ++it;
      } else {
        Record(child);
        it = object.erase(it);
      }
    }
  }

  void WalkItems(JsonArray& items, const Schema* node, bool preserve, const FieldPath& path) {
    const Schema* item = node == nullptr ? nullptr : node->Resolve().items;
    if (item == nullptr && preserve) return;
    for (size_t i = 0; i < items.size(); ++i) {
      const FieldPath child = path.Index(i);
      // The items of preserved lists are preserved regardless of their schema.
      if (preserve) {
        WalkValue(items[i], item, false, true, child);
      } else {
        Walk(items[i], item, false, child);
      }
    }
  }

  void Record(const FieldPath& path) {
    removed_any_ = true;
    if (options_.removed != nullptr) options_.removed->push_back(path.ToString());
  }

  const PruneOptions& options_;
  bool removed_any_ = false;
};

}  // namespace

bool Prune(Json& value, const Schema& schema, const PruneOptions& options) {
  Pruner pruner(options);
  pruner.Walk(value, &schema, options.resource_root, FieldPath());
  if (options.removed != nullptr) std::sort(options.removed->begin(), options.removed->end());
  return pruner.removed_any();
}

}  // namespace kubexms
