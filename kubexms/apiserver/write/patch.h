#pragma once

// The patch types of the API: JSON patch, merge patch, strategic merge patch and apply.

#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/schema/schema.h"
#include "kubexms/apiserver/request/request.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"
#include "kubexms/client/request.h"
#include "kubexms/net/http/http.h"

namespace kubexms {

// The type that the Content-Type header names.
Result<PatchType> PatchTypeOf(const HttpHeaders& headers, bool custom);
// Refuses a strategic merge patch of a custom resource, which has no merge keys.
Result<void> CheckPatchType(PatchType type, bool custom);

// The body of a patch of any type but apply.
struct RequestPatch {
  PatchType type;
  Json document;
  std::vector<std::string> duplicate_fields;  // messages, as StrictErrors has them
};
Result<RequestPatch> ReadPatch(PatchType type, std::string_view body);

// Refuses options that do not belong to the type, and an apply without a field manager.
Result<void> CheckPatchOptions(PatchType type, const WriteQuery& options);

// The document after a patch of any type but apply, which needs the managed fields.
Result<Json> ApplyPatch(PatchType type, Json document, const Json& patch, const Schema& schema);

// A value in the form in which Kubernetes' messages show a strategic merge patch:
// map[spec:map[replicas:3]].
std::string PrintAsGo(const Json& value);

}  // namespace kubexms
