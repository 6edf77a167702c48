#pragma once

// Pruning removes the fields that a Schema does not know, as Kubernetes does before it stores an
// object, and says which they were, as strict field validation needs it.

#include <string>
#include <vector>

#include "kubexms/api/schema/schema.h"
#include "kubexms/base/json/json.h"

namespace kubexms {

struct PruneOptions {
  // The value is a whole object: its apiVersion, kind and metadata are known even when the schema
  // does not name them.
  bool resource_root = true;
  // The schema of metadata, for the object itself and for embedded ones whose schema does not say
  // it. Null: all of it is kept.
  const Schema* object_meta = nullptr;
  // Where the paths of the removed fields are added, sorted: "spec.containers[0].imagee". What is
  // inside a removed field is not listed.
  std::vector<std::string>* removed = nullptr;
};

// Fields below one with preserve_unknown_fields are kept, except inside properties that the schema
// names there: those are pruned again. True when something was removed. Pruning twice is the same
// as once. Safe for use from any thread.
bool Prune(Json& value, const Schema& schema, const PruneOptions& options = {});

}  // namespace kubexms
