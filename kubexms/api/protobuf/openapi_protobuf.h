#pragma once

// The protobuf form of an OpenAPI v2 document, which is the only one that kubectl asks for
// (application/com.github.proto-openapi.spec.v2@v1.0+protobuf).

#include <string>

#include "kubexms/base/json/json.h"

namespace kubexms {

// `document` is one that MakeOpenApiV2 made; what else OpenAPI could hold is left out.
std::string EncodeOpenApiV2(const Json& document);

}  // namespace kubexms
