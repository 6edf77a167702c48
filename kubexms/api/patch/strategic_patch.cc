#include "kubexms/api/patch/strategic_patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "kubexms/api/patch/strategic_internal.h"

namespace kubexms {
namespace {

using namespace strategic;

constexpr size_t kNowhere = std::numeric_limits<size_t>::max();

Result<void> MergeObject(JsonObject& target, const JsonObject& patch, const Schema* schema);

// All directives except $patch.
bool IsFieldDirective(std::string_view key) {
  return key.starts_with('$') && (key == kRetainKeys || key.starts_with(kSetElementOrder) ||
                                  key.starts_with(kDeleteFromPrimitiveList));
}

void CleanMembers(JsonObject& object);

// Removes directives and null members from a value that becomes part of the document. False when
// the value itself is a directive.
bool Clean(Json& value) {
  if (JsonObject* object = value.if_object()) {
    if (object->contains(kDirective)) return false;
    CleanMembers(*object);
  } else if (JsonArray* array = value.if_array()) {
    array->erase(
        std::remove_if(array->begin(), array->end(), [](Json& item) { return !Clean(item); }),
        array->end());
  }
  return true;
}

void CleanMembers(JsonObject& object) {
  for (auto it = object.begin(); it != object.end();) {
    const bool keep = !it->value().is_null() && !IsFieldDirective(it->key()) && Clean(it->value());
    it = keep ? it + 1 : object.erase(it);
  }
}

void SetMember(JsonObject& target, std::string_view key, const Json& value) {
  Json cleaned(value, target.storage());
  if (Clean(cleaned)) {
    target.insert_or_assign(key, std::move(cleaned));
  } else {
    target.erase(key);
  }
}

Result<void> ApplyDirective(JsonObject& target, const JsonObject& patch) {
  const Json item(patch);
  if (HasDirective(item, kReplace)) {
    target = patch;
    target.erase(kDirective);
    CleanMembers(target);
    return {};
  }
  if (!HasDirective(item, kDelete)) return UnknownDirective(patch.at(kDirective), item);
  target.clear();
  return {};
}

// $retainKeys must list every member that the patch sets.
Result<void> RetainMembers(JsonObject& target, const JsonObject& patch, const Json& names) {
  if (!names.is_array()) return BadRetainKeys();
  std::unordered_set<std::string_view> retained;
  for (const Json& name : names.get_array()) {
    if (name.is_string()) retained.insert(AsView(name.get_string()));
  }
  for (const auto& [key, value] : patch) {
    if (value.is_null() || IsFieldDirective(key)) continue;
    if (!retained.contains(key)) return BadRetainKeys();
  }
  for (auto it = target.begin(); it != target.end();) {
    it = retained.contains(it->key()) ? it + 1 : target.erase(it);
  }
  return {};
}

// The identity of the items of one list.
struct Items {
  ItemKind kind;
  std::string_view merge_key;

