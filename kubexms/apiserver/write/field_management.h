#pragma once

// The managed fields of an object (metadata.managedFields) in writes of the server: applies the
// rules of api/patch/apply.h to a resource.

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

// Returns `updated` with its managed fields after the manager has written it in place of `old`,
// which is null for a creation.
Json TrackWrite(const Json* old, Json updated, const FieldManagement& management);

// Returns `live` (null when the object does not exist) with the configuration merged into it and
// with its managed fields. Fields that this resource or subresource does not write are neither
// changed nor owned.
Result<Json> ApplyConfiguration(const Json* live, const Json& config,
                                const FieldManagement& management, bool force);

}  // namespace kubexms
