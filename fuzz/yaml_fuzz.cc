#include <cstdint>
#include <string>
#include <string_view>

#include "kubexms/base/check.h"
#include "kubexms/base/json/yaml.h"

// A parsed document is written in a form that parses to an equal document.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kubexms;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto documents = ParseYaml(text);
  if (!documents.ok()) {
    KUBEXMS_CHECK(!documents.error().message().empty());
    return 0;
  }
  for (const YamlDocument& document : *documents) {
    const auto again = ParseYamlOne(WriteYaml(document.value));
    KUBEXMS_CHECK(again.ok());
    KUBEXMS_CHECK(JsonEqual(again->value, document.value));
  }
  return 0;
}
