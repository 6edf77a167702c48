#include "kubexms/api/patch/managed_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <span>

#include "kubexms/base/text/text_buffer.h"

namespace kubexms {
namespace {

using Kind = PathElement::Kind;
using Node = FieldSet::Node;

// The unit of ownership inside a value: the whole value, members, values, or items by keys.
enum class Shape { kLeaf, kObject, kSet, kMap };

Shape ShapeOfObject(const Schema* schema) {
  if (schema == nullptr) return Shape::kObject;
  const Schema& shape = schema->Resolve();
  if (schema->map_atomic || shape.map_atomic) return Shape::kLeaf;
  if (shape.type == SchemaType::kObject) return Shape::kObject;
  const bool open = shape.preserve_unknown_fields || !shape.properties.empty();
  return shape.type == SchemaType::kAny && open ? Shape::kObject : Shape::kLeaf;
}

Shape ShapeOfArray(const Schema* schema) {
  if (schema == nullptr) return Shape::kLeaf;
  const Schema& shape = schema->Resolve();
  if (shape.type != SchemaType::kArray) return Shape::kLeaf;
  if (shape.list_type == ListType::kSet) return Shape::kSet;
  const bool keyed = shape.list_type == ListType::kMap && !shape.list_map_keys.empty();
  return keyed ? Shape::kMap : Shape::kLeaf;
}

Shape ShapeOf(const Schema* schema, const Json& value) {
  if (value.is_object()) return ShapeOfObject(schema);
  return value.is_array() ? ShapeOfArray(schema) : Shape::kLeaf;
}

bool IsEmptyContainer(const Json& value) {
  if (value.is_object()) return value.get_object().empty();
  return value.is_array() && value.get_array().empty();
}

// The schema of a member of an object.
struct Member {
  const Schema* schema = nullptr;
  bool named = false;       // a property, not an entry of a map
  bool undeclared = false;  // the schema does not allow this member
};

// Finds the schemas of an object's members; fastest for lookups in sorted order.
class MemberFinder {
 public:
  explicit MemberFinder(const Schema* schema)
      : schema_(schema), shape_(schema == nullptr ? nullptr : &schema->Resolve()) {}

  Member Find(std::string_view name) {
    if (schema_ == nullptr) return {};
    if (const Schema* property = FindProperty(name)) return {.schema = property, .named = true};
    const bool closed = !shape_->properties.empty() && shape_->additional_properties == nullptr &&
                        !shape_->preserve_unknown_fields && !schema_->preserve_unknown_fields;
    return {.schema = shape_->additional_properties, .undeclared = closed};
  }

 private:
  const Schema* FindProperty(std::string_view name) {
    const std::vector<Property>& properties = shape_->properties;
    for (size_t i = next_; i < properties.size(); ++i) {
      if (properties[i].name != name) continue;
      next_ = i + 1;
      return properties[i].schema;
    }
    return next_ == 0 ? nullptr : shape_->FindProperty(name);
  }

