// The input has two or three documents, separated by line breaks. The second is both a patch for
// the first and a target to create patches for.

#include <algorithm>
#include <cstdint>
#include <string_view>

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
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t split = input.find('\n');
  if (split == std::string_view::npos) return 0;
  const size_t second_split = std::min(input.find('\n', split + 1), size - 1);
  const Result<Json> original = ParseJson(input.substr(0, split));
  const Result<Json> modified = ParseJson(input.substr(split + 1, second_split - split));
  if (!original.ok() || !modified.ok()) return 0;

  const Json once = ApplyMergePatch(*original, *modified);
  KUBEXMS_CHECK(JsonEqual(ApplyMergePatch(once, *modified), once));
  if (HasNullMembers(*modified)) return 0;
  const Json patch = CreateMergePatch(*original, *modified);
  KUBEXMS_CHECK(JsonEqual(ApplyMergePatch(*original, patch), *modified));

  const Result<Json> current = ParseJson(input.substr(second_split + 1));
  if (!current.ok()) return 0;
  const Json three_way = CreateThreeWayMergePatch(*original, *modified, *current);
  const Json patched = ApplyMergePatch(*current, three_way);
  KUBEXMS_CHECK(JsonEqual(ApplyMergePatch(patched, *modified), patched));
  return 0;
}
