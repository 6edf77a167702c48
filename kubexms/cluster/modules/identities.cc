#include "kubexms/cluster/modules/identities.h"

#include <fmt/format.h>

#include <iterator>

namespace kubexms::cluster {
namespace {

constexpr std::string_view kPipelines[] = {"create cluster", "add nodes", "remove nodes",
                                           "delete cluster", "etcd restore"};
constexpr std::string_view kModules[] = {"preflight", "state",      "os", "binaries",
                                         "etcd",      "containerd", "ha"};

}  // namespace

std::string PipelineName(PipelineId id, std::string_view variant) {
  const std::string_view name = kPipelines[static_cast<size_t>(id)];
  return variant.empty() ? std::string(name) : fmt::format("{} {}", name, variant);
}

std::optional<PipelineId> ParsePipelineName(std::string_view name) {
  for (size_t i = 0; i < std::size(kPipelines); ++i) {
    const std::string_view known = kPipelines[i];
    if (name == known || name.starts_with(fmt::format("{} ", known))) {
      return static_cast<PipelineId>(i);
    }
  }
  return std::nullopt;
}

bool IsResumable(PipelineId id) {
  return id == PipelineId::kCreateCluster || id == PipelineId::kAddNodes;
}

std::string ModuleName(ModuleId id) { return std::string(kModules[static_cast<size_t>(id)]); }

}  // namespace kubexms::cluster
