#pragma once

// The ways to change an object by saying what is to be different.

#include <string>

#include "kubexms/api/schema/schema.h"
#include "kubexms/apiserver/request/request.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"
#include "kubexms/client/request.h"
#include "kubexms/net/http/http.h"

namespace kubexms {

// The type that the Content-Type header names. Custom resources have no strategic merge patch.
Result<PatchType> PatchTypeOf(const HttpHeaders& headers, bool custom);

// Refuses options that do not belong to the type, and an apply without a manager.
Result<void> CheckPatchOptions(PatchType type, const WriteQuery& options);

// The document after a patch of any type but apply, which needs to know whose fields are whose.
Result<Json> ApplyPatch(PatchType type, Json document, const Json& patch, const Schema& schema);

// A patch as Kubernetes' messages show a strategic one: map[spec:map[replicas:3]].
std::string PrintAsGo(const Json& value);

}  // namespace kubexms
