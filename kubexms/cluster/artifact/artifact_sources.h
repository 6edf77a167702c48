#pragma once

// Where binaries and images of an artifact come from: files of the operator, addresses, and
// commands, each checked before it is used.

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
  std::string directory;        // where relative paths begin and commands run; empty: here
  std::string cache_directory;  // for what is fetched or made; made when it is needed
  std::function<void(std::string_view)> progress = [](std::string_view) {};
};

class ArtifactSources {
 public:
  // `runner` is of this machine, and borrowed.
  ArtifactSources(automation::Runner* runner, SourceOptions options);
  ~ArtifactSources();

  // The file for hosts of this architecture, fetched or made if need be: from the source that is
  // for it, or from the one for all. `what` names the thing for people. Refused: no source, a file
  // that is not there, another checksum than the configuration says.
  Result<std::string> Get(const std::vector<SourceSpec>& sources, std::string_view architecture,
                          std::string_view what);

  // A file with this content.
  Result<std::string> StoreContent(const std::string& content);

 private:
  Result<void> Open();
  Result<std::string> Fetch(const SourceSpec& source);
  Result<std::string> RunSourceCommand(const SourceSpec& source, std::string_view architecture);
  // Runs a script that writes to $1, and gives the file its name once that is done.
  Result<void> Write(const std::string& script, std::string_view architecture,
                     const std::string& path);

  automation::Runner* const runner_;
  const SourceOptions options_;
  const std::string root_;
  std::unique_ptr<automation::ClusterLock> lock_;  // of the cache, once it is used
};

}  // namespace kubexms::cluster
