#include "kubexms/api/schema/cel_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace kubexms {
namespace {

// Kubernetes' limits and units of cost.
constexpr int64_t kMaxRequestBytes = 3 << 20;
constexpr uint64_t kMaxRuleCost = 10'000'000;
constexpr uint64_t kMaxTotalCost = 100'000'000;
constexpr size_t kNamedRules = 4;
constexpr double kTraversalCost = 0.1;

std::string_view TextOf(const Json& rule) {
  return rule.is_object() ? FindString(rule, "rule") : std::string_view();
}

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Outside of quotes.
bool UsesOldSelf(std::string_view rule) {
  constexpr std::string_view kOldSelf = "oldSelf";
  char quote = 0;
  for (size_t i = 0; i < rule.size(); ++i) {
    if (quote != 0) {
      if (rule[i] == '\\') {
        ++i;
      } else if (rule[i] == quote) {
        quote = 0;
      }
    } else if (rule[i] == '"' || rule[i] == '\'') {
      quote = rule[i];
    } else if (rule.substr(i).starts_with(kOldSelf)) {
      const size_t end = i + kOldSelf.size();
      const bool begins = i == 0 || !(IsWordCharacter(rule[i - 1]) || rule[i - 1] == '.');
      if (begins && (end == rule.size() || !IsWordCharacter(rule[end]))) return true;
    }
  }
  return false;
}

uint64_t Product(uint64_t a, uint64_t b) {
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  if (a == 0 || b == 0) return 0;
  return kMost / a < b ? kMost : a * b;
}

// `additionalProperties: true` does not specify the values.
bool HasValueSchema(const Schema& schema) {
  const Schema* values = schema.additional_properties;
  return values != nullptr && (values->type != SchemaType::kAny || values->int_or_string ||
                               values->preserve_unknown_fields);
}

// The size of values: the minimum as JSON, and the maximum in characters, items or entries.
struct Size {
  int64_t least_bytes = 0;
  int64_t most_elements = 0;
};

std::optional<Size> SizeOf(const Schema& schema);

Size SizeOfText(const Schema& schema) {
  if (schema.format == "duration") return {3, 32};
  if (schema.format == "date") return {12, 12};
  if (schema.format == "date-time") return {21, 32};
  Size size{2, kMaxRequestBytes - 2};
  if (schema.max_length) {
    // A character has up to four bytes.
    const int64_t characters = std::max<int64_t>(*schema.max_length, 0);
    size.most_elements = schema.format == "byte" ? characters : characters * 4;
  } else if (!schema.enum_values.empty() && schema.format != "byte") {
    size.most_elements = 0;
    for (const Json& value : schema.enum_values) {
      if (!value.is_string()) continue;
      size.most_elements =
          std::max(size.most_elements, static_cast<int64_t>(value.get_string().size()));
    }
  }
  return size;
}

std::optional<Size> SizeOfList(const Schema& schema) {
  if (schema.items == nullptr) return std::nullopt;
  const std::optional<Size> item = SizeOf(*schema.items);
  if (!item) return std::nullopt;
  const int64_t most = (kMaxRequestBytes - 2) / (item->least_bytes + 1);
  return Size{2, std::max<int64_t>(schema.max_items.value_or(most), 0)};
}

std::optional<Size> SizeOfObject(const Schema& schema) {
  if (HasValueSchema(schema)) {
    const std::optional<Size> value = SizeOf(*schema.additional_properties);
    if (!value) return std::nullopt;
    const int64_t most = (kMaxRequestBytes - 2) / (value->least_bytes + 6);
    return Size{2, std::max<int64_t>(schema.max_properties.value_or(most), 0)};
  }
  Size size{2, 0};
  for (const Property& property : schema.properties) {
    if (property.schema->default_value || !schema.IsRequired(property.name)) continue;
    const std::optional<Size> value = SizeOf(*property.schema);
    if (value) {
      size.least_bytes += static_cast<int64_t>(property.name.size()) + value->least_bytes + 4;
    }
  }
  return size;
}

// None for values that CEL cannot access.
std::optional<Size> SizeOf(const Schema& schema) {
  if (schema.int_or_string) {
    if (!schema.max_length) return Size{1, kMaxRequestBytes - 2};
    return Size{1, std::max<int64_t>(*schema.max_length, 0) * 4};
  }
  switch (schema.type) {
    case SchemaType::kAny: return std::nullopt;
    case SchemaType::kObject: return SizeOfObject(schema);
    case SchemaType::kArray: return SizeOfList(schema);
    case SchemaType::kString: return SizeOfText(schema);
    case SchemaType::kBoolean: return Size{4, 0};
    case SchemaType::kInteger:
    case SchemaType::kNumber: return Size{1, 0};
  }
  return std::nullopt;
}

// The cost of "self == oldSelf": two identifiers and a comparison.
uint64_t CostOfEquality(const Size& size) {
  return 2 +
         static_cast<uint64_t>(std::ceil(static_cast<double>(size.most_elements) * kTraversalCost));
}

std::string OverBudget(std::string_view what, uint64_t cost, uint64_t limit) {
  const double factor = static_cast<double>(cost) / static_cast<double>(limit);
  std::string text = fmt::format("{:.1f}x", factor);
  if (factor > 100) text = "more than 100x";
  if (factor < 1.5) text = fmt::format("{:f}x", factor);
  return fmt::format(
      "{} exceeds budget by factor of {} (try simplifying the rule, or adding maxItems, "
      "maxProperties, and maxLength where arrays, maps, and strings are declared)",
      what, text);
}

class RuleChecker {
 public:
  std::vector<ErrorCause> Check(const Schema& schema, const FieldPath& path) {
    CheckNode(schema, path, {});
    CheckTotal(path);
    return std::move(errors_);
  }

