#pragma once

// The one image of Debian that all hosts of all labs share, and change in layers of their own.

#include <functional>
#include <string>
#include <string_view>

#include "kubexms/automation/steps/runner.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/result.h"

namespace kubexms::automation {

struct LabImageOptions {
  std::string directory;  // where it is to be
  std::string mirror;     // empty: where this machine's apt gets Debian from
  std::function<void(std::string_view)> progress;
  std::stop_token stop;
};

// Makes the image unless it exists: a minute or two, and a quarter of a gigabyte. It appears under
// its name when it is complete; what an interrupted call left is made anew. Of several programs one
// makes it and the others wait.
Result<void> EnsureLabImage(Runner& runner, Clock& clock, const LabImageOptions& options);

// Also what is left of one that was never completed.
Result<void> RemoveLabImage(const std::string& directory);

}  // namespace kubexms::automation
