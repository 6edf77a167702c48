#include "kubexms/api/patch/strategic_internal.h"

#include <fmt/format.h>

#include <algorithm>

namespace kubexms::strategic {
namespace {

std::string_view GoType(const Json& value) {
  switch (value.kind()) {
    case boost::json::kind::object: return "map[string]interface {}";
    case boost::json::kind::array: return "[]interface {}";
    case boost::json::kind::string: return "string";
    case boost::json::kind::int64:
    case boost::json::kind::uint64: return "int64";
    case boost::json::kind::double_: return "float64";
    case boost::json::kind::bool_: return "bool";
    case boost::json::kind::null: return "nil";
  }
  return "nil";
}

void AppendGoText(const Json& value, std::string& out) {
  if (const JsonObject* object = value.if_object()) {
    std::vector<std::string_view> keys;
    for (const auto& member : *object) keys.push_back(member.key());
    std::sort(keys.begin(), keys.end());
    out += "map[";
    for (size_t i = 0; i < keys.size(); ++i) {
      if (i > 0) out += ' ';
      out.append(keys[i]).append(":");
      AppendGoText(object->at(keys[i]), out);
    }
    out += ']';
  } else if (const JsonArray* array = value.if_array()) {
    out += '[';
    for (size_t i = 0; i < array->size(); ++i) {
      if (i > 0) out += ' ';
      AppendGoText((*array)[i], out);
    }
    out += ']';
  } else if (const JsonString* text = value.if_string()) {
    out += AsView(*text);
  } else if (value.is_null()) {
    out += "<nil>";
  } else {
    out += WriteJson(value);
  }
}

Result<ItemKind> KindOf(const Json& item) {
  if (item.is_object()) return ItemKind::kObject;
  if (item.is_array()) {
    return Error(422, "Invalid", "lists of lists are not supported");
  }
  if (item.is_null()) return Error::BadRequest("an item of a merged list is null");
  return ItemKind::kScalar;
}

}  // namespace

std::string GoText(const Json& value) {
  std::string out;
  AppendGoText(value, out);
  return out;
}

FieldRule RuleOf(const Schema* owner, std::string_view field) {
  FieldRule rule;
  if (owner != nullptr) rule.schema = owner->FindMember(field);
  if (rule.schema == nullptr) return rule;
  const PatchStrategy strategy = rule.schema->patch_strategy;
  rule.merge_list =
      strategy == PatchStrategy::kMerge || strategy == PatchStrategy::kMergeRetainKeys;
  rule.retain_keys =
      strategy == PatchStrategy::kRetainKeys || strategy == PatchStrategy::kMergeRetainKeys;
  rule.replace_object = strategy == PatchStrategy::kReplace;
  rule.merge_key = rule.schema->patch_merge_key;
  rule.items = rule.schema->Resolve().items;
  return rule;
}

std::string DirectiveFor(std::string_view prefix, std::string_view field) {
  return fmt::format("{}/{}", prefix, field);
}

Result<ItemKind> KindOfItems(const JsonArray& a, const JsonArray& b) {
  ItemKind common = ItemKind::kNone;
  for (const JsonArray* list : {&a, &b}) {
    for (const Json& item : *list) {
      ASSIGN_OR_RETURN(const ItemKind kind, KindOf(item));
      if (common != ItemKind::kNone && kind != common) {
        return Error::BadRequest(
            fmt::format("list element types are not identical: [{} {}]", GoText(a), GoText(b)));
      }
      common = kind;
    }
  }
  return common;
}

Result<std::string> IdentityOf(const Json& item, ItemKind kind, std::string_view merge_key) {
  if (kind == ItemKind::kScalar) return WriteJson(item);
  if (!item.is_object()) return UnexpectedType("map[string]interface {}", item);
  const Json* key = item.get_object().if_contains(merge_key);
  if (key == nullptr) return NoMergeKey(item, merge_key);
  return WriteJson(*key);
}

Result<Places> PlacesOf(const JsonArray& list, ItemKind kind, std::string_view merge_key) {
  Places places;
  for (size_t i = 0; i < list.size(); ++i) {
    ASSIGN_OR_RETURN(std::string identity, IdentityOf(list[i], kind, merge_key));
    places.try_emplace(std::move(identity), i);
  }
  return places;
}

bool HasDirective(const Json& item, std::string_view directive) {
  const Json* given = FindMember(item, kDirective);
  return given != nullptr && given->is_string() && AsView(given->get_string()) == directive;
}

Error BadPrimitiveList() { return Error::BadRequest("invalid patch format of primitive list"); }

Error BadRetainKeys() { return Error::BadRequest("invalid patch format of retainKeys"); }

Error BadSetElementOrder() {
  return Error::BadRequest("invalid patch format of setElementOrder list");
}

Error NoMergeKey(const Json& item, std::string_view merge_key) {
  return Error::BadRequest(
      fmt::format("map: {} does not contain declared merge key: {}", GoText(item), merge_key));
}

Error UnexpectedType(std::string_view expected, const Json& actual) {
  return Error::BadRequest(
      fmt::format("expected a {}, but received a {}", expected, GoType(actual)));
}

Error UnknownDirective(const Json& directive, const Json& item) {
  return Error::BadRequest(
      fmt::format("unknown patch type: {} in map: {}", GoText(directive), GoText(item)));
}

}  // namespace kubexms::strategic
