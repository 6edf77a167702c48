// The input has two or three documents, separated by line breaks. The second is both a patch for
// the first and a target to create patches for.

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "fuzz/patch_input.h"
#include "kubexms/api/patch/merge_patch.h"
#include "kubexms/base/check.h"

using namespace kubexms;

namespace {

// A merge patch cannot set a member to null.
bool HasNullMembers(const Json& value) {
  const JsonObject* object = value.if_object();
  if (object == nullptr) return false;
  for (const auto& member : *object) {
    if (member.value().is_null() || HasNullMembers(member.value())) return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::optional<PatchInput> input = ParsePatchInput(data, size);
  if (!input) return 0;
  const auto& [original, modified, current] = *input;

  const Json once = ApplyMergePatch(original, modified);
  KUBEXMS_CHECK(JsonEqual(ApplyMergePatch(once, modified), once));
  if (HasNullMembers(modified)) return 0;
  const Json patch = CreateMergePatch(original, modified);
  KUBEXMS_CHECK(JsonEqual(ApplyMergePatch(original, patch), modified));

  if (!current) return 0;
  const Json three_way = CreateThreeWayMergePatch(original, modified, *current);
  const Json patched = ApplyMergePatch(*current, three_way);
  KUBEXMS_CHECK(JsonEqual(ApplyMergePatch(patched, modified), patched));
  return 0;
}
