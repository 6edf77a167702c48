#pragma once

// The protobuf form of an OpenAPI v2 document
// (application/com.github.proto-openapi.spec.v2@v1.0+protobuf), the only form that kubectl
// requests.

#include <string>

#include "kubexms/base/json/json.h"

namespace kubexms {

// `document` is a result of MakeOpenApiV2; other keywords of OpenAPI are omitted.
std::string EncodeOpenApiV2(const Json& document);

}  // namespace kubexms
