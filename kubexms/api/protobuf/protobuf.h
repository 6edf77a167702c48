#pragma once

// Kubernetes' protobuf form of objects (application/vnd.kubernetes.protobuf), in which many clients
// send the bodies of their requests. Only reading is here: answers are JSON.

#include <string_view>

#include "kubexms/base/json/json.h"

namespace kubexms {

// Whether a body begins as such objects do, which no JSON or YAML does.
bool IsProtobuf(std::string_view body);

// The object in `body` as the JSON document that a client would have sent instead: with apiVersion
// and kind, without what is absent. It can be of every built-in kind, or DeleteOptions of any
// version. The storage is used as in JsonOptions.
//
// Fields that are not known are skipped, and the last of several values counts, as in every reader
// of protobuf. All else that is wrong is a BadRequest that names the field: a kind that is not
// built in, truncated or malformed input, a value of another wire type, text that is not UTF-8,
// messages nested more than a hundred levels deep.
Result<Json> DecodeProtobuf(std::string_view body, const JsonStorage& storage = {});

}  // namespace kubexms
