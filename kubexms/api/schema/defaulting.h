#pragma once

// Defaulting sets the absent fields of an object to the defaults of the Schema. Normalizing
// rewrites values into their canonical form.

#include "kubexms/api/schema/schema.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

// Sets absent properties to their defaults, at every level of the value and inside the defaults. A
// null that the schema does not allow counts as absent. Values of the wrong type are left to
// validation. True when something changed. Idempotent. A default must not contain itself. Any
// thread may call it.
bool ApplyDefaults(Json& value, const Schema& schema);
// For the schemas of custom resources: fails with 413, the value partly defaulted, when the added
// defaults exceed `max_bytes`. Each item of a long list may have a large default.
Result<void> ApplyDefaults(Json& value, const Schema& schema, size_t max_bytes);

// Removes null members that are not nullable and have no default, as Kubernetes does for custom
// resources before defaulting. True when something was removed.
bool RemoveNulls(Json& value, const Schema& schema);

// Rewrites quantities and times (format date-time) into the form that Kubernetes stores:
// "0.5" → "500m", "2024-01-01T01:00:00+01:00" → "2024-01-01T00:00:00Z". Invalid text is left to
// validation. For built-in kinds only: Kubernetes does not rewrite custom resources. True when
// something changed.
bool Normalize(Json& value, const Schema& schema);

}  // namespace kubexms
