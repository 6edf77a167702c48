#pragma once

// Aggregates ClusterRoles when a server starts: a new version of the server may have extended the
// default roles. While the server runs, the clusterrole-aggregation-controller does this.

#include "kubexms/apiserver/write/object_writer.h"
#include "kubexms/store/store.h"

namespace kubexms {

// Sets the rules of every stored ClusterRole with an aggregationRule to those of the roles that it
// selects. Logs and skips a role that cannot be read or written.
Result<void> AggregateRoles(store::Store& store, ObjectWriter& writer, const Resource& roles,
                            const Logger& log = {});

}  // namespace kubexms
