#include "kubexms/cli/output.h"

#include "kubexms/base/json/yaml.h"

namespace kubexms {

Flag OutputFlag() {
  return {.name = "output",
          .letter = 'o',
          .value = "FORMAT",
          .doc = "output format for programs",
          .choices = {"json", "yaml"}};
}

std::string FormatObject(const Json& object, std::string_view format) {
  if (format == "yaml") return WriteYaml(object);
  KUBEXMS_CHECK(format == "json");
  return WriteJsonPretty(object);
}

}  // namespace kubexms