  const Schema* schema_;
  const Schema* shape_;  // schema_, resolved
  size_t next_ = 0;      // the index after the last found property
};

const FieldSet* Below(const FieldSet* set, Kind kind, std::string_view text) {
  const Node* node = set == nullptr ? nullptr : set->Find(kind, text);
  return node == nullptr ? nullptr : &node->children;
}

bool HasMember(const FieldSet* set, Kind kind, std::string_view text) {
  const Node* node = set == nullptr ? nullptr : set->Find(kind, text);
  return node != nullptr && node->member;
}

const Json* KeyDefault(const Schema& list, std::string_view key) {
  const Schema* schema = list.items == nullptr ? nullptr : list.items->FindMember(key);
  return schema == nullptr || !schema->default_value ? nullptr : &*schema->default_value;
}

// The path element of an item of a list map, from its sorted keys or their defaults; none when a
// key is missing.
std::optional<PathElement> KeyElement(const Schema& list, std::span<const std::string_view> keys,
                                      const Json& item) {
  if (!item.is_object()) return std::nullopt;
  TextBuffer text(128);
  for (const std::string_view key : keys) {
    const Json* value = FindMember(item, key);
    if (value == nullptr) value = KeyDefault(list, key);
    if (value == nullptr) return std::nullopt;
    text.Append(text.size() == 0 ? '{' : ',');
    AppendJsonString(key, text);
    text.Append(':');
    AppendJson(*value, text);
  }
  text.Append('}');
  return PathElement::FromCanonical(Kind::kKey, text.ToString());
}

// The error of an applied item without an identity; empty for a valid item.
std::string ExplainItem(const Schema& list, const Json& item) {
  if (list.list_type == ListType::kSet) {
    if (item.is_null())
      return "associative list without keys has an element that's an explicit null";
    if (item.is_object()) return "associative list without keys has an element that's a map type";
    return item.is_array() ? "not supported: associative list with lists as elements" : "";
  }
  if (item.is_null()) return "associative list with keys may not have a null element";
  if (!item.is_object()) return "associative list with keys may not have non-map elements";
  for (const std::string& key : list.list_map_keys) {
    if (FindMember(item, key) != nullptr || KeyDefault(list, key) != nullptr) continue;
    return fmt::format(
        "associative list with keys has an element that omits key field \"{}\" (and doesn't have "
        "default value)",
        key);
  }
  return "";
}

// The items of a set or list map, indexed by path element.
class ItemIndex {
 public:
  ItemIndex(const Schema& list, const JsonArray& items) {
    std::vector<std::string_view> keys(list.list_map_keys.begin(), list.list_map_keys.end());
    std::sort(keys.begin(), keys.end());
    elements_.reserve(items.size());
    order_.reserve(items.size());
    for (const Json& item : items) {
      elements_.push_back(list.list_type == ListType::kMap ? KeyElement(list, keys, item)
                                                           : PathElement::Value(item));
    }
    for (size_t i = 0; i < elements_.size(); ++i) {
      if (elements_[i]) order_.push_back(i);
    }
    std::sort(order_.begin(), order_.end(), [&](size_t a, size_t b) {
      const auto order = *elements_[a] <=> *elements_[b];
      return order != 0 ? order < 0 : a < b;
    });
  }

  size_t size() const { return elements_.size(); }
  // Null when the item lacks its keys.
  const PathElement* element(size_t i) const { return elements_[i] ? &*elements_[i] : nullptr; }

  // The positions of the items with this element, in order: none, one, or several duplicates.
  std::span<const size_t> Find(const PathElement& element) const {
    const auto begin = std::lower_bound(
        order_.begin(), order_.end(), element,
        [&](size_t i, const PathElement& wanted) { return *elements_[i] < wanted; });
    auto end = begin;
    while (end != order_.end() && *elements_[*end] == element) ++end;
    return {begin, end};
  }

  // Calls `visit(element, positions)` for each distinct element, in order.
  template <class Visit>
  void ForEach(Visit visit) const {
    for (size_t i = 0; i < order_.size();) {
      const PathElement& element = *elements_[order_[i]];
      size_t end = i + 1;
      while (end < order_.size() && *elements_[order_[end]] == element) ++end;
      visit(element, std::span<const size_t>(order_).subspan(i, end - i));
      i = end;
    }
  }

