#pragma once

// A FlowSchema says in its status whether the priority level that it names exists (the condition
// Dangling, which `kubectl get flowschemas` shows as MISSINGPL).

#include "kubexms/api/values/time.h"
#include "kubexms/apiserver/resources/resource_registry.h"
#include "kubexms/apiserver/write/object_writer.h"
#include "kubexms/base/result.h"
#include "kubexms/store/store.h"

namespace kubexms {

inline constexpr std::string_view kFlowControlGroup = "flowcontrol.apiserver.k8s.io";

// Brings the conditions up to date. To be called after a write of the group.
Result<void> MarkDanglingFlowSchemas(const ResourceSet& resources, store::Store& store,
                                     ObjectWriter& writer, Time now);

}  // namespace kubexms
