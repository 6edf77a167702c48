#include "kubexms/apiserver/write/patch.h"

#include <fmt/format.h>

#include <optional>

#include "kubexms/api/patch/json_patch.h"
#include "kubexms/api/patch/merge_patch.h"
#include "kubexms/api/patch/strategic_patch.h"
#include "kubexms/api/schema/field_error.h"
#include "kubexms/apiserver/decoding/body.h"

namespace kubexms {
Result<PatchType> PatchTypeOf(const HttpHeaders& headers, bool custom) {
  const std::string_view type = MediaType(headers);
  const auto is = [&](PatchType candidate) { return type == PatchContentType(candidate); };
  for (const PatchType candidate : {PatchType::kJson, PatchType::kMerge, PatchType::kApply}) {
    if (is(candidate)) return candidate;
  }
  if (!is(PatchType::kStrategicMerge)) {
    return Error::UnsupportedMediaType("415: Unsupported Media Type");
  }
  if (!custom) return PatchType::kStrategicMerge;
  return Error::UnsupportedMediaType(fmt::format(
      "the body of the request was in an unknown format - accepted media types include: {}, {}, {}",
      PatchContentType(PatchType::kJson), PatchContentType(PatchType::kMerge),
      PatchContentType(PatchType::kApply)));
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