 private:
  std::vector<std::optional<PathElement>> elements_;
  std::vector<size_t> order_;  // positions, sorted by element
};

// Selects the paths of a document that are members of its set.
enum class Members {
  kOwned,  // the paths that its applier owns
  kAll,    // all paths
};

FieldSet PathsBelow(const Json& value, const Schema* schema, Members members);

FieldSet PathsOfObject(const JsonObject& object, const Schema* schema, Members members) {
  FieldSet paths;
  paths.Reserve(object.size());
  MemberFinder finder(schema);
  for (const auto& entry : object) {
    const Member member = finder.Find(entry.key());
    const Json& value = entry.value();
    const bool leaf = ShapeOf(member.schema, value) == Shape::kLeaf ||
                      (value.is_object() && value.get_object().empty());
    paths.Append(PathElement::Field(entry.key()), leaf || members == Members::kAll || !member.named,
                 PathsBelow(value, member.schema, members));
  }
  paths.Sort();
  return paths;
}

// Duplicate items count only by their common path element.
FieldSet PathsOfList(const JsonArray& items, const Schema& list, Members members) {
  FieldSet paths;
  ItemIndex(list, items).ForEach([&](const PathElement& element, std::span<const size_t> at) {
    FieldSet below;
    if (at.size() == 1) below = PathsBelow(items[at[0]], list.items, members);
    paths.Append(PathElement(element), true, std::move(below));
  });
  return paths;
}

FieldSet PathsBelow(const Json& value, const Schema* schema, Members members) {
  switch (ShapeOf(schema, value)) {
    case Shape::kLeaf: return {};
    case Shape::kObject: return PathsOfObject(value.get_object(), schema, members);
    default: return PathsOfList(value.get_array(), schema->Resolve(), members);
  }
}

FieldSet AllBelow(const Json& value, const Schema* schema) {
  return PathsBelow(value, schema, Members::kAll);
}

// Finds the changes below one value.
class Comparer {
 public:
  static FieldChanges Compare(const Json& before, const Json& after, const Schema* schema,
                              const FieldSet* ignored) {
    FieldChanges changes;
    CompareValues(before, after, schema, ignored, changes);
    return changes;
  }

 private:
  // Collects the changes below the value; true when the value itself was modified.
  static bool CompareValues(const Json& before, const Json& after, const Schema* schema,
                            const FieldSet* ignored, FieldChanges& below) {
    const Shape old_shape = ShapeOf(schema, before);
    const Shape new_shape = ShapeOf(schema, after);
    if (old_shape != new_shape) {
      below.removed = AllBelow(before, schema);
      below.added = AllBelow(after, schema);
      // A change between null and a value with members is recorded by its members.
      const bool from_null = before.is_null() && !below.added.Empty();
      const bool to_null = after.is_null() && !below.removed.Empty();
      return !from_null && !to_null;
    }
    switch (old_shape) {
      case Shape::kLeaf: return !JsonEqual(before, after);
      case Shape::kObject:
        CompareObjects(before.get_object(), after.get_object(), schema, ignored, below);
        return false;
      default:
        CompareLists(before.get_array(), after.get_array(), schema->Resolve(), below);
        return false;
    }
  }

  static void CompareObjects(const JsonObject& before, const JsonObject& after,
                             const Schema* schema, const FieldSet* ignored, FieldChanges& changes) {
    MemberFinder finder(schema);
    for (const auto& entry : before) {
      const std::string_view key = entry.key();
      if (HasMember(ignored, Kind::kField, key)) continue;
      const Schema* below = finder.Find(key).schema;
      if (const Json* value = after.if_contains(key)) {
        AppendComparison(PathElement::Field, key, entry.value(), *value, below,
                         Below(ignored, Kind::kField, key), changes);
      } else {
        changes.removed.Append(PathElement::Field(key), true, AllBelow(entry.value(), below));
      }
    }
    for (const auto& entry : after) {
      const std::string_view key = entry.key();
      if (before.contains(key) || HasMember(ignored, Kind::kField, key)) continue;
      changes.added.Append(PathElement::Field(key), true,
                           AllBelow(entry.value(), finder.Find(key).schema));
    }
    changes.added.Sort();
    changes.modified.Sort();
    changes.removed.Sort();
  }

  static void CompareLists(const JsonArray& before, const JsonArray& after, const Schema& list,
                           FieldChanges& changes) {
    const ItemIndex old_items(list, before);
    const ItemIndex new_items(list, after);
    old_items.ForEach([&](const PathElement& element, std::span<const size_t> at) {
      const std::span<const size_t> now = new_items.Find(element);
      if (at.size() == 1 && now.size() == 1) {
        AppendComparison([](const PathElement& same) { return same; }, element, before[at[0]],
                         after[now[0]], list.items, nullptr, changes);
      } else if (now.empty()) {
        changes.removed.Append(PathElement(element), true, ItemPaths(before, at, list));
      } else if (!std::equal(at.begin(), at.end(), now.begin(), now.end(),
                             [&](size_t a, size_t b) { return JsonEqual(before[a], after[b]); })) {
        changes.modified.Append(PathElement(element), true, {});
      }
    });
    new_items.ForEach([&](const PathElement& element, std::span<const size_t> at) {
      if (!old_items.Find(element).empty()) return;
      changes.added.Append(PathElement(element), true, ItemPaths(after, at, list));
    });
    changes.added.Sort();
  }

