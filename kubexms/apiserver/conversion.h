#pragma once
#include "kubexms/base/json.h"
namespace kubexms {
Result<void> ConvertBuiltin(JsonObject& object, std::string_view to_api_version);
}
