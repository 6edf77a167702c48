#pragma once

// Pruning removes the fields that a Schema does not specify, as Kubernetes does before it stores an
// object, and lists them for strict field validation.

#include <string>
#include <vector>

#include "kubexms/api/schema/schema.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

struct PruneOptions {
  // The value is an object: apiVersion, kind and metadata are retained even when the schema does
  // not specify them.
  bool resource_root = true;
  // The schema of metadata, for the object and for embedded resources whose schema lacks it. Null
  // retains all metadata.
  const Schema* object_meta = nullptr;
  // Receives the sorted paths of the removed fields, without the fields inside them:
  // "spec.containers[0].imagee".
  std::vector<std::string>* removed = nullptr;
};

// preserve_unknown_fields retains all fields below it, but properties that the schema specifies
// there are pruned. True when something was removed. Idempotent. Any thread may call it.
bool Prune(Json& value, const Schema& schema, const PruneOptions& options = {});

}  // namespace kubexms
