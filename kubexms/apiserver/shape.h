#pragma once
#include "kubexms/api/schema.h"
#include "kubexms/base/result.h"
namespace kubexms {
Result<void> CheckShape(const Json& document, const Schema& schema, std::string_view kind,
                        std::string_view version);
}
