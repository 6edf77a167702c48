#pragma once

// Defaulting fills in what the author of an object left out, as the Schema says; normalising puts
// what he wrote into the one form that is stored.

#include "kubexms/api/schema/schema.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

// Gives every missing property that has a default its default, in the value and in everything
// inside it: defaults are filled in themselves. A null counts as missing where it is not allowed.
// Nothing else is touched; what is not an object or a list of the right kind stays for validation.
// True when something changed. Defaulting twice is the same as once. A default must not contain
// itself. Safe for use from any thread.
bool ApplyDefaults(Json& value, const Schema& schema);
// The same for schemas of other people: fails with 413, the value half filled in, when the defaults
// would have more than `max_bytes`. Each item of a long list may get a large default.
Result<void> ApplyDefaults(Json& value, const Schema& schema, size_t max_bytes);

// Removes the nulls of members that may not be null and have no default, as Kubernetes does with
// custom resources before defaulting. True when something was removed.
bool RemoveNulls(Json& value, const Schema& schema);

// Rewrites quantities and, where the schema has the format date-time, times into the form that
// Kubernetes stores them in: "0.5" → "500m", "2024-01-01T01:00:00+01:00" → "2024-01-01T00:00:00Z".
// Text that cannot be read stays for validation. For kinds of our own: in custom resources such
// text is kept as it is written. True when something changed.
bool Normalise(Json& value, const Schema& schema);

}  // namespace kubexms