  static FieldSet ItemPaths(const JsonArray& items, std::span<const size_t> at,
                            const Schema& list) {
    return at.size() == 1 ? AllBelow(items[at[0]], list.items) : FieldSet();
  }

  // Creates path elements only for changes: most fields do not change.
  template <class MakeElement, class From>
  static void AppendComparison(MakeElement make, const From& from, const Json& before,
                               const Json& after, const Schema* schema, const FieldSet* ignored,
                               FieldChanges& changes) {
    FieldChanges below;
    const bool modified = CompareValues(before, after, schema, ignored, below);
    if (!below.added.Empty()) changes.added.Append(make(from), false, std::move(below.added));
    if (modified || !below.modified.Empty()) {
      changes.modified.Append(make(from), modified, std::move(below.modified));
    }
    if (!below.removed.Empty()) {
      changes.removed.Append(make(from), false, std::move(below.removed));
    }
  }
};

// Merges a configuration into a live value in one pass over the configuration, which also collects
// the owned and the changed fields. It does not visit fields outside of the configuration.
class Merger {
 public:
  Result<MergedFields> Merge(const Json& config, const Schema* schema, const FieldSet* ignored,
                             Json& live) {
    if (!config.is_object()) {
      return Error::BadRequest(
          fmt::format("the applied configuration must be an object, got {}", JsonTypeName(config)));
    }
    if (!live.is_object()) live.emplace_object();
    Paths paths;
    if (!MergeObject(config.get_object(), schema, ignored, live.get_object(), paths)) {
      return Error::BadRequest(fmt::format("{}: {}", problem_path_, problem_));
    }
    return MergedFields{std::move(paths.owned), std::move(paths.changed), std::move(paths.removed),
                        touched_};
  }

 private:
  struct Paths {
    FieldSet owned;
    FieldSet changed;
    FieldSet removed;
  };

  bool Fail(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }
  // Callers prepend their path element to the path of an error.
  bool FailBelow(const PathElement& element) {
    std::string front;
    element.AppendPath(front);
    problem_path_.insert(0, front);
    return false;
  }

  bool MergeObject(const JsonObject& config, const Schema* schema, const FieldSet* ignored,
                   JsonObject& live, Paths& paths) {
    paths.owned.Reserve(config.size());
    MemberFinder finder(schema);
    size_t next_live = 0;
    for (const auto& entry : config) {
      const std::string_view key = entry.key();
      if (HasMember(ignored, Kind::kField, key)) continue;
      const Member member = finder.Find(key);
      if (member.undeclared) {
        Fail("field not declared in schema");
        return FailBelow(PathElement::Field(key));
      }
      if (entry.value().is_null() && !live.contains(key) && NullMeansAbsent(member.schema)) {
        paths.owned.Append(PathElement::Field(key), true, {});
        continue;
      }
      const auto [slot, absent] = FindOrAdd(key, live, next_live);
      const Target target{.live = *slot,
                          .absent = absent,
                          .schema = member.schema,
                          .ignored = Below(ignored, Kind::kField, key)};
      Paths below;
      bool changed = false;
      if (!MergeValue(entry.value(), target, below, changed)) {
        return FailBelow(PathElement::Field(key));
      }
      const bool owned = !member.named || IsOwnedLeaf(entry.value(), member.schema);
      Append(PathElement::Field(key), owned, changed, std::move(below), paths);
    }
    SortPaths(paths);
    return true;
  }