 private:
  // The position of a node.
  struct Place {
    std::optional<uint64_t> values = 1;  // the maximum number of values; none if it is unbounded
    std::string uncorrelatable;          // the enclosing list whose items have no identity
  };

  void CheckNode(const Schema& schema, const FieldPath& path, const Place& place) {
    CheckChildren(schema, path, place);
    if (schema.cel_rules.empty()) return;
    const FieldPath rules = path.Child("x-kubernetes-validations");
    const std::optional<Size> size = SizeOf(schema);
    if (!size) {
      errors_.push_back(InternalError(
          rules,
          "internal error: failed to construct type information for x-kubernetes-validations "
          "rules: unable to convert structural schema to CEL declarations"));
      return;
    }
    for (size_t i = 0; i < schema.cel_rules.size(); ++i) {
      const FieldPath rule = rules.Index(i);
      CheckRule(schema.cel_rules[i], *size, rule.Child("rule"), place);
    }
  }

  void CheckChildren(const Schema& schema, const FieldPath& path, const Place& place) {
    Place inner{.values = InnerValues(schema, place), .uncorrelatable = place.uncorrelatable};
    const FieldPath properties = path.Child("properties");
    for (const Property& property : schema.properties) {
      CheckNode(*property.schema, properties.Key(property.name), inner);
    }
    if (schema.additional_properties != nullptr) {
      CheckNode(*schema.additional_properties, path.Child("additionalProperties"), inner);
    }
    if (schema.items == nullptr) return;
    const bool correlatable = schema.list_type_given && schema.list_type == ListType::kMap;
    if (!correlatable && inner.uncorrelatable.empty()) inner.uncorrelatable = path.ToString();
    CheckNode(*schema.items, path.Child("items"), inner);
  }

  static std::optional<uint64_t> InnerValues(const Schema& schema, const Place& place) {
    std::optional<int64_t> most = 1;
    if (schema.type == SchemaType::kArray) most = schema.max_items;
    if (schema.type == SchemaType::kObject && schema.additional_properties != nullptr) {
      most = schema.max_properties;
    }
    if (!place.values || !most) return std::nullopt;
    return Product(*place.values, static_cast<uint64_t>(std::max<int64_t>(*most, 0)));
  }

  void CheckRule(const Json& rule, const Size& size, const FieldPath& path, const Place& place) {
    if (IsImmutabilityRule(rule)) {
      const auto unbounded = static_cast<uint64_t>(kMaxRequestBytes / (size.least_bytes + 1));
      const uint64_t cost = Product(CostOfEquality(size), place.values.value_or(unbounded));
      if (cost > kMaxRuleCost) {
        errors_.push_back(Forbidden(path, OverBudget("estimated rule cost", cost, kMaxRuleCost)));
      }
      costs_.push_back({cost, path.ToString()});
    }
    const std::string_view text = TextOf(rule);
    if (place.uncorrelatable.empty() || !UsesOldSelf(text)) return;
    errors_.push_back(
        Invalid(path, Json(text),
                fmt::format("oldSelf cannot be used on the uncorrelatable portion of the schema "
                            "within {}",
                            place.uncorrelatable)));
  }

  void CheckTotal(const FieldPath& root) {
    uint64_t total = 0;
    for (const RuleCost& cost : costs_) {
      total = total > std::numeric_limits<uint64_t>::max() - cost.cost
                  ? std::numeric_limits<uint64_t>::max()
                  : total + cost.cost;
    }
    if (total <= kMaxTotalCost) return;
    std::stable_sort(costs_.begin(), costs_.end(),
                     [](const RuleCost& a, const RuleCost& b) { return a.cost > b.cost; });
    for (size_t i = 0; i < std::min(kNamedRules, costs_.size()); ++i) {
      if (costs_[i].cost < kMaxTotalCost / 100) break;
      const FieldPath rule(costs_[i].path);
      errors_.push_back(Forbidden(rule,
                                  "contributed to estimated rule cost total exceeding cost limit "
                                  "for entire OpenAPIv3 schema"));
    }
    errors_.push_back(Forbidden(
        root,
        OverBudget("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema",
                   total, kMaxTotalCost)));
  }

  struct RuleCost {
    uint64_t cost;
    std::string path;
  };

  std::vector<ErrorCause> errors_;
  std::vector<RuleCost> costs_;
};

}  // namespace

bool IsImmutabilityRule(const Json& rule) {
  std::string bare(TextOf(rule));
  std::erase_if(bare, [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; });
  return bare == "self==oldSelf" || bare == "oldSelf==self";
}

std::vector<ErrorCause> CheckCelRules(const Schema& schema, const FieldPath& path) {
  return RuleChecker().Check(schema, path);
}

}  // namespace kubexms
