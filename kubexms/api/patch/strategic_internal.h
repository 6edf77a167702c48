#pragma once

// Shared code for applying and creating strategic merge patches. Internal.

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "kubexms/api/schema/schema.h"
#include "kubexms/base/json/json.h"

namespace kubexms::strategic {

inline constexpr std::string_view kDirective = "$patch";
inline constexpr std::string_view kDelete = "delete";
inline constexpr std::string_view kReplace = "replace";
inline constexpr std::string_view kMerge = "merge";
inline constexpr std::string_view kRetainKeys = "$retainKeys";
inline constexpr std::string_view kDeleteFromPrimitiveList = "$deleteFromPrimitiveList";
inline constexpr std::string_view kSetElementOrder = "$setElementOrder";

// How one field is patched. The schemas are null for fields without a schema.
struct FieldRule {
  bool merge_list = false;
  bool replace_object = false;
  bool retain_keys = false;
  std::string_view merge_key;
  const Schema* schema = nullptr;
  const Schema* items = nullptr;
};
FieldRule RuleOf(const Schema* owner, std::string_view field);

// "$setElementOrder/field".
std::string DirectiveFor(std::string_view prefix, std::string_view field);

enum class ItemKind { kNone, kScalar, kObject };

// The kind of all items of both lists. Fails when the kinds differ, or for items that are lists or
// null.
Result<ItemKind> KindOfItems(const JsonArray& a, const JsonArray& b);

// The identity of an item: the canonical text of its merge key, or of the item if it is a scalar.
Result<std::string> IdentityOf(const Json& item, ItemKind kind, std::string_view merge_key);

// Identities of a list's items, with the first index of each.
using Places = std::unordered_map<std::string, size_t>;
Result<Places> PlacesOf(const JsonArray& list, ItemKind kind, std::string_view merge_key);

bool HasDirective(const Json& item, std::string_view directive);

// Errors with the messages of Kubernetes.
Error BadPrimitiveList();
Error BadRetainKeys();
Error BadSetElementOrder();
Error NoMergeKey(const Json& item, std::string_view merge_key);
Error UnexpectedType(std::string_view expected, const Json& actual);
Error UnknownDirective(const Json& directive, const Json& item);

// A value as Go prints it with %v: map[a:1 b:[x y]].
std::string GoText(const Json& value);

}  // namespace kubexms::strategic