  // Finds or inserts the member. Tries the members from `next` on first: members usually have the
  // same order in both.
  static std::pair<Json*, bool> FindOrAdd(std::string_view key, JsonObject& live, size_t& next) {
    const size_t end = std::min(next + 8, live.size());
    for (size_t i = next; i < end; ++i) {
      auto& member = live.begin()[i];
      if (member.key() != key) continue;
      next = i + 1;
      return {&member.value(), false};
    }
    const auto [member, absent] = live.emplace(key, nullptr);
    return {&member->value(), absent};
  }

  static bool NullMeansAbsent(const Schema* schema) {
    return schema != nullptr && !schema->nullable && !schema->preserve_unknown_fields;
  }

  // The target of a merge.
  struct Target {
    Json& live;
    bool absent;  // `live` is new and null
    const Schema* schema;
    const FieldSet* ignored;
  };

  static bool IsOwnedLeaf(const Json& value, const Schema* schema) {
    return ShapeOf(schema, value) == Shape::kLeaf ||
           (value.is_object() && value.get_object().empty());
  }

  static void Append(PathElement&& element, bool owned, bool changed, Paths&& below, Paths& paths) {
    if (changed || !below.changed.Empty()) {
      paths.changed.Append(PathElement(element), changed, std::move(below.changed));
    }
    if (!below.removed.Empty()) {
      paths.removed.Append(PathElement(element), false, std::move(below.removed));
    }
    paths.owned.Append(std::move(element), owned, std::move(below.owned));
  }

  // Sets `changed` when the value itself was added or modified.
  bool MergeValue(const Json& config, const Target& target, Paths& below, bool& changed) {
    const Shape shape = ShapeOf(target.schema, config);
    if (shape == Shape::kLeaf) {
      changed = MergeLeaf(config, target, below);
      return true;
    }
    changed = Reshape(config, shape, target, below);
    if (shape == Shape::kObject) {
      return MergeObject(config.get_object(), target.schema, target.ignored,
                         target.live.get_object(), below);
    }
    return MergeList(config.get_array(), target.schema->Resolve(), target.live.get_array(), below);
  }

  bool MergeLeaf(const Json& config, const Target& target, Paths& below) {
    const bool granular = ShapeOf(target.schema, target.live) != Shape::kLeaf;
    // Null does not change the members of the live value.
    if (config.is_null() && granular && !IsEmptyContainer(target.live)) return false;
    if (!target.absent && JsonEqual(config, target.live)) return false;
    if (granular) below.removed = AllBelow(target.live, target.schema);
    target.live = config;
    touched_ = true;
    return true;
  }

  // Replaces a live value into which the configuration cannot be merged.
  bool Reshape(const Json& config, Shape shape, const Target& target, Paths& below) {
    if (!target.absent && ShapeOf(target.schema, target.live) == shape) return false;
    const bool was_null = target.live.is_null() && !target.absent;
    below.removed = AllBelow(target.live, target.schema);
    if (shape == Shape::kObject) {
      target.live.emplace_object().reserve(config.get_object().size());
    } else {
      target.live.emplace_array().reserve(config.get_array().size());
    }
    touched_ = true;
    // A change from null to a value with members is recorded by its members.
    return !was_null || IsEmptyContainer(config);
  }

  bool MergeList(const JsonArray& config, const Schema& list, JsonArray& live, Paths& paths) {
    const ItemIndex applied(list, config);
    if (!CheckItems(config, list, applied)) return false;
    const ItemIndex present(list, live);
    if (!KeepsPlaces(applied, present)) {
      return MergeInOrder(config, list, applied, present, live, paths);
    }
    for (size_t i = 0; i < applied.size(); ++i) {
      const size_t at = present.Find(*applied.element(i)).front();
      if (!MergeItem(config[i], list, *applied.element(i), live[at], false, paths)) return false;
    }
    SortPaths(paths);
    return true;
  }

