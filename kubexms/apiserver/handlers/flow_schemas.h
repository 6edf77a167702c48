#pragma once

// The condition Dangling of a FlowSchema: whether the PriorityLevelConfiguration that it references
// exists. `kubectl get flowschemas` shows it as MISSINGPL.

#include "kubexms/api/values/time.h"
#include "kubexms/apiserver/resources/resource_registry.h"
#include "kubexms/apiserver/write/object_writer.h"
#include "kubexms/base/result.h"
#include "kubexms/store/store.h"

namespace kubexms {

inline constexpr std::string_view kFlowControlGroup = "flowcontrol.apiserver.k8s.io";

// Updates the conditions of all FlowSchemas. To be called after a write of an object of the group.
Result<void> MarkDanglingFlowSchemas(const ResourceSet& resources, store::Store& store,
                                     ObjectWriter& writer, Time now);

}  // namespace kubexms
