#include "kubexms/apiserver/strategies/definition_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "kubexms/api/values/rune.h"
#include "kubexms/base/json/json_members.h"

namespace kubexms {
namespace {

constexpr size_t kMaxWarningBytes = 256;
constexpr size_t kMaxSelectableFields = 8;
constexpr std::string_view kColumnTypes[] = {"boolean", "date", "integer", "number", "string"};
constexpr std::string_view kColumnFormats[] = {"byte",  "date",  "date-time", "double",
                                               "float", "int32", "int64",     "password"};

template <size_t kSize>
std::string MustBeOneOf(const std::string_view (&values)[kSize]) {
  return fmt::format("must be one of {}", fmt::join(values, ","));
}

template <size_t kSize>
bool IsOneOf(const std::string_view (&values)[kSize], std::string_view value) {
  return std::ranges::count(values, value) > 0;
}

std::string FindUnprintable(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const Rune rune = DecodeRune(text.substr(i));
    if (!IsPrintable(rune.value)) {
      return fmt::format(
          "must only contain printable UTF-8 characters; non-printable character found at index {}",
          i);
    }
    i += rune.size;
  }
  return "";
}

void CheckColumn(const Json& column, const FieldPath& path, FieldErrors& errors) {
  if (FindString(column, "name").empty()) errors.push_back(Required(path.Child("name")));
  const FieldPath type_path = path.Child("type");
  const std::string_view type = FindString(column, "type");
  if (type.empty()) {
    errors.push_back(Required(type_path, MustBeOneOf(kColumnTypes)));
  } else if (!IsOneOf(kColumnTypes, type)) {
    errors.push_back(Invalid(type_path, Json(type), MustBeOneOf(kColumnTypes)));
  }
  const std::string_view format = FindString(column, "format");
  if (!format.empty() && !IsOneOf(kColumnFormats, format)) {
    errors.push_back(Invalid(path.Child("format"), Json(format), MustBeOneOf(kColumnFormats)));
  }
  const FieldPath json_path = path.Child("JSONPath");
  const std::string_view where = FindString(column, "jsonPath");
  if (where.empty()) {
    errors.push_back(Required(json_path));
  } else if (where.front() != '.') {
    errors.push_back(Invalid(json_path, Json(where), "must be a simple json path starting with ."));
  }
}

// Takes the next token off `text`, which is not empty: a delimiter, a quoted string, or the text up
// to the next delimiter.
std::string_view TakeToken(std::string_view& text) {
  size_t size = text.find_first_of(".[]");
  if (text.front() == '\'') {
    size = 1;
    while (size < text.size() && (text[size] != '\'' || text[size - 1] == '\\')) ++size;
    if (size < text.size()) ++size;
  } else if (size == 0) {
    size = 1;
  }
  const std::string_view token = text.substr(0, size);
  text.remove_prefix(token.size());
  return token;
}

// The schema of one field of an object or one value of a map; null: there is none.
const Json* SchemaBelow(const Json& schema, std::string_view name) {
  if (const Json& properties = MemberOrNull(schema, "properties"); properties.is_object()) {
    return properties.get_object().if_contains(name);
  }
  const Json& values = MemberOrNull(schema, "additionalProperties");
  return values.is_object() ? &values : nullptr;
}

// Follows a path such as .spec.color through `schema`, which is then that of the field. Returns
// what is wrong with the path, or "".
std::string FollowPath(std::string_view path, const Json*& schema) {
  while (!path.empty()) {
    const std::string_view token = TakeToken(path);
    if (token == "[") return "array notation is not allowed";
    if (token != ".") return fmt::format("expected [ or . but got: {}", token);
    if (path.empty()) return "unexpected end of JSON path";
    schema = SchemaBelow(*schema, TakeToken(path));
    if (schema == nullptr) return "does not refer to a valid field";
  }
  return "";
}

bool IsInMetadata(std::string_view path) {
  return path == ".metadata" || path.starts_with(".metadata.");
}

void CheckSelectableField(std::string_view where, const Json& root, const FieldPath& path,
                          std::set<std::string_view>& known, FieldErrors& errors) {
  const Json* schema = &root;
  if (const std::string wrong = FollowPath(where, schema); !wrong.empty()) {
    errors.push_back(Invalid(path, Json(where), "is an invalid path: " + wrong));
    return;
  }
  if (IsInMetadata(where)) {
    errors.push_back(Invalid(path, Json(where), "must not point to fields in metadata"));
  }
  const std::string_view type = FindString(*schema, "type");
  if (type != "string" && type != "boolean" && type != "integer") {
    errors.push_back(Invalid(path, Json(where),
                             "must point to a field of type string, boolean or integer. Enum "
                             "string fields and strings with formats are allowed."));
  }
  if (!known.insert(where).second) errors.push_back(Duplicate(path, Json(where)));
}

void CheckClient(const Json& client, const FieldPath& path, FieldErrors& errors) {
  const Json& url = MemberOrNull(client, "url");
  const Json& service = MemberOrNull(client, "service");
  if (url.is_null() == service.is_null()) {
    errors.push_back(Required(path, "exactly one of url or service is required"));
  } else if (service.is_null()) {
    const std::string_view address = FindString(client, "url");
    if (address.starts_with("https://")) return;
    errors.push_back(Invalid(path.Child("url"), Json(address.substr(0, address.find(':'))),
                             "'https' is the only allowed URL scheme; desired format: "
                             "https://host[/path]"));
  } else {
    const FieldPath service_path = path.Child("service");
    for (std::string_view name : {"name", "namespace"}) {
      if (FindString(service, name).empty()) errors.push_back(Required(service_path.Child(name)));
    }
  }
}

}  // namespace

