#include "kubexms/apiserver/write/patch.h"

#include <fmt/format.h>

#include <optional>

#include "kubexms/api/patch/json_patch.h"
#include "kubexms/api/patch/merge_patch.h"
#include "kubexms/api/patch/strategic_patch.h"
#include "kubexms/api/schema/field_error.h"
#include "kubexms/apiserver/decoding/body.h"
#include "kubexms/apiserver/decoding/strict_decoding.h"

namespace kubexms {

Result<PatchType> PatchTypeOf(const HttpHeaders& headers, bool custom) {
  const std::string_view media_type = MediaType(headers);
  for (const PatchType type :
       {PatchType::kJson, PatchType::kMerge, PatchType::kApply, PatchType::kStrategicMerge}) {
    if (media_type != PatchContentType(type)) continue;
    RETURN_IF_ERROR(CheckPatchType(type, custom));
    return type;
  }
  return Error::UnsupportedMediaType("415: Unsupported Media Type");
}

Result<void> CheckPatchType(PatchType type, bool custom) {
  if (!custom || type != PatchType::kStrategicMerge) return {};
  return Error::UnsupportedMediaType(fmt::format(
      "the body of the request was in an unknown format - accepted media types include: {}, {}, {}",
      PatchContentType(PatchType::kJson), PatchContentType(PatchType::kMerge),
      PatchContentType(PatchType::kApply)));
}

Result<RequestPatch> ReadPatch(PatchType type, std::string_view body) {
  RequestPatch patch{.type = type};
  std::vector<std::string> duplicates;
  ASSIGN_OR_RETURN(patch.document, ParseJson(body, {.duplicates = &duplicates}));
  if (duplicates.empty()) return patch;
  for (const std::string& error : FindStrictErrors(body, nullptr)) {
    patch.duplicate_fields.push_back(type == PatchType::kJson ? "json patch " + error : error);
  }
  return patch;
}

Result<void> CheckPatchOptions(PatchType type, const WriteQuery& options) {
  std::optional<ErrorCause> cause;
  if (type != PatchType::kApply && options.force) {
    cause = Forbidden(FieldPath("force"), "may not be specified for non-apply patch");
  } else if (type == PatchType::kApply && options.field_manager.empty()) {
    cause = Required(FieldPath("fieldManager"), "is required for apply patch");
  }
  if (!cause) return {};
  return Error::Invalid("PatchOptions.meta.k8s.io", "", {std::move(*cause)});
}

Result<Json> ApplyPatch(PatchType type, Json document, const Json& patch, const Schema& schema) {
  if (type == PatchType::kJson) return ApplyJsonPatch(std::move(document), patch);
  if (!patch.is_object()) {
    return Error::BadRequest(
        fmt::format("the patch must be an object, not {}", JsonTypeName(patch)));
  }
  if (type == PatchType::kMerge) return ApplyMergePatch(std::move(document), patch);
  return ApplyStrategicPatch(std::move(document), patch, schema);
}

std::string PrintAsGo(const Json& value) {
  if (value.is_null()) return "<nil>";
  if (value.is_string()) return std::string(AsView(value.get_string()));
  std::string text;
  const auto add = [&text](std::string_view word) {
    if (!text.empty()) text += ' ';
    text += word;
  };
  if (const JsonArray* items = value.if_array()) {
    for (const Json& item : *items) add(PrintAsGo(item));
    return fmt::format("[{}]", text);
  }
  if (const JsonObject* object = value.if_object()) {
    for (const auto* member : SortedMembers(*object)) {
      add(fmt::format("{}:{}", std::string_view(member->key()), PrintAsGo(member->value())));
    }
    return fmt::format("map[{}]", text);
  }
  return WriteJson(value);
}

}  // namespace kubexms
