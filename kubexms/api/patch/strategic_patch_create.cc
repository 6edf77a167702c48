#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "kubexms/api/patch/strategic_internal.h"
#include "kubexms/api/patch/strategic_patch.h"

namespace kubexms {
namespace {

using namespace strategic;

struct DiffOptions {
  bool changes = true;  // additions too
  bool deletions = true;
  StrategicPatchOptions directives;
};

// The identities of all items, made unique: the second item with a key is compared with the second
// such item of the other list.
Result<std::vector<std::string>> DistinctIdentities(const JsonArray& list, ItemKind kind,
                                                    std::string_view merge_key) {
  std::vector<std::string> identities;
  std::unordered_map<std::string, int> seen;
  for (const Json& item : list) {
    ASSIGN_OR_RETURN(const std::string identity, IdentityOf(item, kind, merge_key));
    identities.push_back(fmt::format("{}#{}", identity, seen[identity]++));
  }
  return identities;
}

class Differ {
 public:
  explicit Differ(const DiffOptions& options) : options_(options) {}

  Result<JsonObject> DiffObjects(const JsonObject& original, const JsonObject& modified,
                                 const Schema* schema, bool retain_keys) const {
    JsonObject patch;
    for (const auto& [key, value] : modified) {
      const Json* old = original.if_contains(key);
      if (old == nullptr) {
        if (options_.changes) patch[key] = value;
      } else if (old->is_object() && value.is_object()) {
        RETURN_IF_ERROR(DiffObjectField(key, *old, value, RuleOf(schema, key), patch));
      } else if (old->is_array() && value.is_array()) {
        RETURN_IF_ERROR(DiffListField(key, *old, value, RuleOf(schema, key), patch));
      } else {
        SetIfDifferent(key, *old, value, patch);
      }
    }
    if (options_.deletions) {
      for (const auto& member : original) {
        if (!modified.contains(member.key())) patch[member.key()] = nullptr;
      }
    }
    if (retain_keys && options_.directives.retain_keys) AddRetainKeys(original, modified, patch);
    return patch;
  }

 private:
  void SetIfDifferent(std::string_view key, const Json& original, const Json& modified,
                      JsonObject& patch) const {
    if (options_.changes && !JsonEqual(original, modified)) patch[key] = modified;
  }

  static void AddRetainKeys(const JsonObject& original, const JsonObject& modified,
                            JsonObject& patch) {
    std::vector<std::string_view> names;
    for (const auto& [key, value] : modified) {
      if (!value.is_null()) names.push_back(key);
    }
    const bool would_lose = std::any_of(original.begin(), original.end(), [&](const auto& member) {
      return !member.value().is_null() && !modified.contains(member.key());
    });
    if (names.empty() || (patch.empty() && !would_lose)) return;
    std::sort(names.begin(), names.end());
    patch[kRetainKeys] = JsonArray(names.begin(), names.end());
  }

  Result<void> DiffObjectField(std::string_view key, const Json& original, const Json& modified,
                               const FieldRule& rule, JsonObject& patch) const {
    if (rule.replace_object) {
      SetIfDifferent(key, original, modified, patch);
      return {};
    }
    ASSIGN_OR_RETURN(JsonObject inner, DiffObjects(original.get_object(), modified.get_object(),
                                                   rule.schema, rule.retain_keys));
    if (!inner.empty()) patch[key] = std::move(inner);
    return {};
  }

  Result<void> DiffListField(std::string_view key, const Json& original, const Json& modified,
                             const FieldRule& rule, JsonObject& patch) const {
    if (!rule.merge_list || original.get_array().empty()) {
      SetIfDifferent(key, original, modified, patch);
      return {};
    }
    const JsonArray& from = original.get_array();
    const JsonArray& to = modified.get_array();
    ASSIGN_OR_RETURN(const ItemKind kind, KindOfItems(from, to));
    return kind == ItemKind::kObject ? DiffObjectLists(key, from, to, rule, patch)
                                     : DiffScalarLists(key, from, to, patch);
  }

