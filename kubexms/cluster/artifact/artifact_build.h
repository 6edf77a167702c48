#pragma once

// Builds artifacts. apt resolves dependencies and downloads packages in a root of its own for each
// architecture, independent of the packages and package lists of this machine. Binaries and images
// come from the sources of the configuration (artifact_sources.h).

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/automation/steps/runner.h"
#include "kubexms/cluster/artifact/artifact.h"
#include "kubexms/cluster/artifact/debian_control.h"
#include "kubexms/cluster/config/cluster_kind.h"

namespace kubexms::cluster {

struct ArtifactBuildOptions {
  std::string os = "debian-12";
  std::vector<std::string> architectures = {"amd64"};
  std::vector<std::string> packages;  // without dependencies
  std::vector<BinarySpec> binaries;
  std::vector<ImageSpec> images;
  std::string directory;        // base of relative paths in sources, and of their commands
  std::string mirror;           // of Debian; defaults to that of apt on this machine
  std::string cache_directory;  // for lists, packages and other downloads
  std::string output;           // the artifact to write
  std::function<void(std::string_view)> progress = [](std::string_view) {};
};

// The supported operating systems.
std::vector<std::string> ArtifactSystems();

// `runner` is of this machine; root is not required. Only one build at a time may use a cache.
// Essential packages, which every system has, are omitted. Errors of binaries and images are
// reported before any download by apt.
Result<ArtifactManifest> BuildArtifact(automation::Runner& runner,
                                       const ArtifactBuildOptions& options);

// The names and versions in the output of `apt-get --simulate install`.
std::vector<std::pair<std::string, std::string>> SimulatedInstalls(std::string_view output);

// The packages of an index: the first of each name, sorted, with their dependencies on each other.
// Fails when a field is missing.
Result<std::vector<ArtifactPackage>> PackagesOf(std::span<const ControlParagraph> paragraphs);

}  // namespace kubexms::cluster
