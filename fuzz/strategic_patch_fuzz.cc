// The input has two or three documents, separated by line breaks. The second is both a patch for
// the first and a target to create patches for. The schema has the members "m" (merged by "k"), "r"
// (merged by "k", retainKeys), "s" (a set of scalars), "o" (retainKeys) and "l" (replaced), at
// every level.

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>

#include "fuzz/patch_input.h"
#include "kubexms/api/patch/strategic_patch.h"
#include "kubexms/base/check.h"

using namespace kubexms;

namespace {

const Schema& TestSchema() {
  static SchemaArena arena;
  static const Schema& schema = []() -> const Schema& {
    Schema* root = arena.New();
    root->type = SchemaType::kObject;
    const auto add = [&](const char* name, PatchStrategy strategy, const char* key, bool is_list) {
      Schema* field = arena.New();
      field->type = is_list ? SchemaType::kArray : SchemaType::kObject;
      field->patch_strategy = strategy;
      field->patch_merge_key = key;
      if (is_list) {
        field->items = root;
      } else {
        field->ref = root;
      }
      root->properties.push_back({name, field});
    };
    add("l", PatchStrategy::kDefault, "", true);
    add("m", PatchStrategy::kMerge, "k", true);
    add("o", PatchStrategy::kRetainKeys, "", false);
    add("r", PatchStrategy::kMergeRetainKeys, "k", true);
    add("s", PatchStrategy::kMerge, "", true);
    return *root;
  }();
  return schema;
}

bool HasDistinctItems(const JsonArray& list) {
  std::set<std::string> seen;
  for (const Json& item : list) {
    const Json* key = FindMember(item, "k");
    if (!seen.insert(WriteJson(key == nullptr ? item : *key)).second) return false;
  }
  return true;
}

// Documents for which a created patch yields exactly the target: no nulls in objects, no names of
// directives, no equal items in a list.
bool IsOrdinary(const Json& value) {
  if (const JsonObject* object = value.if_object()) {
    for (const auto& [key, member] : *object) {
      if (member.is_null() || std::string_view(key).starts_with('$')) return false;
      if (!IsOrdinary(member)) return false;
    }
  } else if (const JsonArray* array = value.if_array()) {
    if (!HasDistinctItems(*array)) return false;
    for (const Json& item : *array) {
      if (!IsOrdinary(item)) return false;
    }
  }
  return true;
}

void CheckCreation(const Json& original, const Json& modified) {
  const Result<Json> patch = CreateStrategicPatch(original, modified, TestSchema());
  if (!patch.ok()) return;
  const Result<Json> patched = ApplyStrategicPatch(original, *patch, TestSchema());
  KUBEXMS_CHECK(patched.ok() && JsonEqual(*patched, modified));
}

void CheckThreeWay(const Json& original, const Json& modified, const Json& current) {
  const Result<Json> patch = CreateThreeWayStrategicPatch(original, modified, current, TestSchema(),
                                                          OnPatchConflict::kOverwrite);
  const Result<Json> again = CreateThreeWayStrategicPatch(original, modified, current, TestSchema(),
                                                          OnPatchConflict::kFail);
  KUBEXMS_CHECK(patch.ok() || !again.ok());
  if (patch.ok() && again.ok()) KUBEXMS_CHECK(WriteJson(*patch) == WriteJson(*again));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::optional<PatchInput> input = ParsePatchInput(data, size);
  if (!input) return 0;
  const auto& [original, modified, current] = *input;

  const Result<Json> once = ApplyStrategicPatch(original, modified, TestSchema());
  const Result<Json> again = ApplyStrategicPatch(original, modified, TestSchema());
  KUBEXMS_CHECK(once.ok() == again.ok());
  if (once.ok()) {
    KUBEXMS_CHECK(WriteJson(*once) == WriteJson(*again));
  } else {
    KUBEXMS_CHECK(once.error() == again.error());
  }
  if (IsOrdinary(original) && IsOrdinary(modified)) CheckCreation(original, modified);

  if (current) CheckThreeWay(original, modified, *current);
  return 0;
}