void CheckDeprecationWarning(const Json& version, const FieldPath& path, FieldErrors& errors) {
  const Json& warning = MemberOrNull(version, "deprecationWarning");
  if (!warning.is_string()) return;
  const FieldPath warning_path = path.Child("deprecationWarning");
  const Json& deprecated = MemberOrNull(version, "deprecated");
  if (!deprecated.is_bool() || !deprecated.get_bool()) {
    errors.push_back(Invalid(warning_path, warning, "can only be set for deprecated versions"));
    return;
  }
  const std::string_view text = AsView(warning.get_string());
  if (text.size() > kMaxWarningBytes) {
    errors.push_back(Invalid(warning_path, warning, "must be <= 256 characters long"));
  }
  if (text.empty()) {
    errors.push_back(Invalid(warning_path, warning, "must not be an empty string"));
  }
  if (const std::string wrong = FindUnprintable(text); !wrong.empty()) {
    errors.push_back(Invalid(warning_path, warning, wrong));
  }
}

void CheckColumns(const Json& columns, const FieldPath& path, FieldErrors& errors) {
  if (!columns.is_array()) return;
  for (size_t i = 0; i < columns.get_array().size(); ++i) {
    CheckColumn(columns.get_array()[i], path.Index(i), errors);
  }
}

void CheckSelectableFields(const JsonArray& fields, const Json& schema, const FieldPath& path,
                           FieldErrors& errors) {
  std::set<std::string_view> known;
  for (size_t i = 0; i < fields.size(); ++i) {
    const FieldPath field_path = path.Index(i);
    const FieldPath json_path = field_path.Child("jsonPath");
    const std::string_view where = FindString(fields[i], "jsonPath");
    if (where.empty()) {
      errors.push_back(Required(json_path));
    } else {
      CheckSelectableField(where, schema, json_path, known, errors);
    }
  }
  if (known.size() > kMaxSelectableFields) {
    errors.push_back(TooMany(path, static_cast<int64_t>(known.size()), kMaxSelectableFields));
  }
}

void CheckConversion(const Json& conversion, const FieldPath& path, FieldErrors& errors) {
  if (!conversion.is_object()) return;
  const FieldPath strategy_path = path.Child("strategy");
  const std::string_view strategy = FindString(conversion, "strategy");
  if (strategy.empty()) {
    errors.push_back(Required(strategy_path));
  } else if (strategy != "None" && strategy != "Webhook") {
    errors.push_back(NotSupported(strategy_path, Json(strategy), {"None", "Webhook"}));
  }
  const Json& webhook = MemberOrNull(conversion, "webhook");
  const Json& client = MemberOrNull(webhook, "clientConfig");
  const Json& versions = MemberOrNull(webhook, "conversionReviewVersions");
  const bool has_versions = versions.is_array() && !versions.get_array().empty();
  const FieldPath client_path = path.Child("webhookClientConfig");
  const FieldPath versions_path = path.Child("conversionReviewVersions");
  if (strategy == "Webhook") {
    if (client.is_null()) {
      errors.push_back(Required(client_path, "required when strategy is set to Webhook"));
    } else {
      CheckClient(client, client_path, errors);
    }
    if (!has_versions) errors.push_back(Required(versions_path));
    return;
  }
  constexpr std::string_view kUnused = "should not be set when strategy is not set to Webhook";
  if (!client.is_null()) errors.push_back(Forbidden(client_path, kUnused));
  if (has_versions) errors.push_back(Forbidden(versions_path, kUnused));
}

}  // namespace kubexms
