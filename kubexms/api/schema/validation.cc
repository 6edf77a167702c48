#include "kubexms/api/schema/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "kubexms/api/schema/schema_json.h"
#include "kubexms/api/schema/string_format.h"
#include "kubexms/api/values/quantity.h"
#include "kubexms/api/values/quote.h"

namespace kubexms {
namespace {

// The result of checking a value: the errors, and the number of checks that passed. The latter
// selects the closest alternative of an anyOf, whose errors are the most helpful.
struct Findings {
  std::vector<ErrorCause> errors;
  int checks = 0;
  bool valid = true;

  void Add(ErrorCause cause, size_t max_errors) {
    valid = false;
    if (errors.size() >= max_errors) return;
    if (std::find(errors.begin(), errors.end(), cause) == errors.end())
      errors.push_back(std::move(cause));
  }

  void Merge(Findings other, size_t max_errors) {
    checks += other.checks;
    valid = valid && other.valid;
    for (ErrorCause& cause : other.errors) Add(std::move(cause), max_errors);
  }
};

std::string_view TypeName(const Schema& shape) {
  if (shape.int_or_string || shape.quantity) return "integer,string";
  return SchemaTypeName(shape.type);
}

bool IsWhole(double number) { return std::isfinite(number) && std::trunc(number) == number; }

bool IsInteger(const Json& value) {
  return value.is_int64() || value.is_uint64() ||
         (value.is_double() && IsWhole(value.get_double()));
}

bool HasType(const Json& value, const Schema& shape) {
  if (shape.quantity) return value.is_string() || value.is_number();
  if (shape.int_or_string) return value.is_string() || IsInteger(value);
  switch (shape.type) {
    case SchemaType::kAny: return true;
    case SchemaType::kObject: return value.is_object();
    case SchemaType::kArray: return value.is_array();
    case SchemaType::kString: return value.is_string();
    case SchemaType::kInteger: return IsInteger(value);
    case SchemaType::kNumber: return value.is_number();
    case SchemaType::kBoolean: return value.is_bool();
  }
  return true;
}

int64_t CountCharacters(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

// -1, 0 or 1. Exact: a 64-bit integer is never rounded to a double first.
int CompareNumber(const Json& value, double bound) {
  const auto compare = [](auto a, auto b) { return a < b ? -1 : a > b ? 1 : 0; };
  if (value.is_double()) return compare(value.get_double(), bound);
  const double floor = std::floor(bound);
  if (value.is_uint64()) {
    if (bound < 0) return 1;
    if (floor >= 0x1p64) return -1;
    const int order = compare(value.get_uint64(), static_cast<uint64_t>(floor));
    return order == 0 && floor != bound ? -1 : order;
  }
  if (floor >= 0x1p63) return -1;
  if (floor < -0x1p63) return 1;
  const int order = compare(value.get_int64(), static_cast<int64_t>(floor));
  return order == 0 && floor != bound ? -1 : order;
}

bool IsMultipleOf(const Json& value, double factor) {
  if (factor <= 0) return true;
  if (value.is_int64() && IsWhole(factor) && factor < 0x1p63)
    return value.get_int64() % static_cast<int64_t>(factor) == 0;
  if (value.is_uint64() && IsWhole(factor) && factor < 0x1p64)
    return value.get_uint64() % static_cast<uint64_t>(factor) == 0;
  const double quotient = value.to_number<double>() / factor;
  // 0.0075 / 0.0001 is not quite 75.
  return std::fabs(quotient - std::round(quotient)) <= 1e-9 * std::fabs(quotient);
}

class Validator {
 public:
  explicit Validator(const ValidationOptions& options) : options_(options) {}

  Findings Check(const Json& value, const Schema& node, const FieldPath& path) {
    const Schema& shape = node.Resolve();
    Findings found;
    if (value.is_null() && options_.builtin_kind) return found;
    if (value.is_null()) {
      CheckNull(node, path, found);
      CheckEnum(value, shape, path, found);
      return found;
    }
    CheckType(value, shape, path, found);
    CheckJunctors(value, shape, path, found);
    if (value.is_string()) CheckString(AsView(value.get_string()), shape, path, found);
    if (value.is_number()) CheckNumber(value, shape, path, found);
    if (value.is_array()) CheckArray(value.get_array(), shape, path, found);
    CheckEnum(value, shape, path, found);
    if (value.is_object()) CheckObject(value.get_object(), shape, path, found);
    ++found.checks;
    return found;
  }

 private:
  void Add(ErrorCause cause, Findings& found) { found.Add(std::move(cause), options_.max_errors); }

  // An error of the field at `path`; the message starts with the path in the body.
  void AddInvalid(const FieldPath& path, const Json& value, std::string_view what,
                  Findings& found) {
    Add(Invalid(path, value, InBody(path, what)), found);
  }
  void AddTypeInvalid(const FieldPath& path, const Json& value, std::string_view what,
                      Findings& found) {
    Add(TypeInvalid(path, value, InBody(path, what)), found);
  }
  // An error of the value as a whole, which has no path in Kubernetes' message.
  void AddUnplaced(std::string_view message, Findings& found) {
    Add(Invalid(FieldPath(), Json(""), message), found);
  }

  static std::string InBody(const FieldPath& path, std::string_view what) {
    return fmt::format("{} in body {}", path.ToString(), what);
  }

  void CheckNull(const Schema& node, const FieldPath& path, Findings& found) {
    const std::string_view type = TypeName(node.Resolve());
    if (node.nullable || node.Resolve().nullable || type.empty()) {
      ++found.checks;
      return;
    }
    AddTypeInvalid(path, Json("null"), fmt::format("must be of type {}: \"null\"", type), found);
  }

  void CheckType(const Json& value, const Schema& shape, const FieldPath& path, Findings& found) {
    const std::string_view type = TypeName(shape);
    if (type.empty()) return;
    ++found.checks;
    if (HasType(value, shape)) {
      ++found.checks;
      return;
    }
    const std::string_view actual = value.is_double() ? "number" : JsonTypeName(value);
    AddTypeInvalid(path, Json(actual), fmt::format("must be of type {}: \"{}\"", type, actual),
                   found);
  }

  void CheckJunctors(const Json& value, const Schema& shape, const FieldPath& path,
                     Findings& found) {
    found.checks += 2;
    if (!shape.any_of.empty()) CheckAnyOf(value, shape, path, found);
    if (!shape.one_of.empty()) CheckOneOf(value, shape, path, found);
    if (!shape.all_of.empty()) CheckAllOf(value, shape, path, found);
    if (shape.negation != nullptr && Check(value, *shape.negation, path).valid) {
      AddUnplaced(Quoted(path.ToString()) + " must not validate the schema (not)", found);
    }
  }

  void CheckAnyOf(const Json& value, const Schema& shape, const FieldPath& path, Findings& found) {
    Findings best;
    best.checks = -1;
    for (const Schema* alternative : shape.any_of) {
      Findings tried = Check(value, *alternative, path);
      if (tried.valid) {
        found.Merge(std::move(tried), options_.max_errors);
        return;
      }
      if (tried.checks > best.checks) best = std::move(tried);
    }
    AddUnplaced(Quoted(path.ToString()) + " must validate at least one schema (anyOf)", found);
    found.Merge(std::move(best), options_.max_errors);
  }

  void CheckOneOf(const Json& value, const Schema& shape, const FieldPath& path, Findings& found) {
    Findings best;
    Findings success;
    best.checks = -1;
    int valid = 0;
    for (const Schema* alternative : shape.one_of) {
      Findings tried = Check(value, *alternative, path);
      if (tried.valid) {
        if (++valid == 1) success = std::move(tried);
      } else if (tried.checks > best.checks) {
        best = std::move(tried);
      }
    }
    if (valid == 1) {
      found.Merge(std::move(success), options_.max_errors);
      return;
    }
    AddUnplaced(
        fmt::format("{} must validate one and only one schema (oneOf). Found {}",
                    Quoted(path.ToString()),
                    valid == 0 ? "none valid" : fmt::format("{} valid alternatives", valid)),
        found);
    if (valid == 0) found.Merge(std::move(best), options_.max_errors);
  }

  void CheckAllOf(const Json& value, const Schema& shape, const FieldPath& path, Findings& found) {
    size_t valid = 0;
    for (const Schema* part : shape.all_of) {
      Findings tried = Check(value, *part, path);
      if (tried.valid) ++valid;
      found.Merge(std::move(tried), options_.max_errors);
    }
    if (valid == shape.all_of.size()) return;
    AddUnplaced(fmt::format("{} must validate all the schemas (allOf){}", Quoted(path.ToString()),
                            valid == 0 ? ". None validated" : ""),
                found);
  }

  void CheckString(std::string_view text, const Schema& shape, const FieldPath& path,
                   Findings& found) {
    ++found.checks;
    CheckLengthAndPattern(text, shape, path, found);
    if (shape.quantity) {
      CheckQuantity(text, path, found);
    } else if (!shape.format.empty() && IsKnownStringFormat(shape.format)) {
      ++found.checks;
      if (!MatchesStringFormat(shape.format, text)) {
        AddTypeInvalid(path, Json(text),
                       fmt::format("must be of type {}: {}", shape.format, Quoted(text)), found);
      }
    }
  }

  void CheckLengthAndPattern(std::string_view text, const Schema& shape, const FieldPath& path,
                             Findings& found) {
    if (shape.max_length && CountCharacters(text) > *shape.max_length) {
      Add(TooLong(path, *shape.max_length), found);
    } else if (shape.min_length && CountCharacters(text) < *shape.min_length) {
      AddInvalid(path, Json(text),
                 fmt::format("should be at least {} chars long", *shape.min_length), found);
    } else if (!shape.pattern.empty() && !shape.compiled_pattern.Matches(shape.pattern, text)) {
      AddInvalid(path, Json(text), fmt::format("should match '{}'", shape.pattern), found);
    }
  }

  void CheckQuantity(std::string_view text, const FieldPath& path, Findings& found) {
    const Result<Quantity> quantity = Quantity::Parse(text);
    if (!quantity.ok()) Add(Invalid(path, Json(text), quantity.error().message()), found);
  }

  void CheckNumber(const Json& value, const Schema& shape, const FieldPath& path, Findings& found) {
    ++found.checks;
    if (shape.multiple_of && !IsMultipleOf(value, *shape.multiple_of)) {
      AddInvalid(path, value, "should be a multiple of " + DescribeNumber(*shape.multiple_of),
                 found);
    }
    if (options_.builtin_kind) {
      CheckRange(value, shape, path, found);
    } else {
      CheckBounds(value, shape, path, found);
    }
    if (options_.integer_formats && shape.type == SchemaType::kInteger && IsInteger(value))
      CheckIntegerFormat(value, shape, path, found);
  }

  // Both bounds at once.
  void CheckRange(const Json& value, const Schema& shape, const FieldPath& path, Findings& found) {
    const bool too_low = shape.minimum && CompareNumber(value, *shape.minimum) < 0;
    const bool too_high = shape.maximum && CompareNumber(value, *shape.maximum) > 0;
    if (!too_low && !too_high) return;
    if (shape.minimum && shape.maximum) {
      Add(Invalid(path, value,
                  fmt::format("must be between {} and {}, inclusive",
                              DescribeNumber(*shape.minimum), DescribeNumber(*shape.maximum))),
          found);
    } else {
      Add(Invalid(path, value,
                  fmt::format("must be {} than or equal to {}", too_low ? "greater" : "less",
                              DescribeNumber(too_low ? *shape.minimum : *shape.maximum))),
          found);
    }
  }

  void CheckBounds(const Json& value, const Schema& shape, const FieldPath& path, Findings& found) {
    if (shape.minimum) {
      const int order = CompareNumber(value, *shape.minimum);
      if (order < 0 || (order == 0 && shape.exclusive_minimum)) {
        AddInvalid(path, value,
                   fmt::format("should be greater than {}{}",
                               shape.exclusive_minimum ? "" : "or equal to ",
                               DescribeNumber(*shape.minimum)),
                   found);
      }
    }
    if (shape.maximum) {
      const int order = CompareNumber(value, *shape.maximum);
      if (order > 0 || (order == 0 && shape.exclusive_maximum)) {
        AddInvalid(
            path, value,
            fmt::format("should be less than {}{}", shape.exclusive_maximum ? "" : "or equal to ",
                        DescribeNumber(*shape.maximum)),
            found);
      }
    }
  }

  void CheckIntegerFormat(const Json& value, const Schema& shape, const FieldPath& path,
                          Findings& found) {
    const bool narrow = shape.format == "int32";
    const double low = narrow ? std::numeric_limits<int32_t>::min() : -0x1p63;
    const double end = narrow ? 0x1p31 : 0x1p63;
    if (CompareNumber(value, low) >= 0 && CompareNumber(value, end) < 0) return;
    AddInvalid(path, value,
               fmt::format("must be of type integer with format {}", narrow ? "int32" : "int64"),
               found);
  }

  void CheckArray(const JsonArray& items, const Schema& shape, const FieldPath& path,
                  Findings& found) {
    found.checks += 2;
    const auto size = static_cast<int64_t>(items.size());
    if (shape.items != nullptr) {
      for (size_t i = 0; i < items.size(); ++i) {
        found.Merge(Check(items[i], *shape.items, path.Index(i)), options_.max_errors);
      }
    }
    if (shape.min_items && size < *shape.min_items) {
      AddInvalid(path, Json(size), fmt::format("should have at least {} items", *shape.min_items),
                 found);
    }
    if (shape.max_items && size > *shape.max_items) {
      Add(TooMany(path, size, *shape.max_items), found);
    }
    if (shape.unique_items && HasDuplicates(items)) {
      AddInvalid(path, Json(""), "shouldn't contain duplicates", found);
    }
  }

  static bool HasDuplicates(const JsonArray& items) {
    std::set<std::string> seen;
    return !std::all_of(items.begin(), items.end(),
                        [&](const Json& item) { return seen.insert(WriteJson(item)).second; });
  }

  void CheckEnum(const Json& value, const Schema& shape, const FieldPath& path, Findings& found) {
    ++found.checks;
    if (shape.enum_values.empty()) return;
    std::vector<std::string> written;
    for (const Json& allowed : shape.enum_values) {
      if (JsonEqual(value, allowed)) return;
      written.push_back(allowed.is_string() ? std::string(AsView(allowed.get_string()))
                                            : WriteJson(allowed));
    }
    const std::vector<std::string_view> supported(written.begin(), written.end());
    Add(NotSupported(path, value, supported), found);
  }

  void CheckObject(const JsonObject& object, const Schema& shape, const FieldPath& path,
                   Findings& found) {
    ++found.checks;
    const auto size = static_cast<int64_t>(object.size());
    if (shape.min_properties && size < *shape.min_properties) {
      AddInvalid(path, Json(size),
                 fmt::format("should have at least {} properties", *shape.min_properties), found);
      return;
    }
    if (shape.max_properties && size > *shape.max_properties) {
      Add(TooMany(path, size, *shape.max_properties), found);
      return;
    }
    if (shape.additional_properties != nullptr || shape.additional_properties_forbidden)
      CheckOtherMembers(object, shape, path, found);
    for (const Property& property : shape.properties) {
      const Json* member = object.if_contains(property.name);
      if (member == nullptr) continue;
      found.Merge(Check(*member, *property.schema, path.Child(property.name)), options_.max_errors);
    }
    if (options_.builtin_kind) return;
    for (const std::string& name : shape.required) {
      if (!object.contains(name)) Add(Required(path.Child(name)), found);
    }
  }

  // The members that are not properties.
  void CheckOtherMembers(const JsonObject& object, const Schema& shape, const FieldPath& path,
                         Findings& found) {
    for (const auto& member : object) {
      const std::string_view key(member.key().data(), member.key().size());
      if (shape.FindProperty(key) != nullptr) continue;
      const FieldPath child = path.Child(key);
      if (shape.additional_properties_forbidden) {
        Add(Invalid(path, Json(key), InBody(child, "is a forbidden property")), found);
      } else {
        found.Merge(Check(member.value(), *shape.additional_properties, child),
                    options_.max_errors);
      }
    }
  }

  const ValidationOptions& options_;
};

// The checks that follow the schema: sets and list maps have no duplicates, embedded resources have
// apiVersion and kind.
class ListTypeValidator {
 public:
  ListTypeValidator(const ValidationOptions& options, Findings& found)
      : options_(options), found_(found) {}

  void Check(const Json& value, const Schema& node, const FieldPath& path) {
    const Schema& shape = node.Resolve();
    if (const JsonArray* items = value.if_array()) CheckItems(*items, node, path);
    if (const JsonObject* object = value.if_object()) {
      if (node.embedded_resource || shape.embedded_resource) CheckEmbedded(*object, path);
      CheckMembers(*object, shape, path);
    }
  }

 private:
  void Add(ErrorCause cause) { found_.Add(std::move(cause), options_.max_errors); }

  void CheckMembers(const JsonObject& object, const Schema& shape, const FieldPath& path) {
    for (const auto& member : object) {
      const std::string_view key(member.key().data(), member.key().size());
      if (const Schema* property = shape.FindProperty(key)) {
        Check(member.value(), *property, path.Child(key));
      } else if (shape.additional_properties != nullptr) {
        Check(member.value(), *shape.additional_properties, path.Key(key));
      }
    }
  }

  void CheckItems(const JsonArray& items, const Schema& node, const FieldPath& path) {
    if (node.list_type_given && node.list_type == ListType::kSet) CheckSet(items, path);
    if (node.list_type_given && node.list_type == ListType::kMap) {
      CheckListMap(items, node.list_map_keys, path);
    }
    const Schema& shape = node.Resolve();
    if (shape.items == nullptr) return;
    for (size_t i = 0; i < items.size(); ++i) Check(items[i], *shape.items, path.Index(i));
  }

  void CheckSet(const JsonArray& items, const FieldPath& path) {
    DuplicateFinder finder;
    for (size_t i = 0; i < items.size(); ++i) {
      if (finder.IsFirstDuplicate(items[i])) Add(Duplicate(path.Index(i), items[i]));
    }
  }

  void CheckListMap(const JsonArray& items, const std::vector<std::string>& keys,
                    const FieldPath& path) {
    for (size_t i = 0; i < items.size(); ++i) {
      if (items[i].is_object() || items[i].is_null()) continue;
      Add(Invalid(path.Index(i), items[i], "must be an object for an array of list-type map"));
      return;
    }
    DuplicateFinder finder;
    for (size_t i = 0; i < items.size(); ++i) {
      JsonObject identity;
      for (const std::string& key : keys) {
        if (const Json* value = FindMember(items[i], key)) identity.emplace(key, *value);
      }
      const Json described(std::move(identity));
      if (finder.IsFirstDuplicate(described)) Add(Duplicate(path.Index(i), described));
    }
  }

  void CheckEmbedded(const JsonObject& object, const FieldPath& path) {
    for (const char* name : {"apiVersion", "kind"}) {
      const Json* value = object.if_contains(name);
      const FieldPath field = path.Child(name);
      if (value == nullptr) {
        Add(Required(field, "must not be empty"));
      } else if (!value->is_string()) {
        Add(Invalid(field, *value, "must be a string"));
      } else if (value->get_string().empty()) {
        Add(Invalid(field, *value, "must not be empty"));
      }
    }
    const Json* metadata = object.if_contains("metadata");
    if (metadata != nullptr && !metadata->is_object()) {
      Add(Invalid(path.Child("metadata"), *metadata, "must be an object"));
    }
  }

  // Kubernetes reports a duplicate at its second occurrence.
  class DuplicateFinder {
   public:
    bool IsFirstDuplicate(const Json& value) {
      std::string text = WriteJson(value);
      if (seen_.insert(text).second) return false;
      return reported_.insert(std::move(text)).second;
    }

   private:
    std::set<std::string> seen_;
    std::set<std::string> reported_;
  };

  const ValidationOptions& options_;
  Findings& found_;
};

// The message of the rule that makes the field immutable.
std::string ImmutabilityMessage(const Schema& shape) {
  for (const Json& rule : shape.cel_rules) {
    const Json* message = FindMember(rule, "message");
    if (message != nullptr && message->is_string()) return std::string(message->get_string());
  }
  return "failed rule: self == oldSelf";
}

void CheckTransition(const Json& value, const Json& old, const Schema& schema,
                     const FieldPath& path, std::vector<ErrorCause>& errors);

std::string KeysOf(const Json& item, const std::vector<std::string>& keys) {
  std::string text;
  for (const std::string& key : keys) {
    const Json* value = FindMember(item, key);
    text.append(value == nullptr ? "null" : WriteJson(*value)).append(",");
  }
  return text;
}

// Compares items with equal keys; only the items of list maps have an identity.
void CheckItemTransitions(const JsonArray& items, const JsonArray& old, const Schema& list,
                          const FieldPath& path, std::vector<ErrorCause>& errors) {
  std::map<std::string, const Json*> before;
  for (const Json& item : old) before.emplace(KeysOf(item, list.list_map_keys), &item);
  for (size_t i = 0; i < items.size(); ++i) {
    const auto found = before.find(KeysOf(items[i], list.list_map_keys));
    if (found == before.end()) continue;
    const FieldPath item = path.Index(i);
    CheckTransition(items[i], *found->second, *list.items, item, errors);
  }
}

// Only for the types of custom resources: Kubernetes' types are immutable only in Kubernetes'
// kinds.
bool MayHaveRules(const Schema* schema) {
  return schema != nullptr && schema->Resolve().definition.empty();
}

void CheckTransition(const Json& value, const Json& old, const Schema& schema,
                     const FieldPath& path, std::vector<ErrorCause>& errors) {
  const Schema& shape = schema.Resolve();
  if ((schema.immutable || shape.immutable) && !JsonEqual(value, old)) {
    errors.push_back(Invalid(path, Json(SchemaTypeName(shape.type)), ImmutabilityMessage(shape)));
    return;
  }
  if (value.is_array() && old.is_array() && shape.list_type == ListType::kMap &&
      MayHaveRules(shape.items)) {
    return CheckItemTransitions(value.get_array(), old.get_array(), shape, path, errors);
  }
  if (!value.is_object() || !old.is_object()) return;
  for (const Property& property : shape.properties) {
    const Json* now = FindMember(value, property.name);
    const Json* before = FindMember(old, property.name);
    if (now == nullptr || before == nullptr) continue;
    const FieldPath field = path.Child(property.name);
    CheckTransition(*now, *before, *property.schema, field, errors);
  }
  if (!MayHaveRules(shape.additional_properties)) return;
  for (const auto& member : value.get_object()) {
    const std::string_view key(member.key().data(), member.key().size());
    const Json* before = FindMember(old, key);
    if (before == nullptr || shape.FindProperty(key) != nullptr) continue;
    const FieldPath field = path.Key(key);
    CheckTransition(member.value(), *before, *shape.additional_properties, field, errors);
  }
}

void MoveUnder(const FieldPath& root, std::vector<ErrorCause>& errors) {
  const std::string prefix = root.ToString();
  if (prefix.empty()) return;
  for (ErrorCause& error : errors) {
    if (error.field == "<nil>") {
      error.field = prefix;
    } else {
      error.field.insert(0, error.field.front() == '[' ? prefix : prefix + ".");
    }
  }
}

}  // namespace

std::vector<ErrorCause> Validate(const Json& value, const Schema& schema,
                                 const ValidationOptions& options) {
  const FieldPath body;
  Findings found = Validator(options).Check(value, schema, body);
  if (options.list_types) ListTypeValidator(options, found).Check(value, schema, body);
  if (options.root != nullptr) MoveUnder(*options.root, found.errors);
  return std::move(found.errors);
}

std::vector<ErrorCause> ValidateTransition(const Json& value, const Json& old,
                                           const Schema& schema) {
  std::vector<ErrorCause> errors;
  CheckTransition(value, old, schema, FieldPath(), errors);
  return errors;
}

}  // namespace kubexms
