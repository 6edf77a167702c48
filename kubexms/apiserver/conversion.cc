#include "kubexms/apiserver/conversion.h"
namespace kubexms {
Result<void> ConvertBuiltin(JsonObject& object, std::string_view v) {
  object["apiVersion"] = v;
  return {};
}
}  // namespace kubexms
