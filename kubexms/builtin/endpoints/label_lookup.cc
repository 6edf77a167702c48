#include "kubexms/builtin/endpoints/label_lookup.h"

#include <fmt/format.h>

#include <optional>

namespace kubexms::label_lookup_internal {
namespace {

std::string FileOf(std::string_view namespace_name, std::string_view key, std::string_view value) {
  return fmt::format("{}/{}={}", namespace_name, key, value);
}

struct Label {
  std::string_view key;
  std::string_view value;
};

// The label that a selector is filed under: of those that it cannot do without the one with the
// longest value, which tends to be the one that the fewest objects have.
std::optional<Label> TellingLabel(const Selector& selector) {
  std::optional<Label> best;
  for (const Selector::Requirement& requirement : selector.requirements()) {
    const auto value = selector.RequiredValue(requirement.key);
    if (!value || (best && value->size() <= best->value.size())) continue;
    best = Label{requirement.key, *value};
  }
  return best;
}

}  // namespace

std::vector<std::string> FilesOfLabels(const ObjectMeta& metadata) {
  std::vector<std::string> files;
  files.reserve(metadata.labels.size());
  for (const auto& [key, value] : metadata.labels) {
    files.push_back(FileOf(metadata.namespace_name, key, value));
  }
  return files;
}

std::vector<std::string> FilesToSearch(std::string_view namespace_name, const StringMap& labels) {
  std::vector<std::string> files = {FileOf(namespace_name, "", "")};
  for (const auto& [key, value] : labels) files.push_back(FileOf(namespace_name, key, value));
  return files;
}

std::vector<std::string> FileOfSelector(std::string_view namespace_name, const Selector& selector) {
  if (selector.IsNothing()) return {};
  const Label label = TellingLabel(selector).value_or(Label{});
  return {FileOf(namespace_name, label.key, label.value)};
}

bool NamesALabel(const Selector& selector) { return TellingLabel(selector).has_value(); }

}  // namespace kubexms::label_lookup_internal
