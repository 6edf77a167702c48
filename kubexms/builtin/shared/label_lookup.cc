#include "kubexms/builtin/shared/label_lookup.h"

#include <fmt/format.h>

#include <optional>

namespace kubexms::label_lookup_internal {
namespace {

std::string IndexValue(std::string_view namespace_name, std::string_view key,
                       std::string_view value) {
  return fmt::format("{}/{}={}", namespace_name, key, value);
}

struct Label {
  std::string_view key;
  std::string_view value;
};

// The label by which a selector is indexed: of the required ones that with the longest value, which
// tends to be the most selective one.
std::optional<Label> MostSelectiveLabel(const Selector& selector) {
  std::optional<Label> best;
  for (const Selector::Requirement& requirement : selector.requirements()) {
    const auto value = selector.RequiredValue(requirement.key);
    if (!value || (best && value->size() <= best->value.size())) continue;
    best = Label{requirement.key, *value};
  }
  return best;
}

}  // namespace

std::vector<std::string> LabelIndexValues(const ObjectMeta& metadata) {
  std::vector<std::string> values;
  values.reserve(metadata.labels.size());
  for (const auto& [key, value] : metadata.labels) {
    values.push_back(IndexValue(metadata.namespace_name, key, value));
  }
  return values;
}

std::vector<std::string> SelectorIndexValuesToSearch(std::string_view namespace_name,
                                                     const StringMap& labels) {
  std::vector<std::string> values = {IndexValue(namespace_name, "", "")};
  for (const auto& [key, value] : labels) values.push_back(IndexValue(namespace_name, key, value));
  return values;
}

std::vector<std::string> SelectorIndexValues(std::string_view namespace_name,
                                             const Selector& selector) {
  if (selector.IsNothing()) return {};
  const Label label = MostSelectiveLabel(selector).value_or(Label{});
  return {IndexValue(namespace_name, label.key, label.value)};
}

bool RequiresLabelValue(const Selector& selector) {
  return MostSelectiveLabel(selector).has_value();
}

}  // namespace kubexms::label_lookup_internal
