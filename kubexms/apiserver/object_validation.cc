#include "kubexms/apiserver/object_validation.h"

#include <algorithm>

#include "kubexms/api/validation.h"

namespace kubexms {
namespace {

// Whether `field` is `parent` or inside it.
bool IsWithin(std::string_view field, std::string_view parent) {
  if (!field.starts_with(parent)) return false;
  return field.size() == parent.size() || field[parent.size()] == '.' ||
         field[parent.size()] == '[';
}

// An empty text is as good as an absent one, where only some are allowed, and so is a null.
bool IsAboutNothing(const ErrorCause& cause) {
  if (cause.reason == "FieldValueNotSupported")
    return cause.message.starts_with("Unsupported value: \"\":");
  return cause.reason == "FieldValueTypeInvalid" &&
         cause.message.starts_with("Invalid value: \"null\":");
}

}  // namespace

FieldErrors ValidateObject(const Json& object, const Schema& schema, const Strategy& strategy) {
  FieldErrors errors;
  strategy.Validate(object.get_object(), errors);
  const FieldErrors own = errors;
  const ValidationOptions options{
      .list_types = false, .integer_formats = true, .builtin_wording = true};
  for (ErrorCause& cause : Validate(object, schema, options)) {
    if (IsWithin(cause.field, "metadata")) continue;  // has rules of its own
    const bool known = std::any_of(own.begin(), own.end(), [&](const ErrorCause& other) {
      return IsWithin(other.field, cause.field) ||
             (other.reason == cause.reason && IsWithin(cause.field, other.field));
    });
    if (!known && !IsAboutNothing(cause)) errors.push_back(std::move(cause));
  }
  return errors;
}

}  // namespace kubexms
