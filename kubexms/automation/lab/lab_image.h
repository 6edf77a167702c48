#pragma once

// The Debian image that the hosts of all labs share; each host has its own writable layer.

#include <functional>
#include <string>
#include <string_view>

#include "kubexms/automation/steps/runner.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/result.h"

namespace kubexms::automation {

struct LabImageOptions {
  std::string directory;  // of the image
  std::string mirror;     // defaults to the mirror of this machine's apt
  std::function<void(std::string_view)> progress;
  std::stop_token stop;
};

// Creates the image unless it exists, which takes a minute or two and a quarter of a gigabyte. The
// image appears under its name when it is complete; leftovers of an interrupted call are replaced.
// Of several processes one creates it and the others wait.
Result<void> EnsureLabImage(Runner& runner, Clock& clock, const LabImageOptions& options);

// Removes the image, complete or not.
Result<void> RemoveLabImage(const std::string& directory);

}  // namespace kubexms::automation
