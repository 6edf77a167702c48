#pragma once

// The sources of an artifact's binaries and images: files, URLs and commands, each verified before
// use.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/automation/steps/runner.h"
#include "kubexms/cluster/config/cluster_kind.h"

namespace kubexms::automation {
class ClusterLock;
}

namespace kubexms::cluster {

struct SourceOptions {
  std::string directory;        // base of relative paths and commands; empty: the current one
  std::string cache_directory;  // for downloads and output of commands; created if missing
  std::function<void(std::string_view)> progress = [](std::string_view) {};
};

class ArtifactSources {
 public:
  // `runner` is of this machine; borrowed.
  ArtifactSources(automation::Runner* runner, SourceOptions options);
  ~ArtifactSources();

  // The file for an architecture, downloaded or generated if necessary: from the source for this
  // architecture, or else from the one for all. `what` is for messages. Fails without a source,
  // when the file does not exist, and when its checksum differs from the configuration.
  Result<std::string> Get(const std::vector<SourceSpec>& sources, std::string_view architecture,
                          std::string_view what);

  // Stores a content in the cache and returns the path.
  Result<std::string> StoreContent(const std::string& content);

 private:
  Result<void> Open();
  Result<std::string> Fetch(const SourceSpec& source);
  Result<std::string> RunSourceCommand(const SourceSpec& source, std::string_view architecture);
  // Runs a script that writes to $1, and renames the file when it has succeeded.
  Result<void> Write(const std::string& script, std::string_view architecture,
                     const std::string& path);

  automation::Runner* const runner_;
  const SourceOptions options_;
  const std::string root_;
  std::unique_ptr<automation::ClusterLock> lock_;  // of the cache, acquired on first use
};

}  // namespace kubexms::cluster
