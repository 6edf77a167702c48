#pragma once

// Who owns which field of an object (metadata.managedFields), for the writes of the server: the
// rules of api/patch/apply.h with what the server knows about a resource.

#include <string_view>

#include "kubexms/api/values/time.h"
#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

struct FieldManagement {
  const Resource& resource;
  std::string_view subresource;
  std::string_view manager;
  Time now;
};

// `updated` with the managed fields that it has when the manager writes it in place of `old`; null
// for a creation.
Json TrackWrite(const Json* old, Json updated, const FieldManagement& management);

// `live` (null when there is no object) with the configuration merged into it and its managed
// fields. What this resource or subresource does not write is neither changed nor owned.
Result<Json> ApplyConfiguration(const Json* live, const Json& config,
                                const FieldManagement& management, bool force);

}  // namespace kubexms
