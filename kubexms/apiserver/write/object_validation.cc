#include "kubexms/apiserver/write/object_validation.h"

#include <algorithm>

#include "kubexms/api/schema/validation.h"

namespace kubexms {
namespace {

// Whether `field` is `parent` or inside it.
bool IsWithin(std::string_view field, std::string_view parent) {
  if (!field.starts_with(parent)) return false;
  return field.size() == parent.size() || field[parent.size()] == '.' ||
         field[parent.size()] == '[';
}

// "effect" of "spec.taints[0].effect".
std::string_view LastName(std::string_view field) {
  const size_t dot = field.rfind('.');
  return dot == std::string_view::npos ? field : field.substr(dot + 1);
}

// Whether a rule of the kind has spoken about the field. Some name the list and not the item, or
// another parent: what they say is then the same, about a field of the same name.
bool Covers(const ErrorCause& rule, const ErrorCause& found) {
  return IsWithin(rule.field, found.field) || IsWithin(found.field, rule.field) ||
         (rule.reason == found.reason && LastName(rule.field) == LastName(found.field));
}

}  // namespace

void AddSchemaErrors(const Json& object, const Schema& schema, FieldErrors& errors) {
  const FieldErrors own = errors;
  const ValidationOptions options{
      .list_types = false, .integer_formats = true, .builtin_kind = true};
  for (ErrorCause& cause : Validate(object, schema, options)) {
    if (IsWithin(cause.field, "metadata")) continue;  // has rules of its own
    const bool known = std::any_of(own.begin(), own.end(),
                                   [&](const ErrorCause& rule) { return Covers(rule, cause); });
    if (!known) errors.push_back(std::move(cause));
  }
}

}  // namespace kubexms
