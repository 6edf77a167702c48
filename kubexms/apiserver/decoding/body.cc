#include "kubexms/apiserver/decoding/body.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "kubexms/api/builtin/builtin_kinds.h"
#include "kubexms/api/meta_v1.h"
#include "kubexms/api/protobuf/protobuf.h"
#include "kubexms/api/schema/defaulting.h"
#include "kubexms/api/schema/pruning.h"
#include "kubexms/api/schema/zero_values.h"
#include "kubexms/api/stored_object.h"
#include "kubexms/api/values/quote.h"
#include "kubexms/apiserver/decoding/shape.h"
#include "kubexms/apiserver/decoding/strict_decoding.h"
#include "kubexms/apiserver/resources/metadata.h"
#include "kubexms/apiserver/strategies/strategy.h"
#include "kubexms/base/json/yaml.h"
#include "kubexms/store/store.h"

namespace kubexms {
namespace {

constexpr size_t kQuotedBody = 256;
constexpr std::string_view kProtobufMediaType = "application/vnd.kubernetes.protobuf";

Error Unrecognized(const GroupVersionKind& expected, std::string_view why, std::string_view body) {
  const std::string_view shown = body.empty() ? "<empty>" : body.substr(0, kQuotedBody);
  return Error::BadRequest(
      fmt::format("the object provided is unrecognized (must be of type {}): couldn't get "
                  "version/kind; json parse error: {} ({})",
                  expected.kind, why, shown));
}

Result<Json> ParseText(std::string_view body, BodyFormat format, const JsonStorage& storage,
                       std::vector<std::string>& duplicates) {
  if (format == BodyFormat::kJson) {
    return ParseJson(
        body, {.max_depth = kMaxManagedDepth, .duplicates = &duplicates, .storage = storage});
  }
  if (format == BodyFormat::kProtobuf) return DecodeProtobuf(body, storage);
  ASSIGN_OR_RETURN(YamlDocument document, ParseYamlOne(body, {.max_depth = kMaxManagedDepth,
                                                              .duplicates = &duplicates,
                                                              .storage = storage}));
  return std::move(document.value);
}

void AddDuplicates(const std::vector<std::string>& duplicates, StrictErrors& errors) {
  for (const std::string& path : duplicates) {
    errors.duplicate_fields.push_back(fmt::format("duplicate field {}", Quoted(path)));
  }
}

// "core" of "v1", "apps" of "apps/v1".
std::string_view InternalGroup(const GroupVersionKind& kind) {
  if (kind.group.empty()) return "core";
  return std::string_view(kind.group).substr(0, kind.group.find('.'));
}

// Empty members of the metadata mean the same as absent ones. Empty managedFields do not: they
// reset the managed fields.
void DropEmptyMetadata(JsonObject& metadata) {
  for (const std::string_view key : kClientMetadata) {
    const Json* value = metadata.if_contains(key);
    if (value == nullptr) continue;
    const bool empty = (value->is_object() && value->get_object().empty()) ||
                       (value->is_array() && value->get_array().empty());
    if (empty) metadata.erase(key);
  }
}

const Schema& ObjectMetaSchema() { return TypeOf<ObjectMeta>().schema; }

}  // namespace

std::string_view MediaType(const HttpHeaders& headers) {
  const std::string_view type = headers.Get("Content-Type").value_or("");
  const std::string_view media = type.substr(0, type.find(';'));
  const size_t end = media.find_last_not_of(' ');
  return end == std::string_view::npos ? std::string_view() : media.substr(0, end + 1);
}

Result<BodyFormat> BodyFormatOf(const HttpHeaders& headers, bool custom) {
  const std::string_view type = MediaType(headers);
  if (type.empty() || type == "application/json") return BodyFormat::kJson;
  if (type == "application/yaml") return BodyFormat::kYaml;
  if (type == kProtobufMediaType && !custom) return BodyFormat::kProtobuf;
  return Error::UnsupportedMediaType(
      fmt::format("the body of the request was in an unknown format - accepted media types "
                  "include: application/json, application/yaml{}",
                  custom ? std::string() : fmt::format(", {}", kProtobufMediaType)));
}

Result<Json> ParseBody(std::string_view body, BodyFormat format, const GroupVersionKind& expected,
                       const JsonStorage& storage, StrictErrors& errors) {
  std::vector<std::string> duplicates;
  Result<Json> document = ParseText(body, format, storage, duplicates);
  if (body.empty()) return Unrecognized(expected, "unexpected end of JSON input", body);
  if (!document.ok()) return Unrecognized(expected, document.error().message(), body);
  if (!document->is_object()) {
    return Unrecognized(expected,
                        fmt::format("cannot read {} as an object", JsonTypeName(*document)), body);
  }
  JsonObject& object = document->get_object();
  if (FindString(*document, "apiVersion").empty()) object["apiVersion"] = expected.ApiVersion();
  if (FindString(*document, "kind").empty()) object["kind"] = expected.kind;
  AddDuplicates(duplicates, errors);
  return document;
}

Result<Json> ParseConfiguration(std::string_view body, const GroupVersionKind& expected,
                                StrictErrors& errors) {
  std::vector<std::string> duplicates;
  Result<Json> document = ParseText(body, BodyFormat::kYaml, {}, duplicates);
  if (!document.ok()) return document.error().WithContext("error decoding YAML");
  if (!document->is_object() && !document->is_null()) {
    return Error::BadRequest(
        fmt::format("error decoding YAML: cannot read {} as an object", JsonTypeName(*document)));
  }
  const std::string_view kind = FindString(*document, "kind");
  const GroupVersionKind given =
      GroupVersionKind::Parse(FindString(*document, "apiVersion"), kind).value_or({});
  if (given != expected) {
    return Error::BadRequest(fmt::format("invalid object type: {}", given.ToString()));
  }
  AddDuplicates(duplicates, errors);
  return document;
}

Result<void> CheckKind(const Json& document, const GroupVersionKind& expected, bool custom) {
  const std::string_view api_version = FindString(document, "apiVersion");
  const std::string_view kind = FindString(document, "kind");
  const std::string expected_version = expected.ApiVersion();
  if (api_version == expected_version && kind == expected.kind) return {};
  ASSIGN_OR_RETURN(const GroupVersionKind given, GroupVersionKind::Parse(api_version, kind));
  if (custom && kind == expected.kind) {
    return Error::BadRequest(
        fmt::format("the API version in the data ({}) does not match the expected API version ({})",
                    api_version, expected_version));
  }
  if (FindBuiltinKind(given.group, given.version, given.kind) == nullptr) {
    return Error::BadRequest(fmt::format("no kind {} is registered for version {}; this is a {}",
                                         Quoted(kind), Quoted(api_version), expected.kind));
  }
  return Error::BadRequest(
      fmt::format("{} in version {} cannot be handled as a {}: converting ({}.{}) to ({}.{}): "
                  "unknown conversion",
                  kind, Quoted(given.version), expected.kind, given.version, kind,
                  InternalGroup(expected), expected.kind));
}

Result<void> CheckName(const Json& document, std::string_view name) {
  if (NameOf(document) == name) return {};
  if (NameOf(document).empty()) {
    return Error::BadRequest(fmt::format(
        "the name of the object ({} based on URL) was undeterminable: name must be provided",
        name));
  }
  return Error::BadRequest(
      fmt::format("the name of the object ({}) does not match the name on the URL ({})",
                  NameOf(document), name));
}

Result<void> CheckAndPrune(Json& document, const Resource& resource, StrictErrors& errors) {
  std::vector<std::string> removed;
  if (resource.custom) {
    if (const Json* metadata = FindMember(document, "metadata")) {
      RETURN_IF_ERROR(CheckShape(*metadata, ObjectMetaSchema()));
    }
    Prune(document, *resource.schema, {.object_meta = &ObjectMetaSchema(), .removed = &removed});
    std::ranges::stable_partition(
        removed, [](const std::string& path) { return path.starts_with("metadata."); });
    RemoveNulls(document, *resource.schema);
  } else {
    RETURN_IF_ERROR(CheckShape(document, *resource.schema));
    Prune(document, *resource.schema, {.object_meta = &ObjectMetaSchema(), .removed = &removed});
    Normalize(document, *resource.schema);
  }
  if (Json* metadata = FindMember(document, "metadata"); metadata && metadata->is_object()) {
    DropEmptyMetadata(metadata->get_object());
  }
  for (const std::string& path : removed) {
    errors.unknown_fields.push_back(fmt::format("unknown field {}", Quoted(path)));
  }
  return {};
}

std::vector<std::string> ListStrictErrors(StrictErrors errors) {
  std::vector<std::string> messages = std::move(errors.duplicate_fields);
  std::ranges::move(errors.unknown_fields, std::back_inserter(messages));
  return messages;
}

std::vector<std::string> ListStrictErrors(StrictErrors errors, std::string_view body,
                                          BodyFormat format, const Resource& resource) {
  const bool none = errors.duplicate_fields.empty() && errors.unknown_fields.empty();
  if (none || format != BodyFormat::kJson) return ListStrictErrors(std::move(errors));
  std::vector<std::string> messages =
      FindStrictErrors(body, resource.custom ? nullptr : resource.schema.get());
  if (resource.custom) {
    std::ranges::copy(errors.unknown_fields, std::back_inserter(messages));
  }
  return messages.empty() ? ListStrictErrors(std::move(errors)) : messages;
}

Result<void> FillDefaults(Json& document, const Resource& resource) {
  if (resource.zero_form != nullptr) RemoveZeroValues(document, *resource.zero_form);
  RETURN_IF_ERROR(ApplyDefaults(document, *resource.schema, store::kMaxTransactionBytes));
  resource.strategy->SetDefaults(document.get_object());
  if (resource.zero_form != nullptr) AddZeroValues(document, *resource.zero_form);
  return {};
}

Result<std::vector<std::string>> HandleStrictErrors(std::vector<std::string> messages,
                                                    FieldValidation validation) {
  if (validation == FieldValidation::kIgnore) messages.clear();
  if (validation == FieldValidation::kStrict && !messages.empty()) {
    return Error::BadRequest(fmt::format("strict decoding error: {}", fmt::join(messages, ", ")));
  }
  return messages;
}

}  // namespace kubexms