  bool CheckItems(const JsonArray& config, const Schema& list, const ItemIndex& applied) {
    for (size_t i = 0; i < config.size(); ++i) {
      const std::string why = ExplainItem(list, config[i]);
      if (!why.empty()) return Fail(fmt::format("element {}: {}", i, why));
      if (applied.Find(*applied.element(i)).size() == 1) continue;
      std::string key;
      applied.element(i)->AppendPath(key);
      return Fail(fmt::format("duplicate entries for key {}", key));
    }
    return true;
  }

  // Whether the live list has every applied item once and in the same order.
  static bool KeepsPlaces(const ItemIndex& applied, const ItemIndex& present) {
    size_t next = 0;
    for (size_t i = 0; i < applied.size(); ++i) {
      const std::span<const size_t> at = present.Find(*applied.element(i));
      if (at.size() != 1 || at[0] < next) return false;
      next = at[0] + 1;
    }
    return true;
  }

  // Rebuilds the list. Items that are only in the live list come first, up to the next item that is
  // in both; then follows the applied item.
  bool MergeInOrder(const JsonArray& config, const Schema& list, const ItemIndex& applied,
                    const ItemIndex& present, JsonArray& live, Paths& paths) {
    JsonArray merged(live.storage());
    merged.reserve(std::max(live.size(), config.size()));
    const auto shared = [&](size_t i) {
      return present.element(i) != nullptr && !applied.Find(*present.element(i)).empty();
    };
    const auto keep_live_up_to = [&](size_t& from, size_t end) {
      for (; from < end; ++from) {
        if (!shared(from)) merged.push_back(std::move(live[from]));
      }
    };
    size_t next_live = 0;
    for (size_t i = 0; i < config.size(); ++i) {
      keep_live_up_to(next_live, std::max(next_live, NextShared(applied, present, i)));
      const std::span<const size_t> at = present.Find(*applied.element(i));
      // The applied item replaces all duplicates.
      const bool fresh = at.size() != 1;
      merged.push_back(fresh ? Json(nullptr, live.storage()) : std::move(live[at[0]]));
      if (!MergeItem(config[i], list, *applied.element(i), merged.back(), fresh, paths)) {
        return false;
      }
    }
    keep_live_up_to(next_live, live.size());
    live = std::move(merged);
    touched_ = true;
    SortPaths(paths);
    return true;
  }

  // The live position of the first item that is applied at `from` or later; the end of the list if
  // there is none.
  static size_t NextShared(const ItemIndex& applied, const ItemIndex& present, size_t from) {
    for (size_t i = from; i < applied.size(); ++i) {
      const std::span<const size_t> at = present.Find(*applied.element(i));
      if (!at.empty()) return at[0];
    }
    return present.size();
  }

  bool MergeItem(const Json& config, const Schema& list, const PathElement& element, Json& live,
                 bool absent, Paths& paths) {
    Paths below;
    bool changed = false;
    const Target target{.live = live, .absent = absent, .schema = list.items, .ignored = nullptr};
    if (!MergeValue(config, target, below, changed)) return FailBelow(element);
    Append(PathElement(element), true, changed, std::move(below), paths);
    return true;
  }

  static void SortPaths(Paths& paths) {
    paths.owned.Sort();
    paths.changed.Sort();
    paths.removed.Sort();
  }

  bool touched_ = false;
  std::string problem_;
  std::string problem_path_;
};

// Removes the fields that the manager no longer configures. A field is removed when its path
// contains, in this order and possibly at one element: a field that the manager owned before, a
// field without an owner now, and a field that the manager owned before. Hence the parents of
// fields with an owner remain, and fields that never had an owner remain as long as their parents.
class Pruner {
 public:
  enum class Seen { kNothing, kGivenUp, kUnowned };

  // Removes fields below `value` and adds their paths to `removed`.
  static void PruneBelow(const FieldSet& last, const FieldSet* owned, const Schema* schema,
                         Seen seen, Json& value, FieldSet& removed) {
    switch (ShapeOf(schema, value)) {
      case Shape::kLeaf: return;
      case Shape::kObject:
        return PruneObject(last, owned, schema, seen, value.get_object(), removed);
      default: return PruneList(last, owned, schema->Resolve(), seen, value.get_array(), removed);
    }
  }

