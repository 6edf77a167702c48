#pragma once

// The pipelines and modules of clusters. Journals, plans and reports have their names; code
// compares identities.

#include <optional>
#include <string>
#include <string_view>

namespace kubexms::cluster {

enum class PipelineId { kCreateCluster, kAddNodes, kRemoveNodes, kDeleteCluster, kRestoreEtcd };
// "create cluster". `variant` distinguishes runs that must not resume each other: "etcd restore
// 3f9c".
std::string PipelineName(PipelineId id, std::string_view variant = "");
// None for a name of no pipeline of this version.
std::optional<PipelineId> ParsePipelineName(std::string_view name);
// Whether `kubexms resume` resumes it. The commands of the other pipelines resume when repeated.
bool IsResumable(PipelineId id);

enum class ModuleId { kPreflight, kState, kOs, kBinaries, kEtcd, kContainerd, kHa };
// "etcd".
std::string ModuleName(ModuleId id);

}  // namespace kubexms::cluster
