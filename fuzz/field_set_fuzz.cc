#include <cstdint>
#include <string_view>

#include "kubexms/api/patch/field_set.h"
#include "kubexms/base/check.h"

// A parsed FieldsV1 is written so that it parses to the same set, and satisfies the laws of sets
// with itself and its leaves.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using kubexms::FieldSet;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const kubexms::Result<kubexms::Json> json = kubexms::ParseJson(text);
  if (!json.ok()) return 0;
  const kubexms::Result<FieldSet> set = FieldSet::FromJson(*json);
  if (!set.ok()) return 0;
  KUBEXMS_CHECK(FieldSet::FromJson(set->ToJson()).value() == *set);

  size_t count = 0;
  set->ForEach([&](std::span<const kubexms::PathElement> path) {
    KUBEXMS_CHECK(set->Has(path));
    KUBEXMS_CHECK(!kubexms::PrintPath(path).empty());
    ++count;
  });
  KUBEXMS_CHECK(count == set->Size());

  const FieldSet leaves = set->Leaves();
  KUBEXMS_CHECK(leaves.Difference(*set).Empty());
  KUBEXMS_CHECK(set->Difference(leaves).Union(leaves) == *set);
  KUBEXMS_CHECK(set->Intersection(leaves) == leaves);
  KUBEXMS_CHECK(set->RecursiveDifference(*set).Empty());
  return 0;
}
