#pragma once

// How artifacts come into being: apt itself says what packages need and fetches them, in a place of
// its own for each architecture, so that neither what is installed on this machine nor its package
// lists matter. Binaries and images come from where the configuration says (artifact_sources.h).

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
  std::vector<std::string> packages;  // what they need is found out
  std::vector<BinarySpec> binaries;
  std::vector<ImageSpec> images;
  std::string directory;        // where the files of their sources are, and their commands run
  std::string mirror;           // of Debian; empty: the one that apt on this machine uses
  std::string cache_directory;  // for lists and packages; the next build is quick with it
  std::string output;           // where the artifact is to be
  std::function<void(std::string_view)> progress = [](std::string_view) {};
};

// The systems for which artifacts can be built.
std::vector<std::string> ArtifactSystems();

// `runner` is of this machine; root is not needed. Only one build at a time uses a cache. Packages
// that every system of that kind has, because it could not be without them, are left out. What is
// wrong with binaries and images is told before anything is fetched by apt.
Result<ArtifactManifest> BuildArtifact(automation::Runner& runner,
                                       const ArtifactBuildOptions& options);

// What `apt-get --simulate install` says that it would install: names and versions.
std::vector<std::pair<std::string, std::string>> SimulatedInstalls(std::string_view output);

// The packages that the paragraphs of an index describe, as an artifact has them: the first of each
// name, sorted, with what each needs of the others. An error names a field that is missing.
Result<std::vector<ArtifactPackage>> PackagesOf(std::span<const ControlParagraph> paragraphs);

}  // namespace kubexms::cluster
