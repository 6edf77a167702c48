#include <cstdint>
#include <string_view>

#include "kubexms/api/field_selector.h"
#include "kubexms/api/labels.h"
#include "kubexms/base/check.h"

// A parsed selector is written as text that parses to an equal selector.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kubexms;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const Result<Selector> selector = Selector::Parse(text); selector.ok()) {
    const Result<Selector> again = Selector::Parse(selector->ToString());
    KUBEXMS_CHECK(again.ok());
    KUBEXMS_CHECK(*again == *selector);
    const StringMap labels = {{"a", "b"}, {"app", "web"}, {"n", "7"}};
    KUBEXMS_CHECK(again->Matches(labels) == selector->Matches(labels));
  }
  if (const Result<FieldSelector> selector = FieldSelector::Parse(text); selector.ok()) {
    const Result<FieldSelector> again = FieldSelector::Parse(selector->ToString());
    KUBEXMS_CHECK(again.ok());
    KUBEXMS_CHECK(*again == *selector);
  }
  return 0;
}