  Result<std::string> Identity(const Json& item) const { return IdentityOf(item, kind, merge_key); }
  Result<Places> PlacesIn(const JsonArray& list) const { return PlacesOf(list, kind, merge_key); }
};

struct PlacedItem {
  Json item;
  size_t wanted;  // index in the list that defines the order
  size_t live;    // index before the patch
};

// Merges two sorted lists. An item of `others` precedes an item of `named` if it did so before the
// patch.
void JoinInOrder(std::vector<PlacedItem>& named, std::vector<PlacedItem>& others, JsonArray& out) {
  size_t i = 0;
  for (PlacedItem& next : named) {
    while (i < others.size() && next.live != kNowhere && others[i].live < next.live) {
      out.push_back(std::move(others[i++].item));
    }
    out.push_back(std::move(next.item));
  }
  for (; i < others.size(); ++i) out.push_back(std::move(others[i].item));
}

Result<void> Reorder(JsonArray& list, const Items& items, const Places& wanted,
                     const Places& live) {
  std::vector<PlacedItem> named;
  std::vector<PlacedItem> others;
  const auto place_in = [](const Places& places, const std::string& identity) {
    const auto it = places.find(identity);
    return it == places.end() ? kNowhere : it->second;
  };
  for (Json& item : list) {
    ASSIGN_OR_RETURN(const std::string identity, items.Identity(item));
    PlacedItem placed{std::move(item), place_in(wanted, identity), place_in(live, identity)};
    (placed.wanted != kNowhere ? named : others).push_back(std::move(placed));
  }
  std::stable_sort(named.begin(), named.end(),
                   [](const PlacedItem& a, const PlacedItem& b) { return a.wanted < b.wanted; });
  std::stable_sort(others.begin(), others.end(),
                   [](const PlacedItem& a, const PlacedItem& b) { return a.live < b.live; });
  list.clear();
  JoinInOrder(named, others, list);
  return {};
}

Result<void> UniteScalars(JsonArray& list, const JsonArray& patch, const Items& items) {
  ASSIGN_OR_RETURN(const Places live, items.PlacesIn(list));
  ASSIGN_OR_RETURN(const Places wanted, items.PlacesIn(patch));
  JsonArray united(list.storage());
  std::unordered_set<std::string> seen;
  for (const JsonArray* source : {&std::as_const(list), &patch}) {
    for (const Json& item : *source) {
      if (seen.insert(WriteJson(item)).second) united.push_back(item);
    }
  }
  list = std::move(united);
  return Reorder(list, items, wanted, live);
}

// The directives in the items of a list.
struct SpecialItems {
  bool replace = false;
  std::unordered_set<std::string> deleted;
  std::vector<const Json*> ordinary;
};

Result<SpecialItems> FindSpecialItems(const JsonArray& patch, const Items& items) {
  SpecialItems special;
  for (const Json& item : patch) {
    const Json* directive = FindMember(item, kDirective);
    if (directive == nullptr) {
      special.ordinary.push_back(&item);
    } else if (HasDirective(item, kDelete)) {
      ASSIGN_OR_RETURN(std::string identity, items.Identity(item));
      special.deleted.insert(std::move(identity));
    } else if (HasDirective(item, kReplace)) {
      special.replace = true;
    } else if (HasDirective(item, kMerge)) {
      return Error::BadRequest("merging lists cannot yet be specified in the patch");
    } else {
      return UnknownDirective(*directive, item);
    }
  }
  return special;
}

void DeleteItems(JsonArray& list, const std::unordered_set<std::string>& identities,
                 const Items& items) {
  if (identities.empty()) return;
  JsonArray kept(list.storage());
  for (Json& item : list) {
    // Ignores an item without its merge key; the merge reports that error.
    const Result<std::string> identity = items.Identity(item);
    if (!identity.ok() || !identities.contains(*identity)) kept.push_back(std::move(item));
  }
  list = std::move(kept);
}

void AppendClean(JsonArray& list, const Json& item) {
  Json cleaned(item, list.storage());
  if (Clean(cleaned)) list.push_back(std::move(cleaned));
}

Result<void> MergeObjects(JsonArray& list, const JsonArray& patch, const Items& items,
                          const Schema* schema) {
  ASSIGN_OR_RETURN(const SpecialItems special, FindSpecialItems(patch, items));
  if (special.replace) {
    list.clear();
    for (const Json* item : special.ordinary) AppendClean(list, *item);
    RETURN_IF_ERROR(items.PlacesIn(list));
    return {};
  }
  DeleteItems(list, special.deleted, items);
  ASSIGN_OR_RETURN(const Places live, items.PlacesIn(list));
  Places places = live;
  Places wanted;
  for (const Json* item : special.ordinary) {
    ASSIGN_OR_RETURN(const std::string identity, items.Identity(*item));
    wanted.try_emplace(identity, wanted.size());
    const auto [place, added] = places.try_emplace(identity, list.size());
    if (added) {
      AppendClean(list, *item);
    } else {
      JsonObject& old = list[place->second].get_object();
      RETURN_IF_ERROR(MergeObject(old, item->get_object(), schema));
    }
  }
  return Reorder(list, items, wanted, live);
}

Result<Items> ItemsOf(const JsonArray& list, const JsonArray& patch, const FieldRule& rule) {
  ASSIGN_OR_RETURN(const ItemKind kind, KindOfItems(list, patch));
  if (kind == ItemKind::kObject && rule.merge_key.empty()) {
    const Schema* schema = rule.items == nullptr ? nullptr : &rule.items->Resolve();
    return Error::BadRequest(
        fmt::format("cannot merge lists without merge key for {}",
                    schema == nullptr || schema->definition.empty() ? "map" : schema->definition));
  }
  return Items{kind, rule.merge_key};
}

Result<void> MergeList(JsonArray& list, const JsonArray& patch, const FieldRule& rule) {
  ASSIGN_OR_RETURN(const Items items, ItemsOf(list, patch, rule));
  if (items.kind == ItemKind::kNone) return {};
  if (items.kind == ItemKind::kScalar) return UniteScalars(list, patch, items);
  return MergeObjects(list, patch, items, rule.items);
}

Result<void> MergeMember(JsonObject& target, std::string_view key, const Json& value,
                         const Schema* schema) {
  if (value.is_null()) {
    target.erase(key);
    return {};
  }
  Json* old = target.if_contains(key);
  if (old != nullptr && old->is_object() && value.is_object()) {
    const FieldRule rule = RuleOf(schema, key);
    if (!rule.replace_object || value.get_object().contains(kDirective)) {
      return MergeObject(old->get_object(), value.get_object(), rule.schema);
    }
  } else if (old != nullptr && old->is_array() && value.is_array()) {
    const FieldRule rule = RuleOf(schema, key);
    if (rule.merge_list) return MergeList(old->get_array(), value.get_array(), rule);
  }
  SetMember(target, key, value);
  return {};
}

// All items of the patch except directives must be in the order list, in the same order.
Result<void> CheckOrder(const JsonArray& patch, const JsonArray& order, const Items& items) {
  if (patch.empty() || order.empty()) return {};
  size_t place = 0;
  for (const Json& item : patch) {
    if (FindMember(item, kDirective) != nullptr) continue;
    ASSIGN_OR_RETURN(const std::string identity, items.Identity(item));
    bool found = false;
    while (!found && place < order.size()) {
      ASSIGN_OR_RETURN(const std::string next, items.Identity(order[place++]));
      found = next == identity;
    }
    if (found) continue;
    return Error::BadRequest(
        fmt::format("The order in patch list:\n{}\n doesn't match {} list:\n{}\n", GoText(patch),
                    kSetElementOrder, GoText(order)));
  }
  return {};
}

// The list of a $setElementOrder directive; empty when the object has no such member.
Result<const JsonArray*> ListMember(const JsonObject& object, std::string_view field) {
  static const JsonArray kEmpty;
  const Json* value = object.if_contains(field);
  if (value == nullptr) return &kEmpty;
  if (!value->is_array()) return UnexpectedType("[]interface {}", *value);
  return &value->get_array();
}

Result<void> MergeOrdered(JsonObject& target, const JsonObject& patch, std::string_view field,
                          const Json& order, const Schema* schema) {
  if (!order.is_array()) return UnexpectedType("[]interface {}", order);
  ASSIGN_OR_RETURN(const JsonArray* const old, ListMember(target, field));
  ASSIGN_OR_RETURN(const JsonArray* const changes, ListMember(patch, field));
  const FieldRule rule = RuleOf(schema, field);
  ASSIGN_OR_RETURN(const Items items, ItemsOf(*old, *changes, rule));
  if (items.kind == ItemKind::kNone) {
    if (patch.contains(field)) target[field].emplace_array();
    return {};
  }
  RETURN_IF_ERROR(CheckOrder(*changes, order.get_array(), items));
  ASSIGN_OR_RETURN(const Places live, items.PlacesIn(*old));
  ASSIGN_OR_RETURN(const Places wanted, items.PlacesIn(order.get_array()));
  if (const Json* value = patch.if_contains(field)) {
    RETURN_IF_ERROR(MergeMember(target, field, *value, schema));
  }
  return Reorder(target.at(field).get_array(), items, wanted, live);
}

Result<void> DeleteScalars(JsonObject& target, std::string_view field, const Json& scalars) {
  if (!scalars.is_array()) return BadPrimitiveList();
  std::unordered_set<std::string> deleted;
  for (const Json& scalar : scalars.get_array()) {
    if (scalar.is_structured()) return BadPrimitiveList();
    deleted.insert(WriteJson(scalar));
  }
  Json* old = target.if_contains(field);
  if (old == nullptr || !old->is_array()) return {};
  JsonArray& list = old->get_array();
  list.erase(std::remove_if(list.begin(), list.end(),
                            [&](const Json& item) { return deleted.contains(WriteJson(item)); }),
             list.end());
  return {};
}

// "$setElementOrder/field" → "field"; empty when the key is malformed.
std::string_view FieldOf(std::string_view key, std::string_view prefix) {
  key.remove_prefix(prefix.size());
  return key.starts_with('/') ? key.substr(1) : std::string_view();
}

// Merges lists with a given order first and deletes scalars last, so that the result does not
// depend on the order of the patch's members.
Result<void> MergeWithDirectives(JsonObject& target, const JsonObject& patch,
                                 const Schema* schema) {
  for (const auto& [key, value] : patch) {
    if (!std::string_view(key).starts_with(kSetElementOrder)) continue;
    const std::string_view field = FieldOf(key, kSetElementOrder);
    if (field.empty()) return BadSetElementOrder();
    RETURN_IF_ERROR(MergeOrdered(target, patch, field, value, schema));
  }
  for (const auto& [key, value] : patch) {
    if (IsFieldDirective(key) || patch.contains(DirectiveFor(kSetElementOrder, key))) continue;
    RETURN_IF_ERROR(MergeMember(target, key, value, schema));
  }
  for (const auto& [key, value] : patch) {
    if (!std::string_view(key).starts_with(kDeleteFromPrimitiveList)) continue;
    const std::string_view field = FieldOf(key, kDeleteFromPrimitiveList);
    if (field.empty()) return BadPrimitiveList();
    RETURN_IF_ERROR(DeleteScalars(target, field, value));
  }
  return {};
}

Result<void> MergeObject(JsonObject& target, const JsonObject& patch, const Schema* schema) {
  if (patch.contains(kDirective)) return ApplyDirective(target, patch);
  if (const Json* names = patch.if_contains(kRetainKeys)) {
    RETURN_IF_ERROR(RetainMembers(target, patch, *names));
  }
  const bool has_directives = std::any_of(patch.begin(), patch.end(), [](const auto& member) {
    return IsFieldDirective(member.key());
  });
  if (has_directives) return MergeWithDirectives(target, patch, schema);
  for (const auto& [key, value] : patch) {
    RETURN_IF_ERROR(MergeMember(target, key, value, schema));
  }
  return {};
}

}  // namespace

Result<Json> ApplyStrategicPatch(Json document, const Json& patch, const Schema& schema) {
  if (!document.is_object()) return UnexpectedType("map[string]interface {}", document);
  if (!patch.is_object()) return UnexpectedType("map[string]interface {}", patch);
  RETURN_IF_ERROR(MergeObject(document.get_object(), patch.get_object(), &schema));
  return document;
}

}  // namespace kubexms
