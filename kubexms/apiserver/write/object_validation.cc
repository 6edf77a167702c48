#include "kubexms/apiserver/write/object_validation.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "kubexms/api/schema/validation.h"

namespace kubexms {
namespace {

// A path as errors have it, split: "spec.taints[0].effect" into "spec", "taints", "[0]", "effect".
// Keys in brackets may contain dots.
std::vector<std::string_view> SplitPath(std::string_view field) {
  std::vector<std::string_view> elements;
  while (!field.empty()) {
    const size_t closing = field.find(']');
    const bool bracket = field.front() == '[' && closing != std::string_view::npos;
    const size_t end = bracket ? closing + 1 : field.find_first_of(".[", 1);
    elements.push_back(field.substr(0, end));
    field.remove_prefix(elements.back().size());
    if (field.starts_with('.')) field.remove_prefix(1);
  }
  return elements;
}

bool IsPrefix(const std::vector<std::string_view>& prefix,
              const std::vector<std::string_view>& path) {
  return prefix.size() <= path.size() && std::equal(prefix.begin(), prefix.end(), path.begin());
}

// The path without the indexes and keys.
std::vector<std::string_view> NamesOf(std::vector<std::string_view> path) {
  std::erase_if(path, [](std::string_view element) { return element.starts_with('['); });
  return path;
}

// Whether two paths differ only in their first names: Kubernetes reports the taints of a Node below
// `metadata`, and the schema below `spec`.
bool DifferInRoot(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
  return a.size() > 1 && a.size() == b.size() && std::equal(a.begin() + 1, a.end(), b.begin() + 1);
}

// Whether the strategy has already reported the field, a parent of it or a field in it. Some rules
// of Kubernetes name the list where they mean an item of it.
bool IsReported(const ErrorCause& found, const FieldErrors& reported) {
  const std::vector<std::string_view> path = SplitPath(found.field);
  return std::ranges::any_of(reported, [&](const ErrorCause& rule) {
    const std::vector<std::string_view> other = SplitPath(rule.field);
    return IsPrefix(path, other) || IsPrefix(other, path) ||
           (rule.reason == found.reason &&
            (NamesOf(other) == NamesOf(path) || DifferInRoot(other, path)));
  });
}

}  // namespace

void AddSchemaErrors(const Json& object, const Schema& schema, FieldErrors& errors) {
  const FieldErrors reported = errors;
  const ValidationOptions options{
      .list_types = false, .integer_formats = true, .builtin_kind = true};
  for (ErrorCause& cause : Validate(object, schema, options)) {
    // The metadata has rules of its own.
    if (IsPrefix({"metadata"}, SplitPath(cause.field))) continue;
    if (!IsReported(cause, reported)) errors.push_back(std::move(cause));
  }
}

}  // namespace kubexms