  // Changed and new items in the order of `modified`, then deletions.
  Result<void> DiffObjectLists(std::string_view key, const JsonArray& original,
                               const JsonArray& modified, const FieldRule& rule,
                               JsonObject& patch) const {
    ASSIGN_OR_RETURN(const auto from,
                     DistinctIdentities(original, ItemKind::kObject, rule.merge_key));
    ASSIGN_OR_RETURN(const auto to,
                     DistinctIdentities(modified, ItemKind::kObject, rule.merge_key));
    Places old_places;
    for (size_t i = 0; i < from.size(); ++i) old_places.emplace(from[i], i);
    JsonArray changes;
    for (size_t i = 0; i < to.size(); ++i) {
      const auto old = old_places.find(to[i]);
      if (old == old_places.end()) {
        if (options_.changes) changes.push_back(modified[i]);
        continue;
      }
      ASSIGN_OR_RETURN(JsonObject item,
                       DiffObjects(original[old->second].get_object(), modified[i].get_object(),
                                   rule.items, rule.retain_keys));
      if (item.empty()) continue;
      item[rule.merge_key] = modified[i].get_object().at(rule.merge_key);
      changes.push_back(std::move(item));
    }
    if (options_.deletions) AddDeleteDirectives(original, from, to, rule.merge_key, changes);

    const bool reordered = options_.changes && from != to;
    if (options_.directives.set_element_order && (reordered || !changes.empty())) {
      SetOrder(key, modified, rule.merge_key, patch);
    }
    if (!changes.empty()) patch[key] = std::move(changes);
    return {};
  }

  static void AddDeleteDirectives(const JsonArray& original, const std::vector<std::string>& from,
                                  const std::vector<std::string>& to, std::string_view merge_key,
                                  JsonArray& changes) {
    const std::unordered_set<std::string> kept(to.begin(), to.end());
    std::vector<std::pair<std::string_view, const Json*>> deleted;
    for (size_t i = 0; i < from.size(); ++i) {
      if (!kept.contains(from[i])) {
        deleted.emplace_back(from[i], &original[i].get_object().at(merge_key));
      }
    }
    std::sort(deleted.begin(), deleted.end());
    for (const auto& [identity, value] : deleted) {
      changes.push_back(JsonObject{{merge_key, *value}, {kDirective, kDelete}});
    }
  }

  static void SetOrder(std::string_view key, const JsonArray& modified, std::string_view merge_key,
                       JsonObject& patch) {
    if (modified.empty()) return;
    JsonArray order;
    for (const Json& item : modified) {
      order.push_back(JsonObject{{merge_key, item.get_object().at(merge_key)}});
    }
    patch[DirectiveFor(kSetElementOrder, key)] = std::move(order);
  }

  Result<void> DiffScalarLists(std::string_view key, const JsonArray& original,
                               const JsonArray& modified, JsonObject& patch) const {
    ASSIGN_OR_RETURN(const Places from, PlacesOf(original, ItemKind::kScalar, ""));
    ASSIGN_OR_RETURN(const Places to, PlacesOf(modified, ItemKind::kScalar, ""));
    JsonArray added;
    for (const Json& item : modified) {
      if (options_.changes && !from.contains(WriteJson(item))) added.push_back(item);
    }
    std::vector<std::pair<std::string_view, size_t>> gone;
    for (const auto& [identity, place] : from) {
      if (options_.deletions && !to.contains(identity)) gone.emplace_back(identity, place);
    }
    std::sort(gone.begin(), gone.end());
    JsonArray deleted;
    for (const auto& [identity, place] : gone) deleted.push_back(original[place]);

    const bool changed =
        options_.changes &&
        !std::equal(original.begin(), original.end(), modified.begin(), modified.end(), JsonEqual);
    if (options_.directives.set_element_order && (changed || !deleted.empty()) &&
        !modified.empty()) {
      patch[DirectiveFor(kSetElementOrder, key)] = modified;
    }
    if (!added.empty()) patch[key] = std::move(added);
    if (!deleted.empty()) patch[DirectiveFor(kDeleteFromPrimitiveList, key)] = std::move(deleted);
    return {};
  }

