#pragma once

// Decodes Kubernetes' protobuf form of objects (application/vnd.kubernetes.protobuf), in which many
// clients send request bodies. There is no encoder: responses are JSON.

#include <string_view>

#include "kubexms/base/json/json.h"

namespace kubexms {

// Whether a body starts with the magic bytes of that form, with which no JSON or YAML starts.
bool IsProtobuf(std::string_view body);

// Returns the object in `body` as the equivalent JSON document, with apiVersion and kind and
// without absent fields. The object is of a built-in kind, or DeleteOptions of any version. The
// storage is used as in JsonOptions.
//
// As protobuf requires, unknown fields are skipped and the last of several values wins. All other
// errors are a BadRequest that names the field: an unknown kind, truncated or malformed input, a
// value of another wire type, invalid UTF-8, messages nested more than 100 levels deep.
Result<Json> DecodeProtobuf(std::string_view body, const JsonStorage& storage = {});

}  // namespace kubexms