 private:
  struct Facts {
    bool given_up;  // the manager owned it before
    bool owned;     // a manager owns it now
    bool counted;   // it is a member of the document's field set
  };

  // True when the caller must remove the field.
  static bool Advance(const Facts& facts, Seen& seen) {
    if (seen == Seen::kNothing && facts.given_up) seen = Seen::kGivenUp;
    if (seen == Seen::kGivenUp && facts.counted && !facts.owned) seen = Seen::kUnowned;
    return seen == Seen::kUnowned && facts.counted && facts.given_up;
  }

  static void PruneObject(const FieldSet& last, const FieldSet* owned, const Schema* schema,
                          Seen seen, JsonObject& object, FieldSet& removed) {
    MemberFinder finder(schema);
    for (const Node& node : last.nodes()) {
      if (node.element.kind() != Kind::kField) continue;
      const auto found = object.find(node.element.text());
      if (found == object.end()) continue;
      Json& value = found->value();
      const Member member = finder.Find(node.element.text());
      const bool named = member.named;
      const Node* now = owned == nullptr ? nullptr : owned->Find(node.element);
      const bool empty_list = value.is_array() && value.get_array().empty() &&
                              ShapeOf(member.schema, value) != Shape::kLeaf;
      Seen seen_below = seen;
      const bool gone = Advance({.given_up = named || node.member,
                                 .owned = now != nullptr && (named || now->member),
                                 .counted = !named || !empty_list},
                                seen_below);
      FieldSet below;
      if (gone) {
        below = AllBelow(value, member.schema);
      } else {
        PruneBelow(node.children, now == nullptr ? nullptr : &now->children, member.schema,
                   seen_below, value, below);
      }
      // An object without members is removed, too, unless a manager owns it.
      const bool kept = now != nullptr && now->member;
      const bool emptied = !gone && !kept && !below.Empty() && IsEmptyContainer(value);
      if (gone || emptied) object.erase(found);
      removed.Append(PathElement(node.element), gone || emptied, std::move(below));
    }
  }

  static void PruneList(const FieldSet& last, const FieldSet* owned, const Schema& list, Seen seen,
                        JsonArray& items, FieldSet& removed) {
    const ItemIndex index(list, items);
    std::vector<size_t> gone;
    for (const Node& node : last.nodes()) {
      const std::span<const size_t> at = index.Find(node.element);
      if (at.empty()) continue;
      const Node* now = owned == nullptr ? nullptr : owned->Find(node.element);
      Seen seen_below = seen;
      FieldSet below;
      const bool remove = Advance(
          {.given_up = node.member, .owned = now != nullptr && now->member, .counted = true},
          seen_below);
      if (remove) {
        gone.insert(gone.end(), at.begin(), at.end());
        if (at.size() == 1) below = AllBelow(items[at[0]], list.items);
      } else if (at.size() == 1) {
        PruneBelow(node.children, now == nullptr ? nullptr : &now->children, list.items, seen_below,
                   items[at[0]], below);
      }
      removed.Append(PathElement(node.element), remove, std::move(below));
    }
    std::sort(gone.begin(), gone.end(), std::greater<>());
    for (const size_t i : gone) items.erase(items.begin() + static_cast<ptrdiff_t>(i));
  }
};

}  // namespace

FieldSet ToFieldSet(const Json& document, const Schema* schema) {
  return PathsBelow(document, schema, Members::kOwned);
}

FieldChanges CompareFields(const Json& before, const Json& after, const Schema* schema,
                           const FieldSet* ignored) {
  return Comparer::Compare(before, after, schema, ignored);
}

Result<MergedFields> MergeApplied(const Json& config, const Schema* schema, const FieldSet* ignored,
                                  Json& live) {
  return Merger().Merge(config, schema, ignored, live);
}

FieldSet PruneFields(const FieldSet& last, const FieldSet& owned, const Schema* schema,
                     Json& document) {
  FieldSet removed;
  Pruner::PruneBelow(last, &owned, schema, Pruner::Seen::kNothing, document, removed);
  return removed;
}

}  // namespace kubexms