  const DiffOptions options_;
};

Result<JsonObject> Diff(const Json& original, const Json& modified, const Schema& schema,
                        const DiffOptions& options) {
  for (const Json* document : {&original, &modified}) {
    if (!document->is_object()) return UnexpectedType("map[string]interface {}", *document);
  }
  return Differ(options).DiffObjects(original.get_object(), modified.get_object(), &schema, false);
}

Result<void> Combine(JsonObject& patch, const JsonObject& more, const Schema* schema);

// Merges two patches of one list for the same target, whose order is `order`.
Result<void> CombineLists(JsonArray& patch, const JsonArray& more, const JsonArray& order,
                          const FieldRule& rule) {
  ASSIGN_OR_RETURN(Places places, PlacesOf(patch, ItemKind::kObject, rule.merge_key));
  for (const Json& item : more) {
    ASSIGN_OR_RETURN(std::string identity, IdentityOf(item, ItemKind::kObject, rule.merge_key));
    const auto [place, added] = places.try_emplace(std::move(identity), patch.size());
    if (added) {
      patch.push_back(item);
    } else {
      JsonObject& known = patch[place->second].get_object();
      RETURN_IF_ERROR(Combine(known, item.get_object(), rule.items));
    }
  }
  ASSIGN_OR_RETURN(const Places wanted, PlacesOf(order, ItemKind::kObject, rule.merge_key));
  const auto place_of = [&](const Json& item) {
    const auto it = wanted.find(WriteJson(item.get_object().at(rule.merge_key)));
    return it == wanted.end() ? wanted.size() : it->second;
  };
  std::stable_sort(patch.begin(), patch.end(),
                   [&](const Json& a, const Json& b) { return place_of(a) < place_of(b); });
  return {};
}

// Adds the changes of `more`, which has no deletions, to `patch`, which has only deletions. Both
// have the same target, so that their directives agree.
Result<void> Combine(JsonObject& patch, const JsonObject& more, const Schema* schema) {
  for (const auto& [key, value] : more) {
    Json& slot = patch[key];
    const FieldRule rule = RuleOf(schema, key);
    if (slot.is_object() && value.is_object()) {
      RETURN_IF_ERROR(Combine(slot.get_object(), value.get_object(), rule.schema));
      continue;
    }
    const Json* order = more.if_contains(DirectiveFor(kSetElementOrder, key));
    if (slot.is_array() && value.is_array() && rule.merge_list && order != nullptr) {
      RETURN_IF_ERROR(CombineLists(slot.get_array(), value.get_array(), order->get_array(), rule));
      continue;
    }
    slot = value;
  }
  return {};
}

bool ObjectsConflict(const JsonObject& left, const JsonObject& right, const Schema* schema);
bool ValuesConflict(const Json& left, const Json& right, const FieldRule& rule);

bool MergeListsConflict(const JsonArray& left, const JsonArray& right, const FieldRule& rule) {
  for (const Json& item : left) {
    const Json* key = FindMember(item, rule.merge_key);
    if (key == nullptr) continue;  // merged scalars never conflict
    for (const Json& other : right) {
      const Json* other_key = FindMember(other, rule.merge_key);
      if (other_key == nullptr || !JsonEqual(*key, *other_key)) continue;
      if (ValuesConflict(item, other, {.schema = rule.items})) return true;
    }
  }
  return false;
}

bool ValuesConflict(const Json& left, const Json& right, const FieldRule& rule) {
  if (left.is_array() && right.is_array() && rule.merge_list) {
    return MergeListsConflict(left.get_array(), right.get_array(), rule);
  }
  if (!left.is_object() || !right.is_object()) return !JsonEqual(left, right);
  const Json* directive = left.get_object().if_contains(kDirective);
  const Json* other = right.get_object().if_contains(kDirective);
  if ((directive == nullptr) != (other == nullptr)) return true;
  if (directive != nullptr && !JsonEqual(*directive, *other)) return true;
  return ObjectsConflict(left.get_object(), right.get_object(), rule.schema);
}

bool ObjectsConflict(const JsonObject& left, const JsonObject& right, const Schema* schema) {
  return std::any_of(left.begin(), left.end(), [&](const auto& member) {
    const std::string_view key = member.key();
    if (key.starts_with(kRetainKeys) || key.starts_with(kDeleteFromPrimitiveList)) return false;
    const Json* other = right.if_contains(key);
    return other != nullptr && ValuesConflict(member.value(), *other, RuleOf(schema, key));
  });
}

Result<void> CheckConflicts(const JsonObject& patch, const Json& original, const Json& current,
                            const Schema& schema) {
  ASSIGN_OR_RETURN(const JsonObject changed,
                   Diff(original, current, schema, {.directives = {.set_element_order = false}}));
  if (!ObjectsConflict(patch, changed, &schema)) return {};
  return Error(
      409, "Conflict",
      fmt::format("patch:\n{}\nconflicts with changes made from original to current:\n{}\n",
                  WriteJsonPretty(patch), WriteJsonPretty(changed)));
}

}  // namespace

Result<Json> CreateStrategicPatch(const Json& original, const Json& modified, const Schema& schema,
                                  const StrategicPatchOptions& options) {
  ASSIGN_OR_RETURN(JsonObject patch, Diff(original, modified, schema, {.directives = options}));
  return Json(std::move(patch));
}

Result<Json> CreateThreeWayStrategicPatch(const Json& original, const Json& modified,
                                          const Json& current, const Schema& schema,
                                          OnPatchConflict on_conflict) {
  ASSIGN_OR_RETURN(JsonObject patch, Diff(original, modified, schema, {.changes = false}));
  ASSIGN_OR_RETURN(const JsonObject changes, Diff(current, modified, schema, {.deletions = false}));
  RETURN_IF_ERROR(Combine(patch, changes, &schema));
  if (on_conflict == OnPatchConflict::kFail) {
    RETURN_IF_ERROR(CheckConflicts(patch, original, current, schema));
  }
  return Json(std::move(patch));
}

}  // namespace kubexms
