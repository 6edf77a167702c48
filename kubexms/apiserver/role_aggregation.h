#pragma once

// ClusterRoles that are made of others, when a server starts: its default ones may have been
// extended since it last ran. Those that change while it runs are the matter of the
// clusterrole-aggregation-controller.

#include "kubexms/apiserver/write/object_writer.h"
#include "kubexms/store/store.h"

namespace kubexms {

// Gives every stored ClusterRole with an aggregationRule the rules of those that it selects. A role
// that cannot be read or written is logged and passed over.
Result<void> AggregateRoles(store::Store& store, ObjectWriter& writer, const Resource& roles,
                            const Logger& log = {});

}  // namespace kubexms
